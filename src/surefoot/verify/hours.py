"""Opening hours in records and in prose: `11:0-22:0`, `from 9 am to 5 pm on weekdays`, `closed on Sundays`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from surefoot.core.types import Span

LEAD = 40
"""Characters before a time in which it is said whether it opens or closes."""
MOST = 50
"""Statements of hours in one sentence; of more, none is taken for an exception from another."""
DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True, kw_only=True, slots=True)
class Hours:
    """Opening and closing time in minutes after midnight; both None means closed."""

    opens: int | None
    closes: int | None
    vague: bool = False
    """Said without am or pm: `9 to 5`."""

    def agrees(self, other: Hours) -> bool:
        """Equal, midnight written as 0 or 24; a time not said on one side is not compared."""
        if self.closed or other.closed:
            return self.closed == other.closed or self.undefined or other.undefined
        turn = 720 if self.vague or other.vague else 1440
        pairs = ((self.opens, other.opens), (self.closes, other.closes))
        return all(a is None or b is None or a % turn == b % turn for a, b in pairs)

    @property
    def closed(self) -> bool:
        return self.opens is None and self.closes is None

    @property
    def undefined(self) -> bool:
        """`0:0-0:0`: some records mean a closed day by it, others one without a break."""
        return self.opens == self.closes == 0

    @property
    def spelled(self) -> str:
        """Both ways of writing it: `16:00-21:30 (4 PM to 9:30 PM)`."""
        if self.opens is None or self.closes is None:
            return str(self)
        return f"{self} ({_half_day(self.opens)} to {_half_day(self.closes)})"

    def __str__(self) -> str:
        if self.closed:
            return "closed"
        return "-".join(
            "?" if time is None else f"{time // 60:02d}:{time % 60:02d}" for time in (self.opens, self.closes)
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimedHours:
    hours: Hours
    days: tuple[str, ...]
    """Empty: said of no day in particular, so of all."""
    span: Span
    mostly: bool = False
    """Said to hold as a rule: `on most days`."""


def _half_day(time: int) -> str:
    hour, minute = divmod(time % 1440, 60)
    return f"{hour % 12 or 12}{f':{minute:02d}' if minute else ''} {'PM' if hour >= 12 else 'AM'}"


def read_hours(value: str) -> Hours | None:
    """The hours in a record's value; None if it holds none."""
    text = value.strip().lower()
    if text == "closed":
        return Hours(opens=None, closes=None)
    found = re.fullmatch(r"(\d{1,2}):(\d{1,2})\s*(?:-|–|to)\s*(\d{1,2}):(\d{1,2})", text)
    if not found:
        return None
    first, first_minute, last, last_minute = map(int, found.groups())
    return Hours(opens=first * 60 + first_minute, closes=last * 60 + last_minute)


def claimed_hours(text: str) -> list[ClaimedHours]:
    """Every statement of opening hours in a sentence with the days it is about."""
    found: list[ClaimedHours] = []
    for clause in _CLAUSE.finditer(text):
        found += _in_clause(clause.group(), clause.start())
    return [_without_exceptions(each, found) for each in found] if len(found) <= MOST else found


def claimed_open_days(text: str) -> list[tuple[tuple[str, ...], Span]]:
    """Days a sentence calls open without saying when: `open seven days a week`."""
    starts = {match.end(): match.start() for match in _OPEN_ON.finditer(text)}
    found = []
    for start, end in _day_groups(text):
        opens = starts.get(start)
        if opens is not None and not _NOT.search(text[max(0, opens - LEAD) : opens]):
            found.append((claimed_days(text[start:end]), (opens, end)))
    return found


def claimed_days(text: str) -> tuple[str, ...]:
    """Days named one by one, as a range, or as weekdays, weekends, every day."""
    lowered = text.lower()
    if _ALL_WEEK.search(lowered):
        return DAY_NAMES
    found: set[str] = set()
    if "weekday" in lowered:
        found |= set(DAY_NAMES[:5])
    if "weekend" in lowered:
        found |= set(DAY_NAMES[5:])
    names = [(match.start(), match.end(), match.group(1)) for match in _DAY.finditer(lowered)]
    found |= {name for _, _, name in names}
    for (_, end, first), (start, _, last) in pairwise(names):
        if re.fullmatch(r"s?\s*(?:-|–|to|through|until)\s*", lowered[end:start]):
            begin, stop = DAY_NAMES.index(first), DAY_NAMES.index(last)
            found |= set(DAY_NAMES[begin : stop + 1] if begin <= stop else DAY_NAMES[begin:] + DAY_NAMES[: stop + 1])
    return tuple(day for day in DAY_NAMES if day in found)


