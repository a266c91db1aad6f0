"""Whose value it is, where one sentence gives several values to several owners: 'tea costs R10 and coffee R20'.

Each value has a territory: the words that are said of it and not of its neighbour. A claim that uses the words of one
territory speaks of that value, however near another one may stand. Where the sentence does not show whose a value is,
nothing is said here, and nobody may put one value for the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from surefoot.core.values import Value, equal
from surefoot.verify.alignment import stem
from surefoot.verify.reading import Line, Territory, Token
from surefoot.verify.surroundings import TELLING, left_of

MOST_RIVALS = 24
"""Values of one sentence beyond which it is a table, not a sentence about owners."""
LONG = 8
"""Words that tell one territory from another, up to which all of them may be held to name its owner."""
BRIEF = 20
"""Words of a sentence in which values can hardly be told apart by what stands near them."""
NAMED = 0.3
"""Share of those words that must be in the claim before it names that owner."""


class Belongs(StrEnum):
    """How a value of a source stands to what a claim says of its own value."""

    ALONE = "alone"
    """No other value of the sentence could be meant."""
    OWN = "own"
    """The claim names its owner and no other's."""
    OTHERS = "another's"
    """The claim names the owner of another value of the sentence."""
    UNCLEAR = "unclear"
    """The sentence tells the owners apart, and the claim names none of them, or both."""
    UNREAD = "unread"
    """The sentence does not show which words belong to which value."""


class Slot:
    """A value of a claim with the words the claim says of it. What it is to a source's value is worked out once."""

    def __init__(self, value: Value, line: Line) -> None:
        self.value = value
        self._words = _said_of(value, line)
        self._label = label_of(value, line)
        self._rivals: dict[Line, tuple[Value, ...]] = {}
        self._known: dict[tuple[Line, int], Belongs] = {}

    def belongs(self, other: Value, line: Line) -> Belongs:
        """Whether a value of a source line is the one the claim speaks of, or its neighbour is."""
        key = (line, other.start)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._belongs(other, line)
        return found

    def _belongs(self, other: Value, line: Line) -> Belongs:
        if self._label and self._label == label_of(other, line):
            return Belongs.OWN if equal(self.value, other) else Belongs.OTHERS
        rivals = self._beside(other, line)
        if len(rivals) > MOST_RIVALS:
            return Belongs.UNREAD
        against = [rival for rival in rivals if rival is not other and not equal(other, rival)]
        if not against:
            return Belongs.ALONE
        territories = _territories(line, rivals)
        if territories is None or self._words is None:
            return Belongs.UNREAD
        if not territories:
            return Belongs.UNCLEAR if any(rival.unit == other.unit for rival in against) else Belongs.UNREAD
        own = next(territory for territory in territories if other in territory.values)
        others = [one for one in territories if one is not own and any(rival in one.values for rival in against)]
        return _verdict(self._words, own, others)

    def _beside(self, other: Value, line: Line) -> tuple[Value, ...]:
        """The values of a line that could be put for the claim's, and the other one in any case."""
        found = self._rivals.get(line)
        if found is None:
            found = self._rivals[line] = rivals_in(line, self.value)
        if len(found) > MOST_RIVALS or other in found:
            return found
        return tuple(sorted((*found, other), key=lambda value: value.start))

    def rightful(self, line: Line) -> Value | None:
        """The one value of a source line that belongs to what the claim speaks of; None where that is not clear."""
        found = [other for other in rivals_in(line, self.value) if self.belongs(other, line) in _ITS_OWN]
        return found[0] if len(found) == 1 else None


def label_of(value: Value, line: Line) -> str:
    """The noun that makes a number a name: 'Grade' of Grade 11. Empty for any other value."""
    if value.unit or value.is_range or value.kind not in ("number", "count"):
        return ""
    before = left_of(value, line)
    return before if before in _NUMBERED else ""


def rivals_in(line: Line, value: Value) -> tuple[Value, ...]:
    """The values of a line that could be put for the given one; the numbers of lists and passages could not."""
    return tuple([found for found in line.values if confusable(value, found) and not _counts_lines(found, line)])


