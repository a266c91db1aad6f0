"""Mending without a model: for each claim that may not leave, the first that applies of a correction, an edit that is
certain, the source's own sentence, and dropping it. What comes out is verified again, always."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

from surefoot.core.asked import asks_whether, is_condition
from surefoot.core.spans import Spans
from surefoot.core.text import UNDERLINE, squash
from surefoot.core.types import Claim, Edit, Finding, Revision, Span
from surefoot.verify.mend.leaning import is_left_alone
from surefoot.verify.read.claims import RULE


@dataclass(frozen=True, kw_only=True, slots=True)
class Repaired:
    text: str
    revisions: tuple[Revision, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What may be put in the place of claims."""

    held_back: frozenset[int] = frozenset()
    """Indexes of the claims that may not leave as they are."""
    corrections: Mapping[int, str] = field(default_factory=dict)
    """Index of a claim: another sentence, proposed by a critic."""
    quotes: Mapping[int, str] = field(default_factory=dict)
    """Index of a claim: the source's own sentence, cited."""
    standing: Mapping[int, str] = field(default_factory=dict)
    """Index of a claim: the source's own sentence that the text holds already; the claim goes, and gives way to it."""


def repair(draft: str, claims: Sequence[Claim], findings: Sequence[Finding], plan: Plan | None = None) -> Repaired:
    """The draft with every finding and every claim that is held back settled one way or another.

    A finding without edits costs its sentence. A sentence that leans on a dropped one by its first word ('It', 'They',
    'This') goes with it: alone it would speak of something else. So does a lead-in whose list is empty, and what stands
    behind a question that goes: it may hold only for those whom the question names. Where a heading goes and what is
    under it stays, a heading that says nothing takes its place: else it would be said of what the heading above names.
    """
    plan = plan or Plan()
    codes = _codes(claims, findings, plan)
    chosen: list[tuple[Edit, str]] = []
    drops: dict[int, str] = {}
    for claim in claims:
        if claim.index not in codes:
            continue
        edits = _instead(draft, claim, findings, plan)
        if edits is None:
            drops[claim.index] = codes[claim.index]
        chosen += [(edit, codes[claim.index]) for edit in edits or ()]
    replaced = {edit.span for edit, _ in chosen} | {edit.span for finding in findings for edit in finding.edits}
    unasked = {claim.index for claim in claims if claim.index in drops or claim.span in replaced}
    hanging = _hanging(draft, claims, unasked, plan)
    moot = Spans(claims[index].span for index in hanging)
    chosen = [(edit, code) for edit, code in chosen if not moot.contain(edit.span)]
    gone = _leaning_too(claims, {*drops, *hanging}, plan)
    gone |= _emptied(claims, {*gone, *(claim.index for claim in claims if _quoted_under(claim, plan))}) - gone
    gone |= {index + 1 for index in gone if _is_underlined(draft, claims, index)}
    heads = _instead_of_headings(draft, claims, gone)
    gone -= {index + 1 for index in heads if _is_underlined(draft, claims, index)}
    standing = {_line(draft, claim.span): plan.quotes[claim.index] for claim in claims if _quoted_under(claim, plan)}
    for claim in claims:
        if claim.index in heads:
            edit = Edit(span=claim.span, replacement=heads[claim.index], kind="replace")
            chosen.append((edit, codes.get(claim.index, "")))
        elif claim.index in gone:
            line = _line(draft, claim.span)
            chosen.append((Edit(span=line, replacement="", kind="drop"), codes.get(claim.index, "")))
            if claim.index in drops and claim.index in plan.standing:
                standing[line] = plan.standing[claim.index]
    taken = Spans(edit.span for edit, _ in chosen if edit.span[0] < edit.span[1])
    ends = {(claims[index].span[1],) * 2 for index in gone}  # where a marker of what goes would be put
    for finding in findings:
        for edit in finding.edits:
            if not taken.overlap(edit.span) and edit.span not in ends and all(edit != other for other, _ in chosen):
                chosen.append((edit, finding.issue.code))
    return _apply(draft, chosen, standing)


def _codes(claims: Sequence[Claim], findings: Sequence[Finding], plan: Plan) -> dict[int, str]:
    """Index of every claim that cannot stay as it is, with the code that says why."""
    codes: dict[int, str] = {}
    for finding in findings:
        for claim in claims:
            if _overlap(claim.span, finding.issue.span) and (not finding.edits or claim.index in plan.held_back):
                codes.setdefault(claim.index, finding.issue.code)
    for index in plan.held_back:
        codes.setdefault(index, "evidence_miss")
    return codes


