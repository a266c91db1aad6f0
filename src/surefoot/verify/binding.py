"""Binds each typed value of a claim to the place in the evidence that speaks of the same thing.

That a number occurs somewhere in the source proves nothing: a number swapped in from the next sentence occurs there
too. So every value of the source that could stand in the claim's slot competes by the words around it, and an equal
value counts only where it is (nearly) the best of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from surefoot.core.remember import once
from surefoot.core.text import blank_markers
from surefoot.core.types import Claim, Passage, Span
from surefoot.core.values import Comparison, Value, compare, derived, equal, extract, names_of_measure
from surefoot.verify.alignment import bare_form, profile, stem
from surefoot.verify.owners import SOURCE_WORDS, Belongs, Slot, confusable
from surefoot.verify.reading import Line, read, read_claim
from surefoot.verify.surroundings import REACH, Surroundings

NEARLY_BEST = 0.9
"""An equal value whose surroundings fit at least this well, compared with the best competitor's, is bound."""
CLEARLY_WORSE = 0.88
"""The same, where the competitor stands in another sentence: there the words around a value differ more by chance."""
SAME_SLOT = 0.3
"""From here on the best competitor's surroundings name the same thing, so its value is the correction."""
ELSEWHERE = 0.3
"""How well another passage's surroundings must fit before the claim is held to be taken from it."""

NEAREST = 8
"""Sentences of the evidence whose values compete for a claim's slot."""
MOST_VALUES = 100
"""Values of one claim that are looked for. Work grows with their square, and a draft may be nothing but numbers."""
FEW_VALUES = 10
"""Values that an ordinary claim may have; they are looked for in any case."""
MOST_WORK = 600_000
"""Words that all values of a longer claim may be held against: some tenths of a second."""
PER_FIT = 40
"""What it costs to look at one value at all, in such words."""
ORDINARY_CLAIM, ORDINARY_EVIDENCE = 60, 300
"""Words and sentences up to which it pays to ask first how well each sentence could fit; more hold too many values."""


class Bound(StrEnum):
    MATCHED = "matched"
    DERIVED = "derived"
    """A sum or difference of two values of the evidence, or the range from one to the other."""
    OTHER_SLOT = "other slot"
    """The value occurs in the evidence, but of something else."""
    OTHER_UNIT = "other unit"
    FLIPPED = "flipped"
    """The same number under the opposite comparator."""
    ELSEWHERE = "elsewhere"
    """Only a passage that is not cited has it."""
    GIVEN = "given"
    """From the asker's profile, repeated to them ('with your 65 %'): no issue, but no proof either."""
    UNCERTAIN = "uncertain"
    """A small spelled count such as 'three steps', or a value of the evidence in words too far from its own to tell:
    no issue, but no proof either."""
    UNOWNED = "unowned"
    """The value stands in a sentence with several owners, and the claim does not show that it speaks of the right one:
    no issue, but no proof either."""
    ABSENT = "absent"


class Place(NamedTuple):
    """A value of a passage, with the sentence it stands in. A tuple: every value near a claim becomes one."""

    passage: str
    line: Line
    value: Value
    fit: float
    """How well its surroundings fit the claim's, 0 to 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Binding:
    value: Value
    """With spans in the claim's own text."""
    bound: Bound
    place: Place | None = None
    """The equal value where matched; otherwise the one that should stand there, where it is known."""
    how: Comparison = Comparison.SAME
    parts: tuple[Place, ...] = ()


def bind(
    claim: Claim, line: Line, evidence: Sequence[Passage], others: Sequence[Passage] = (), *, given: str = ""
) -> tuple[Binding, ...]:
    """Every typed value of the claim with its place in the evidence, or with what is wrong with it.

    `line` is the claim as it is read. `others` are passages that are not cited: they can show that a citation is wrong,
    never that a value is right. `given` is the asker's profile as text. Of too many values the first that is not looked
    for counts as absent, so that the claim is not approved.
    """
    if not line.values:
        return ()
    quoted = _quoted(claim, line, evidence)
    if quoted is not None:
        return quoted
    near, far = _Candidates(line, evidence), _Candidates(line, others)
    sought = [_Sought(value, line) for value in line.values[: _most_values(line, near)]]
    bindings = _one_at_a_time([_bind(one, sought, line, near, far) for one in sought])
    unread = [Binding(value=value, bound=Bound.ABSENT) for value in line.values[len(sought) :][:1]]
    return (*(_excused(binding, line, given) for binding in bindings), *unread)


