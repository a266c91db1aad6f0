"""Binds each typed value of a claim to the place in the evidence that gives it, or says what is wrong with it.

Only what code can be certain of: that a value stands in the evidence, follows from it, stands there in another unit or
under the opposite comparator, is given otherwise by a sentence with the same words, or stands nowhere. Whether the
right thing has the value is the grounder's affair.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from surefoot.core.case import is_case
from surefoot.core.remember import once
from surefoot.core.text import blank_markers
from surefoot.core.types import Claim, Passage, Span
from surefoot.core.values import (
    Comparison,
    Value,
    compare,
    equal,
    extract,
    follows,
    is_due_for,
    is_rounded,
    lies_off,
    may_follow,
    names_of_measure,
)
from surefoot.core.values.literals import TELLS_HOURS
from surefoot.core.values.units import MEASURES
from surefoot.verify.read.alignment import stem
from surefoot.verify.read.reading import Line, read, read_claim
from surefoot.verify.read.support import Support
from surefoot.verify.read.supposed import (
    counts_weekdays,
    is_a_change,
    is_among_months,
    is_an_end,
    is_roughly,
    is_said_in_words,
    supposes,
    without_rhythm,
)

FEW_VALUES = 12
"""Values of the evidence that are all held to be near: in a few sentences everything speaks of one matter."""
FEW_TIMES = 6
FEW_DATES = 3
"""Times of day and dates of the evidence that another may have been counted from."""
MOST_WORK = 400_000
"""Pairs of values, those of the claim itself among them, that are compared for one claim: some tenths of a second. A
draft may be nothing but numbers."""
SAME_SENTENCE = 0.65
"""Share of the words of two sentences, taken together, that both have where they say the same but for the bound."""
SMALL = 10
"""Counts up to which a word such as 'three' may count what nobody wrote down."""
HALF_DAY = 720
"""Minutes: `at 8` may be in the morning and in the evening."""
HOURS = 24


class Bound(StrEnum):
    MATCHED = "matched"
    DERIVED = "derived"
    """It follows from values of the evidence: a sum, a share, a rounding, the count of a list."""
    GIVEN = "given"
    """By the asker's profile or question, or by a passage's title and the like."""
    UNCERTAIN = "uncertain"
    """A small count in words, the number of a passage, one that only the question has, or one that may have been worked
    out: no issue, but not bound."""
    ELSEWHERE = "elsewhere"
    """Only a passage that is not cited has it."""
    OTHER_UNIT = "other unit"
    FLIPPED = "flipped"
    """The same number under the opposite comparator."""
    OTHERWISE = "otherwise"
    """A sentence of the evidence says the same with another value."""
    ABSENT = "absent"


HOLDING = frozenset({Bound.MATCHED, Bound.DERIVED, Bound.GIVEN})


class Place(NamedTuple):
    """A value of a passage with the sentence it stands in."""

    passage: str
    line: Line
    value: Value


class Places:
    """The values of some passages. They are read only as far as they are asked for: most values of a draft stand in the
    sentence that has most of the claim's words."""

    def __init__(self, passages: Sequence[Passage], claim: Line) -> None:
        self._passages, self._claim = passages, claim

    @property
    def most(self) -> int:
        """There are no more: each has a letter of its own."""
        return sum(len(passage.text) for passage in self._passages)

    @once
    def all(self) -> list[Place]:
        """In their order."""
        return [Place(passage, line, value) for passage, line in self._lines for value in line.values]

    def nearest(self, wanted: Callable[[Place], bool]) -> Place | None:
        """The wanted one whose sentence shares most words with the claim; of equal ones the first."""
        for passage, line in self._by_words:
            for value in line.values:
                place = Place(passage, line, value)
                if wanted(place):
                    return place
        return None

    @once
    def _by_words(self) -> list[tuple[str, Line]]:
        said = self._claim.stems
        return sorted(self._lines, key=lambda one: -len(said & one[1].stems))

    @once
    def _lines(self) -> list[tuple[str, Line]]:
        return [(passage.id, line) for passage in self._passages for line in read(passage.text)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Binding:
    value: Value
    """With spans in the claim's own text."""
    bound: Bound
    place: Place | None = None
    """The equal value where there is one; else the one that should stand there, where that is certain."""
    parts: tuple[Place, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What the values of one claim are held against."""

    cited: Sequence[Passage]
    others: Sequence[Passage] = ()
    """Passages that are not cited: they show that a citation is wrong, never that a value is right."""
    beside: str = ""
    """What the profile and the passages' metadata say."""
    weighs: bool = False
    """The claim sets a case against a reference: its `less than` is a comparison of the two, no bound of a value."""
    asked: str = ""
    """The question, for a sentence about the person: its numbers may be theirs, and may be wrong."""
    question: Sequence[Value] = ()
    """All values of the question. To say one of its dates, times or measures again, or to work something out from any
    of them, is no invention, though no proof either; another amount may be the very thing it asks about."""
    person: str = ""
    """What the person told, for any sentence: with a number of theirs something may be worked out, as in `300 units
    come to R720`; by itself it is no fact about the world."""
    earlier: Sequence[Value] = ()
    """Values that the sentences before it in the draft have from the evidence: a total is worked out step by step."""
    stated: Sequence[Value] = ()
    """The same of all sentences before it: what was worked out may be said again."""
    held: Sequence[Value] = ()
    """Those of the few sentences before it that are bound: a day may be counted by a length that one of them gives."""
    work_out: bool = True
    """Whether numbers that stand nowhere are worked out from others: it takes time, and a draft may be all numbers."""
    nearest: Callable[[], Sequence[Support]] = tuple
    """The sentences that hold most of the claim's words; not asked for a value that stands in the evidence."""
    twins: Sequence[tuple[str, Line]] = ()
    """(passage, sentence) where the sentence has the claim's words, values aside."""


def bind(line: Line, evidence: Evidence) -> tuple[Binding, ...]:
    """Every typed value of the claim. Of too many values those not looked for count as absent."""
    if not line.values:
        return ()
    here, there = Places(evidence.cited, line), Places(evidence.others, line)
    looked = line.values
    if len(looked) * (len(looked) + here.most + there.most + 1) > MOST_WORK:
        each = len(looked) + len(here.all) + len(there.all) + 1
        looked = looked[: max(1, MOST_WORK // each)]
    told = extract(evidence.beside) if evidence.beside else ()
    found = [_bind(value, line, here, there, told, evidence) for value in looked]
    return (*found, *(Binding(value=value, bound=Bound.ABSENT) for value in line.values[len(looked) :][:1]))


def claim_line(claim: Claim) -> Line:
    """The claim's words and values; offsets are those of the claim's text."""
    text, offset = claim.text, claim.span[0]
    for marker in claim.markers:
        start, end = marker.span[0] - offset, marker.span[1] - offset
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return read_claim(blank_markers(text))


def span_in_draft(claim: Claim, value: Value) -> Span:
    return (claim.span[0] + value.start, claim.span[0] + value.end)


def _bind(
    value: Value,
    line: Line,
    here: Places,
    there: Places,
    told: Sequence[Value],
    evidence: Evidence,
) -> Binding:
    otherwise = _otherwise(value, line, evidence.twins)
    if otherwise is not None and not _may_stand_beside(value, line, otherwise, told=bool(evidence.beside)):
        return otherwise
    hour = _on_the_hour(value, line, here)
    if hour is not None:
        return Binding(value=value, bound=Bound.MATCHED, place=hour)
    matched = here.nearest(
        lambda place: agrees(value, place, weighs=evidence.weighs) and _speaks_of_it(value, place, line)
    )
    if matched is not None:
        return Binding(value=value, bound=Bound.MATCHED, place=matched)
    if any(_is_told(value, own) for own in told):
        return Binding(value=value, bound=Bound.GIVEN)
    elsewhere = there.nearest(lambda place: agrees(value, place) and _speaks_of_it(value, place, line))
    if elsewhere is not None:
        return Binding(value=value, bound=Bound.ELSEWHERE, place=elsewhere)
    own = [other for other in line.values if other is not value]
    names, nearest = _names_a_thing(value, line), evidence.nearest()
    derived = _derived(value, line, nearest)
    if derived and not names:
        return Binding(value=value, bound=Bound.DERIVED, place=derived[0], parts=derived)
    near = [other for support in nearest for other in support.line.values]
    person = _reckoned_with(line, evidence.person, here.all)
    if lies_off(value, [*own, *told, *person, *evidence.earlier, *near], [*own, *near, *evidence.held]):
        return Binding(value=value, bound=Bound.DERIVED)
    theirs = [one for one in extract(evidence.person) if one.unit == value.unit]
    beside = (*extract(evidence.asked), *theirs, *_circumstances(evidence.question))
    if _uncertain(value, line) or any(equal(value, one) for one in beside):
        return Binding(value=value, bound=Bound.UNCERTAIN)
    all_here = [place.value for place in here.all]
    if _not_sure(value, line, all_here, evidence):
        return Binding(value=value, bound=Bound.UNCERTAIN)
    misstated = _misstated(value, line, here.all)
    if misstated.bound is Bound.ABSENT and any(compare(value, one) is Comparison.COMPARATOR for one in all_here):
        return Binding(value=value, bound=Bound.UNCERTAIN)
    if misstated.bound is Bound.ABSENT and not names and evidence.work_out:
        if any(_is_told(value, one) for one in (*person, *evidence.stated)):
            return Binding(value=value, bound=Bound.UNCERTAIN)
        few = all_here if len(all_here) <= FEW_VALUES else ()
        close = [*evidence.earlier, *told, *person, *evidence.question, *near, *few]
        starts = [*own, *evidence.question, *(_few_dates(all_here) if any(map(is_case, evidence.cited)) else ())]
        if (
            (value.kind == "date" and lies_off(value, starts, all_here))
            or lies_off(value, [*close, *all_here], own)
            or may_follow(value, [*close, *all_here], own, close)
        ):
            return Binding(value=value, bound=Bound.UNCERTAIN)
    return misstated


def _circumstances(values: Sequence[Value]) -> list[Value]:
    """When, how long, how far and how heavy."""
    return [one for one in values if one.kind in ("date", "time", "duration") or one.unit in _PHYSICAL]


def _not_sure(value: Value, line: Line, values: Sequence[Value], evidence: Evidence) -> bool:
    """Whether code cannot tell if a value that stands nowhere is wrong."""
    cited = [other for passage in evidence.cited for other in read(passage.text)]
    return (
        supposes(value, line, cited, told=bool(evidence.beside))
        or is_an_end(value, line, values)
        or is_roughly(value, values)
        or is_a_change(value, line, cited)
        or counts_weekdays(value, cited)
        or is_among_months(value, cited)
        or is_said_in_words(value, cited)
        or without_rhythm(value, [line, *(near.line for near in evidence.nearest()[:3])])
        or (value.kind == "time" and lies_off(value, _few_times(values), values) is not None)
    )


def _few_dates(values: Sequence[Value]) -> list[Value]:
    """The dates of a case and its rules, where they are few: of many some lies ten days before any other."""
    found = [value for value in values if value.kind == "date"]
    return found if len({value.when for value in found}) <= FEW_DATES else []


def _may_stand_beside(value: Value, line: Line, otherwise: Binding, *, told: bool) -> bool:
    """Whether the value of the sentence with the same words only bounds it, gives it in weeks for months, or is what
    it changes to."""
    if otherwise.place is None:
        return False
    beside = is_roughly(value, [otherwise.place.value]) or is_a_change(value, line, [otherwise.place.line])
    return beside or supposes(value, line, [otherwise.place.line], told=told)


def _few_times(values: Sequence[Value]) -> list[Value]:
    found = [value for value in values if value.kind == "time"]
    return found if len({value.low for value in found}) <= FEW_TIMES else []


def _names_a_thing(value: Value, line: Line) -> bool:
    """Whether a number names and does not count: nobody works out 'level 4' from others. 'Last year 45' is no year."""
    at = line.index_of(value)
    if value.kind not in ("number", "count") or at == 0 or line.tokens[at - 1].word not in _LABELS:
        return False
    return at == 1 or line.tokens[at - 2].word not in _WHICH


def _reckoned_with(line: Line, person: str, here: Sequence[Place]) -> list[Value]:
    """The person's own values where a sentence names some of them beside a value that stands nowhere."""
    told = extract(person) if person and len(line.values) > 1 else []
    if not told:
        return []
    own = [any(_is_told(value, one) for one in told) for value in line.values]
    new = [not any(agrees(value, place) for place in here) for value in line.values]
    return told if any(own) and any(fresh and not said for said, fresh in zip(own, new, strict=True)) else []


def _on_the_hour(value: Value, line: Line, here: Places) -> Place | None:
    """The time that a bare number is: `starts at 8`, `from 8 to 11`. Of two hours both must stand in one sentence."""
    if not _may_be_an_hour(value) or not _TELLS_TIME.search(line.sentence.text[: value.start].lower()):
        return None
    ends = {at % HALF_DAY for end in (value.low, value.high) for at in _at(end)}
    if not ends:
        return None
    for place in here.all:
        times = {at % HALF_DAY for other in place.line.values for at in _hours(other, place.line)}
        if ends <= times and any(at % HALF_DAY in ends for at in _hours(place.value, place.line)):
            return place
    return None


def _may_be_an_hour(value: Value) -> bool:
    return value.kind in ("number", "count") and not value.unit and not value.head and value.high <= HOURS


def _hours(value: Value, line: Line) -> Iterator[float]:
    """The minutes since midnight of a time of day, and of both ends of `open 8-21`."""
    if value.kind == "time":
        yield value.low
    elif value.is_range and _may_be_an_hour(value) and TELLS_HOURS.search(line.sentence.text.lower()):
        yield from (at for end in (value.low, value.high) for at in _at(end))


def _at(hour: float) -> Iterator[float]:
    """The minutes since midnight of 8, or of 8.30."""
    if round(hour % 1 * 100) < 60:
        yield hour // 1 * 60 + round(hour % 1 * 100)


def _misstated(value: Value, line: Line, here: Sequence[Place]) -> Binding:
    """A value that stands nowhere: perhaps the same number does, in another unit, for another period, or the other way
    round. Who says what is due up to a limit has said what is due above it: only in the same sentence is that wrong."""
    close = [place for place in here if compare(value, place.value) is not Comparison.DIFFERENT]
    place = _nearest([one for one in close if 2 * len(line.stems & one.line.stems) >= len(line.stems)], line)
    if place is None:
        return Binding(value=value, bound=Bound.ABSENT)
    how = compare(value, place.value)
    if how is Comparison.COMPARATOR:
        alike = len(line.stems & place.line.stems) >= SAME_SENTENCE * len(line.stems | place.line.stems)
        return Binding(value=value, bound=Bound.FLIPPED if alike else Bound.UNCERTAIN, place=place)
    sure = how not in _MEASURED or _both_named(value, place.value)
    return Binding(value=value, bound=Bound.OTHER_UNIT if sure else Bound.UNCERTAIN, place=place)


def _both_named(one: Value, other: Value) -> bool:
    """Whether both name a unit of one kind, or a scale. 'Two paid induction days' are two days: the unit of a bare
    number may stand further off."""
    if one.scale != other.scale:
        return one.scale != 1.0 and other.scale != 1.0
    return bool(one.unit and other.unit) and one.kind == other.kind


def _otherwise(value: Value, line: Line, twins: Sequence[tuple[str, Line]]) -> Binding | None:
    """Whether the sentences with the claim's words all have another value in its place.

    One that has no value of the kind, or any that agrees, leaves it to the grounder.
    """
    rivals: list[Place] = []
    mine = alike(value, line)
    at = mine.index(value)
    for passage, twin in twins:
        theirs = alike(value, twin)
        if len(theirs) != len(mine) or (len(mine) > 1 and _order(line) != _order(twin)):
            return None
        place = Place(passage, twin, theirs[at])
        if agrees(value, place) or is_rounded(value, theirs[at]):
            return None
        own = [other for other in line.values if other is not value]
        if is_due_for(value, theirs[at], frozenset(token.word for token in line.tokens), own):
            return None
        rivals.append(place)
    if not rivals or not all(equal(rivals[0].value, other.value) for other in rivals[1:]):
        return None
    how = compare(value, rivals[0].value)
    kind = {Comparison.DIFFERENT: Bound.OTHERWISE, Comparison.COMPARATOR: Bound.FLIPPED}.get(how, Bound.OTHER_UNIT)
    return Binding(value=value, bound=kind, place=rivals[0])


def _order(line: Line) -> list[str]:
    return [token.stem for token in line.tokens if token.stem in line.skeleton]


def alike(value: Value, line: Line) -> list[Value]:
    """The values of a line that are of the same kind, or could be written for it."""
    kinds = _KINDS.get(value.kind, (value.kind,))
    return [other for other in line.values if other.kind in kinds]


def agrees(value: Value, place: Place, *, weighs: bool = False) -> bool:
    """Whether a value of the evidence is the claim's. Bounds that only one of them names are no sure difference: who
    needs at least two months' notice needs two months' notice."""
    how = compare(value, place.value)
    if how is Comparison.DIFFERENT and value.kind == place.value.kind == "frequency" and _names_day(place.line, value):
        how = compare(value._replace(head=""), place.value)
    if how is Comparison.COMPARATOR:
        return weighs or not (value.comparator and place.value.comparator)
    if how is Comparison.PERIOD:
        return _period_named(value, place)
    return how is Comparison.SAME


def _names_day(line: Line, value: Value) -> bool:
    """Whether a sentence names the weekday of a frequency, perhaps behind another: `every Monday and Friday`."""
    return value.head.title() in line.sentence.text


def _speaks_of_it(value: Value, place: Place, line: Line) -> bool:
    """Whether a value of another size may show a bound: 'up to R50,000' is true of every fee, so the sentence must
    share a word with the claim."""
    bounded = value.comparator and not value.is_range and not place.value.is_range
    return not bounded or math.isclose(value.low, place.value.low) or not line.stems.isdisjoint(place.line.stems)


def _is_told(value: Value, own: Value) -> bool:
    """Whether the person told a value: bounds and periods that only one of them names are no sure difference. A bare
    number of a form is an age, a mark or a count: `age: 24` tells nothing of 24 days."""
    how = compare(value, own)
    if how is Comparison.COMPARATOR:
        return not (value.comparator and own.comparator)
    if how is Comparison.PERIOD:
        return not own.period
    years = value.kind != "duration" or value.written_unit == "year"
    if own.kind == "number" and not years:
        return False
    return how is Comparison.SAME or (own.kind == "number" and own.low == value.raw)


def _nearest(places: Sequence[Place], line: Line) -> Place | None:
    """The place whose sentence shares most words with the claim; of equal ones the first."""
    return max(places, key=lambda place: len(line.stems & place.line.stems), default=None)


def _derived(value: Value, line: Line, nearest: Sequence[Support]) -> tuple[Place, ...]:
    said = frozenset(token.word for token in line.tokens)
    by_line = [[Place(near.passage, near.line, other) for other in near.line.values] for near in nearest[:3]]
    for places in (*by_line, [place for some in by_line for place in some]):
        parts = follows(value, [place.value for place in places], said)
        if parts:
            return tuple(next(place for place in places if place.value is part) for part in parts)
    counted = value.kind in ("number", "count") and not value.unit and not value.is_range
    listing = next((near for near in nearest[:3] if counted and _listed(near.line) == value.raw), None)
    return (Place(listing.passage, listing.line, value.moved(0)),) if listing is not None else ()


def _listed(line: Line) -> int:
    """How many things a sentence names in a row: three in 'at Bellville, Cape Town and Mowbray'."""
    return len(_AND.split(line.sentence.text))


def _uncertain(value: Value, line: Line) -> bool:
    """Not the sources' to state: 'the second point', 'these three steps', 'Passage 2'; a Tuesday is a weekday."""
    if value.kind in ("ordinal", "weekday"):
        return True
    tokens, at = line.tokens, line.index_of(value)
    while at > 0 and (tokens[at - 1].word in ("and", "or", "to") or tokens[at - 1].word.isdigit()):
        at -= 1
    if value.kind in ("number", "count") and at > 0 and tokens[at - 1].stem in _SOURCE_WORDS:
        return True
    return value.kind in ("number", "count") and not value.unit and value.raw <= SMALL and value.text.isalpha()


def _period_named(value: Value, place: Place) -> bool:
    """Whether the source leaves the period open, or names it some way off its number: 'a weekly payment of R500'. Which
    period it leaves open is the grounder's affair: a heading or the sentence before may say it."""
    if place.value.period:
        return False
    said = place.line.skeleton & _ALL_PERIODS
    own = _PERIODS.get(value.period) or frozenset(map(stem, names_of_measure(value.period)))
    return not said or bool(said & own)


_KINDS: dict[str, tuple[str, ...]] = {
    "percent": ("percent", "points"),
    "points": ("percent", "points"),
    "year": ("year", "date"),
    "count": ("count", "number"),
    "number": ("count", "number"),
}
_LABELS = frozenset(
    "level grade year form line section clause article rule page number room platform phase stage class unit gate bus "
    "route paragraph chapter schedule annex appendix version table figure zone".split()
)
_WHICH = frozenset("last this next each every per a that previous same".split())
_MEASURED = (Comparison.UNIT, Comparison.SCALE)
_TELLS_TIME = re.compile(
    r"\b(?:at|by|until|till|before|after|from|since|around|between|daily|weekends?[,:]?|\w{3,}days?[,:]?"
    r"|(?:from|between) (?:\d{1,2}|[a-z]{3,6}) (?:to|until|till|and))\s\Z"
)
"""`from 8`, `Sundays: 8`, `from eight to`."""
_PHYSICAL = frozenset(base for base, _ in MEASURES.values()) - {"cent", "credit"}
_SOURCE_WORDS = frozenset({"passage", "passag", "source", "sourc", "document", "excerpt", "step", "chunk", "reference"})
_AND = re.compile(r",\s*(?:and|or)\s+|,\s*|\s+(?:and|or)\s+")
_PERIODS = {
    "hour": frozenset({"hour", "hourly"}),
    "day": frozenset({"day", "daily"}),
    "week": frozenset({"week", "weekly"}),
    "fortnight": frozenset({"fortnight", "fortnightly"}),
    "month": frozenset({"month", "monthly"}),
    "year": frozenset({"year", "yearly", "annual", "annually", "annum"}),
}
_ALL_PERIODS = frozenset[str]().union(*_PERIODS.values())
