"""Values that code cannot call wrong although they stand nowhere: what a sentence supposes, to hold it against a bound
of its source, what is near enough in other units, and what is said more loosely than its source says it."""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from surefoot.core.values import Value
from surefoot.core.values.numerals import ANY_SMALL, size
from surefoot.core.values.units import DURATIONS, WEEKDAYS
from surefoot.verify.read.reading import Line

MONTH = 30.44
"""Days."""
ROUGHLY = 0.085
"""Share by which months and weeks may differ that people take for one another: two months and eight weeks."""
WORKING_WEEK = 5
HALF_DAY = 720
"""Minutes."""
ANY_YEAR = 2023
UPTO = 0.15
"""Share by which two frequencies may differ that nobody counts out: three times a year and every 16 weeks."""
MOST_ENDS = 12
"""Values of a sentence between which something may have changed."""


def supposes(value: Value, line: Line, sources: Sequence[Line], *, told: bool) -> bool:
    """Whether a sentence sets up a case, `A site with 900 visitors …`, `At 24 you are …`, whose value a source bounds
    or ranges over: it says nothing of what the value is. Of a person who was `told` of, nobody supposes anything."""
    if value.comparator or value.is_range or value.kind in _NO_SIZE:
        return False
    text = line.sentence.text
    if told and _YOU.search(text):
        return False
    before, behind = text[: value.start - line.sentence.start], text[value.end - line.sentence.start :]
    if value.kind == "time" and _PERMITS.search(text):
        return any(sum(one.kind == "time" for one in near.values) > 1 for near in sources)
    at = value.kind not in ("time", "date") and _AT.search(before)
    labels = value.unit and _LABELS.match(behind)
    if not labels and not ((at or _CASE.match(before)) and _GOES_ON.match(behind)) and not _OLD.match(behind):
        return False
    return any(_bounds(value, one, near) for near in sources for one in near.values)


def is_a_change(value: Value, line: Line, sources: Sequence[Line]) -> bool:
    """Whether a value is that by which something changes: `by £4`, `£4 higher` of what goes `from £88 to £92`."""
    text = line.sentence.text
    if value.kind not in _SIZED or not (_BY.search(text[: value.start]) or _HIGHER.match(text[value.end :])):
        return False
    ends = (pair for near in sources for pair in _moves(near.values))
    return any(math.isclose(abs(one - other), value.low) for one, other in ends)


def _moves(values: Sequence[Value]) -> Iterator[tuple[float, float]]:
    yield from ((one.low, one.high) for one in values if one.is_range)
    pairs = combinations(values[:MOST_ENDS], 2)
    yield from ((one.low, two.low) for one, two in pairs if one.unit == two.unit)


def _bounds(value: Value, one: Value, line: Line) -> bool:
    if value.kind in ("time", "date"):
        return value.kind == one.kind
    at = one.start - line.sentence.start
    if not (one.comparator or one.is_range or _BOUND.search(line.sentence.text[max(0, at - 24) : at])):
        return False
    ages = {value.written_unit, one.written_unit} <= {"year", ""}
    return value.unit == one.unit or (ages and {value.kind, one.kind} <= {"duration", "count", "number"})


def is_an_end(value: Value, line: Line, sources: Sequence[Value]) -> bool:
    """Whether both ends of a range stand in the sources each for itself, or a value is one end of a range that does: a
    quantity, a number that is called an end, `start at eleven` of `ages 11 to 17`, or one beside the other end."""
    if value.is_range:
        return {value.low, value.high} <= {one.low for one in sources if one.unit == value.unit and one.kind != "token"}
    called = bool(value.unit) or _END.search(line.sentence.text) is not None
    beside = {other.low for other in line.values} - {value.low}
    ranges = (_ends(value, one) for one in sources if one.is_range and value.unit in ("", one.unit))
    return any(value.low in ends and (called or not beside.isdisjoint(ends)) for ends in ranges)


def _ends(value: Value, one: Value) -> tuple[float, float]:
    if value.unit or not one.low:
        return one.low, one.high
    return one.raw, one.high * one.raw / one.low


