"""Repair without a model: trim, replace, re-point, append. What comes out is verified again, always."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from surefoot.core.text import fold
from surefoot.core.types import Claim, Edit, Finding, Revision, Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Repaired:
    text: str
    revisions: tuple[Revision, ...]


def repair(draft: str, claims: Sequence[Claim], findings: Sequence[Finding]) -> Repaired:
    """Applies the findings' edits; a finding without one costs its sentence.

    Where a sentence is to be dropped, edits inside it are moot. A sentence that leans on a dropped one by its first
    word ('It', 'They', 'This') goes with it: alone it would speak of something else.
    """
    drops = _drops(claims, findings)
    chosen: list[tuple[Edit, str]] = []
    for claim in claims:
        if claim.index in drops:
            chosen.append((Edit(span=_line(draft, claim.span), replacement="", kind="drop"), drops[claim.index]))
    for finding in findings:
        for edit in finding.edits:
            if not any(_overlap(edit.span, taken.span) for taken, _ in chosen):
                chosen.append((edit, finding.issue.code))
    return _apply(draft, chosen)


def _drops(claims: Sequence[Claim], findings: Sequence[Finding]) -> dict[int, str]:
    """Index of every claim to drop, with the code that asks for it."""
    drops: dict[int, str] = {}
    for finding in findings:
        if not finding.edits:
            for claim in claims:
                if _overlap(claim.span, finding.issue.span):
                    drops.setdefault(claim.index, finding.issue.code)
    for before, claim in pairwise(claims):
        if before.index in drops and fold(claim.text).split(" ", 1)[0].strip(",") in _LEANING:
            drops.setdefault(claim.index, drops[before.index])
    return drops


def _apply(draft: str, chosen: Sequence[tuple[Edit, str]]) -> Repaired:
    pieces: list[str] = []
    revisions: list[Revision] = []
    last = 0
    for edit, code in sorted(chosen, key=lambda item: (item[0].span, item[0].replacement)):
        start, end = edit.span
        pieces += [draft[last:start], edit.replacement]
        last = max(last, end)
        before = draft[start:end]
        revisions.append(Revision(code=code, kind=edit.kind, before=before, after=edit.replacement, span=edit.span))
    pieces.append(draft[last:])
    return Repaired(text=_tidy("".join(pieces)), revisions=tuple(revisions))


def _line(draft: str, span: Span) -> Span:
    """The sentence with the white space after it, and with its bullet where it is a whole list item."""
    start, end = span
    line_start = draft.rfind("\n", 0, start) + 1
    lead = draft[line_start:start].strip()
    if lead and not any(char.isalpha() for char in lead.strip("()")) and len(lead) <= 4:
        line_end = draft.find("\n", end)
        if not draft[end : line_end if line_end >= 0 else len(draft)].strip():
            return (line_start, line_end + 1 if line_end >= 0 else len(draft))
    while end < len(draft) and draft[end] in " \t":
        end += 1
    return (start, end)


def _tidy(text: str) -> str:
    lines = [line.rstrip() for line in text.split("\n")]
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip()


def _overlap(one: Span, other: Span) -> bool:
    if one[0] == one[1] or other[0] == other[1]:
        inner, outer = (one, other) if one[0] == one[1] else (other, one)
        return outer[0] < inner[0] < outer[1]
    return one[0] < other[1] and other[0] < one[1]


_LEANING = frozenset(("it", "they", "this", "these", "those", "that", "he", "she", "its", "their", "such", "both"))
