"""The second look: a cross-encoder reads question and passage together, and the search has a say."""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from surefoot.core.passages import document_of, index_text
from surefoot.core.ports import Reranker
from surefoot.core.types import ScoredPassage

MEANING_WEIGHT = 20.0
"""What a cosine of one adds to the re-ranker's log-odds: the embedder was taught to bring a question near to what
answers it, so how near it came says more than its place in a list. See decision 0141."""
PASSAGE_WEIGHT = 2.0
"""The same for the first place in the search; the second adds half of it, the third a third."""
DOCUMENT_WEIGHT = 1.5
"""The same for every place that the passage's document has in the list: a page found by several of its passages is
more likely the right one."""


async def rerank(reranker: Reranker, question: str, hits: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """The hits by the re-ranker's probability, moved by how near they are, by their place in the search and by that of
    their document.

    Equal ones keep their order.
    """
    if not hits:
        return []
    chances = await asyncio.to_thread(reranker.score, question, [index_text(hit.passage) for hit in hits])
    # what only the words found lies farther away than all that the vectors found
    far = min((hit.dense for hit in hits if hit.dense is not None), default=0.0)
    places = [1 / rank for rank in range(1, len(hits) + 1)]
    found: defaultdict[str, float] = defaultdict(float)
    for hit, place in zip(hits, places, strict=True):
        found[document_of(hit.passage)] += place
    scored = [
        replace(hit, rerank=chance, score=_joined(chance, near, place, found[document_of(hit.passage)]))
        for hit, chance, place in zip(hits, chances, places, strict=True)
        for near in [far if hit.dense is None else hit.dense]
    ]
    return sorted(scored, key=lambda hit: -hit.score)


def _joined(chance: float, near: float, place: float, found: float) -> float:
    """Between 0 and 1, as the re-ranker's own probability is."""
    sure = min(max(chance, 1e-9), 1 - 1e-9)
    odds = math.log(sure / (1 - sure)) + MEANING_WEIGHT * (near - 0.5)
    odds += PASSAGE_WEIGHT * place + DOCUMENT_WEIGHT * found
    return 1.0 / (1.0 + math.exp(-odds))
