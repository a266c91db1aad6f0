"""Times of day in words and beside others: `half past ten`, `twenty-five to nine`, `Wednesday noon`, `10-12:30`."""

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
        return _half_an_hour_past(lower, start)
    hour, minutes = size(found.group("hour")), PARTS.get(found.group("part")) or size(found.group("part"))
    plain = found.group("part") in PARTS or found.group("unit")
    if not 1 <= hour <= 12 or not 1 <= minutes < 60 or (minutes % 5 and not plain):
        return None
    if found.group("side") in ("past", "after"):
        return hour * 60.0 + minutes, found.end()
    range_too = not plain and (minutes < hour or _RANGE_BEFORE.search(lower[max(0, start - 12) : start]))
    return None if range_too and minutes < MOST_TO else (hour * 60.0 - minutes, found.end())


def _half_an_hour_past(lower: str, start: int) -> tuple[float, int] | None:
    """`At half twelve`, as the British say it for half past; `half one, half the other` is no time."""
    found = _HALF.match(lower, start) if _LEADS_TO_HALF.search(lower[max(0, start - 24) : start]) else None
    hour = size(found.group("hour")) if found is not None else 0
    return (hour * 60.0 + PARTS["half"], found.end("hour")) if found is not None and 1 <= hour <= 12 else None


def till_a_time(lower: str, start: int, end: int, hour: int) -> float | None:
    """The minutes since midnight of the hour that begins `10-12:30` or `1 to 2.30 pm`; `at 5 to 10 pm` has none."""
    found = _TILL.match(lower, end)
    if found is None or hour > (12 if found.group("half") else 24):
        return None
    opened = lower[max(0, start - 8) : start]
    if (found.group("joint") == "and" and opened != "between ") or opened.endswith("at "):
        return None
    if not found.group("half"):
        return hour % 24 * 60.0
    last = int(found.group("hour")) % 12 * 60 + int(found.group("minute") or 0)
    later = hour % 12 * 60 <= last if found.group("half") == "p" else hour % 12 * 60 > last
    return hour % 12 * 60.0 + 720 * later


def is_told(lower: str, start: int, end: int) -> bool:
    """Whether what stands beside an hour that has a name makes it a time: a midnight snack is none."""
    return bool(_BEFORE.search(lower[max(0, start - 12) : start]) or _AFTER.match(lower, end))


_PAST = re.compile(
    rf"(?P<part>half|quarter|\d{{1,2}}|{ANY_SMALL})(?P<unit> min(?:ute)?s?)? (?P<side>past|to) "
    rf"(?P<hour>\d{{1,2}}|{ANY_SMALL})(?![\w:.-]*\d)\b"
)
_HALF = re.compile(
    rf"half (?P<hour>\d{{1,2}}|{ANY_SMALL})(?=\s*(?:\Z|[;:!?)–—]|[.,](?!\d))"
    rf"|\s(?:in the|on|every|each|and|or|but|to|until|till|sharp|{'|'.join(WEEKDAYS)})\b)"
)
_LEADS_TO_HALF = re.compile(
    r"(?<!\w)(?:at|by|until|till|before|after|from|since|around|about|between|half [a-z]+ (?:to|and)) \Z"
)
_TILL = re.compile(
    r"(?:\s?[-–—]\s?|\s(?P<joint>to|until|till|and)\s)(?P<hour>\d{1,2})(?:"
    r"(?:[:.](?P<minute>[0-5]\d))?\s?(?P<half>[ap])\.?m\b|:[0-5]\d(?![\d:]))"
)
_RANGE_BEFORE = re.compile(r"\b(?:from|between|open)\s\Z")
_BEFORE = re.compile(
    r"(?<!\w)(?:at|by|until|till|before|after|past|from|to|and|or|than|is|was|about|around|since|between|12|twelve|"
    rf"{'|'.join(WEEKDAYS)}) \Z"
)
_AFTER = re.compile(r" (?:is|was)\b")
