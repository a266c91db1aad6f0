"""A claim's values and names written as its evidence writes them, so that form is not mistaken for substance.

`2024-03-05` becomes `5 March 2024`, `0.35 kg` becomes `350 g`, `UCT` becomes `University of Cape Town`, and a condition
put as a question, `Over 65? You travel free.`, one with an `If`. Nothing of this reaches the reader; it is what the
grounder reads.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from surefoot.core.asked import is_condition
from surefoot.core.text import fold, pieces
from surefoot.core.types import Claim, Span
from surefoot.core.values import Value
from surefoot.packs.names import mentions, words_of
from surefoot.verify.read.binding import Bound
from surefoot.verify.read.claims import columns
from surefoot.verify.read.submission import Submission


@dataclass(frozen=True, kw_only=True, slots=True)
class Phrased:
    """A claim in the evidence's words, and the way back."""

    text: str
    pieces: tuple[tuple[Span, Span], ...]
    """(span in this text, span in the claim) of what was put in, in order."""

    def back(self, span: Span) -> Span:
        """Where in the claim stands what the span covers here."""
        return (self._at(span[0], 0), self._at(span[1], 1))

    def _at(self, place: int, side: int) -> int:
        shift = 0
        for (start, end), was in self.pieces:
            if place < start or (side and place == start):
                break
            if place < end or (side and place == end):
                return was[side]
            shift = was[1] - end
        return place + shift


def phrased(claim: Claim, submission: Submission) -> Phrased:
    """The claim as the grounder reads it."""
    text = submission.line(claim).sentence.text
    edits = sorted(
        {*_values(claim, submission), *_names(claim, submission), *_conditions(text), *_columns(claim, submission)}
    )
    written: list[str] = []
    spans: list[tuple[Span, Span]] = []
    last = length = 0
    for (start, end), new in edits:
        if start < last:
            continue
        written += [text[last:start], new]
        length += start - last
        spans.append(((length, length + len(new)), (start, end)))
        length += len(new)
        last = end
    whole = "".join([*written, text[last:]])
    plain = unicodedata.normalize("NFKC", whole)
    return Phrased(text=plain if len(plain) == len(whole) else whole, pieces=tuple(spans))


def _values(claim: Claim, submission: Submission) -> Iterator[tuple[Span, str]]:
    for binding in submission.bindings(claim):
        if (
            binding.bound is Bound.MATCHED
            and binding.place is not None
            and _restated(binding.value, binding.place.value)
        ):
            yield binding.value.span, " ".join(binding.place.value.text.split())


def _restated(value: Value, other: Value) -> bool:
    """Whether two texts are one value: an approximate or a bounded one is more than its number."""
    if fold(value.text) == fold(other.text) or value.approximate or value.is_range != other.is_range:
        return False
    if value.kind == "date" and other.kind == "date":
        return (value.when, value.part) == (other.when, other.part)
    if not value.is_range and ("-" in value.text) != ("-" in other.text):
        return False  # "nine-hour" stands before what lasts nine hours, and nowhere else
    sized = value.kind == other.kind and value.unit == other.unit and value.period == other.period
    return (
        sized
        and value.kind not in ("token", "weekday", "ordinal")
        and (value.low, value.high) == (other.low, other.high)
    )


def asks_first(text: str) -> bool:
    """Whether a condition is put as a question before what holds under it."""
    return any(True for _ in _conditions(text))


def _conditions(text: str) -> Iterator[tuple[Span, str]]:
    """`Over 65? You` as `If Over 65, You`."""
    for question in pieces(text)[:-1] if "?" in text else ():
        if is_condition(question.text):
            mark = question.start + question.text.rindex("?")
            yield (question.start, question.start), "If "
            yield (mark, mark + 1), ","


def _columns(claim: Claim, submission: Submission) -> Iterator[tuple[Span, str]]:
    """`| Books | 21 days |` as `Loans: Books; Period: 21 days.`, by the header of the draft's own table."""
    names = columns(claim, submission.claims)
    inside = submission.line(claim).sentence.text.rstrip().removesuffix("|")
    bars = [at for at, sign in enumerate(inside) if sign == "|"] if names else []
    behind = 0
    for bar, end, name in zip(bars, [*bars[1:], len(inside)], names, strict=False):
        cell = inside[bar + 1 : end]
        start = bar + 1 + len(cell) - len(cell.lstrip())
        if cell.strip():
            yield (behind, start), f"{'; ' if behind else ''}{name}{': ' if name else ''}"
            behind = start + len(cell.strip())
    if behind:
        yield (behind, len(claim.text)), "."


def _names(claim: Claim, submission: Submission) -> Iterator[tuple[Span, str]]:
    """A registered name under the alias the evidence uses, where it does not use the claim's."""
    if not submission.pack.entities:
        return
    start, end = claim.span
    for mention in mentions(submission.pack, submission.draft):
        if mention.span[0] < start or mention.span[1] > end or len(mention.entities) != 1:
            continue
        said = submission.draft[mention.span[0] : mention.span[1]]
        forms = [form for form in (mention.entity.name, *mention.entity.aliases) if submission.says(form)]
        if forms and not submission.says(said) and words_of(said):
            yield (mention.span[0] - start, mention.span[1] - start), forms[0]