def _without_exceptions(said: ClaimedHours, others: Sequence[ClaimedHours]) -> ClaimedHours:
    """`9 to 5 on weekdays, while on Fridays until 7`: what is said of fewer days holds for them."""
    special = {
        day
        for other in others
        if 0 < len(other.days) < len(said.days) and not other.hours.closed and _same_ends(said.hours, other.hours)
        for day in other.days
    }
    closed = {day for other in others if other.hours.closed and not said.hours.closed for day in other.days}
    return replace(said, days=tuple(day for day in said.days if day not in special | closed) or said.days)


def _same_ends(one: Hours, other: Hours) -> bool:
    return (one.opens is not None and other.opens is not None) or (one.closes is not None and other.closes is not None)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Stated:
    """A time or `closed` in a clause."""

    hours: Hours
    span: Span


def _in_clause(clause: str, offset: int) -> list[ClaimedHours]:
    """Times (and `closed`) with the days beside them."""
    days = _day_groups(clause)
    times = _paired(_stated(clause), days)
    mostly = bool(times) and _MOSTLY.search(clause.lower()) is not None
    found = []
    for number, time in enumerate(times):
        edge = times[number + 1].span[0] if number + 1 < len(times) else len(clause)
        side = _days_beside(clause, time, days, edge, first=times[0])
        whole = time.hours.opens is not None and time.hours.closes is not None
        if side is None and not (whole and len(times) == 1):
            continue
        start, end = (min(time.span[0], side[0]), max(time.span[1], side[1])) if side else time.span
        named = claimed_days(clause[slice(*side)]) if side else ()
        found.append(ClaimedHours(hours=time.hours, days=named, span=(offset + start, offset + end), mostly=mostly))
    return found


def _paired(times: Sequence[_Stated], days: Sequence[Span]) -> list[_Stated]:
    """`opens at 8 AM and closes at 5 PM` is one statement, unless days are said of the first half."""
    if len(times) < 2 or any(place[0] < times[1].span[0] for place in days):
        return list(times)
    first, second = times[0], times[1]
    if first.hours.closes is not None or second.hours.opens is not None or first.hours.closed or second.hours.closed:
        return list(times)
    hours = Hours(opens=first.hours.opens, closes=second.hours.closes)
    return [_Stated(hours=hours, span=(first.span[0], second.span[1])), *times[2:]]


def _days_beside(clause: str, time: _Stated, days: Sequence[Span], edge: int, *, first: _Stated) -> Span | None:
    """The days a time is about: `9 PM on Sunday` takes those after it, `Sunday from 9 AM` those before.

    Where neither stands close, a clause that names days first (`On weekdays it opens at 8 and closes at 5`) goes on so.
    """
    before = next((place for place in reversed(days) if place[1] <= time.span[0]), None)
    after = next((place for place in days if time.span[1] <= place[0] < edge), None)
    gap = clause[time.span[1] : after[0]] if after else None
    days_first = before is not None and days[0][1] <= first.span[0]
    if time.hours.closed:
        held = before is not None and _IS.fullmatch(clause[before[1] : time.span[0]].lower()) is not None
        return before if held else after or before
    if gap is not None and _TO_DAYS.fullmatch(gap.lower()) and (gap.strip() or not days_first):
        return after
    return before if days_first else after or before


def _day_groups(text: str) -> list[Span]:
    """Days that belong together: `Monday through Thursday`, `Friday and Saturday`, `every day of the week`."""
    return [match.span() for match in _DAYS.finditer(text)]


