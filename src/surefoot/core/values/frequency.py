"""How often something is: `twice a year`, `every second Friday`, `once in two days`. Each is read as the time from one
to the next, so that all forms of one frequency are one value: six months, two weeks, two days."""

from __future__ import annotations

import re
from typing import NamedTuple

from surefoot.core.values.numerals import ANY_SMALL, ORDINALS, size
from surefoot.core.values.units import DURATIONS, PERIODS, WEEKDAYS
from surefoot.core.values.value import Value

THE_OTHER_WAY = {"at_most": "at_least", "at_least": "at_most", "more_than": "less_than", "less_than": "more_than"}
"""The more often, the less time between."""
OPENING = frozenset({"every", "once", "twice", "thrice"})
"""Words with which one begins where no number does."""


class Often(NamedTuple):
    end: int
    size: float
    """The time between, in its base unit."""
    base: str
    unit: str
    times: float = 1.0
    """How many in the time that is named: six in twelve months."""
    day: str = ""
    """The weekday of `every second Friday`."""


def often(lower: str, start: int) -> Often | None:
    """What begins at one of the opening words."""
    every = _EVERY.match(lower, start)
    if every is not None:
        return _every(every)
    found = _ONCE.match(lower, start)
    return _times(lower, found.end(), _ONCE_TWICE[found.group()]) if found is not None else None


def times(lower: str, end: int, number: float) -> Often | None:
    """What follows a number: `three` `times a day`."""
    found = _X.match(lower, end)
    return _times(lower, found.end(), number) if found is not None and number else None


def counted(value: Value) -> Value:
    """A frequency as so many things a period, `at most 24 a year`; one that counts none, `every week`, as it is."""
    if value.kind != "frequency" or value.scale < 2:
        return value
    whole = (value.unit, round(value.low * value.scale, 9))
    period = next((word for word, size in DURATIONS.items() if word in PERIODS and size == whole), "")
    comparator = THE_OTHER_WAY.get(value.comparator, "")
    many = value._replace(kind="count", low=value.scale, high=value.scale, raw=value.scale, scale=1.0)
    return many._replace(unit="", written_unit="", period=PERIODS.get(period, ""), comparator=comparator)


def _times(lower: str, end: int, number: float) -> Often | None:
    found = _IN.match(lower, end)
    if found is None:
        return None
    unit = _ADVERBS.get(found.group("adverb") or "", found.group("unit") or "")
    many = _count(found.group("count"))
    base, factor = DURATIONS[unit]
    return Often(found.end(), many * factor / number, base, unit.rstrip("s"), number) if many else None


def _every(found: re.Match[str]) -> Often | None:
    count, unit = found.group("count"), found.group("unit")
    many = float(ORDINALS.get(count, 0)) or _count(count)
    day, unit = (unit, "week") if unit in WEEKDAYS else ("", unit)
    base, factor = DURATIONS[unit]
    return Often(found.end(), many * factor, base, unit.rstrip("s"), day=day) if many else None


def _count(written: str | None) -> float:
    if written is None:
        return 1.0
    return 0.5 if written.startswith("half") else 2.0 if written == "other" else float(size(written))


_UNIT = r"(?P<unit>minutes?|hours?|days?|weeks?|fortnights?|months?|quarters?|years?"
_EVERY = re.compile(
    rf"every (?P<count>other|{'|'.join(ORDINALS)}|half(?: an?)?|\d{{1,3}}|{ANY_SMALL})[ -]"
    rf"{_UNIT}|{'|'.join(WEEKDAYS)})\b"
)
_ONCE_TWICE = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_ONCE = re.compile("once|twice|thrice")
_X = re.compile(r"(?:\s?x| times)(?=\s)")
_IN = re.compile(
    r"\s(?:(?:an?|per|each|every|in (?:an?|each|every|any)|(?:in|within|every)(?= (?:\d|[a-z]+[ -][a-z])))\s"
    rf"(?:(?P<count>half(?: an?)?|other|\d{{1,3}}|{ANY_SMALL})[ -])?{_UNIT})"
    r"|(?P<adverb>hourly|daily|weekly|fortnightly|monthly|quarterly|yearly|annually))\b"
)
_ADVERBS = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "fortnightly": "fortnight",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annually": "year",
}
