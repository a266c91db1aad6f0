"""Stage 2: for every claim its risk, the calibrated probability that the evidence does not support it, and its status.

Proven: a quote, or a risk up to `accept` with every value and name bound. Supported: up to `release`. Unsupported: from
`reject` on. Doubtful: between, and whatever no grounder could read. Each claim earns its own release.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from surefoot.core.case import CASE
from surefoot.core.denied import is_denied
from surefoot.core.ports import Embedder, Grounder, SlowGrounder
from surefoot.core.remember import Memory, content_key
from surefoot.core.tabled import told_cells
from surefoot.core.taxonomy import CODES, issue_of
from surefoot.core.text import pieces
from surefoot.core.types import (
    CheckReport,
    Claim,
    ClaimText,
    Finding,
    GroundingScore,
    Judgement,
    Proof,
    Span,
    Status,
)
from surefoot.verify.checks.names import strange_names
from surefoot.verify.checks.tone import promises
from surefoot.verify.checks.urls import urls_of
from surefoot.verify.ground.advice import weighty
from surefoot.verify.ground.contrary import contrary
from surefoot.verify.ground.labelled import is_said
from surefoot.verify.ground.listed import misplaced, under_other_names
from surefoot.verify.ground.phrasing import Phrased, asks_first, phrased
from surefoot.verify.ground.scope import calls_false, stated, takes_rows_back, turns_what_follows
from surefoot.verify.ground.signals import any_of, moved
from surefoot.verify.ground.sources import ROOM, ROOMS_THOROUGH, fitted, sources_for
from surefoot.verify.ground.together import ACCURATE_NEEDS_S, FAST_NEEDS_S, Together, seconds_for
from surefoot.verify.ground.wording import cut_out, restated, set_beside
from surefoot.verify.read.binding import HOLDING
from surefoot.verify.read.claims import leans
from surefoot.verify.read.derived import against_its_row, behind_verdict, is_verdict, settled, worked_out
from surefoot.verify.read.reading import Line, denials, quoted_line
from surefoot.verify.read.submission import Submission, said_by

TO_SPARE = 2.0
"""The accurate grounder is asked where the time left is so many times what it needs."""
ROUNDING = 1e-4
UNKNOWN = 0.5
"""The risk of a claim that no grounder could read: doubtful, whatever the bands."""
SILENT_AT = 0.5
"""Probability of claiming nothing from which a sentence with no value and no name of its own claims nothing."""
UNLIKELY = 0.5
"""The risk from which a sentence is no silent one either: of 1,880 that claim nothing 1 % have it, and a statement that
is beside the sources has it mostly (`Cats like milk.` over a price list)."""
REMEMBERED = 2_048
LEAD_BEFORE = 12
"""Sentences back from which a line may call false what follows it: items of one list."""


class Bands(NamedTuple):
    accept: float
    release: float
    reject: float
    verdict: float = 1.0
    """Up to it a Yes or No before a statement is believed; less than nothing where the grounder was not taught any."""


NO_BANDS = Bands(-1.0, -1.0, 2.0)
"""Without a grounder nothing but a quote is proven, and nothing is known to be unsupported."""


@dataclass(frozen=True, kw_only=True)
class GroundingCheck:
    accurate: Grounder | None = None
    fast: Grounder | None = None
    thorough: SlowGrounder | None = None
    """Asked before all others where the time left is enough for it."""
    embedder: Embedder | None = None
    """Chooses what is read of long sources."""
    now: Callable[[], float] = lambda: 0.0
    """The gate's clock, in seconds: says how much is left until `submission.until`."""
    name: str = "grounding"
    _memory: Memory[GroundingScore] = field(default_factory=lambda: Memory(REMEMBERED), repr=False, compare=False)
    """A mended draft is judged again, and most of its claims are as they were."""

    @property
    def version(self) -> str:
        parts = ["27", *(one.identity for one in (self.thorough, self.accurate, self.fast) if one is not None)]
        return " ".join(parts)

    def run(self, submission: Submission) -> CheckReport:
        items: list[_Item] = []
        for claim in submission.claims:
            if claim.factual:
                items.append(_Item(claim, submission, items[-1] if items else None))
        groups = _groups([item for item in items if item.place is None and item.stood is None])
        grounder, room = self._in_time(groups, submission.until - self.now(), judged=submission.case is not None)
        bands = _bands(grounder, submission)
        for group in groups:
            self._ask(grounder, group, room)
        for item in items:
            item.decide(bands)
        for item in items:
            if grounder is not None and item.status is Status.DOUBTFUL and item.risk > bands.release:
                self._read_apart(grounder, item, bands, room)
        bad = [item for item in items if item.status is Status.UNSUPPORTED]
        return CheckReport(
            name=self.name,
            version=self.version,
            findings=tuple(item.finding() for item in bad),
            proofs=tuple(item.proof() for item in items if item.status is Status.PROVEN),
            judgements=tuple(item.judgement() for item in items),
            measures=_measures(items),
            unsupported=tuple(part for item in bad for part in item.parts()),
        )

    def _ask(self, grounder: Grounder | None, items: Sequence[_Item], room: int) -> None:
        """One reading of the sources for all claims that share them."""
        if grounder is None or not items[0].sources:
            return
        sources = self._sources(items, room)
        for item in items:
            item.score = self._memory.get(_key(grounder.identity, sources, item.read))
        missing = [item for item in items if item.score is None]
        if missing:
            found = grounder.judge([item.read for item in missing], sources)
            if len(found) != len(missing):
                raise ValueError(f"the grounder gave {len(found)} scores for {len(missing)} claims")
            for item, score in zip(missing, found, strict=True):
                item.score = score
                self._memory.put(_key(grounder.identity, sources, item.read), score)

    def _read_apart(self, grounder: Grounder, item: _Item, bands: Bands, room: int) -> None:
        """Of a case: two things that a sentence only sets beside each other are read one by one. Each must be as sure
        as what is proven, for a grounder believes parts more easily than the whole."""
        parts = set_beside(item.phrased.text) if item.may_be_parted() else []
        if not parts:
            return
        sources = self._sources([item], room)
        reads = [ClaimText(text=part, before=item.read.before) for part in parts]
        if self._costs(grounder, reads, sources) * TO_SPARE <= item.submission.until - self.now():
            risk = max(score.unsupported for score in grounder.judge(reads, sources))
            if risk <= bands.accept:
                item.status, item.risk = Status.SUPPORTED, round(risk, 4)

    def _costs(self, grounder: Grounder, reads: Sequence[ClaimText], sources: Sequence[str]) -> float:
        if self.thorough is not None and grounder is self.thorough:
            return self.thorough.needs_s(reads, sources)
        return seconds_for(ACCURATE_NEEDS_S, len(reads)) + seconds_for(FAST_NEEDS_S, len(reads))

    def _sources(self, items: Sequence[_Item], room: int) -> tuple[str, ...]:
        """What is read of the sources that these claims share."""
        return fitted(items[0].sources, [item.phrased.text for item in items], self.embedder, room=room)

    def _in_time(self, groups: Sequence[Sequence[_Item]], left: float, *, judged: bool) -> tuple[Grounder | None, int]:
        """Who reads, and how much of the sources. The thorough one where half of the time left is enough; else the
        accurate one where it needs less than half of the time left, on a slow core, with the fast one for a case that
        is judged; else the fast one."""
        if self.thorough is not None:
            for room in ROOMS_THOROUGH:
                if self._needed_by(self.thorough, groups, room) * TO_SPARE <= left:
                    return self.thorough, room
        claims = sum(map(len, groups))
        spare = TO_SPARE if self.fast is not None else 1.0
        if self.accurate is not None and (needs := seconds_for(ACCURATE_NEEDS_S, claims) * spare) <= left:
            if judged and self.fast is not None and needs + seconds_for(FAST_NEEDS_S, claims) <= left:
                return Together(accurate=self.accurate, fast=self.fast), ROOM
            return self.accurate, ROOM
        if self.fast is not None and seconds_for(FAST_NEEDS_S, claims) <= left:
            return self.fast, ROOM
        return None, ROOM

    def _needed_by(self, thorough: SlowGrounder, groups: Sequence[Sequence[_Item]], room: int) -> float:
        """Seconds for the claims that it has not read beside these sources before."""
        needs = 0.0
        for group in groups:
            if group[0].sources:
                sources = self._sources(group, room)
                reads = [item.read for item in group]
                unread = [one for one in reads if self._memory.get(_key(thorough.identity, sources, one)) is None]
                needs += thorough.needs_s(unread, sources)
        return needs


