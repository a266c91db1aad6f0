"""What a field of a record says about a claim, and what the verdicts do to the grounder's probability."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from surefoot.core.evidence import Field
from surefoot.core.text import STOPWORDS
from surefoot.core.types import Span
from surefoot.verify.structured.words import Word, read_words

MUCH = 0.4
"""Share of a claim's words within what agreeing fields say, from which little of it is left to doubt."""


class Agreement(StrEnum):
    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"
    """The record names the field and gives no value for it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldVerdict:
    """What one field of the record says about the claim."""

    path: str
    agreement: Agreement
    claimed: str
    found: str
    span: Span
    """The words of the claim that speak of the field."""

    @property
    def line(self) -> str:
        """The field as a sentence of evidence."""
        return f"{self.path}: {self.found}"

    @property
    def reason(self) -> str:
        """What is wrong, for people."""
        if self.agreement is Agreement.UNKNOWN:
            return f"the record gives no value for {self.path!r}; the claim says {self.claimed}"
        return f"the record says {self.path!r} is {self.found}; the claim says {self.claimed}"


def worst(verdicts: Sequence[FieldVerdict]) -> FieldVerdict | None:
    """The verdict that speaks against the claim most; None where none does."""
    against = [verdict for verdict in verdicts if verdict.agreement is not Agreement.SUPPORTED]
    return next((verdict for verdict in against if verdict.agreement is Agreement.CONTRADICTED), None) or next(
        iter(against), None
    )


def join(unsupported: float, verdicts: Sequence[FieldVerdict], claim: str = "") -> float:
    """The grounder's probability moved by the fields: one contradiction is enough, agreement helps a little.

    It helps more where much of the claim speaks of fields: `open from 11 AM to 9 PM on Friday` says nothing else.
    """
    if any(verdict.agreement is Agreement.CONTRADICTED for verdict in verdicts):
        return max(unsupported, 0.95)
    if any(verdict.agreement is Agreement.UNKNOWN for verdict in verdicts):
        return max(unsupported, 0.85)
    if not verdicts:
        return unsupported
    return unsupported * (0.5 if _share(verdicts, claim) >= MUCH else 0.7)


def _share(verdicts: Sequence[FieldVerdict], claim: str) -> float:
    """How many of the claim's words that mean something stand where a field is spoken of."""
    words = [word for word in read_words(claim) if word.text not in STOPWORDS]
    spoken = [word for word in words if any(v.span[0] <= word.start < v.span[1] for v in verdicts)]
    return len(spoken) / len(words) if words else 0.0


def verdict_of(field: Field, agrees: bool, claimed: str, words: Sequence[Word], first: int, last: int) -> FieldVerdict:
    agreement = Agreement.SUPPORTED if agrees else Agreement.CONTRADICTED
    span = (words[first].start, words[last].end)
    return FieldVerdict(path=field.path, agreement=agreement, claimed=claimed, found=field.text, span=span)


def best_by_place(verdicts: Iterable[FieldVerdict]) -> list[FieldVerdict]:
    """Two fields of like names at one place of the claim: agreement of either counts, so the kinder verdict stays.

    `credits` of the course must not deny what `modules Botany credits` confirms: a like-named field that agrees wins.
    """
    order = {Agreement.SUPPORTED: 0, Agreement.UNKNOWN: 1, Agreement.CONTRADICTED: 2}
    hours = [verdict for verdict in verdicts if verdict.path.startswith("hours ")]
    found: dict[Span, FieldVerdict] = {}
    for verdict in verdicts:
        if verdict in hours:
            continue
        kept = found.get(verdict.span)
        if kept is None or order[verdict.agreement] < order[kept.agreement]:
            found[verdict.span] = verdict
    agreed = {verdict.path.split()[-1] for verdict in found.values() if verdict.agreement is Agreement.SUPPORTED}
    kept_fields = [
        verdict
        for verdict in found.values()
        if verdict.agreement is Agreement.SUPPORTED or verdict.path.split()[-1] not in agreed
    ]
    return [*hours, *kept_fields]