def is_roughly(value: Value, sources: Sequence[Value]) -> bool:
    """Whether a duration is one of the sources' in a unit of another length: months for weeks, weeks of working days;
    a frequency too, however it is written, and of a range both ends."""
    if value.kind not in _TIMES:
        return False
    spare = UPTO if value.kind == "frequency" else ROUGHLY
    for one in sources:
        if one.kind not in _TIMES or one.is_range != value.is_range or not one.low:
            continue
        ends = zip(_days(one), _days(value), strict=True)
        if one.unit != value.unit and all(math.isclose(ours, theirs, rel_tol=spare) for ours, theirs in ends):
            return True
        if (
            not value.is_range
            and value.written_unit == "week"
            and one.written_unit == "day"
            and value.low / 7 * WORKING_WEEK == one.low
        ):
            return True
    return False


def _days(value: Value) -> tuple[float, float]:
    each = MONTH if value.unit == "month" else 1.0
    return value.low * each, value.high * each


def counts_weekdays(value: Value, lines: Sequence[Line]) -> bool:
    """Whether so many `days a week` are those that a sentence names, or leaves out."""
    if value.kind != "duration" or value.written_unit != "day" or value.period != "week":
        return False
    return any(value.raw == many for line in lines for many in _weekdays(line.sentence.text.lower()))


def _weekdays(text: str) -> Iterator[int]:
    """How many days a sentence names, or one of its clauses; of those it leaves out, the others."""
    for part in (text, *_CLAUSE.split(text)):
        named: set[int] = set()
        for found in _DAYS.finditer(part):
            first, last = WEEKDAYS[found.group(1)], WEEKDAYS[found.group(2) or found.group(1)]
            named |= {day % 7 for day in range(first, last + 1 if last >= first else last + 8)}
        if named:
            yield 7 - len(named) if _EXCEPT.search(part) else len(named)


def is_among_months(value: Value, lines: Sequence[Line]) -> bool:
    """Whether a month lies between two that a sentence names: `in July` of `April to September`."""
    month = value.when[1] if value.kind == "date" and value.when[::2] == (None, None) else None
    if month is None:
        return False
    for line in lines:
        named = [one.when[1] for one in line.values if one.kind == "date" and one.when[1] is not None]
        if any((month - first) % 12 <= (last - first) % 12 for first, last in pairwise(named) if first != last):
            return True
    return False


