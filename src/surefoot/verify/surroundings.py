"""The words around a value, nearer ones weighing more, and how well another value's words fit them."""

from __future__ import annotations

from bisect import bisect_left

from surefoot.core.values import Value
from surefoot.verify.reading import Line, Token

REACH = 150
"""Words on either side of a value that are held to be said of it."""
ABOVE = 0.25
"""What a word counts for that only the sentence before has."""
BESIDE = 0.08
"""What the same word right before the value, or right behind it, counts for."""
CLAUSE_STEP = 3
"""How many words a comma or a conjunction counts for, between a value and a word that may belong to it."""


class Surroundings:
    """What stands around a claim's value. How well a value of a source fits is worked out once."""

    def __init__(self, value: Value, line: Line) -> None:
        self.value, self.line = value, line
        self._weights: dict[str, tuple[float, bool]] = {}
        spot = _Spot(value, line)
        start = max(0, spot.first - REACH)
        for at, token in enumerate(line.tokens[start : spot.last + REACH], start):
            weight = _weight(token) * spot.nearness(at, token)
            if weight > self._weights.get(token.stem, (0.0, False))[0]:
                self._weights[token.stem] = (weight, at < spot.first)
        self._whole = sum(weight for weight, _ in self._weights.values()) or 1.0
        self._left, self._right = spot.neighbours()
        self._fits: dict[tuple[Line, int], float] = {}

    @property
    def size(self) -> int:
        """Words that are held against another value's: what a fit costs."""
        return len(self._weights)

    @property
    def left(self) -> str:
        """The word right before the value."""
        return self._left

    def fit(self, other: Value, line: Line) -> float:
        key = (line, other.start)
        found = self._fits.get(key)
        if found is None:
            found = self._fits[key] = self._fit(other, line)
        return found

    def _fit(self, other: Value, line: Line) -> float:
        spot = _Spot(other, line)
        tokens, places = line.tokens, line.places
        above = line.above.said if line.above is not None else frozenset()
        score = 0.0
        for stem, (weight, was_left) in self._weights.items():
            if stem in places:
                best = 0.0
                for at in _nearest(places[stem], spot):
                    here = spot.nearness(at, tokens[at])
                    best = max(best, here if (at < spot.first) == was_left else 0.7 * here)
                score += weight * (best or (ABOVE if stem in above else 0.0))
            elif stem in above:
                score += weight * ABOVE
        left, right = spot.neighbours()
        beside = BESIDE * (bool(left) and left == self._left) + BESIDE * (bool(right) and right == self._right)
        return score / self._whole + beside

    def most(self, line: Line) -> float:
        """No value of the line can fit better than this: as if each of its words stood next to the value. Added up in
        the order of `fit`, so that it is not less by a rounding either."""
        said = line.said
        above = line.above.said if line.above is not None else frozenset()
        score = 0.0
        for stem, (weight, _) in self._weights.items():
            if stem in said:
                score += weight
            elif stem in above:
                score += weight * ABOVE
        return score / self._whole + (BESIDE + BESIDE)


def left_of(value: Value, line: Line) -> str:
    """The word right before a value."""
    return _Spot(value, line).neighbours()[0]


def _nearest(places: tuple[int, ...], spot: _Spot) -> tuple[int, ...]:
    """Of a word's places the last one before the value and the first one behind it: the others are farther off."""
    if len(places) <= 2:
        return places
    before, behind = bisect_left(places, spot.first), bisect_left(places, spot.last)
    return (*places[max(0, before - 1) : before], *places[behind : behind + 1])


class _Spot:
    """Where a value stands among the tokens of its line."""

    def __init__(self, value: Value, line: Line) -> None:
        self.tokens = line.tokens
        self.first = self.last = line.index_of(value)
        while self.last < len(self.tokens) and self.tokens[self.last].start < value.end:
            self.last += 1
        self.clause = self.tokens[min(self.first, len(self.tokens) - 1)].clause if self.tokens else 0

    def nearness(self, at: int, token: Token) -> float:
        """From 1 next to the value down to 0.35 far away; 0 inside it. A clause's end is a step of its own."""
        if self.first <= at < self.last:
            return 0.0
        distance = self.first - at if at < self.first else at - self.last + 1
        distance += CLAUSE_STEP * abs(token.clause - self.clause)
        return 0.35 + 0.65 / (1.0 + (distance - 1) / 4.0)

    def neighbours(self) -> tuple[str, str]:
        left = self.tokens[self.first - 1].stem if 0 < self.first <= len(self.tokens) else ""
        return left, self.tokens[self.last].stem if self.last < len(self.tokens) else ""


def _weight(token: Token) -> float:
    return 1.0 if token.content or token.word in TELLING else 0.15


TELLING = frozenset(
    "under over before after above below more less between not no most each both other from until".split()
)
"""Function words that often make the difference between two slots: under 12, over 12."""