def _stated(clause: str) -> list[_Stated]:
    """Ranges, ends and `closed` in order. A bare time means what the one before it did: `until 9 PM …, 10 PM …`."""
    found: list[_Stated] = []
    ending = True
    for match in _STATED.finditer(clause):
        if match.group("shut"):
            found.append(_Stated(hours=Hours(opens=None, closes=None), span=match.span()))
            continue
        if match.group("b_hour") or match.group("b_word"):
            found.append(_Stated(hours=_hours(match), span=match.span()))
            continue
        lead = clause[max(0, match.start() - LEAD) : match.start()].lower()
        if _UNTIL.search(lead):
            ending = True
        elif _FROM.search(lead):
            ending = False
        elif not found or found[-1].hours.closed or _whole(found[-1].hours):
            continue
        if not (match.group("a_half") or match.group("a_word") or match.group("a_minute")):
            continue
        time = _minutes(match, "a", None)
        hours = Hours(opens=None, closes=time) if ending else Hours(opens=time, closes=None)
        found.append(_Stated(hours=hours, span=match.span()))
    return found


def _whole(hours: Hours) -> bool:
    return hours.opens is not None and hours.closes is not None


def _hours(match: re.Match[str]) -> Hours:
    opens, closes = _minutes(match, "a", match.group("b_half")), _minutes(match, "b", None)
    halves = match.group("a_half") or match.group("b_half") or match.group("a_word") or match.group("b_word")
    vague = not halves and opens is not None and closes is not None and max(opens, closes) < 780
    return Hours(opens=opens, closes=closes, vague=vague)


def _minutes(match: re.Match[str], side: str, other_half: str | None) -> int | None:
    word = match.group(f"{side}_word")
    if word:
        return 720 if word.lower() == "noon" else 0
    hour = int(match.group(f"{side}_hour"))
    minute = int(match.group(f"{side}_minute") or 0)
    half = (match.group(f"{side}_half") or "").replace(".", "").lower()
    if not half and other_half and other_half.lower().startswith("a"):
        half = "am"
    if half.startswith("p") and hour < 12:
        hour += 12
    if half.startswith("a") and hour == 12:
        hour = 0
    return hour * 60 + minute


def _time(side: str) -> str:
    return (
        rf"(?:(?P<{side}_word>noon|midnight)|(?P<{side}_hour>\d{{1,2}})(?:[:.](?P<{side}_minute>\d{{1,2}}))?"
        rf"\s*(?P<{side}_half>[ap]\.?m\b\.?)?)"
    )


_CLAUSE = re.compile(r"(?:(?!; |,? but |,? (?:while|whereas) ).)+", re.S)
_STATED = re.compile(
    rf"\b{_time('a')}(?:\s*(?:-|–|to|until|till|and)\s*{_time('b')})?(?!\w)"
    r"|(?P<shut>\bclosed\b|\bnot open\b|\bdoes not open\b)",
    re.I,
)
_DAY = re.compile(r"\b(" + "|".join(DAY_NAMES) + r")s?\b")
_ALL_WEEK = re.compile(r"\b(?:every ?day|daily|(?:seven|7) days|all week|each day)\b")
_ONE = (
    r"(?:(?:" + "|".join(DAY_NAMES) + r")s?|weekdays?|weekends?|(?:every ?|each )day(?: of the week)?|daily|"
    r"(?:seven|7) days(?: a| per)?(?: week)?|all week)"
)
_DAYS = re.compile(rf"\b{_ONE}(?:(?:,? and |,? or | ?& ?|, ?| ?[-–] ?| to | through | until )(?:on )?{_ONE})*\b", re.I)
_TO_DAYS = re.compile(r"\s*(?:on|from|for|during|each|in)?\s*(?:the\s+)?")
"""What may stand between a time and the days it is about."""
_IS = re.compile(r"\s*(?::|is|are|it is|being)?\s*")
_UNTIL = re.compile(r"\b(?:until|till|til|to|clos(?:es?|ing)(?: time)?(?: \w+){0,2}? at|ends? at)\s*$")
_FROM = re.compile(r"\b(?:from|(?:opens?|opening|starts?|starting|begins?|beginning)(?: \w+,?){0,2}? (?:at|from))\s*$")
_OPEN_ON = re.compile(rf"\b(?:open|opens|operates|operating|operational)(?: \w+)??(?: on| from)? (?={_ONE}\b)", re.I)
_NOT = re.compile(r"(?:\bnot|\bnever|n['’]t|\bno longer)(?: \w+)?\s*$", re.I)
_MOSTLY = re.compile(r"\b(?:most days|usually|typically|generally|var(?:y|ies|ying)|ranging)\b")
