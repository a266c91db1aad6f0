"""A question that compares two things: what is said of each, both quoted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from surefoot.core.kinds import measured
from surefoot.core.questions import terms
from surefoot.generate.answering import ONE_SIDE, Answering, Side, Weights, sides
from surefoot.generate.quotable import Quotable


def compared(answering: Answering, question: str, candidates: Sequence[Quotable]) -> list[Quotable]:
    """For each thing compared the statement that is likeliest an answer about it; nothing where one is missing."""
    chosen: list[Quotable] = []
    for side in sides(question):
        about = [one for one in candidates if side.own and side.own <= near(one)]
        # one that names both is of neither alone: "Lane 1 is slow and lane 3 fast." where there is no other
        about = [one for one in about if not _of_another(one, side)] or [
            one for one in about if side.own | side.others <= one.terms
        ]
        # the statement must give the measure compared, where that can be told by looks
        about = [one for one in about if measured(question, one.text)] or about
        # a row is of what it names itself: "Sauna and steam" under "Swims" is not "Swim and sauna"
        named = [one for one in about if one.kind == "row" and side.own <= one.terms]
        about = [one for one in about if one.kind != "row" or one in named] if named else about
        if not about:
            return []
        chances = answering.chances(side.question, about)
        chance, best = max(zip(chances, about, strict=True), key=lambda pair: pair[0])
        if chance < answering.weights.least * ONE_SIDE:
            return []
        chosen += [best] if best not in chosen else []
    return chosen


def other_of_two(
    question: str, likely: Sequence[Quotable], chances: Mapping[int, float], weights: Weights
) -> Quotable | None:
    """What the same table or section says of the other thing compared: each names words of the question that the
    other does not."""
    asked, best = terms(question), likely[0]
    for one in likely[1:]:
        if chances[one.order] < weights.least * ONE_SIDE:
            return None
        alike = (one.position, one.about, one.kind) == (best.position, best.about, best.kind)
        if alike and asked & one.terms - best.terms and asked & best.terms - one.terms:
            return one
    return None


def near(one: Quotable) -> frozenset[str]:
    """Its words and those that stand above it."""
    return one.terms | one.context


def _of_another(one: Quotable, side: Side) -> bool:
    """Whether a statement speaks of the other thing: it names it, or stands under its heading."""
    under = terms(one.label)
    return bool(side.others & one.terms) or (bool(side.others) and side.others <= under and not side.own <= under)
