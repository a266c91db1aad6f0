"""What two numbers with a slash may be: `2/3` two thirds, `15/11` the 15th of November."""

from __future__ import annotations

import math
import re

from surefoot.core.values.value import Value, When

LAST_DAY, LAST_MONTH = 31, 12


def day_and_month(lower: str, start: int, end: int) -> When:
    """The day that `15/11` names between words that tell when, the month first only where it cannot be the second: `1/3
    of it` is a share and `24/7` is no day."""
    found = _TWO.fullmatch(lower, start, end)
    day, month = (int(found.group(1)), int(found.group(2))) if found is not None else (0, 0)
    if month > LAST_MONTH:
        day, month = month, day
    told = (_LEADS.search(lower, max(0, start - 12), start) and _ENDS.match(lower, end)) or _TO.match(lower, end)
    return (None, month, day) if told and 1 <= month <= LAST_MONTH and 1 <= day <= LAST_DAY else (None, None, None)


def says_the_same(claim: Value, source: Value) -> bool:
    """Whether one is written with a slash and the other in words: `a 2/3 majority` and `two-thirds`, `from 15/11` and
    `from 15 November`. What a source means by `1/3` stands with its reader."""
    slashed, other = (claim, source) if claim.kind == "token" else (source, claim)
    if other.kind == "date":
        sure = slashed is claim or (slashed.when[2] or 0) > LAST_MONTH
        return sure and slashed.when[1] is not None and slashed.when[1:] == other.when[1:]
    found = _TWO.fullmatch(slashed.token)
    if found is None or other.kind != "percent" or other.is_range or other.text[:1].isdigit():
        return False
    part, whole = int(found.group(1)), int(found.group(2))
    return 0 < part < whole and math.isclose(other.low, 100 * part / whole)


_TWO = re.compile(r"(\d{1,2})/(\d{1,2})")
_LEADS = re.compile(r"(?:(?<!\w)(?:from|to|until|till|on|before|after|since|through) |/\d{1,2}\s?[-–]\s?)\Z")
_ENDS = re.compile(r"\s*(?:\Z|[.,;:)!?–-]|(?:to|until|till|through|and|or|inclusive|each|every)\b)")
_TO = re.compile(r"\s?[-–]\s?\d{1,2}/\d{1,2}(?!\s?[\w/])")