def is_said_in_words(value: Value, lines: Sequence[Line]) -> bool:
    """Whether a sentence has words for the value that are no value of their own: `an hour`, `half the price`, `the year
    before`, `14 nights`, and the hours of `7 to 9.30`."""
    texts = [line.sentence.text.lower() for line in lines]
    if value.kind == "duration" and value.raw and not value.is_range:
        ones = [DURATIONS[found] for text in texts for found in _ONE.findall(text)]
        if any(base == value.unit and math.isclose(one, value.low) for base, one in ones):
            return True
        return value.unit == "day" and value.low in {size(one) for text in texts for one in _NIGHTS.findall(text)}
    if value.kind == "date" and value.when[2]:
        return any(day == value.when[2] for text in texts for day in _days_of_a_month(text, value.when[1]))
    if value.unit == "%" and not value.is_range:
        shares = {share for text in texts for word, share in _SHARES if word in text}
        return any(math.isclose(value.low, share, abs_tol=1) for share in shares)
    if value.kind == "year":
        years = {one.when[0] or one.low for line in lines for one in line.values if one.kind in ("year", "date")}
        return any(abs(year - value.low) == 1 for year in years) and any(map(_ADJOINING.search, texts))
    if value.kind == "time":
        bare = [one for line in lines for one in line.values if one.is_range and not one.unit]
        ends = {60 * (end // 1) + round(end % 1 * 100) for one in bare for end in (one.low, one.high)}
        return value.low in ends or value.low % HALF_DAY in ends
    return False


def _days_of_a_month(text: str, month: int | None) -> Iterator[int]:
    """The day that `the 25th of the month after the quarter` names, in whichever month, and `the end of the month`."""
    for found in _OF_A_MONTH.finditer(text):
        named = found.group(1)
        yield int(named) if named else monthrange(ANY_YEAR, month)[1] if month else 0


def without_rhythm(value: Value, nearest: Sequence[Line]) -> bool:
    """Whether no sentence near a frequency says in figures how often something is: `in March and September` or
    `quarterly` may be what it says."""
    return value.kind == "frequency" and not any(
        one.kind == "frequency" and not line.stems.isdisjoint(near.stems)
        for line in nearest[1:]
        for near in nearest[:1]
        for one in line.values
    )


_NO_SIZE = frozenset({"ordinal", "weekday", "token", "frequency"})
_SIZED = frozenset({"money", "count", "number", "duration", "percent", "points"})
_TIMES = frozenset({"duration", "frequency"})
_CASE = re.compile(
    r"(?i)\W*(?:(?:for|with|in|on|even|only|not|once|as|although|having|being)\W+)*"
    r"(?:an?|some(?:one|body|thing)|any(?:one|body|thing)?|no(?:body| one)?|who(?:ever)?|your|if|when|suppose)\b"
    r".*\b(?:of|with|at|aged|from|in|on|who|that|which|\w+ing|\w+ed|lives?|comes?|takes?|stands?|is|are)"
    r" (?:an? |only |just |barely )?\Z"
)
_AT = re.compile(r"(?i)(?:^|, )\W*(?:even |only |aged |being )?(?:at|with|in|aged) \Z")
_GOES_ON = re.compile(r"(?:[^\w]+[\w'’]+){3}")
"""What is supposed has something said of it."""
_YOU = re.compile(r"(?i)\byour?\b")
_PERMITS = re.compile(r"(?i)\b(?:may|can|cannot|can't|must not|mustn't|allowed|forbidden|nobody|no one)\b")
_BOUND = re.compile(
    r"(?i)\b(?:from|until|till|before|after|beyond|since|by|up to|older than|maximum|minimum|first|last)"
    r"(?: the| an?| age| age of| the age of)? \Z"
)
_LABELS = re.compile(r"[^:.;\n]{0,24}(?<!\d):\s+\S")
"""`Notice of 30 hours: half.`"""
_OF_A_MONTH = re.compile(
    r"\b(?:(\d\d?)(?:st|nd|rd|th)|last)(?: day)? of (?:an?|the|each|every|any|that|this) (?:[a-z]+ )?month\b"
)
_BY = re.compile(r"(?i)\bby (?:\w+ )?\Z|\b(?:rise|increase|fall|drop|decrease|cut|reduction) of \Z")
_HIGHER = re.compile(r" (?:more|less|fewer|higher|lower|dearer|cheaper)\b")
_OLD = re.compile(r"[- ]?(?:years?)?-olds?\b")
_END = re.compile(
    r"(?i)\b(?:starts?|starting|begins?|ends?|from|until|till|up to|youngest|oldest|smallest|largest|shortest|longest|"
    r"cheapest|dearest|lowest|highest|earliest|latest|least|most)\b"
)
_ONE = re.compile(r"\b(?:an?|per|each|every|the|next|following) (minute|hour|day|week|month|year)\b")
_NIGHTS = re.compile(rf"\b(\d{{1,3}}|{ANY_SMALL}) nights?\b")
_SHARES = (("half", 50.0), ("quarter", 25.0), ("third", 100 / 3), ("double", 100.0), ("twice", 100.0))
_ADJOINING = re.compile(r"\b(?:year before|year after|previous year|following year|next year|last year)\b")
_CLAUSE = re.compile(r"[,;]")
_EXCEPT = re.compile(r"\b(?:except|excepted|closed|not|apart|but|shut)\b")
_DAYS = re.compile(rf"\b({'|'.join(WEEKDAYS)})s?\b(?:(?: to | until | through |\s?[-–]\s?)({'|'.join(WEEKDAYS)})s?\b)?")
