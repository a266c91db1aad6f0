"""The days of the week that a short text names, such as a cell of a timetable."""

from __future__ import annotations

import re

from surefoot.core.remember import by_word
from surefoot.core.values.units import WEEKDAYS


@by_word(4_096)
def weekdays(text: str) -> frozenset[int] | None:
    """The days, ranges told out; None for a text that says anything else.

    >>> weekdays("Mon to Wed"), weekdays("Sat, Sun"), weekdays("1st Monday")
    (frozenset({1, 2, 3}), frozenset({6, 7}), None)
    """
    found: set[int] = set()
    last, open_range = 0, False
    for word in _WORD.findall(text.lower()):
        if word in _GROUPS:
            found.update(_GROUPS[word])
        elif word in _TO and last:
            open_range = True
        elif day := _day(word):
            found.update(_between(last, day) if open_range else (day,))
            last, open_range = day, False
        elif word not in _JOINING:
            return None
    return None if open_range or not found else frozenset(found)


def _day(word: str) -> int:
    bare = word.removesuffix("s") if word.endswith("days") else word
    return next((day for name, day in WEEKDAYS.items() if len(bare) >= 3 and name.startswith(bare)), 0)


def _between(first: int, last: int) -> tuple[int, ...]:
    return tuple((first + step - 1) % 7 + 1 for step in range((last - first) % 7 + 1))


_WORD = re.compile(r"\w+|[-–—]")
_TO = frozenset(("to", "-", "–", "—", "till", "until", "through"))
_JOINING = frozenset(("and", "every", "on"))
_GROUPS = {
    "daily": range(1, 8),
    "day": range(1, 8),
    "weekdays": range(1, 6),
    "weekday": range(1, 6),
    "weekends": range(6, 8),
    "weekend": range(6, 8),
}
