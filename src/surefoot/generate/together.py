"""Two statements of one section that answer together: "Firms can put the account to sleep." and "That is £2 a month."

Apart, each is half an answer and takes the lead from the other. A pair is read as one statement, by the same signals;
where it is the likelier answer, both are quoted, in the order of the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from surefoot.generate.quotable import Quotable

Pair = tuple[Quotable, Quotable]
SECTIONS = 4
"""Sections that are looked at: those with the likeliest statements."""
LEAST = 0.03
"""A statement less likely than this leads to no pair."""
HALF = 0.05
"""The least chance of one against that of the other: what is nearly certain to be beside the question is no half."""
BOTH = 0.4
"""The least chance of two statements together: more is said, so more must answer."""
_READ = 600
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def pairs(candidates: Sequence[Quotable], chances: Sequence[float]) -> list[Pair]:
    """Of each of the likeliest sections its two likeliest statements; an item is one of the cases of its list."""
    rank = {one.order: chance for one, chance in zip(candidates, chances, strict=True)}
    found: dict[tuple[int, str], list[Quotable]] = {}
    for one in sorted(candidates, key=lambda one: (-rank[one.order], one.order)):
        if one.kind != "item":
            found.setdefault((one.position, one.about), []).append(one)
    able = [ones for ones in found.values() if len(ones) > 1 and rank[ones[0].order] >= LEAST]
    halves = [ones[:2] for ones in able[:SECTIONS] if rank[ones[1].order] >= HALF * rank[ones[0].order]]
    return [_in_order(one, other) for one, other in halves]


def is_of_its_year(question: str, whole: Quotable) -> bool:
    """Whether the years that a question gives stand in a pair or above it: what fees were in 2026 is none of 2027."""
    return set(_YEAR.findall(question)) <= set(_YEAR.findall(whole.read))


def side_by_side(said: Sequence[Quotable]) -> list[Pair]:
    """The quotes of a finished text that stand together in a section, two by two."""
    found = [one for one in said if one.marker and one.order >= 0]
    return [
        (one, other)
        for one, other in pairwise(found)
        if (one.position, one.about) == (other.position, other.about) and one.start < other.start
    ]


def joined(pair: Pair, order: int) -> Quotable:
    """Both as one statement, with what each leans on."""
    said = dict.fromkeys(text for one in pair for text in (*one.lead, one.text))
    both = pair[0].terms | pair[1].terms
    return pair[0]._replace(text=" ".join(said)[:_READ], lead=(), opener="", kind="prose", terms=both, order=order)


def _in_order(one: Quotable, other: Quotable) -> Pair:
    return (one, other) if one.start <= other.start else (other, one)
