"""Times of day in words: `half past ten`, `twenty-five to nine`, `Wednesday noon`."""

from __future__ import annotations

import re

from surefoot.core.values.numerals import ANY_SMALL, size
from surefoot.core.values.units import WEEKDAYS

NAMED_HOURS = {"midnight": 0.0, "noon": 720.0, "midday": 720.0}
PARTS = {"half": 30, "quarter": 15}
MOST_TO = 20
"""`Five to nine` may be two numbers; no range ends below its beginning, and twenty is beyond every hour."""


def past_the_hour(lower: str, start: int) -> tuple[float, int] | None:
    """The minutes since midnight and where the words end."""
    found = _PAST.match(lower, start)
    if found is None:
        return None
    hour, minutes = size(found.group("hour")), PARTS.get(found.group("part")) or size(found.group("part"))
    plain = found.group("part") in PARTS or found.group("unit")
    if not 1 <= hour <= 12 or not 1 <= minutes < 60 or (minutes % 5 and not plain):
        return None
    if found.group("side") in ("past", "after"):
        return hour * 60.0 + minutes, found.end()
    range_too = not plain and (minutes < hour or _RANGE_BEFORE.search(lower[max(0, start - 12) : start]))
    return None if range_too and minutes < MOST_TO else (hour * 60.0 - minutes, found.end())


def is_told(lower: str, start: int, end: int) -> bool:
    """Whether what stands beside an hour that has a name makes it a time: a midnight snack is none."""
    return bool(_BEFORE.search(lower[max(0, start - 12) : start]) or _AFTER.match(lower, end))


_PAST = re.compile(
    rf"(?P<part>half|quarter|\d{{1,2}}|{ANY_SMALL})(?P<unit> min(?:ute)?s?)? (?P<side>past|to) "
    rf"(?P<hour>\d{{1,2}}|{ANY_SMALL})(?![\w:.-]*\d)\b"
)
_RANGE_BEFORE = re.compile(r"\b(?:from|between|open)\s\Z")
_BEFORE = re.compile(
    r"(?<!\w)(?:at|by|until|till|before|after|past|from|to|and|or|than|is|was|about|around|since|between|12|twelve|"
    rf"{'|'.join(WEEKDAYS)}) \Z"
)
_AFTER = re.compile(r" (?:is|was)\b")
