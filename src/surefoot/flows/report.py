"""The validation report: what the gate's result means for the question. Pure; no second opinion on grounding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from surefoot.core.followup import made_whole, rests
from surefoot.core.questions import sub_questions, terms, wants_number
from surefoot.core.text import sentences, without_markers, words
from surefoot.core.types import DONT_KNOW, Decision, Passage, Round, Status, VerificationResult


class Answers(Protocol):
    """Whether a text made from the passages holds what a question asks for; of a `torn` one statements are gone."""

    def __call__(self, question: str, text: str, passages: Sequence[Passage], /, *, torn: bool = False) -> bool: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class ValidationReport:
    round: Round
    unanswered: tuple[str, ...]
    """Sub-questions the text says nothing about."""
    beside: bool
    """The text says something, and nothing of what was asked for."""
    problems: tuple[str, ...]
    """For the next draft: what the gate found, in words."""
    codes: tuple[str, ...]
    """Why it was not accepted, without a word of the question."""
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
    open_parts = unanswered(parts, result.final_answer, passages, answers, torn=_is_torn(result))
    beside = len(open_parts) == len(parts) and result.final_answer != DONT_KNOW
    open_parts = open_parts if result.accepted else parts
    completeness = 1 - len(open_parts) / len(parts)
    groundedness = _groundedness(result)
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
        beside=beside,
        problems=_problems(result, open_parts),
        codes=_codes(result, open_parts, outdated, min(groundedness, relevance) <= threshold),
        refused_by_rule=result.decision is Decision.REJECTED
        and (result.metadata.fallback_reason or "").startswith("policy:"),
    )


def _is_torn(result: VerificationResult) -> bool:
    """Whether mending took out a whole statement, and not only a `Yes`."""
    gone = (one.before for one in result.metadata.revisions_applied if not one.after.strip())
    return any(len(words(without_markers(before))) >= _STATEMENT for before in gone)


def _groundedness(result: VerificationResult) -> float:
    """The mean of 1 - risk over the claims of the draft, 1 for a proven one. The gate's confidence, which also counts
    every finding against it, where no claim was weighed."""
    claims = [one for one in result.metadata.claims if one.status is not Status.SILENT]
    weighed = [1.0 if one.status is Status.PROVEN else 1.0 - one.risk for one in claims]
    return min(1.0, max(0.0, sum(weighed) / len(weighed) if weighed else result.metadata.confidence))


def unanswered(
    parts: Sequence[str],
    text: str,
    passages: Sequence[Passage],
    answers: Answers | None = None,
    *,
    torn: bool = False,
) -> tuple[str, ...]:
    """The parts that the text does not answer; where nobody can judge that, those no sentence of it speaks to."""
    said = [" ".join(without_markers(sentence.text).split()) for sentence in sentences(text)]
    if not said:
        return tuple(parts)
    if answers is not None:
        held = [answers(whole, text, passages, torn=torn) for whole in made_whole(parts)]
        held = [one and (held[0] or not rests(part)) for one, part in zip(held, parts, strict=True)]
        return tuple(part for part, answered in zip(parts, held, strict=True) if not answered)
    if len(parts) == 1:
        return ()
    return tuple(part for part in parts if not _speaks_to(part, said, passages))


def _speaks_to(part: str, said: Sequence[str], passages: Sequence[Passage]) -> bool:
    eligible = [text for text in said if not wants_number(part) or any(char.isdigit() for char in text)]
    if not eligible:
        return False
    wanted = terms(part)
    if not wanted:
        return True
    about = {text: terms(text) | _headings_over(text, passages) for text in eligible}
    return any(len(wanted & about[text]) / len(wanted) >= _COVERED for text in eligible)


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


def _codes(result: VerificationResult, open_parts: Sequence[str], outdated: bool, below: bool) -> tuple[str, ...]:
    if not result.accepted:
        return (result.metadata.fallback_reason or result.decision.value,)
    found = {"unanswered": bool(open_parts), "stale_source": outdated, "below_threshold": below}
    return tuple(code for code, true in found.items() if true)


def _problems(result: VerificationResult, open_parts: Sequence[str]) -> tuple[str, ...]:
    found = [f"{issue.location!r}: {issue.problem}" for issue in result.metadata.issues_detected[:8]]
    found += [f"not answered yet: {part}" for part in open_parts]
    return tuple(found)


_COVERED = 0.6
_STATEMENT = 3
"""Words."""
