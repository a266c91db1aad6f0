"""The second look: a cross-encoder reads question and passage together, and the search's own order has a say."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace

from surefoot.core.passages import index_text
from surefoot.core.ports import Reranker
from surefoot.core.types import ScoredPassage

SEARCH_WEIGHT = 25.0
"""What a fused score of 1 adds to the re-ranker's log-odds. First in both searches (0.2) counts as 5, tenth in both as
2.75: enough to hold a passage both searches agree on against a doubtful re-ranker. See decision 0046."""


async def rerank(reranker: Reranker, question: str, hits: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """The hits by the re-ranker's probability, moved by their fused score; equal ones keep their order."""
    if not hits:
        return []
    chances = await asyncio.to_thread(reranker.score, question, [index_text(hit.passage) for hit in hits])
    scored = [
        replace(hit, rerank=chance, score=_joined(chance, hit.fused)) for hit, chance in zip(hits, chances, strict=True)
    ]
    return sorted(scored, key=lambda hit: -hit.score)


def _joined(chance: float, fused: float | None) -> float:
    """Between 0 and 1, as the re-ranker's own probability is."""
    sure = min(max(chance, 1e-9), 1 - 1e-9)
    odds = math.log(sure / (1 - sure)) + SEARCH_WEIGHT * ((fused or 0.0) - _MIDDLE)
    return 1.0 / (1.0 + math.exp(-odds))


_MIDDLE = 0.1
"""A fused score that changes nothing: about rank ten of both searches."""
