"""The second look: a cross-encoder reads question and passage together, and the search's own order has a say."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace

from surefoot.core.passages import index_text
from surefoot.core.ports import Reranker
from surefoot.core.types import ScoredPassage

SEARCH_WEIGHT = 6.0
"""What the first place in the search adds to the re-ranker's log-odds; the second adds half of it, the third a third.
Enough to hold the search's first against a doubtful re-ranker. See decision 0046."""


async def rerank(reranker: Reranker, question: str, hits: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """The hits by the re-ranker's probability, moved by their place in the search; equal ones keep their order."""
    if not hits:
        return []
    chances = await asyncio.to_thread(reranker.score, question, [index_text(hit.passage) for hit in hits])
    ranked = enumerate(zip(hits, chances, strict=True), start=1)
    scored = [replace(hit, rerank=chance, score=_joined(chance, rank)) for rank, (hit, chance) in ranked]
    return sorted(scored, key=lambda hit: -hit.score)


def _joined(chance: float, rank: int) -> float:
    """Between 0 and 1, as the re-ranker's own probability is."""
    sure = min(max(chance, 1e-9), 1 - 1e-9)
    odds = math.log(sure / (1 - sure)) + SEARCH_WEIGHT / rank
    return 1.0 / (1.0 + math.exp(-odds))