def _instead(draft: str, claim: Claim, findings: Sequence[Finding], plan: Plan) -> list[Edit] | None:
    """What takes a claim's place; None: nothing does."""
    own = [finding for finding in findings if _overlap(claim.span, finding.issue.span)]
    if claim.index in plan.corrections:
        return [Edit(span=claim.span, replacement=plan.corrections[claim.index], kind="replace")]
    manner = claim.index in plan.held_back and all(finding.issue.code in _MANNER for finding in own)
    if own and all(finding.edits for finding in own) and not manner:
        return [edit for finding in own for edit in finding.edits]
    quote = plan.quotes.get(claim.index)
    if quote and _quoted_under(claim, plan):
        end = _table_end(draft, claim.span[1])
        under = Edit(span=(end, end), replacement=f"\n\n{quote}\n", kind="quote")
        return [Edit(span=_line(draft, claim.span), replacement="", kind="drop"), under]
    return [Edit(span=claim.span, replacement=quote, kind="quote")] if quote else None


def _quoted_under(claim: Claim, plan: Plan) -> bool:
    """Whether a claim is a table's row: its sentence stands under the table."""
    return _is_row(claim.text) and claim.index in plan.quotes and claim.index not in plan.corrections


def _table_end(draft: str, at: int) -> int:
    """Behind the last row of the table that a place is in: a sentence among its rows would tear it."""
    while (line_end := draft.find("\n", at)) >= 0:
        at = line_end + 1
        if "|" not in draft[at:].partition("\n")[0]:
            return at
    return len(draft)


def _is_row(text: str) -> bool:
    return text.startswith("|") or (" | " in text and "\n" not in text)


def _leaning_too(claims: Sequence[Claim], drops: Set[int], plan: Plan) -> set[int]:
    """The dropped claims, those that lean on them, and the lead-ins of lists of which nothing is left. A quote leans on
    nothing."""
    gone = set(drops)
    for before, claim in pairwise(claims):
        if claim.index not in plan.quotes and is_left_alone(before, claim, gone, plan.quotes):
            gone.add(claim.index)
    for at, claim in enumerate(claims):
        if _leads_on(claim) and claim.index not in gone:
            listed = [one.index for one in takewhile(lambda one: not _leads_on(one), claims[at + 1 :])]
            if listed and gone.issuperset(listed):
                gone.add(claim.index)
    return gone


def _emptied(claims: Sequence[Claim], gone: Set[int]) -> set[int]:
    """The headers, and the rules below them, of tables of which no row is left."""
    found: set[int] = set()
    for at in range(1, len(claims)):
        if RULE.fullmatch(claims[at].text):
            rows = [one.index for one in takewhile(lambda one: _is_row(one.text), claims[at + 1 :])]
            if rows and all(index in gone for index in rows):
                found |= {claims[at - 1].index, claims[at].index}
    return found


def _instead_of_headings(draft: str, claims: Sequence[Claim], gone: Set[int]) -> dict[int, str]:
    """Index of a heading that goes: what parts the claims under it from the heading above that stays."""
    found: dict[int, str] = {}
    above: int | None = None
    headings = [at for at, claim in enumerate(claims) if _heads(draft, claim) or _is_underlined(draft, claims, at)]
    for at, end in pairwise((*headings, len(claims))):
        index = claims[at].index
        if index not in gone:
            above = index
        elif above is not None and above not in found and any(one.index not in gone for one in claims[at + 1 : end]):
            found[index] = _NAME_OF_HEADING.sub(NEUTRAL, claims[at].text, count=1)
            above = index
    return found


def _heads(draft: str, claim: Claim) -> bool:
    """Whether a claim has a line of its own and is a heading, by its make, or an item with others under it."""
    line = draft[draft.rfind("\n", 0, claim.span[0]) + 1 : claim.span[0]]
    if draft[claim.span[1] : claim.span[1] + 1] not in ("", "\n", "\r"):
        return False
    if line.strip():
        below = _BULLET.match(draft, claim.span[1] + 1)
        return _BULLET.fullmatch(line) is not None and below is not None and _indent(below.group()) > _indent(line)
    return _HEADING.fullmatch(claim.text.strip()) is not None


def _indent(lead: str) -> int:
    return len(lead) - len(lead.lstrip())


def _is_underlined(draft: str, claims: Sequence[Claim], at: int) -> bool:
    """Whether a claim has a line of its own with `-----` right below it, and is a heading then."""
    start, end = claims[at].span
    below = draft[end:].split("\n", 2)[1:2] if at + 1 < len(claims) else []
    begun, rest = draft[:start].rpartition("\n")[2], draft[end:].partition("\n")[0]
    return bool(below) and not (begun + rest).strip() and UNDERLINE.fullmatch(below[0].strip()) is not None