class _Item:
    """One claim with its evidence and what was found of it."""

    def __init__(self, claim: Claim, submission: Submission, last: _Item | None) -> None:
        self.claim, self.submission = claim, submission
        adjoining = last if last is not None and last.claim.index == claim.index - 1 else None
        before = adjoining.quote or adjoining.same if adjoining else None
        found = quoted_line(claim.text, submission.evidence_for(claim))
        self.listed = found is not None and found[1].sentence.kind == "item"
        self.over: tuple[str, Span] | None = adjoining.over if adjoining is not None and adjoining.listed else before
        """The sentence over its list that the draft quotes as well, right before the list's items."""
        self.denied = (
            _is_retold_falsely(claim, submission)
            if found is None
            else _is_out_of_place(claim, found, submission, self.over)
        )
        """Its sentence stands under what calls it false, or here under what leads to another list, whatever a grounder
        believes."""
        self.quote: tuple[str, Span] | None = None
        self.same: tuple[str, Span] | None = None
        """The sentence it says in another notation."""
        if not self.denied:
            self.quote = _alone(claim, found, before, submission, self.over)
        if self.quote is None and not self.denied:
            self.same = _alone(claim, restated(claim, submission), before, submission, self.over)
        self.derived = None if self.quote or self.same else _derived(claim, submission)
        self.stood = submission.stood.get(said_by(claim))
        """What was said of it before another sentence was mended."""
        self.score: GroundingScore | None = None
        self.status, self.risk = Status.DOUBTFUL, UNKNOWN
        if self.place is not None:
            return
        self.phrased: Phrased = phrased(claim, submission)
        self.sources = sources_for(claim, submission)
        said = submission.claims[claim.index - 1].text if claim.index else ""
        self.read = ClaimText(
            text=self.phrased.text.strip(), before=" ".join(filter(None, (submission.question, said)))
        )

    @property
    def place(self) -> tuple[str, Span] | None:
        """Where a source says it, or says what it follows from by code alone."""
        return self.quote or self.same or self.derived

    def decide(self, bands: Bands) -> None:
        if self.place is not None:
            self.status, self.risk = Status.PROVEN, 0.0
            return
        if self.stood is not None and not self.denied:
            self.status, self.risk = self.stood.status, self.stood.risk
            return
        if is_verdict(self.claim) and not self.submission.question:
            return
        if not self.sources:
            self.status, self.risk = Status.UNSUPPORTED, 1.0
            return
        if self.score is None:
            return
        self.risk = round(moved(self.score.unsupported, self.claim, self.submission), 4)
        known = not strange_names(self.claim, self.submission)
        silent = self.score.silent >= SILENT_AT and self.risk < UNLIKELY
        if silent and known and not self.denied and self._holds_nothing():
            self._decide_silent(bands)
        elif self.risk >= bands.reject:
            self.status = Status.UNSUPPORTED
        elif self.risk <= bands.accept and known and self.submission.bound(self.claim):
            self.status = Status.PROVEN
        elif self.risk <= bands.release:
            self.status = Status.SUPPORTED
        believed = self.status in (Status.PROVEN, Status.SUPPORTED)
        claim, submission = self.claim, self.submission
        unsettled = believed and self.risk > bands.verdict and self._is_unsettled()
        if unsettled or (
            believed and (self.denied or contrary(claim, submission) or against_its_row(claim, submission))
        ):
            self.status = Status.DOUBTFUL
        elif believed and (cut_out(claim, submission) or asks_first(claim.text)):
            self.status = Status.SUPPORTED if self.risk <= bands.accept else Status.DOUBTFUL

    def _is_unsettled(self) -> bool:
        led = behind_verdict(self.claim, self.submission)
        return is_verdict(self.claim) or (led is not None and not led.settled)

    def _decide_silent(self, bands: Bands) -> None:
        """Advice about the matter is released where the sources have all its words and the reader is sure."""
        if not weighty(self.claim, self.submission):
            self.status, self.risk = Status.SILENT, 0.0
        elif self.risk <= bands.accept and all(map(self.submission.knows, self.submission.line(self.claim).stems)):
            self.status = Status.SUPPORTED
        else:
            self.risk = max(self.risk, UNKNOWN)

    def may_be_parted(self) -> bool:
        """Whether it is about a case, was read whole and left in doubt by the reader alone."""
        claim, submission = self.claim, self.submission
        alone = self.score is not None and self.risk <= self.score.unsupported + ROUNDING
        plain = alone and submission.case is not None and CASE in claim.cited and not is_verdict(claim)
        return plain and submission.bound(claim) and not strange_names(claim, submission)

    def _holds_nothing(self) -> bool:
        """No value that the evidence does not have, no address, no promise, no Yes or No, nothing that turns what
        follows: whatever holds one states something. The ordinal of `Your first step` is none."""
        text = self.claim.text
        if is_verdict(self.claim) or urls_of(text) or turns_what_follows(text) or promises(text, self.submission.pack):
            return False
        values = (one for one in self.submission.bindings(self.claim) if one.value.kind != "ordinal")
        return all(one.bound in HOLDING for one in values)

    def judgement(self) -> Judgement:
        passage, span = self._place()
        return Judgement(
            claim=self.claim.index, status=self.status, risk=self.risk, method=self.method, passage=passage, span=span
        )

    def proof(self) -> Proof:
        passage, span = self._place()
        assert passage is not None
        assert span is not None
        return Proof(claim=self.claim.index, passage=passage, span=span, method=self.method, score=1.0 - self.risk)

    @property
    def method(self) -> str:
        if self.place is None:
            return "grounder" if self.score is not None or self.stood is not None else "nothing"
        return "quote" if self.quote is not None else "restated" if self.same is not None else "derived"

    def _place(self) -> tuple[str | None, Span | None]:
        return self.place or self.submission.leans_on(self.claim) or (None, None)

    def finding(self) -> Finding:
        parts = self.parts()
        start, end = min(start for start, _ in parts), max(end for _, end in parts)
        nearest = self.submission.supports(self.claim)
        problem = CODES["evidence_miss"][2] if self.sources else "there is no evidence for the claim"
        evidence = nearest[0].line.sentence.text if nearest else None
        location = self.submission.draft[start:end]
        return Finding(issue=issue_of("evidence_miss", (start, end), location, problem, evidence=evidence))

    def parts(self) -> list[Span]:
        """Where in the draft the words stand that no evidence supports; the whole claim where none stand out."""
        offset, text = self.claim.span[0], self.claim.text
        whole = [(offset, offset + len(text))]
        if self.score is None:
            return whole
        lead = len(self.phrased.text) - len(self.phrased.text.lstrip())
        spans = [self.phrased.back((start + lead, end + lead)) for start, end, _ in self.score.spans]
        inside = [(start, end) for start, end in sorted(spans) if 0 <= start < end <= len(text)]
        joined: list[Span] = []
        for start, end in inside:
            if joined and not text[joined[-1][1] : start].strip():
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((start, end))
        return [(offset + start, offset + end) for start, end in joined] or whole


