"""The likeliest statement for a question that was refused, and the bar it missed."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.core.types import Passage
from surefoot.generate.answering import Answering, Weights, lead
from surefoot.generate.quotable import quotables


def nearest(answering: Answering, question: str, passages: Sequence[Passage]) -> str:
    """It, its score and the bar, in words; empty where the passages have nothing that may be quoted."""
    candidates = list(quotables(passages, style="[S#]", rows=True))
    if not candidates:
        return ""
    chances = answering.chances(question, candidates)
    best = max(range(len(candidates)), key=lambda n: chances[n])
    return f"{candidates[best].cited} ({_missed(chances[best], lead(chances), answering.weights)})"


def _missed(chance: float, ahead: float, weights: Weights) -> str:
    if chance == 0.0:
        return "no statement has the kind of thing that was asked for"
    if chance < weights.least:
        return f"{chance:.2f} likely to answer, {weights.least:.2f} needed"
    if ahead < weights.stands:
        return f"{chance:.2f} likely to answer, but others too: its lead is {ahead:.2f}, {weights.stands:.2f} needed"
    return f"{chance:.2f} likely to answer, {weights.least:.2f} needed; what was made of it did not pass the gate"