def _hanging(draft: str, claims: Sequence[Claim], unasked: Set[int], plan: Plan) -> set[int]:
    """What stands behind a question that goes, or under one that has a line of its own: 'Over 65?'. Not what answers it
    in the source's own words."""
    found: set[int] = set()
    for at, question in enumerate(claims[:-1]):
        following = claims[at + 1 :]
        if question.index not in unasked | found or not asks_whether(question.text):
            continue
        if "\n" in draft[question.span[1] : following[0].span[0]]:
            found.update(_under(draft, following) if is_condition(question.text) else ())
        elif squash(plan.standing.get(question.index) or question.text).rstrip(".! ") not in squash(following[0].text):
            found.add(following[0].index)
    return found - unasked


def _under(draft: str, following: Sequence[Claim]) -> Iterator[int]:
    """The claims up to the next blank line or question."""
    yield following[0].index
    for before, claim in pairwise(following):
        if draft.count("\n", before.span[1], claim.span[0]) > 1 or asks_whether(claim.text):
            break
        yield claim.index


def _leads_on(claim: Claim) -> bool:
    """Whether what stands up to the next such claim stands under this one."""
    return claim.text.rstrip().endswith(":")


def _apply(draft: str, chosen: Sequence[tuple[Edit, str]], standing: Mapping[Span, str]) -> Repaired:
    pieces: list[str] = []
    revisions: list[Revision] = []
    last = 0
    for edit, code in sorted(chosen, key=_place):
        start, end = edit.span
        if start < last:
            continue
        pieces += [draft[last:start], edit.replacement]
        last = end
        before = draft[start:end]
        if not before and edit.kind == "quote":
            continue  # told with the row that it stands for
        kind, after = ("quote", standing[edit.span]) if edit.span in standing else (edit.kind, edit.replacement)
        revisions.append(Revision(code=code or "evidence_miss", kind=kind, before=before, after=after, span=edit.span))
    pieces.append(draft[last:])
    return Repaired(text=_counted_on(_tidy("".join(pieces)), draft), revisions=tuple(revisions))


def _place(chosen: tuple[Edit, str]) -> tuple[Span, str]:
    """Quotes put in at one place, under a table, stay in the order of the rows they stand for."""
    edit, _ = chosen
    return edit.span, edit.replacement if edit.span[0] < edit.span[1] else ""


def _line(draft: str, span: Span) -> Span:
    """The sentence with the white space after it, with its bullet where it is a whole list item, and its whole line
    where it is a table's row."""
    start, end = span
    line_start = draft.rfind("\n", 0, start) + 1
    lead = draft[line_start:start].strip()
    if not lead and _is_row(draft[start:end]):
        return (start, min(end + 1, len(draft)))
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
        if RULE.fullmatch(line) and not (kept and "|" in kept[-1]):
            continue  # the rule under a table's header, which is gone
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip()


def _counted_on(text: str, draft: str) -> str:
    """The items of a numbered list without a gap where some went: a number that does not count on is read as text."""
    given = {int(item.group(2)) for item in _NUMBERED.finditer(draft)}
    count = 0

    def number(item: re.Match[str]) -> str:
        nonlocal count
        own = int(item.group(2))
        if own <= count:
            count = 0
        gone = range(count + 1, own)
        count = count + 1 if given.issuperset(gone) else own
        return f"{item.group(1)}{count}{item.group(3)}"

    return _NUMBERED.sub(number, text) if given else text


def _overlap(one: Span, other: Span) -> bool:
    if one[0] == one[1] or other[0] == other[1]:
        inner, outer = (one, other) if one[0] == one[1] else (other, one)
        return outer[0] < inner[0] < outer[1]
    return one[0] < other[1] and other[0] < one[1]


_MANNER = frozenset(("definitive_prescription", "tone"))
"""Softer words make nothing truer: a doubtful promise is not let out as a hope."""
NEUTRAL = "Other notes"
_HEADING = re.compile(r"#{1,6}\s.*|(\*\*|__)[^*_]+\1:?|[^:\n]+:", re.DOTALL)
_NAME_OF_HEADING = re.compile(r"[^#*_\s][^*_]*?(?=[*_:]*\s*\Z)", re.DOTALL)
_BULLET = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_NUMBERED = re.compile(r"^([ \t]*)(\d{1,3})([.)][ \t])", re.MULTILINE)
