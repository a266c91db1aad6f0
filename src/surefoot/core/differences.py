"""What lies between two values of an account, for a sentence that says it: `From 850 to 1050, that is 200 more.`

Only true sums are ever written down, and only those whose result and one of whose parts the sentence has, or whose
parts stand in one sentence of the account.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

from surefoot.core.text import pieces
from surefoot.core.values import Value, extract

MOST = 12
"""Values of an account that are set against each other."""


class _Amount(NamedTuple):
    text: str
    size: float
    measure: str
    """`hour`, `GBP`; empty for a bare number."""
    sentence: int


def differences(account: str, sentence: str) -> str:
    """The differences of two values of an account that a sentence states, as sentences.

    >>> differences("My rent goes up from 850 to 1050.", "She wants 200 more, from 850 to 1050.")
    '1050 is 200 more than 850.'
    >>> differences("My contract is 38 hours. I do 46 hours.", "You work eight hours more than the 38 agreed.")
    '46 hours is eight hours more than 38 hours.'
    """
    if not _DIFFERS.search(sentence):
        return ""
    told = list(_amounts(account))[:MOST]
    said = list(_amounts(sentence))
    return " ".join(dict.fromkeys(_stated(said, told)))


def comes_out(account: str, sentence: str) -> bool | None:
    """Whether `eight hours more than the 38` is the account's difference, the right way round; None where the sentence
    says no such thing.

    >>> comes_out("My contract is 38 hours. I do 46 hours.", "You work eight hours less than the 38 agreed.")
    False
    """
    than = _THAN.search(sentence)
    if than is None:
        return None
    told = list(_amounts(account))[:MOST]
    behind = next(_amounts(sentence[than.end() :]), None)
    before = list(_amounts(sentence[: than.start()]))
    if behind is None or not before:
        return None
    result, more = before[-1], than.group(1).lower() in _MORE
    for one, other in permutations(told, 2):
        fits = one.measure == other.measure and result.measure in ("", one.measure) and _same(behind, other)
        if fits and math.isclose(abs(one.size - other.size), result.size):
            return (one.size > other.size) == more
    return None


def _stated(said: Sequence[_Amount], told: Sequence[_Amount]) -> Iterator[str]:
    for result in said:
        if any(_same(result, one) for one in told):
            continue
        for one, other in combinations(told, 2):
            great, small = (one, other) if one.size > other.size else (other, one)
            if one.measure != other.measure or result.measure not in ("", one.measure):
                continue
            named = any(_same(part, value) for part in said for value in (one, other))
            if math.isclose(great.size - small.size, result.size) and (named or one.sentence == other.sentence):
                yield f"{great.text} is {result.text} more than {small.text}."


def _same(one: _Amount, other: _Amount) -> bool:
    return one.size == other.size and (one.measure == other.measure or "" in (one.measure, other.measure))


def _amounts(text: str) -> Iterator[_Amount]:
    for number, sentence in enumerate(pieces(text)):
        for value in extract(sentence.text):
            if value.kind in _SIZED:
                yield from _ends(value, number)


def _ends(value: Value, sentence: int) -> Iterator[_Amount]:
    """Both ends of `from 850 to 1050`."""
    measure = value.written_unit or value.unit
    if not value.is_range:
        text = re.sub(r"\s+(?:an?|per|each|every)\s+\w+$", "", value.text)
        yield _Amount(text, value.raw, measure, sentence)
        return
    ends = re.findall(r"\d[\d,]*(?:\.\d+)?", value.text)
    if len(ends) == 2 and not measure:
        yield from (_Amount(end, float(end.replace(",", "")), measure, sentence) for end in ends)


_MORE = frozenset({"more", "longer", "higher"})
_THAN = re.compile(r"\b(more|longer|higher|less|fewer|shorter|lower) than\b", re.IGNORECASE)
_SIZED = frozenset({"money", "duration", "count", "number"})
_DIFFERS = re.compile(
    r"\b(?:more|less|fewer|extra|higher|lower|longer|shorter|too (?:few|many|much|little)|short|rises?|rose"
    r"|increase[sd]?|difference|on top|up by|down by|goes up|went up|left)\b",
    re.IGNORECASE,
)
