"""By how much something changes: `by £4`, `£4 more` and `by £4 to £92` of what goes `from £88 to £92`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence

from surefoot.core.values import Value, equal
from surefoot.verify.read.reading import Line
from surefoot.verify.read.support import Support

NEAR = 40
"""Characters before a value that are looked at."""
NEAREST = 3
"""Sentences of the evidence that are asked."""


def change(
    value: Value, line: Line, nearest: Callable[[], Sequence[Support]]
) -> tuple[Support, tuple[Value, ...]] | None:
    """The sentence that says from what to what, and its values, where the claim's value is the difference of the two,
    alone or with what it comes to. `Prices rise by 2 to 3 %` has a range like any other."""
    text = line.sentence.text
    before = text[max(0, value.start - NEAR) : value.start]
    if not _says_by(before) and (value.is_range or not (_is_size_of_rise(before) or _MORE.match(text, value.end))):
        return None
    rises, falls = _RISES.search(text), _FALLS.search(text)
    for near in nearest()[:NEAREST]:
        for first, second, parts in _moves(near.line):
            if (falls and not rises and second > first) or (rises and not falls and second < first):
                continue
            size, last = abs(second - first), parts[-1]
            if value.is_range:
                alike = value.unit == last.unit and value.period in ("", last.period)
                agrees = alike and math.isclose(value.low, size) and math.isclose(value.high, second)
            else:
                agrees = equal(value, _sized(last, size))
            if agrees and size:
                return near, parts
    return None


def _says_by(before: str) -> bool:
    return "by " in before.lower() and _BY.search(before) is not None


def _is_size_of_rise(before: str) -> bool:
    return " of " in before.lower() and _RISE_OF.search(before) is not None


def _moves(line: Line) -> Iterator[tuple[float, float, tuple[Value, ...]]]:
    """From what to what something goes, in one range or in two values: `from £88 in May to £92 in June`. Prices that
    range from one to the other move nowhere."""
    text, offset = line.sentence.text, line.sentence.start
    if not any(moves.search(text) for moves in (_RISES, _FALLS, _MOVES)):
        return
    values = [one for one in line.values if one.kind in _SIZED]
    for one, two in zip(values, [*values[1:], None], strict=False):
        if not _led(text, one.start - offset, "from "):
            continue
        if one.is_range:
            if " to " in one.text:
                yield one.low, one.high, (one,)
        elif two is not None and _is_end(two, one) and _led(text, two.start - offset, " to "):
            yield one.low, two.low, (one, two)


def _is_end(value: Value, first: Value) -> bool:
    return not value.is_range and (value.kind, value.unit) == (first.kind, first.unit)


def _led(text: str, at: int, word: str) -> bool:
    return text[max(0, at - len(word)) : at].lower() == word


def _sized(value: Value, size: float) -> Value:
    """A value of its kind and of this size; between two percentages lie points."""
    made = value._replace(low=size, high=size, raw=size, scale=1.0, comparator="", approximate=False)
    return made._replace(kind="points", unit="pp") if made.unit == "%" else made


_SIZED = frozenset({"money", "count", "number", "duration", "percent"})
_ABOUT = r"(?:(?:about|around|some|roughly|nearly|almost|just|only|exactly|another|a further) )*"
_BY = re.compile(rf"(?i)\bby {_ABOUT}\Z")
_RISE_OF = re.compile(
    rf"(?i)\b(?:rise|increase|growth|gain|fall|drop|decrease|decline|cut|reduction|difference|change) of {_ABOUT}\Z"
)
_MORE = re.compile(r"(?i) (?:more|less|fewer|higher|lower|dearer|cheaper|extra|rise|increase|fall|drop|decrease|cut)\b")
_RISES = re.compile(r"(?i)\b(?:r[io]ses?|rising|risen|increas\w+|gr[eo]w\w*|more|higher|dearer|extra)\b")
_FALLS = re.compile(
    r"(?i)\b(?:f[ae]lls?|falling|fallen|drop\w*|decreas\w+|declin\w+|cuts?|reduc\w+|shr[iau]nk\w*|less|fewer|lower"
    r"|cheaper)\b"
)
_MOVES = re.compile(r"(?i)\b(?:chang\w+|mov(?:es?|ed|ing)|go(?:es|ing|ne)?|went|up|down)\b")
