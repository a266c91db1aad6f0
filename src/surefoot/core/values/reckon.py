"""What time makes of a value: a date days after another, an amount a month as one a year, working days as weeks.

Exact, unlike what may follow from any numbers: a day too late or a month left out is another value.
"""

from __future__ import annotations

import math
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from surefoot.core.values.compare import half_named
from surefoot.core.values.value import Value

DAY, HALF_DAY = 1_440, 720
"""Minutes."""
WORKING_WEEK = 5
"""Days."""
ANY_YEARS = (2023, 2024)
"""For dates that name none; the second has a 29 February."""
LONGEST = 36_600
"""Days by which a date is counted on."""


def lies_off(target: Value, starts: Sequence[Value], lengths: Sequence[Value]) -> tuple[Value, Value] | None:
    """The date or time of day, and the duration before or after it at which the target lies."""
    measured = [one for one in lengths if one.kind == "duration"]
    off = _date_off if target.kind == "date" else _time_off if target.kind == "time" else None
    if off is None:
        return None
    pairs = ((start, length) for start in starts if start.kind == target.kind for length in measured)
    return next((pair for pair in pairs if off(target, *pair)), None)


def in_another_period(target: Value, part: Value, said: frozenset[str]) -> bool:
    """Whether the target is the part for a longer or a shorter time: R54,000 a year of R4,500 a month. Where the target
    names no period, a word of its sentence must."""
    if not part.period or part.unit != target.unit or not part.low or part.is_range != target.is_range:
        return False
    named = [target.period] if target.period else [_NAMED[word] for word in said if word in _NAMED]
    factors = [factor for period in named for factor in _factors(part.period, period)]
    return any(
        math.isclose(part.low * one, target.low) and math.isclose(part.high * one, target.high) for one in factors
    )


def is_due_for(target: Value, part: Value, said: frozenset[str], own: Sequence[Value]) -> bool:
    """Whether the target is the part for another time, which its sentence names: `a year`, `ten months`."""
    counts = [one.raw for one in own if one.kind == "duration" and one.written_unit == part.period and not one.is_range]
    if not counts:
        return in_another_period(target, part, said)
    alike = part.unit == target.unit and not part.is_range and not target.is_range
    return alike and any(math.isclose(part.low * many, target.low) for many in counts)


def is_in_weeks(target: Value, part: Value) -> bool:
    """Whether the target gives working days in weeks: two weeks for ten working days."""
    return (
        part.unit == "working day"
        and target.written_unit in ("week", "fortnight")
        and not part.is_range
        and math.isclose(target.low / 7, part.low / WORKING_WEEK)
    )


def per_period(part: Value) -> Iterator[float]:
    """An amount due for a day, a week, a month or a year as one due for another of them."""
    if part.period and not part.is_range:
        yield from (part.low * factor for period in _COMMON for factor in _factors(part.period, period))


def due_for(amount: float, period: str) -> Iterator[float]:
    """What is due for a period where the amount is due for another of the common ones."""
    for other in _COMMON:
        yield from (amount * factor for factor in _factors(other, period))


def _factors(one: str, other: str) -> tuple[float, ...]:
    """How many of the first make up the second; parts of one where it is longer."""
    return _MAKE_UP.get((one, other)) or tuple(1 / factor for factor in _MAKE_UP.get((other, one), ()))


def _date_off(target: Value, start: Value, length: Value) -> bool:
    if target.when[1] and not target.when[2]:
        return _month_off(target, start, length)
    if None in (*target.when[1:], *start.when[1:]):
        return False
    years = (start.when[0],) if start.when[0] else (target.when[0],) if target.when[0] else ANY_YEARS
    ends = dict.fromkeys((length.low, length.high))
    return any(
        _is_on(target, found)
        for year in years
        for size in ends
        for sign in (1, -1)
        if year is not None and (found := _moved(year, start, length.unit, sign * size)) is not None
    )


def _month_off(target: Value, start: Value, length: Value) -> bool:
    """Whether a month alone is so many months from that of another date: January of July and six months."""
    (year, month, _), (since, begun, _) = target.when, start.when
    if length.unit != "month" or month is None or begun is None or length.low % 1:
        return False
    if year is not None and since is not None:
        return abs(12 * (year - since) + month - begun) == length.low
    return any((month - begun - way * length.low) % 12 == 0 for way in (1, -1))


def _is_on(target: Value, day: date) -> bool:
    year, month, number = target.when
    return (month, number) == (day.month, day.day) and year in (None, day.year)


def _moved(year: int, start: Value, unit: str, size: float) -> date | None:
    """The day so many days or months from another; None for what is no day, for parts of one and beyond all years."""
    _, month, day = start.when
    assert month is not None
    assert day is not None
    if size != int(size) or abs(size) > LONGEST or day > monthrange(year, month)[1]:
        return None
    if unit not in ("day", "month"):
        return None
    try:
        if unit == "day":
            return date(year, month, day) + timedelta(days=int(size))
        later, to = divmod(year * 12 + month - 1 + int(size), 12)
        return date(later, to + 1, min(day, monthrange(later, to + 1)[1]))
    except (OverflowError, ValueError):
        return None


def _time_off(target: Value, start: Value, length: Value) -> bool:
    if length.unit != "day" or length.high >= 1:
        return False
    whole = DAY if half_named(target) and half_named(start) else HALF_DAY
    return any(
        math.isclose((start.low + sign * size * DAY - target.low + 0.5) % whole, 0.5, abs_tol=1e-6)
        for size in (length.low, length.high)
        for sign in (1, -1)
    )


_MAKE_UP: dict[tuple[str, str], tuple[float, ...]] = {
    ("month", "year"): (12.0,),
    ("month", "quarter"): (3.0,),
    ("quarter", "year"): (4.0,),
    ("week", "year"): (52.0,),
    ("week", "month"): (4.0,),
    ("week", "fortnight"): (2.0,),
    ("fortnight", "month"): (2.0,),
    ("fortnight", "year"): (26.0,),
    ("day", "week"): (7.0, 5.0),
    ("day", "fortnight"): (14.0, 10.0),
    ("day", "year"): (365.0,),
    ("night", "week"): (7.0,),
}
"""How many of the first make up the second: a working week has five days."""
_COMMON = ("day", "week", "month", "year")
_NAMED = {
    **dict.fromkeys(("year", "yearly", "annual", "annually", "annum"), "year"),
    **dict.fromkeys(("quarter", "quarterly"), "quarter"),
    **dict.fromkeys(("month", "monthly"), "month"),
    **dict.fromkeys(("fortnight", "fortnightly"), "fortnight"),
    **dict.fromkeys(("week", "weekly"), "week"),
    **dict.fromkeys(("day", "daily"), "day"),
}
