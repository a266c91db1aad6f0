"""A session: the conversation about one aspect, as a line of the dataset and as a block of the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.core.text import markers, without_markers
from surefoot.dataset.corpus import Corpus, slug
from surefoot.dataset.pair import Aspect, Critique, Failure, Pair
from surefoot.dataset.schema import (
    ArticleMetadata,
    CritiqueLine,
    Message,
    PairLine,
    QualityMetrics,
    SessionLine,
    SessionMetadata,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    number: int
    aspect: Aspect
    pairs: tuple[Pair, ...] = ()
    failures: tuple[Failure, ...] = ()

    @property
    def accepted(self) -> int:
        return sum(pair.accepted for pair in self.pairs)


def conversation_id(corpus: Corpus, number: int) -> str:
    return f"{slug(corpus.title)}_session_{number}"


def session_line(corpus: Corpus, session: Session) -> SessionLine:
    messages: list[Message] = []
    for pair in session.pairs:
        if pair.accepted:
            messages.append(Message(role="user", content=pair.question.text))
            messages.append(Message(role="assistant", content=without_markers(pair.final_answer)))
    return SessionLine(
        conversation_id=conversation_id(corpus, session.number),
        article_metadata=ArticleMetadata(title=corpus.title, source=corpus.source),
        session_metadata=SessionMetadata(focus_aspect=session.aspect.text),
        messages=tuple(messages),
        quality_metrics=QualityMetrics(pairs=tuple(_pair_line(pair) for pair in session.pairs)),
    )


def log_block(session: Session) -> str:
    """What happened in one session, in order, however many ran beside it."""
    head = f"session {session.number}: {session.aspect.text} ({session.accepted} of {len(session.pairs)} accepted)"
    lines = [head]
    rows: Sequence[Pair | Failure] = sorted([*session.pairs, *session.failures], key=lambda one: one.question.number)
    for row in rows:
        lines.append(f"  {row.question.row} [{row.question.type}] {row.question.text}")
        if isinstance(row, Failure):
            lines.append(f"    failed at {row.step}: {row.problem}")
            continue
        lines.append(f"    answer     {_verdict(row.initial_critique)}")
        lines.append(f"    finalized  {_verdict(row.final_critique)}")
    return "\n".join(lines)


def cited_sources(pair: Pair) -> tuple[str, ...]:
    """The documents the final answer cites, in order of first mention; of a refusal: none."""
    by_label = {passage.id: str(passage.metadata.get("source", passage.id)) for passage in pair.passages}
    named = [by_label.get(marker.target.upper()) for marker in markers(pair.final_answer)]
    return tuple(dict.fromkeys(source for source in named if source))


def _pair_line(pair: Pair) -> PairLine:
    return PairLine(
        question=pair.question.text,
        initial_answer=pair.initial_answer,
        initial_critique=_critique_line(pair.initial_critique),
        final_answer=pair.final_answer,
        final_critique=_critique_line(pair.final_critique),
    )


def _critique_line(critique: Critique) -> CritiqueLine:
    return CritiqueLine(grounded=critique.grounded, reasoning=critique.reasoning)


def _verdict(critique: Critique) -> str:
    return "grounded" if critique.grounded else f"not grounded ({', '.join(critique.codes)})"
