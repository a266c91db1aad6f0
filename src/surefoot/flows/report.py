"""The validation report: what the gate's result means for the question. Pure; no second opinion on grounding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from surefoot.core.questions import sub_questions, terms, wants_number
from surefoot.core.text import sentences, without_markers
from surefoot.core.types import Decision, Passage, Round, VerificationResult

Answers = Callable[[str, Sequence[str]], Sequence[float]]
"""How likely each text answers the question: a cross-encoder's `score`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ValidationReport:
    round: Round
    unanswered: tuple[str, ...]
    """Sub-questions the text says nothing about."""
    problems: tuple[str, ...]
    """For the next draft: what the gate found, in words."""
    refused_by_rule: bool


def validate(
    result: VerificationResult,
    *,
    question: str,
    passages: Sequence[Passage],
    relevance: float,
    threshold: float,
    number: int,
    external: tuple[str, ...] = (),
    answers: Answers | None = None,
) -> ValidationReport:
    """Score = the smallest of groundedness, completeness and relevance; accepted above the threshold and up to date."""
    parts = sub_questions(question)
    open_parts = parts if not result.accepted else unanswered(parts, result.final_answer, passages, answers)
    completeness = 1 - len(open_parts) / len(parts)
    groundedness = min(1.0, max(0.0, result.metadata.measures.get("groundedness", result.metadata.confidence)))
    outdated = any(issue.code == "stale_source" for issue in result.metadata.issues_detected)
    score = min(groundedness, completeness, relevance) if result.accepted else 0.0
    accepted = result.accepted and score > threshold and not outdated
    return ValidationReport(
        round=Round(
            number=number,
            score=round(score, 4),
            groundedness=round(groundedness, 4),
            completeness=round(completeness, 4),
            relevance=round(relevance, 4),
            outdated=outdated,
            accepted=accepted,
            reasons=_reasons(result, open_parts, outdated, min(groundedness, relevance) <= threshold),
            external=external,
        ),
        unanswered=open_parts if result.accepted else (),
        problems=_problems(result, open_parts),
        refused_by_rule=result.decision is Decision.REJECTED
        and (result.metadata.fallback_reason or "").startswith("policy:"),
    )


def unanswered(
    parts: Sequence[str], text: str, passages: Sequence[Passage], answers: Answers | None = None
) -> tuple[str, ...]:
    """The parts no sentence of the text speaks to. A single question that was answered at all is answered."""
    said = [" ".join(without_markers(sentence.text).split()) for sentence in sentences(text)]
    if not said:
        return tuple(parts)
    if len(parts) == 1:
        return ()
    return tuple(part for part in parts if not _speaks_to(part, said, passages, answers))


def _speaks_to(part: str, said: Sequence[str], passages: Sequence[Passage], answers: Answers | None) -> bool:
    eligible = [text for text in said if not wants_number(part) or any(char.isdigit() for char in text)]
    if not eligible:
        return False
    wanted = terms(part)
    if not wanted:
        return True
    about = {text: terms(text) | _headings_over(text, passages) for text in eligible}
    if any(len(wanted & about[text]) / len(wanted) >= _COVERED for text in eligible):
        return True
    return answers is not None and max(answers(part, eligible), default=0.0) >= _LIKELY


def _headings_over(text: str, passages: Sequence[Passage]) -> set[str]:
    """Words of the title and headings of the passages a sentence stands in: they say what it is about."""
    found: set[str] = set()
    for passage in passages:
        if " ".join(text.split()).rstrip(".") in " ".join(passage.text.split()):
            above = passage.metadata.get("headings")
            headings = [str(item) for item in above] if isinstance(above, list) else []
            headings += [item.text for item in sentences(passage.text) if item.kind == "heading"]
            found |= terms(" ".join([*headings, str(passage.metadata.get("title") or "")]))
    return found


def _reasons(result: VerificationResult, open_parts: Sequence[str], outdated: bool, below: bool) -> tuple[str, ...]:
    if not result.accepted:
        return (result.metadata.fallback_reason or result.decision.value,)
    found = [f"unanswered: {part}" for part in open_parts]
    found += ["outdated source"] if outdated else []
    found += ["below the threshold"] if below else []
    return tuple(found)


def _problems(result: VerificationResult, open_parts: Sequence[str]) -> tuple[str, ...]:
    found = [f"{issue.location!r}: {issue.problem}" for issue in result.metadata.issues_detected[:8]]
    found += [f"not answered yet: {part}" for part in open_parts]
    return tuple(found)


_COVERED = 0.6
_LIKELY = 0.5
