"""Do two stores give the same answers? The same questions through both, compared passage by passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.retrieve.retriever import HybridRetriever


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    question: str
    here: tuple[str, ...]
    there: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Parity:
    questions: int
    same: int
    """Questions with the same top k in the same order; equal scores fall by id on both sides."""
    overlap: float
    """Mean share of the top k that both have."""
    largest_score_gap: float
    differences: tuple[Difference, ...] = ()


async def compare(here: HybridRetriever, there: HybridRetriever, questions: Sequence[str], *, k: int) -> Parity:
    same, shared, gap = 0, 0.0, 0.0
    differences = []
    for question in questions:
        ours = (await here.retrieve(question, k=k)).passages
        theirs = (await there.retrieve(question, k=k)).passages
        left, right = tuple(hit.passage.id for hit in ours), tuple(hit.passage.id for hit in theirs)
        dense = {hit.passage.id: hit.dense for hit in theirs}
        for hit in ours:
            other = dense.get(hit.passage.id)
            if hit.dense is not None and other is not None:
                gap = max(gap, abs(hit.dense - other))
        shared += len(set(left) & set(right)) / max(len(left), len(right), 1) if left or right else 1.0
        if left == right:
            same += 1
        else:
            differences.append(Difference(question=question, here=left, there=right))
    count = len(questions)
    return Parity(
        questions=count,
        same=same,
        overlap=shared / count if count else 1.0,
        largest_score_gap=gap,
        differences=tuple(differences),
    )
