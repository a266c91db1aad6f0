"""Whether two values say the same, and if not, what differs. Forms do not matter; rounding is not equality."""

from __future__ import annotations

import math
import re
from enum import StrEnum

from surefoot.core.values.frequency import counted
from surefoot.core.values.phones import is_same_number
from surefoot.core.values.slashed import says_the_same
from surefoot.core.values.value import Value

APPROXIMATE_WITHIN = 0.05
"""How far a value that calls itself approximate may lie from the source's."""
NEARLY_WITHIN = 0.15
"""The same for `just under` and `a little over`, to the side that they name."""
HALF_DAY = 720
"""Minutes."""


class Comparison(StrEnum):
    SAME = "same"
    UNIT = "unit differs"
    PERIOD = "period differs"
    CURRENCY = "currency differs"
    SCALE = "scale differs"
    COMPARATOR = "comparator differs"
    DIFFERENT = "different"


def equal(claim: Value, source: Value) -> bool:
    return compare(claim, source) is Comparison.SAME


def compare(claim: Value, source: Value) -> Comparison:
    """How a claim's value stands to a source's. Not symmetric: the claim may say less, never more."""
    if claim.kind in _NAMED or source.kind in _NAMED:
        return _compare_named(claim, source)
    if claim.kind == "date" or source.kind == "date":
        return Comparison.SAME if _date_agrees(claim, source) else Comparison.DIFFERENT
    if claim.kind == "time" or source.kind == "time":
        return Comparison.SAME if _same_time(claim, source) else Comparison.DIFFERENT
    if (claim.kind == "ordinal") != (source.kind == "ordinal"):
        return Comparison.DIFFERENT
    claim, source = _in_money(claim, source), _in_money(source, claim)
    if claim.kind == source.kind == "frequency" and claim.head and source.head and claim.head != source.head:
        return Comparison.DIFFERENT
    claim, source = _in_number(claim, source), _in_number(source, claim)
    if {claim.unit, source.unit} == _SCALES:
        otherwise = Comparison.UNIT if _close(claim.raw, source.raw) else Comparison.DIFFERENT
        return Comparison.SAME if _same_warmth(claim, source) else otherwise
    difference = _dimension(claim, source)
    if difference is not Comparison.SAME:
        return difference
    if not _same_size(claim, source):
        if _close(claim.raw, source.raw) and claim.scale != source.scale:
            return Comparison.SCALE
        if _close(claim.raw, source.raw) and claim.written_unit != source.written_unit and claim.unit:
            return Comparison.UNIT
        return Comparison.SAME if _entailed(claim, source) else Comparison.DIFFERENT
    if claim.period and claim.period != source.period:
        return Comparison.PERIOD
    return _comparator(claim, source)


def _same_warmth(claim: Value, source: Value) -> bool:
    """74 °C for 165 °F, to the degree that is written."""
    ends = ((claim.low, source.low), (claim.high, source.high))
    return all(abs(_converted(theirs, source.unit) - ours) <= (0.5 if ours % 1 == 0 else 0.05) for ours, theirs in ends)


def _converted(degrees: float, unit: str) -> float:
    return (degrees - 32) / 1.8 if unit == "degF" else degrees * 1.8 + 32


def _in_money(value: Value, other: Value) -> Value:
    """Cents in the currency of the other value: `20 cents` where that says `$0.20`."""
    if value.unit != "cent" or other.kind != "money":
        return value
    return value._replace(kind="money", unit=other.unit, low=value.low / 100, high=value.high / 100, scale=other.scale)


def _in_number(value: Value, other: Value) -> Value:
    """A frequency as a count beside one: `24 times a year` where the other is `24 donations`."""
    return counted(value) if other.kind in _BARE and (other.head or other.period) and not other.unit else value


def _compare_named(claim: Value, source: Value) -> Comparison:
    if claim.kind != source.kind:
        slashed = "token" in (claim.kind, source.kind) and says_the_same(claim, source)
        return Comparison.SAME if slashed else Comparison.DIFFERENT
    same = is_same_number(claim.token, source.token) if claim.kind == "token" else claim.low == source.low
    return Comparison.SAME if same else Comparison.DIFFERENT


def _date_agrees(claim: Value, source: Value) -> bool:
    """Every part the claim states must be stated alike by the source; a year alone is a date with one part."""
    ours, theirs = _parts(claim), _parts(source)
    if ours is None or theirs is None or (claim.part and source.part and claim.part != source.part):
        return False
    if all(mine is None or mine == other for mine, other in zip(ours, theirs, strict=True)):
        return True
    # 03/12/2025 may be read either way round
    year, month, day = ours
    numeric = claim.text[:1].isdigit() and "/" in claim.text
    return numeric and (year, day, month) == theirs


def _parts(value: Value) -> tuple[int | None, int | None, int | None] | None:
    if value.kind == "date":
        return value.when
    if (
        value.kind in ("year", "number", "count")
        and not value.is_range
        and 1000 <= value.low <= 2200
        and not value.unit
    ):
        return (int(value.low), None, None)
    return None


