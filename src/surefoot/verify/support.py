"""Which sentences of the evidence a claim leans on, best first: the question every judgement of a claim begins with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from surefoot.core.types import Passage
from surefoot.verify.alignment import profile
from surefoot.verify.reading import Line, read

KEPT = 6
"""Sentences kept per claim; the rest is too far from it to matter."""


@dataclass(frozen=True, slots=True)
class Support:
    passage: str
    line: Line
    coverage: float
    """Share of the claim's meaningful words, weighed by rarity, that this sentence holds."""


class Weights:
    """How rare each word is among the sentences of some passages."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        counts: Counter[str] = Counter()
        total = 0
        for passage in passages:
            stems = profile(passage.text).stems
            total += len(stems)
            for seen in stems:
                counts.update(seen)
        self._known: Mapping[str, float] = {word: math.log(1 + total / count) for word, count in counts.items()}
        self.unseen = math.log(2 + total)

    def of(self, stem: str) -> float:
        return self._known.get(stem, self.unseen)

    def sum(self, stems: frozenset[str]) -> float:
        return sum(self._known.get(stem, self.unseen) for stem in stems)


def supports(claim: Line, evidence: Sequence[Passage], weights: Weights) -> list[Support]:
    """The sentences that hold most of the claim's words; those that hold none are left out."""
    whole = weights.sum(claim.stems) or 1.0
    ranked: list[tuple[float, int, int, Passage]] = []
    for order, passage in enumerate(evidence):
        for number, stems in enumerate(profile(passage.text).stems):
            shared = claim.stems & stems
            if shared:
                ranked.append((-weights.sum(shared) / whole, order, number, passage))
    ranked.sort(key=lambda item: item[:3])
    return [Support(item.id, read(item.text).lines[number], -less) for less, _, number, item in ranked[:KEPT]]