def _counts_lines(value: Value, line: Line) -> bool:
    """The number of a list's item or of a passage: '3  Stir the soup', 'passage 1: Preheat the oven'."""
    if value.unit or value.kind not in ("number", "count") or value.is_range:
        return False
    base = line.sentence.start
    return not line.sentence.text[: value.start - base].strip() or left_of(value, line) in SOURCE_WORDS


def confusable(value: Value, other: Value) -> bool:
    """Whether two values could be mistaken for each other: a year is no rival of an amount of money."""
    if value.kind == "token" or other.kind == "token":
        return _shape(value) == _shape(other)
    return other.kind in RIVALS.get(value.kind, (value.kind,))


def _shape(value: Value) -> str:
    """What a number to call, a form's name or a code looks like: forms P45 and P60 are alike, COVID-19 is not."""
    if value.kind == "token":
        letters = value.token.rstrip("0123456789")
        return letters if letters != value.token else value.token
    return "" if value.kind == "number" and not value.is_range and value.raw >= 100 else value.kind


def _said_of(value: Value, line: Line) -> frozenset[str] | None:
    """The words of a claim that are said of one of its values; None where that cannot be told."""
    rivals = rivals_in(line, value)
    if len(rivals) > 1 and value in rivals:
        territories = (_territories(line, rivals) if len(rivals) <= MOST_RIVALS else None) or ()
        return next((territory.words for territory in territories if value in territory.values), None)
    return _telling(token for token in line.tokens if not value.start <= token.start < value.end)


def _verdict(said: frozenset[str], own: Territory, others: Sequence[Territory]) -> Belongs:
    found = [_between(said, own.words, other.words) for other in others]
    if Belongs.OTHERS in found:
        return Belongs.OTHERS
    if Belongs.UNCLEAR in found:
        return Belongs.UNCLEAR
    return Belongs.OWN if Belongs.OWN in found else Belongs.UNREAD


def _between(said: frozenset[str], own: frozenset[str], other: frozenset[str]) -> Belongs:
    """Which of two territories the claim's words are from, judged by the words that only one of them has."""
    mine, theirs = _contrast(own, other)
    if not mine and not theirs:
        return Belongs.UNREAD
    ours, rivals = len(said & mine), len(said & theirs)
    if not ours and not rivals:
        # "the card costs R20" of "a card costs R10 and a gold card R20": what has no name of its own is the plain one
        if not mine or not theirs:
            return Belongs.OWN if not mine else Belongs.OTHERS
        return _unless_long(mine, theirs)
    our_share = ours / len(mine) if mine else 0.0
    their_share = rivals / len(theirs) if theirs else 0.0
    if not rivals:
        return Belongs.OWN
    if not ours:
        return Belongs.OTHERS if their_share >= NAMED else _unless_long(mine, theirs)
    # words of the first territory may hold for all: "call 10111 for police and 10177 for an ambulance"
    if our_share == 1.0 > their_share:
        return Belongs.OWN
    if their_share == 1.0 > our_share:
        return Belongs.OTHERS
    return _unless_long(mine, theirs)


def _unless_long(mine: frozenset[str], theirs: frozenset[str]) -> Belongs:
    return Belongs.UNREAD if max(len(mine), len(theirs)) > LONG else Belongs.UNCLEAR