def _same_time(claim: Value, source: Value) -> bool:
    """`9.30` and `half past nine` may be in the morning and in the evening."""
    ours, theirs = minutes(claim), minutes(source)
    if ours is None or theirs is None:
        return False
    return ours == theirs or (half_named(claim) != half_named(source) and (ours - theirs) % HALF_DAY == 0)


def minutes(value: Value) -> float | None:
    """Since midnight; None for what is no time of day. `9.30` looks like any number."""
    if value.kind == "time":
        return value.low
    written = _DOTTED.fullmatch(value.text) if value.kind in ("number", "count") and not value.unit else None
    return int(written.group(1)) * 60.0 + int(written.group(2)) if written else None


def half_named(value: Value) -> bool:
    """Whether a time says which half of the day it is in; `9:30` is in the morning where `21:30` can be written, and
    `9.30` may be in either."""
    if _PART_OF_AN_HOUR.match(value.text) or _O_CLOCK.search(value.text):
        return False
    at = minutes(value)
    return at is not None and (at > HALF_DAY or (value.kind == "time" and _DOTTED.fullmatch(value.text) is None))


def _dimension(claim: Value, source: Value) -> Comparison:
    """Currency, percent against points, measure against measure."""
    if claim.kind == "money" and source.kind == "money":
        if claim.unit != source.unit:
            return Comparison.CURRENCY if _close(claim.raw, source.raw) else Comparison.DIFFERENT
        return Comparison.SAME
    if claim.unit == source.unit or {claim.unit, source.unit} in _DEGREES:
        return Comparison.SAME
    # a bare number, as in a table whose head names the unit
    if not source.unit and source.kind in _BARE and not source.head:
        return Comparison.SAME
    if not claim.unit and claim.kind in _BARE and not claim.head:
        return Comparison.SAME
    return Comparison.UNIT if _close(claim.raw, source.raw) else Comparison.DIFFERENT


def _same_size(claim: Value, source: Value) -> bool:
    low, high = (claim.low, claim.high) if source.unit == claim.unit else (claim.raw, claim.raw)
    their_low, their_high = (source.low, source.high) if source.unit == claim.unit else (source.raw, source.raw)
    if source.unit != claim.unit and (claim.is_range or source.is_range):
        (low, high), (their_low, their_high) = _written_ends(claim), _written_ends(source)
    if _close(low, their_low) and _close(high, their_high):
        return True
    if claim.approximate and not claim.is_range and not source.is_range and their_low:
        return is_about(claim, low, their_low)
    if source.is_range and not claim.is_range and claim.comparator:
        # "up to 20" and "from 15" are the ends of "15-20"
        end = their_high if _direction(claim) < 0 else their_low
        return _close(low, end)
    return False


def is_about(claim: Value, low: float, size: float) -> bool:
    """Whether an approximate value, `about 3` or `just under 3`, is said of this size."""
    if claim.comparator:
        return 0 < (size - low) * _direction(claim) <= NEARLY_WITHIN * abs(size)
    return abs(low - size) <= APPROXIMATE_WITHIN * abs(size)


def _written_ends(value: Value) -> tuple[float, float]:
    """Both ends as written, before the unit: 16 and 24 of '16 to 24 years'."""
    return (value.raw, value.high * value.raw / value.low) if value.low else (value.low, value.high)


def _entailed(claim: Value, source: Value) -> bool:
    """'more than 500' is true of 520; only an exact source value can show it."""
    if claim.is_range or source.is_range or source.comparator or not claim.comparator or claim.unit != source.unit:
        return False
    if claim.approximate:
        return False
    if claim.period and claim.period != source.period:
        return False
    return source.low > claim.low if _direction(claim) > 0 else source.low < claim.low


def _comparator(claim: Value, source: Value) -> Comparison:
    mine, theirs = _direction(claim), _direction(source)
    if mine == theirs or (source.is_range and not theirs):
        return Comparison.SAME
    if mine and theirs:
        return Comparison.COMPARATOR
    one = claim if mine else source
    # "over 12 months" may mean during; "from R500" may name a start: no sure sign of another meaning
    return Comparison.SAME if one.loose else Comparison.COMPARATOR


def _direction(value: Value) -> int:
    if not value.comparator:
        return 0
    return 1 if value.comparator in ("at_least", "more_than") else -1


def _close(one: float, two: float) -> bool:
    return one == two or math.isclose(one, two, rel_tol=1e-9, abs_tol=1e-9)


_DOTTED = re.compile(r"([01]?\d|2[0-3])\.([0-5]\d)")
_PART_OF_AN_HOUR = re.compile(r"half|quarter|[\w -]+ (?:past|to) ", re.IGNORECASE)
_O_CLOCK = re.compile(r"o['’]clock\Z|\A\d+\Z", re.IGNORECASE)
"""The first of `3 to 4 in the afternoon` has its half of the day from the second."""
_SCALES = {"degC", "degF"}
_DEGREES = ({"degree", "degC"}, {"degree", "degF"})
"""Which scale is meant often stands only once in a text."""
_NAMED = frozenset({"token", "weekday"})
_BARE = frozenset({"number", "year", "count"})
"""Kinds that may come without a unit: 'aged 16 to 24' are years too."""
