"""Opening hours in records and in prose: `11:0-22:0`, `from 9 am to 5 pm on weekdays`, `closed on Sundays`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from surefoot.core.types import Span

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
    return found


def _in_clause(clause: str, offset: int) -> list[ClaimedHours]:
    """Times (and `closed`) take the days beside them: those before where the clause names days first, else after."""
    times = [
        match
        for match in _STATED.finditer(clause)
        if match.group("a_hour") or match.group("a_word") or match.group("shut")
    ]
    if not times:
        return []
    days_first = bool(claimed_days(clause[: times[0].start()]))
    found = []
    edges = [0, *(match.end() for match in times)]
    for number, match in enumerate(times):
        before = (edges[number], match.start())
        after = (match.end(), times[number + 1].start() if number + 1 < len(times) else len(clause))
        shut = match.group("shut") is not None
        sides = (before, after) if days_first and not shut else (after, before)
        side = next((place for place in sides if claimed_days(clause[slice(*place)])), None)
        if side is None and (shut or len(times) > 1):
            continue
        days = claimed_days(clause[slice(*side)]) if side else ()
        start, end = (min(match.start(), side[0]), max(match.end(), side[1])) if side else match.span()
        lead = len(clause[start:end]) - len(clause[start:end].lstrip(" ,"))
        span = (offset + start + lead, offset + start + len(clause[start:end].rstrip(" ,.")))
        found.append(ClaimedHours(hours=_hours(match), days=days, span=span))
        if side == after:
            edges[number + 1] = after[1]
    return found


def _hours(match: re.Match[str]) -> Hours:
    if match.group("shut"):
        return Hours(opens=None, closes=None)
    opens, closes = _minutes(match, "a", match.group("b_half")), _minutes(match, "b", None)
    halves = match.group("a_half") or match.group("b_half") or match.group("a_word") or match.group("b_word")
    vague = not halves and opens is not None and closes is not None and max(opens, closes) < 780
    return Hours(opens=opens, closes=closes, vague=vague)


def claimed_days(text: str) -> tuple[str, ...]:
    """Days named one by one, as a range, or as weekdays, weekends, every day."""
    lowered = text.lower()
    if re.search(r"\b(?:every day|daily|seven days|all week)\b", lowered):
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
        rf"\s*(?P<{side}_half>[ap]\.?m\.?)?)"
    )


_CLAUSE = re.compile(r"(?:(?!; |,? but |,? (?:while|whereas) ).)+", re.S)
_STATED = re.compile(
    rf"\b{_time('a')}\s*(?:-|–|to|until|till|and)\s*{_time('b')}(?!\w)"
    r"|(?P<shut>\bclosed\b|\bnot open\b|\bdoes not open\b)",
    re.I,
)
_DAY = re.compile(r"\b(" + "|".join(DAY_NAMES) + r")s?\b")