def _contrast(own: frozenset[str], other: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The words of each that the other has not; those that only say that something has a price or a number are left
    out where a name remains."""
    mine, theirs = own - other, other - own
    named, rival_named = mine - _STATING, theirs - _STATING
    return (named, rival_named) if named or rival_named else (mine, theirs)


def _territories(line: Line, rivals: tuple[Value, ...]) -> tuple[Territory, ...] | None:
    """Each rival with its words; None where the sentence does not tell owners apart, and nothing where it does and yet
    not how. Worked out once for a line."""
    key = tuple([value.start for value in rivals])
    known = line.territories
    if key not in known:
        known[key] = _read(line, rivals)
    return known[key]


def _read(line: Line, rivals: Sequence[Value]) -> tuple[Territory, ...] | None:
    groups = _groups(line, rivals)
    if len(groups) == 1:
        return _respectively(line, groups[0])
    found = _divide(line, groups)
    return () if found is None and len(line.tokens) <= BRIEF else found


def _divide(line: Line, groups: Sequence[Sequence[Value]]) -> tuple[Territory, ...] | None:
    tail = line.tokens[_last(line, groups[-1][-1]) :]
    lefts, rights = [line.tokens[: _first(line, groups[0][0])]], []
    for number, (one, two) in enumerate(pairwise(groups), 2):
        bare = number == len(groups) and not _telling(tail)
        gap = _Gap(line, one[-1], two[0], bare=bare)
        split = gap.split
        if split is None:
            return None
        rights.append(gap.tokens[:split])
        lefts.append(gap.tokens[split:])
    rights.append(tail)
    before, behind = [_telling(tokens) for tokens in lefts], [_telling(tokens) for tokens in rights]
    if not all(left or right for left, right in zip(before, behind, strict=True)):
        return None  # "at R10, tea is cheaper than …": a value without a word of its own was cut off wrongly
    if all(before) and not any(behind[:-1]):
        behind = behind[-1:] * len(groups)  # "tea costs R10 and coffee costs R20 in the canteen"
    for at in range(1, len(groups)):
        # "call 10111 for police and 10177 …": what stood before the first holds for the next one too
        before[at] = before[at] or before[at - 1]
    return tuple(
        [Territory(tuple(group), left | right) for group, left, right in zip(groups, before, behind, strict=True)]
    )


def _groups(line: Line, rivals: Sequence[Value]) -> list[list[Value]]:
    """Rivals with nothing but 'to', 'and' or the like between them are said of one owner."""
    groups = [[rivals[0]]]
    for one, two in pairwise(rivals):
        between = line.tokens[_last(line, one) : _first(line, two)]
        contrasted = any(token.word in _CONTRASTING for token in between)
        if contrasted or _telling(between) or _opens_an_aside(line, one, two):
            groups.append([two])
        else:
            groups[-1].append(two)
    return groups


def _opens_an_aside(line: Line, one: Value, two: Value) -> bool:
    """'R10 (R25 for coffee)': the second value has a name of its own within the brackets."""
    text, base = line.sentence.text, line.sentence.start
    if "(" not in text[one.end - base : two.start - base]:
        return False
    closed = text.find(")", two.end - base)
    end = base + (closed if closed >= 0 else len(text))
    return bool(_telling(token for token in line.tokens[_last(line, two) :] if token.start < end))


def _respectively(line: Line, values: Sequence[Value]) -> tuple[Territory, ...] | None:
    """'Tea and coffee cost R10 and R20 respectively': as many names before the values as there are values."""
    if "respectively" not in line.places:
        return None
    head = line.tokens[: _first(line, values[0])]
    cuts = [at for at in range(1, len(head)) if head[at].clause != head[at - 1].clause][-(len(values) - 1) :]
    if len(cuts) != len(values) - 1:
        return None
    edges = [0, *cuts, len(head)]
    return tuple(
        [
            Territory((value,), _telling(head[start:end]))
            for value, (start, end) in zip(values, pairwise(edges), strict=True)
        ]
    )


class _Gap:
    """What stands between two values: words of the one before, then words of the one behind."""

    def __init__(self, line: Line, one: Value, two: Value, *, bare: bool) -> None:
        self._bare = bare
        """Nothing stands behind the second value, so its words must stand before it."""
        start, end = _last(line, one), _first(line, two)
        self.tokens = line.tokens[start:end]
        text, base = line.sentence.text, line.sentence.start
        edges = [one.end, *(edge for token in self.tokens for edge in (token.start, token.end)), two.start]
        self._marks = [text[left - base : right - base] for left, right in zip(edges[::2], edges[1::2], strict=True)]
        """What stands before each word, and before the second value."""

    @property
    def split(self) -> int | None:
        """How many of its words belong to the value before; None where that is not clear."""
        marks = self._marks
        if ")" in marks[0]:
            return 0
        if "(" in marks[0]:
            closed = [at for at, mark in enumerate(marks) if ")" in mark]
            return closed[0] if closed else 0 if not self.tokens else None
        stops = [at for at, mark in enumerate(marks) if ";" in mark]
        if stops:
            return stops[0]
        joints = self._joints(_CONJUNCTIONS) or self._joints(_COMPARING)
        if len(joints) < 2:
            return joints[0].at if joints else None
        return self._among(joints)

    def _among(self, joints: Sequence[_Joint]) -> int | None:
        first, last = joints[0], joints[-1]
        opens = not _telling(self.tokens[: first.at])
        closes = not _telling(self.tokens[last.at :])
        joined = [joint for joint in joints if joint.word]
        if len(joined) > 1:
            # "in summer and winter, and coffee …": the one with a comma is the one between the parts
            joined = [joint for joint in joined if joint.comma] or joined
        sole = joined[0].at if len(joined) == 1 else None
        if opens and closes:
            return sole
        if opens:
            return first.at
        if closes and not self._bare:
            # "R50 for adults, and for children over 12, R30 …" could be cut at either
            return last.at if last.word or not joined else None
        return sole if joined else first.at

    def _joints(self, words: frozenset[str]) -> list[_Joint]:
        """Where a part may end: at commas and conjunctions, which are one where they stand together."""
        found: list[_Joint] = []
        for at, mark in enumerate(self._marks):
            word, comma = at < len(self.tokens) and self.tokens[at].word in words, "," in mark
            if not word and not comma:
                continue
            if found and not _telling(self.tokens[found[-1].at : at]):
                found[-1] = _Joint(found[-1].at, found[-1].word or word, found[-1].comma or comma)
            else:
                found.append(_Joint(at, word, comma))
        return found


@dataclass(frozen=True, slots=True)
class _Joint:
    at: int
    """The word it stands before."""
    word: bool
    """A conjunction is part of it."""
    comma: bool


def _first(line: Line, value: Value) -> int:
    return line.index_of(value)


def _last(line: Line, value: Value) -> int:
    """The first word behind a value."""
    at = line.index_of(value)
    while at < len(line.tokens) and line.tokens[at].start < value.end:
        at += 1
    return at


def _telling(tokens: Iterable[Token]) -> frozenset[str]:
    return frozenset(
        [token.stem for token in tokens if (token.content or token.word in TELLING) and token.word not in _LINKS]
    )


SOURCE_WORDS = frozenset({"passage", "passag", "source", "sourc", "document", "excerpt", "step", "chunk", "reference"})
_ITS_OWN = frozenset({Belongs.OWN, Belongs.ALONE})
RIVALS: dict[str, tuple[str, ...]] = {
    "percent": ("percent", "points"),
    "points": ("percent", "points"),
    "date": ("date",),
    "year": ("year", "date"),
    "count": ("count", "number"),
    "number": ("count", "number"),
}
"""Kinds that compete for a slot, where not only the same one does."""
_CONJUNCTIONS = frozenset({"and", "but", "while", "whereas", "or", "against", "versus", "vs"})
_COMPARING = frozenset({"than", "compared", "opposed", "unlike", "like"})
_CONTRASTING = _COMPARING | (_CONJUNCTIONS - {"and", "or"}) | {"not"}
_LINKS = _CONJUNCTIONS | _COMPARING | frozenset("to until till through respectively from between instead not".split())
_NUMBERED = frozenset(
    stem(word)
    for word in "grade form level section chapter article part step phase stage room unit standard band zone line "
    "platform gate route group type class schedule annex table figure page paragraph regulation act bus".split()
)
_STATING = frozenset(stem(word) for word in "cost price charge pay call dial ring phone number amount".split())
"""Words that name no owner by themselves."""