def _most_values(line: Line, near: _Candidates) -> int:
    """How many values of the claim are looked for: fewer where each has hundreds of rivals and many words around."""
    if len(line.values) <= FEW_VALUES and len(line.tokens) <= ORDINARY_CLAIM:
        return FEW_VALUES
    each = near.rivals * (min(len(line.places), 2 * REACH) + PER_FIT)
    return max(1, min(MOST_VALUES, MOST_WORK // max(1, each)))


def _one_at_a_time(bindings: Sequence[Binding]) -> Sequence[Binding]:
    """Of two values that are both another's only one need be wrong, and which is not said: neither is put right."""
    moved = [binding for binding in bindings if binding.bound is Bound.OTHER_SLOT and binding.place is not None]
    if len(moved) < 2:
        return bindings
    return [replace(binding, place=None) if binding in moved else binding for binding in bindings]


def claim_line(claim: Claim) -> Line:
    """The claim's words and values; offsets are those of the claim's text."""
    text, offset = claim.text, claim.span[0]
    for marker in claim.markers:
        start, end = marker.span[0] - offset, marker.span[1] - offset
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return read_claim(blank_markers(text))


def span_in_draft(claim: Claim, value: Value) -> Span:
    return (claim.span[0] + value.start, claim.span[0] + value.end)


def quoted_line(claim: Claim, evidence: Sequence[Passage]) -> tuple[str, Line] | None:
    """The sentence of the evidence that the claim is, word for word, with its passage."""
    bare = bare_form(claim.text)
    for passage in evidence:
        number = profile(passage.text).bare.get(bare) if bare else None
        if number is not None:
            return passage.id, read(passage.text).lines[number]
    return None


def _quoted(claim: Claim, line: Line, evidence: Sequence[Passage]) -> tuple[Binding, ...] | None:
    """A claim that is a sentence of its evidence has each value where the sentence has it."""
    found = quoted_line(claim, evidence)
    if found is None:
        return None
    passage, source = found
    values = _repeated(line, source)
    if values is None:
        if _texts(source) != _texts(line):
            return None
        values = source.values
    return tuple(
        Binding(value=value, bound=Bound.MATCHED, place=Place(passage=passage, line=source, value=other, fit=1.0))
        for value, other in zip(line.values, values, strict=True)
    )


def _repeated(line: Line, source: Line) -> tuple[Value, ...] | None:
    """The source's values, taken from a claim that repeats it letter by letter: it is not read for them again.

    None where the two differ in more than what ends them, and where that may matter to a value: in "5 p.m." the full
    stop belongs to it, in "5. " it makes it a list's number, and a claim may have its marker's room on either side.
    """
    text, said = source.sentence.text.rstrip(_ENDING), line.sentence.text
    if not said.startswith(text) or said[len(text) :].strip(_ENDING):
        return None
    last = line.values[-1]
    behind_values = text[-1:].isalpha() and last.end < len(text)
    plain_number = text[-1:].isdecimal() and last.end == len(text) and text[last.start - 1 : last.start] == " "
    if not behind_values and not plain_number:
        return None
    return tuple([value.moved(source.sentence.start) for value in line.values])


def _texts(line: Line) -> list[str]:
    return [" ".join(value.text.split()) for value in line.values]


class _Sought:
    """A value of the claim: the words around it, and whose it is said to be."""

    def __init__(self, value: Value, line: Line) -> None:
        self.value = value
        self.around, self.slot = Surroundings(value, line), Slot(value, line)

    def belongs(self, place: Place) -> Belongs:
        return self.slot.belongs(place.value, place.line)

    def rightful(self, place: Place) -> Place | None:
        """The value beside the place's that belongs to what the claim speaks of."""
        found = self.slot.rightful(place.line)
        if found is None or equal(self.value, found):
            return None
        return Place(place.passage, place.line, found, self.around.fit(found, place.line))


def _bind(sought: _Sought, all_sought: Sequence[_Sought], line: Line, near: _Candidates, far: _Candidates) -> Binding:
    value = sought.value
    contest = _contest(sought, all_sought, near.leading(sought.around))
    if not contest.won or not contest.foremost:
        contest = _contest(sought, all_sought, near.places(sought.around))
    matched, close, best = contest.matched, contest.close, contest.best
    if matched is not None and contest.won:
        unclear = sought.belongs(matched) is Belongs.UNCLEAR
        return Binding(value=value, bound=Bound.UNOWNED if unclear else Bound.MATCHED, place=matched)
    if (matched is None or contest.beaten) and close is not None:
        how = compare(value, close.value)
        if how is Comparison.PERIOD and _period_named(value, close):
            return Binding(value=value, bound=Bound.MATCHED, place=close)
        if best is None or close.fit >= NEARLY_BEST * best.fit:
            kind = Bound.FLIPPED if how is Comparison.COMPARATOR else Bound.OTHER_UNIT
            return Binding(value=value, bound=kind, place=close, how=how)
    if contest.displaced is not None:
        rightful = sought.rightful(contest.displaced)
        return Binding(value=value, bound=Bound.OTHER_SLOT, place=rightful, how=Comparison.DIFFERENT)
    if matched is None:
        elsewhere = _elsewhere(sought.around, far)
        if elsewhere is not None:
            return Binding(value=value, bound=Bound.ELSEWHERE, place=elsewhere)
        parts = _derived(sought.around, line, near)
        if parts:
            return Binding(value=value, bound=Bound.DERIVED, place=parts[0], parts=parts)
    if matched is not None and (best is None or best.fit < SAME_SLOT):
        # neither place speaks clearly of the same thing: too weak a sign that the value belongs to another
        return Binding(value=value, bound=Bound.UNCERTAIN, place=matched)
    bound = Bound.OTHER_SLOT if matched is not None else Bound.ABSENT
    return Binding(value=value, bound=bound, place=_correction(sought, best), how=Comparison.DIFFERENT)


def _correction(sought: _Sought, best: Place | None) -> Place | None:
    """The value that should stand in the claim; None where the source's sentence leaves open whose it is."""
    if best is None or best.fit < SAME_SLOT:
        return None
    if sought.belongs(best) not in (Belongs.ALONE, Belongs.OWN):
        best = sought.rightful(best)
    return best if best is not None and best.value.kind == sought.value.kind else None


class _Contest(NamedTuple):
    """The places that compete for the slot of a claim's value: the best of each sort."""

    matched: Place | None
    """With an equal value that is not another's."""
    displaced: Place | None
    """With an equal value, where every one of them belongs to something else."""
    close: Place | None
    """With one that is equal but for its unit or comparator."""
    best: Place | None
    """With any value that could be mistaken for the claim's."""
    beaten: bool
    """Whether what the claim says is said of the close place rather than of the equal one."""
    won: bool
    """Whether the equal value keeps the slot."""
    foremost: bool
    """Whether no other equal value fits better."""


def _contest(sought: _Sought, all_sought: Sequence[_Sought], compared: Sequence[tuple[Comparison, Place]]) -> _Contest:
    value = sought.value
    equals = [place for how, place in compared if how is Comparison.SAME]
    matched, displaced = _rightly_equal(sought, equals)
    close = _best(
        [
            place
            for how, place in compared
            if how not in (Comparison.SAME, Comparison.DIFFERENT) and sought.belongs(place) is not Belongs.OTHERS
        ]
    )
    # "at least 16 months" is true of 18 years elsewhere, but what it is said of are 16 years
    beaten = matched is not None and close is not None and not _keeps(matched, close)
    rivals = sorted((place for _, place in compared if confusable(value, place.value)), key=lambda place: -place.fit)
    if matched is not None and sought.belongs(matched) is Belongs.OWN:
        rivals = [place for place in rivals if place.line is not matched.line]
    if matched is not None:
        rivals = [place for place in rivals if not _restates(place, matched)]
    best = next((place for place in rivals if not _taken(place, sought, all_sought)), None)
    if best is None or (matched is not None and matched.fit > best.fit):
        best = matched
    won = matched is not None and not beaten and (value.kind == "token" or best is None or _holds(matched, best, value))
    return _Contest(matched, displaced, close, best, beaten, won, matched is _best(equals))


def _rightly_equal(sought: _Sought, equals: Sequence[Place]) -> tuple[Place | None, Place | None]:
    """The best place with an equal value, first where its owner is not in doubt; else the best that is another's."""
    by_owner: dict[Belongs, list[Place]] = {}
    for place in equals:
        by_owner.setdefault(sought.belongs(place), []).append(place)
    plain = [place for owner in (Belongs.ALONE, Belongs.OWN, Belongs.UNREAD) for place in by_owner.get(owner, ())]
    matched = _best(plain) or _best(by_owner.get(Belongs.UNCLEAR, ()))
    return matched, _best(by_owner.get(Belongs.OTHERS, ())) if matched is None else None


def _restates(place: Place, matched: Place) -> bool:
    """Whether two values are one in two units: '5 °C (41 °F)'."""
    if place.line is not matched.line or place.value.unit == matched.value.unit or not place.value.unit:
        return False
    one, two = sorted((place.value.span, matched.value.span))
    base = place.line.sentence.start
    return place.line.sentence.text[one[1] - base : two[0] - base].strip() in ("(", "/", "or", "=", "[", ",", "–", "-")


def _holds(matched: Place, best: Place, value: Value) -> bool:
    """Whether an equal value keeps its slot against the best rival. Another sentence must fit clearly better to win."""
    return compare(value, best.value) is not Comparison.DIFFERENT or _keeps(matched, best)


def _keeps(matched: Place, rival: Place) -> bool:
    share = NEARLY_BEST if matched.line is rival.line else CLEARLY_WORSE
    return matched.fit >= share * rival.fit


def _excused(binding: Binding, line: Line, given: str) -> Binding:
    """A value that is not the sources' to state, or too weak a sign to hold against the claim."""
    value = binding.value
    if binding.bound not in (Bound.MATCHED, Bound.DERIVED) and _labels_a_source(value, line):
        return Binding(value=value, bound=Bound.UNCERTAIN)
    if binding.bound is not Bound.ABSENT:
        return binding
    told = extract(given) if given and _SECOND_PERSON & line.places.keys() else ()
    if any(equal(value, own) or (own.kind == "number" and own.low == value.raw) for own in told):
        return Binding(value=value, bound=Bound.GIVEN)
    if value.kind == "count" and not value.unit and value.raw <= 10 and value.text.isalpha():
        return Binding(value=value, bound=Bound.UNCERTAIN)
    return binding


def _labels_a_source(value: Value, line: Line) -> bool:
    """'Passage 2', 'steps 4 and 5' and 'the third passage' name what was read, not what it says."""
    tokens, at = line.tokens, line.index_of(value)
    if value.kind == "ordinal":
        return at + 1 < len(tokens) and tokens[at + 1].stem in SOURCE_WORDS
    while at > 0 and (tokens[at - 1].word in ("and", "or", "to") or tokens[at - 1].word.isdigit()):
        at -= 1
    return value.kind in ("number", "count") and at > 0 and tokens[at - 1].stem in SOURCE_WORDS


class _Candidates:
    """The values of some passages. Surroundings are weighed only in the sentences nearest to the claim, and where a
    value is equal or nearly so: the others cannot win, and weighing them would make the check quadratic."""

    def __init__(self, line: Line, passages: Sequence[Passage]) -> None:
        self._claim, self._passages = line, passages

    @once
    def _lines(self) -> list[tuple[str, Line]]:
        """(passage, line) of every line; read only when asked for: most claims need no others."""
        return [(passage.id, line) for passage in self._passages for line in read(passage.text).lines]

    @once
    def _near(self) -> frozenset[int]:
        """Which lines with values share most words with the claim."""
        wanted = self._claim.stems
        stems = [stems for passage in self._passages for stems in profile(passage.text).stems]
        shared = {at: len(wanted & stems[at]) for at, (_, line) in enumerate(self._lines) if line.values}
        ranked = sorted(shared, key=lambda at: (-shared[at], at))
        return frozenset(at for at in ranked[:NEAREST] if shared[at])

    @property
    def rivals(self) -> int:
        """How many values stand in the sentences nearest to the claim."""
        return sum(len(self._lines[at][1].values) for at in self._near)

    def leading(self, around: Surroundings) -> list[tuple[Comparison, Place]]:
        """The places in the sentences that fit best, down to an equal value that fits better than any value of the
        other sentences could. Where it wins here it wins against all: most sentences' values need not be read."""
        if len(self._claim.tokens) > ORDINARY_CLAIM or len(self._lines) > ORDINARY_EVIDENCE:
            return []
        most = [around.most(line) for _, line in self._lines]
        order = sorted(range(len(most)), key=most.__getitem__, reverse=True)
        fit = 0.0
        for rank, at in enumerate(order[: NEAREST + 1]):
            if fit > most[at]:
                return [found for ahead in sorted(order[:rank]) for found in self._places_in(ahead, around, confusable)]
            equals = [place.fit for how, place in self._places_in(at, around, _never) if how is Comparison.SAME]
            fit = max([fit, *equals])
        return []

    def places(self, around: Surroundings, *, all_near: bool = False) -> list[tuple[Comparison, Place]]:
        """Every value that could stand in the claim's slot, with how it compares: what is equal or nearly so, and
        its rivals near the claim (`all_near`: whatever is near the claim)."""
        near, wanted = self._near, _always if all_near else confusable
        return [
            found
            for at in range(len(self._lines))
            for found in self._places_in(at, around, wanted if at in near else _never)
        ]

    def _places_in(
        self, at: int, around: Surroundings, wanted: Callable[[Value, Value], bool]
    ) -> list[tuple[Comparison, Place]]:
        """The places in one line: what is equal or nearly so, and of the rest what is wanted."""
        passage, line = self._lines[at]
        value = around.value
        group = _GROUPS.get(value.kind, (value.kind,))
        found = []
        for other in line.values:
            if other.kind not in group:
                continue
            how = compare(value, other)
            if how is not Comparison.DIFFERENT or wanted(value, other):
                fit = around.fit(other, line)
                found.append((how, Place(passage=passage, line=line, value=other, fit=fit)))
        return found


def _always(_value: Value, _other: Value) -> bool:
    return True


def _never(_value: Value, _other: Value) -> bool:
    return False


def _taken(place: Place, sought: _Sought, all_sought: Sequence[_Sought]) -> bool:
    """Whether the place belongs to another value of the same claim, which equals it and fits it better."""
    return any(
        one is not sought and equal(one.value, place.value) and one.around.fit(place.value, place.line) >= place.fit
        for one in all_sought
    )


def _best(places: Sequence[Place]) -> Place | None:
    return max(places, key=lambda place: place.fit, default=None)


def _elsewhere(around: Surroundings, far: _Candidates) -> Place | None:
    found = _best([place for how, place in far.places(around) if how is Comparison.SAME])
    return found if found is not None and found.fit >= ELSEWHERE else None


def _derived(around: Surroundings, line: Line, near: _Candidates) -> tuple[Place, ...]:
    """Two values whose sum or difference is stated, where the claim says that it adds or subtracts, or which are the
    two ends of a range."""
    if _CALCULATING.isdisjoint(line.places) and not around.value.is_range:
        return ()
    places = [place for _, place in near.places(around, all_near=True) if place.fit > 0]
    parts = derived(around.value, [place.value for place in places])
    if parts is None:
        return ()
    return tuple(next(place for place in places if place.value is part) for part in parts)


def _period_named(value: Value, place: Place) -> bool:
    """Whether the source's sentence names the period some way off its number: 'a weekly payment of R500'."""
    if place.value.period:
        return False
    named = _PERIOD_STEMS.get(value.period) or frozenset(map(stem, names_of_measure(value.period)))
    return bool(place.line.stems & named)


_ENDING = " .!?"
_GROUPS: dict[str, tuple[str, ...]] = {
    "money": ("money", "number", "count", "year"),
    "percent": ("percent", "points", "number"),
    "points": ("percent", "points", "number"),
    "date": ("date", "year"),
    "year": ("year", "date", "number", "count"),
    "duration": ("duration", "number", "count"),
    "count": ("count", "number", "year", "duration", "money", "percent"),
    "number": ("number", "count", "year", "duration", "money", "percent", "ordinal"),
}
_SECOND_PERSON = frozenset({"you", "your", "yours"})
_CALCULATING = frozenset(
    "total sum combin together altogether difference increas decreas rise rose risen fall fell fallen overall both "
    "remain left gap extra additional plus minus more less drop grow grew add between".split()
)
_PERIOD_STEMS = {
    "hour": frozenset({"hour", "hourly"}),
    "day": frozenset({"day", "daily"}),
    "week": frozenset({"week", "weekly"}),
    "fortnight": frozenset({"fortnight", "fortnightly"}),
    "month": frozenset({"month", "monthly"}),
    "year": frozenset({"year", "yearly", "annual", "annually", "annum"}),
}
