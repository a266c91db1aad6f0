"""Which sentences of the evidence a claim leans on, best first: the question every judgement of a claim begins with."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

from surefoot.core.types import Passage
from surefoot.verify.read.alignment import Weights, profile
from surefoot.verify.read.reading import Line, read

KEPT = 6
"""Sentences kept per claim; the rest is too far from it to matter."""


class Support(NamedTuple):
    """A tuple: every claim has half a dozen of them."""

    passage: str
    line: Line
    coverage: float
    """Share of the claim's meaningful words, weighed by rarity, that this sentence holds."""


def supports(claim: Line, evidence: Sequence[Passage], weights: Weights) -> list[Support]:
    """The sentences that hold most of the claim's words; those that hold none are left out."""
    whole = weights.sum(claim.stems) or 1.0
    ranked: list[tuple[float, int, int, Passage]] = []
    for order, passage in enumerate(evidence):
        for number, stems in enumerate(profile(passage.text).stems):
            shared = claim.stems & stems
            if shared:
                ranked.append((-weights.sum(shared) / whole, order, number, passage))
    ranked.sort(key=itemgetter(0, 1, 2))
    return [Support(item.id, read(item.text)[number], -less) for less, _, number, item in ranked[:KEPT]]
