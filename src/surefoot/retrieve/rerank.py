"""The second look: a cross-encoder reads question and passage together, and the search's own order has a say."""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from surefoot.core.passages import document_of, index_text
from surefoot.core.ports import Reranker
from surefoot.core.types import ScoredPassage

PASSAGE_WEIGHT = 3.5
"""What the first place in the search adds to the re-ranker's log-odds; the second adds half of it, the third a third.
Enough to hold the search's first against a doubtful re-ranker. See decision 0046."""
DOCUMENT_WEIGHT = 1.5
"""The same for every place that the passage's document has in the list: a page found by several of its passages is
more likely the right one."""


async def rerank(reranker: Reranker, question: str, hits: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """The hits by the re-ranker's probability, moved by their place in the search and by that of their document.

    Equal ones keep their order.
    """
    if not hits:
        return []
    chances = await asyncio.to_thread(reranker.score, question, [index_text(hit.passage) for hit in hits])
    places = [1 / rank for rank in range(1, len(hits) + 1)]
    found: defaultdict[str, float] = defaultdict(float)
    for hit, place in zip(hits, places, strict=True):
        found[document_of(hit.passage)] += place
    scored = [
        replace(hit, rerank=chance, score=_joined(chance, place, found[document_of(hit.passage)]))
        for hit, chance, place in zip(hits, chances, places, strict=True)
    ]
    return sorted(scored, key=lambda hit: -hit.score)


def _joined(chance: float, place: float, found: float) -> float:
    """Between 0 and 1, as the re-ranker's own probability is."""
    sure = min(max(chance, 1e-9), 1 - 1e-9)
    odds = math.log(sure / (1 - sure)) + PASSAGE_WEIGHT * place + DOCUMENT_WEIGHT * found
    return 1.0 / (1.0 + math.exp(-odds))