def _quoted(claim: Claim, submission: Submission, before: tuple[str, Span] | None) -> tuple[str, Span] | None:
    """The sentence a claim is, word for word."""
    return _alone(claim, quoted_line(claim.text, submission.evidence_for(claim)), before, submission)


def _alone(
    claim: Claim,
    found: tuple[str, Line] | None,
    before: tuple[str, Span] | None,
    submission: Submission,
    shown: tuple[str, Span] | None = None,
) -> tuple[str, Span] | None:
    """A sentence of the sources where it says the same by itself. One that leans on the sentence before it says
    something else alone; not where the draft quotes that one too, right before it (`before`). A list or a table may
    stand under 'Myths:'; not where the draft shows what stands over it (`shown`). What is left is read by the
    grounder."""
    if found is None:
        return None
    passage, line = found
    over = None if line.above is None else (passage, line.above.sentence.span)
    alone = over is not None and over != before and leans(claim.text)
    if alone or (line.sentence.kind != "prose" and not _is_stated(found, shown, submission)):
        return None
    if under_other_names(claim, line, submission):
        return None
    return passage, line.sentence.span


def _is_stated(found: tuple[str, Line], shown: tuple[str, Span] | None, submission: Submission) -> bool:
    passage, line = found
    whole = next(one for one in submission.passages if one.id == passage)
    return stated(line, whole, submission, shown=shown[1] if shown is not None and shown[0] == passage else None)


