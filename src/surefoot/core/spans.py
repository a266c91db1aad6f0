"""Where spans lie among others, answered without looking at each: a text may hold thousands of either."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate

from surefoot.core.types import Span


class Spans:
    """Some spans of one text. Each question is: of those that begin early enough, does one reach far enough?"""

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans)
        self._starts = [start for start, _ in ordered]
        self._reach = list(accumulate((end for _, end in ordered), max))

    def hold(self, position: int) -> bool:
        """Whether the position lies inside one of them."""
        return self._reached(bisect_right(self._starts, position)) > position

    def contain(self, span: Span) -> bool:
        """Whether one of them has the span within it; one that is equal does."""
        return self._reached(bisect_right(self._starts, span[0])) >= span[1]

    def overlap(self, span: Span) -> bool:
        """Whether one of them shares a character with the span."""
        return self._reached(bisect_left(self._starts, span[1])) > span[0]

    def _reached(self, many: int) -> int:
        """The farthest end of so many spans, in the order of their starts."""
        return self._reach[many - 1] if many else -1
