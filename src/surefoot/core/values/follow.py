"""Whether a number follows from others: a sum, a difference, a product, a share, a mean, or one of them rounded.

Few parts are looked at, all from the sentences that speak of the same matter: among many numbers some two always add
up to a third.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, permutations

from surefoot.core.values.compare import half_named, is_about
from surefoot.core.values.reckon import due_for, in_another_period, is_in_weeks, per_period
from surefoot.core.values.units import DURATIONS
from surefoot.core.values.value import Value

MOST_PARTS = 10
DAY = 1_440
"""Minutes."""
YEAR = 12
"""Months."""
YEARS = range(1000, 2200)
MOST_TIMES = 24
"""Times of day that are held against each other: a timetable has hundreds."""
MOST_AMOUNTS, MOST_OF_THREE = 30, 12
ARITHMETIC = ("money", "percent", "count", "number", "duration", "frequency", "points", "measure")


def follows(target: Value, parts: Sequence[Value], said: frozenset[str]) -> tuple[Value, ...]:
    """The values it follows from; none where it does not. `said` are the words of the sentence that states it."""
    if target.kind in ("date", "time", "token", "weekday", "ordinal"):
        return ()
    for part in parts:
        # what is due a month for ten months is not due for twelve
        bounded = any(one.kind == "duration" and one.written_unit == part.period for one in parts)
        if (not bounded and in_another_period(target, part, said)) or is_in_weeks(target, part):
            return (part,)
    fitting = [part for part in parts if part.kind in ARITHMETIC and not part.is_range][:MOST_PARTS]
    if target.is_range:
        ends = [next((part for part in fitting if _close(part.low, end)), None) for end in (target.low, target.high)]
        return tuple(end for end in ends if end is not None) if all(ends) else ()
    for part in fitting:
        if is_rounded(target, part):
            return (part,)
    return next((found for found, size in _worked_out(target, fitting, said) if _close(size, target.low)), ())


def may_follow(target: Value, parts: Sequence[Value], own: Sequence[Value], near: Sequence[Value] = ()) -> bool:
    """Whether some sum, difference, product, quotient or share of the parts, and of the sentence's `own` other numbers,
    gives the target, whatever the sentence says of it. Of those that are `near` an amount may be due for so many months
    or each week, and two times of day are the ends of a duration.

    Among many numbers some always do: this shows that a number may have been worked out, never that it is right.
    """
    if target.kind not in ARITHMETIC or target.kind == "frequency" or not target.low:
        return False
    if target.is_range:
        ends = [end for one in (*own, *parts) for end in (one.low, one.high, *_years(one)) if one.unit == target.unit]
        return all(any(_close(end, own_end) for end in ends) for own_end in (target.low, target.high))
    if _lies_between(target, [*own, *parts]):
        return True
    if not target.unit:  # `235 pounds on top of the 75, so 310 in all`
        alike = {one.unit: one.kind for one in own if one.kind in ARITHMETIC and one.unit not in ("", "%")}
        if any(may_follow(target._replace(kind=kind, unit=unit), parts, own, near) for unit, kind in alike.items()):
            return True
    money = next((one.unit for one in (target, *own, *near) if one.kind == "money"), "")
    if money:
        [target], parts, own, near = (_with_cents(some, money) for some in ([target], parts, own, near))
    amounts = _amounts([*own, *parts], target)
    shares = {part.low / 100 for part in (*own, *parts) if part.unit == "%"}
    timed = _in_time(target, [*own, *near])
    if not target.unit and any(math.ceil(one * share) == target.low for one in amounts for share in shares):
        return True  # whole evenings, of which 80 % must be attended
    return any(_gives(size, target) for size in (*_results(amounts, shares), *timed)) or (
        target.unit == "%"
        and (
            any(_close(1 - share, target.low / 100) for share in shares)
            or any(abs(size - target.low) < 0.6 for size in _percentages([*own, *parts]))
        )
    )


def _gives(size: float, target: Value) -> bool:
    return _close(size, target.low) or (target.approximate and is_about(target, target.low, size))


def _with_cents(parts: Sequence[Value], currency: str) -> list[Value]:
    return [
        one._replace(kind="money", unit=currency, low=one.low / 100, high=one.high / 100) if one.unit == "cent" else one
        for one in parts
    ]


def _amounts(parts: Sequence[Value], target: Value) -> list[float]:
    """Those that can be added to the target or counted: of its own unit, or of none."""
    fitting = [one for one in parts if one.kind in ARITHMETIC and not one.is_range and one.unit in (target.unit, "")]
    return list(dict.fromkeys(one.low for one in fitting if one.low))[:MOST_AMOUNTS]


def _lies_between(target: Value, values: Sequence[Value]) -> bool:
    """Whether a duration, or an age, is that from one year, date or time of day to another."""
    if target.unit == "month" or (not target.unit and target.kind in ("number", "count")):
        years = target.low / 12 if target.unit else target.low
        known = dict.fromkeys(year for one in values for year in _years(one))
        if years >= 1 and any(abs(abs(one - two) - years) < 1.1 for one, two in combinations(known, 2)):
            return True
    if target.kind != "duration":
        return False
    if target.unit == "month":
        months = dict.fromkeys(month for one in values if (month := _month(one)) is not None)
        gaps = [abs(one - two) for one, two in combinations(months, 2)]
        return any(abs(gap - target.low) < 1.1 or (gap < YEAR and abs(YEAR - gap - target.low) < 1.1) for gap in gaps)
    if target.low < 1:
        times = list(dict.fromkeys(time for one in values for time in _times(one)))[:MOST_TIMES]
        return any(_close(gap, target.low * DAY) for one, two in combinations(times, 2) for gap in _gaps(one, two))
    days = dict.fromkeys(day for one in values if (day := _day(one)) is not None)
    return any(abs(abs(one - two) - target.low) < 1.1 for one, two in combinations(days, 2))


def _years(value: Value) -> tuple[float, ...]:
    """The years it names, also those of `1903 to 1950`."""
    if value.kind == "year" or (value.is_range and value.low in YEARS and value.high in YEARS and not value.unit):
        return value.low, value.high
    return () if value.when[0] is None else (value.when[0],)


def _month(value: Value) -> float | None:
    year, month, _ = value.when
    return (year or 0) * 12 + month if month else None


def _day(value: Value) -> float | None:
    """Days on a calendar whose months are equally long: near enough for what may have been counted."""
    month = _month(value)
    return 30.44 * month + value.when[2] if month and value.when[2] else None


def _times(value: Value) -> Iterator[tuple[float, bool]]:
    """The times of day it names, each with whether it says its half: both ends of `9 to 5` and `17.30-19`."""
    ends = (value.low, value.high)
    if value.is_range and value.kind in ("count", "number") and not value.unit and all(map(_is_hour, ends)):
        yield from ((60 * (end // 1) + round(end % 1 * 100), False) for end in ends)
    elif (time := _time(value)) is not None:
        yield time, half_named(value)


def _is_hour(number: float) -> bool:
    return 0 <= number <= 24 and round(number % 1 * 100) < 60


def _time(value: Value) -> float | None:
    """Minutes of the day; 13.20 may be a time."""
    if value.kind == "time":
        return value.low
    hour, minute = divmod(round(value.low * 100), 100)
    written = value.kind == "number" and value.text[-3:-2] == "." and hour < 24 and minute < 60
    return float(hour * 60 + minute) if written else None


def _gaps(one: tuple[float, bool], other: tuple[float, bool]) -> Iterator[float]:
    """Minutes from one time of day to the other and on to it again; where one does not say its half of the day, to the
    next that comes: eight hours from 9 to 5, seven from 11 pm to 6 am."""
    whole = DAY if one[1] and other[1] else DAY / 2
    yield from ((other[0] - one[0]) % whole, (one[0] - other[0]) % whole)


def _results(amounts: Sequence[float], shares: set[float]) -> Iterator[float]:
    for one in amounts:
        yield from (one / 2, one * 2)
    for one in amounts:
        for share in shares:
            yield from (one * share, one * (1 - share), one * (1 + share))
    for one, two in combinations(amounts, 2):
        yield from (one + two, abs(one - two), one * two, one / two, two / one)
    for one, two, three in combinations(amounts[:MOST_OF_THREE], 3):
        yield from (one + two + three, abs(one + two - three), abs(one - two + three), abs(one - two - three))


def _in_time(target: Value, near: Sequence[Value]) -> Iterator[float]:
    """What time makes of amounts: one for so many months, one due each week for a year, so many times from six to nine
    in the evening."""
    alike = [one for one in near if one.unit == target.unit and one.kind in ARITHMETIC and not one.is_range]
    if target.kind == "duration":
        amounts = [(two.low - one.low) % DAY / DAY for one, two in pairwise(near) if one.kind == two.kind == "time"]
        counted = [one for one in near if one.kind in ("count", "number") and not one.unit]
    else:
        amounts = [one.low for one in alike]
        counted = [one for one in near if one.kind == "duration"]
    times = dict.fromkeys(one.raw for one in counted if not one.is_range and one.raw > 1)
    for amount in dict.fromkeys(amounts):
        for many in times:
            yield from (amount * many, amount / many)
    for one in alike:
        yield from per_period(one)
        if target.period and not one.period:  # what is due for a time that another sentence names
            yield from due_for(one.low, target.period)
    if not target.unit:
        often = [one for one in near if one.kind == "frequency" and one.low]
        whole = [(each, base) for base, each in [_period(target.period)] if base]
        whole += [(one.low, one.unit) for one in near if one.kind == "duration" and not one.is_range]
        yield from (size / one.low for size, unit in whole for one in often if one.unit == unit)
        sized = [one for one in near if one.unit and one.low and not one.is_range][:MOST_OF_THREE]
        yield from (one.low / two.low for one, two in permutations(sized, 2) if one.unit == two.unit)
    for rate in near:
        base, each = _period(rate.period)
        if not base or not rate.low:
            continue
        if target.unit == base:
            yield from (one.low / rate.low * each for one in near if one.unit == rate.unit and not one.is_range)
        elif rate in alike:
            yield from (rate.low * one.low / each for one in near if one.unit == base and not one.is_range)


def _period(named: str) -> tuple[str, float]:
    """The base unit and the size of what a rate is for: a week, or a kilo."""
    size, _, base = named.rpartition(" ")
    return (base, float(size)) if size else DURATIONS.get(named, ("", 1.0))


def _percentages(parts: Sequence[Value]) -> Iterator[float]:
    plain = [part for part in parts if part.kind in ARITHMETIC and part.unit != "%" and not part.is_range and part.low]
    for one, two in combinations(plain[:MOST_AMOUNTS], 2):
        if one.unit == two.unit:
            yield from (100 * one.low / two.low, 100 * two.low / one.low, 100 * abs(one.low / two.low - 1))


def _worked_out(
    target: Value, parts: Sequence[Value], said: frozenset[str]
) -> Iterator[tuple[tuple[Value, ...], float]]:
    """Every result the sentence may speak of, by the words it uses."""
    alike = [part for part in parts if part.unit == target.unit or {part.unit, target.unit} <= {"%", "pp"}]
    if said & SUMMING:
        for size in range(2, min(len(alike), 4) + 1):
            for some in combinations(alike, size):
                yield some, math.fsum(part.low for part in some)
    if said & COMPARING:
        for one, two in combinations(alike, 2):
            yield (one, two), abs(one.low - two.low)
    if said & AVERAGING and len(alike) > 1:
        yield tuple(alike), math.fsum(part.low for part in alike) / len(alike)
    if said & MULTIPLYING:
        for one, two in combinations(parts, 2):
            if target.unit in (one.unit, two.unit) and (_counts(one, two) or _counts(two, one)):
                yield (one, two), one.low * two.low
                yield (one, two), one.raw * two.raw
    if target.unit == "%":
        for one, two in combinations([part for part in parts if part.unit != "%"], 2):
            if one.unit == two.unit and one.low and two.low:
                share = 100 * min(one.low, two.low) / max(one.low, two.low)
                yield (one, two), round(share)
                yield (one, two), round(share, 1)


def _counts(number: Value, amount: Value) -> bool:
    """Whether a number says how many of an amount there are: two for two, three weeks for what is due a week."""
    if not number.unit:
        return True
    return number.kind == "duration" and amount.unit != number.unit and amount.period in ("", number.written_unit)


def is_rounded(target: Value, part: Value) -> bool:
    """Whether the target is the part with fewer digits: 1.2 million for 1,234,567. Two digits must be left."""
    if target.unit != part.unit or not target.low or not part.low:
        return False
    if _digits(target.low) < 2 or _digits(target.low) >= _digits(part.low):
        return False
    return _close(float(f"{part.low:.{_digits(target.low) - 1}e}"), target.low)


def _digits(number: float) -> int:
    """Significant ones: 2 of 1,200,000."""
    return len(f"{number:.9e}".split("e")[0].replace(".", "").replace("-", "").rstrip("0"))


def _close(one: float, two: float) -> bool:
    return math.isclose(one, two, rel_tol=1e-9, abs_tol=1e-9)


SUMMING = frozenset("total totals sum combined together altogether overall both all plus adds add".split())
COMPARING = frozenset(
    "difference differ more less fewer longer shorter higher lower cheaper dearer extra gap increase increased "
    "decrease decreased rise rose fell fall drop dropped grew remain remaining left minus additional "
    "save saves after".split()
)
AVERAGING = frozenset("average averages mean".split())
MULTIPLYING = frozenset("each every times per total totals altogether year years month months week weeks adds".split())