def _is_out_of_place(
    claim: Claim, found: tuple[str, Line], submission: Submission, shown: tuple[str, Span] | None
) -> bool:
    """Whether the source calls a sentence of its own false, and the draft does not say so, or the draft puts it under
    words of another list."""
    passage, line = found
    denied = any(is_denied(one, line.sentence.start) for one in submission.passages if one.id == passage)
    return (denied and not _is_stated(found, shown, submission)) or misplaced(claim, line, submission)


def _is_retold_falsely(claim: Claim, submission: Submission) -> bool:
    """Whether the sentence nearest to a claim stands under what calls it false, and the draft does not call it so or
    tell the contrary: it may have lost the line that did."""
    nearest = submission.supports(claim)[:1]
    if not nearest or calls_false(claim.text):
        return False
    if denials(submission.line(claim)) % 2 != denials(nearest[0].line) % 2:
        return False
    at = nearest[0].line.sentence.start
    if not any(is_denied(one, at) for one in submission.passages if one.id == nearest[0].passage):
        return False
    said = (one.text for one in submission.claims[max(0, claim.index - LEAD_BEFORE) : claim.index])
    return not any(turns_what_follows(text) or calls_false(text, plainly=True) for text in said)


def _derived(claim: Claim, submission: Submission) -> tuple[str, Span] | None:
    """What code works out from a quote right behind the claim or behind its verdict, or from the rows of a table that
    nothing takes back."""
    if is_verdict(claim):
        following = submission.claims[claim.index + 1 : claim.index + 2]
        quote = _quoted(following[0], submission, None) if following else None
        return quote if quote is not None and settled(claim, quote, submission) else None
    led = behind_verdict(claim, submission)
    if led is not None and led.settled:
        return _alone(claim, quoted_line(led.rest, submission.evidence_for(claim)), None, submission)
    row = worked_out(claim, submission)
    if row is None:
        return is_said(claim, submission)
    page = next(one for one in submission.passages if one.id == row.passage)
    if is_denied(page, row.span[0]):
        return None
    beside = [one for one in pieces(page.text) if one.kind != "row" and not told_cells(one.text)[0]]
    over = (calls_false(one.text) for one in beside if one.start < row.span[0])
    below = (takes_rows_back(one.text, row.names) for one in beside if one.start > row.span[0])
    return None if any(over) or any(below) else (row.passage, row.span)


