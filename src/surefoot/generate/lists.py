"""A list as an answer: whole, by what stands above it; never the list of what may come where what may not was asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from surefoot.core.kinds import Kind
from surefoot.core.questions import asking, terms
from surefoot.core.text import fold
from surefoot.generate.answering import ASKED_FOR, Answering
from surefoot.generate.quotable import Quotable, as_one

_ASKED = (Kind.STEPS, Kind.LIST)
"""Kinds that ask for a list: one may be the answer though a sentence seems likelier."""


def list_for(
    answering: Answering, question: str, kind: Kind, candidates: Sequence[Quotable], chances: Mapping[int, float]
) -> list[Quotable]:
    """The list whose heading or lead-in is what was asked about, whole, where it is likelier than any sentence."""
    lists = [items for items in _groups(candidates) if len(items) >= 2 and not _opposed(question, kind, items)]
    lists = [items for items in lists if not _of_another_case(question, items[0])]
    if not lists:
        return []
    read = answering.chances(question, [as_one(items) for items in lists])
    scores = [max(chance, *(chances[one.order] for one in items)) for chance, items in zip(read, lists, strict=True)]
    rest = max((chances[one.order] for one in candidates if one.kind != "item"), default=0.0)
    best = max(range(len(lists)), key=lambda n: scores[n])
    bar, lead = (0.7, 0.5) if _names_all(question, lists[best][0]) else (1.0, 0.8)
    if scores[best] >= max(bar * answering.weights.least, lead * rest):
        apart = [one for one in lists[best] if not one.step or not is_way(lists[best])]
        alone = stands_out([chances[one.order] for one in apart], whole=read[best])
        return [] if alone else whole(lists[best], candidates)
    first, second = [*sorted(read, reverse=True), 0.0][:2]
    if kind in _ASKED and first >= answering.weights.least * ASKED_FOR and first >= max(0.3 * rest, 2.0 * second):
        return whole(lists[read.index(first)], candidates)
    return []


def opposed(question: str, kind: Kind, candidates: Sequence[Quotable]) -> frozenset[int]:
    """The items, by order, of lists of what is covered where what is not was asked for, or the other way round."""
    lists = [items for items in _groups(candidates) if _opposed(question, kind, items)]
    return frozenset(one.order for items in lists for one in items)


def things_beside(one: Quotable, candidates: Sequence[Quotable]) -> list[Quotable]:
    """The list that a thing such as `a dressing gown` is of: asked what to bring, nobody wants one thing of four."""
    if one.kind != "item" or one.text[-1:] in (".", "!"):
        return []
    items = [other for other in candidates if other.kind == "item" and place(other) == place(one)]
    return items if 2 <= len(items) <= _LONG_LIST else []


def stands_out(chances: Sequence[float], *, whole: float) -> bool:
    """Whether one item answers and the others are of other things: the hours of zone D among those of all zones."""
    first, second = [*sorted(chances, reverse=True), 0.0, 0.0][:2]
    return first >= 0.5 and first > whole and second < 0.3 * first


def is_way(items: Sequence[Quotable]) -> bool:
    """Whether the items of a numbered list say what to do, one thing after the other: a step alone misleads. Decisions
    and rules have numbers too, and each of them holds by itself."""
    over = " ".join([items[0].label, *items[0].lead])
    return _TELLS_HOW.search(over) is not None or sum(map(_states, items)) * 2 <= len(items)


def _states(item: Quotable) -> bool:
    return _STATES.match(_OF.sub("", item.text, count=1)) is not None


def place(one: Quotable) -> tuple[int, int]:
    """The list it belongs to."""
    return (one.position, one.group)


def whole(items: Sequence[Quotable], candidates: Sequence[Quotable]) -> list[Quotable]:
    """A list with what stands between its items, and with the warnings right before and behind it."""
    first, last = items[0], items[-1]
    near = [one for one in candidates if one.position == first.position and one.about == first.about]
    found = [one for one in near if one in items or first.start < one.start < last.start]
    behind = [one for one in near if one.start > last.start][:_WARNINGS]
    before = [one for one in near if one.start < first.start][-_WARNINGS:]
    return [
        *(one for one in before if _WARNS.match(one.text)),
        *found,
        *(one for one in behind if _WARNS.match(one.text)),
    ]


def _groups(candidates: Sequence[Quotable]) -> list[list[Quotable]]:
    found: dict[tuple[int, int], list[Quotable]] = {}
    for one in candidates:
        if one.kind == "item":
            found.setdefault(place(one), []).append(one)
    return list(found.values())


def _opposed(question: str, kind: Kind, items: Sequence[Quotable]) -> bool:
    if kind is not Kind.LIST:
        return False
    over = fold(" ".join([items[0].label, *items[0].lead]))
    if _DENIES.search(fold(asking(question))) is None:
        return _SHUTS_OUT.search(over) is not None
    denied = sum(_DENIES.search(fold(one.text)) is not None for one in items)
    return _DENIES.search(over) is None and denied * 2 < len(items)


def _of_another_case(question: str, item: Quotable) -> bool:
    """Whether a list is for a case that was not asked about: under `If you leave late` for who pays late."""
    case = _CASE.match(item.label)
    return case is not None and _CASE.search(asking(question)) is not None and not terms(case[1]) <= terms(question)


def _names_all(question: str, item: Quotable) -> bool:
    """Whether most of what is asked about stands above a list or in the sentence that leads to it."""
    asked = terms(question)
    over = item.context.union(*map(terms, item.lead))
    return bool(asked) and len(asked & over) / len(asked) >= _NAMED


_CASE = re.compile(r"\b(?:if|when|in case)\b(.*)", re.I)
_DENIES = re.compile(
    r"\b(?:not|never|no|cannot|without|except(?:ions?)?|exclu\w+|forbidden|prohibited|banned|leave at home)\b|n['’]t\b"
)
_SHUTS_OUT = re.compile(
    r"\b(?:not (?:be )?(?:covered|included|allowed|permitted|accepted)|(?:may|must|can) not|cannot|excluded|exclusions|"
    r"forbidden|prohibited)\b|\b(?:does|do|may|must|ca)n['’]t\b"
)
"""Of what does not count; `What reasons may he give for saying no?` is of what does."""
_TELLS_HOW = re.compile(r"\b(?:steps?|procedure|how (?:to|do|can|you)|what (?:to do|happens))\b", re.I)
_OF = re.compile(r"[^.:]{1,40}: ")
"""What an item names before it says something: `Dogs: …`."""
_STATES = re.compile(
    r"(?:the|an?|all|every|each|no|any|our|some|both|most|mr|mrs|ms|dr|never|always|don['’]t|do not)\b|"
    r"(?:(?!(?:you|we|it|this|that|then|if|when|once|until|please|the|an?|your|our|its|all|any|sure|to|of|in|on|at|with)"
    r"\b)[\w'’-]+ ){1,3}(?:is|are|was|were|will|shall|should|may|must|can|cannot|has|have|had)\b",
    re.IGNORECASE,
)
"""A subject and no order, or an order that holds at all times."""
_LONG_LIST = 12
_WARNINGS = 2
"""Sentences before and behind a list among which a warning belongs to it."""
_WARNS = re.compile(
    r"(?:warning|caution|danger|important|attention|careful|never|do not|don['’]t|under no circumstances)\b", re.I
)
_NAMED = 0.5
"""Share of the question's words that stand above a list which is then taken for the one that was asked for."""