def _groups(items: Sequence[_Item]) -> list[list[_Item]]:
    found: dict[tuple[str, ...], list[_Item]] = {}
    for item in items:
        found.setdefault(item.sources, []).append(item)
    return list(found.values())


def _bands(grounder: Grounder | None, submission: Submission) -> Bands:
    """The pack's bands, else the grounder's own."""
    if grounder is None:
        return NO_BANDS
    own, asked = grounder.bands, submission.pack.thresholds
    accept = own["accept"] if asked.accept is None else asked.accept
    release = own["release"] if asked.release is None else asked.release
    reject = own["reject"] if asked.reject is None else asked.reject
    release = min(max(release, accept), reject)
    return Bands(min(accept, release), release, reject, own.get("verdict", 1.0))


def _measures(items: Sequence[_Item]) -> dict[str, float]:
    spoken = [item for item in items if item.status is not Status.SILENT]
    risks = [item.risk for item in spoken]

    def count(status: Status) -> float:
        return float(sum(item.status is status for item in items))

    return {
        "unsupported_any": any_of(risks),
        "unsupported_max": max(risks, default=0.0),
        "unsupported_mean": sum(risks) / len(risks) if risks else 0.0,
        "claims_proven": count(Status.PROVEN),
        "claims_supported": count(Status.SUPPORTED),
        "claims_undecided": count(Status.DOUBTFUL),
        "claims_unsupported": count(Status.UNSUPPORTED),
    }


def _key(identity: str, sources: Sequence[str], claim: ClaimText) -> bytes:
    return content_key(identity, tuple(sources), claim.text, claim.before)
