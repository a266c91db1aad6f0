"""The second look: a cross-encoder reads question and passage together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from surefoot.core.passages import index_text
from surefoot.core.ports import Reranker
from surefoot.core.types import ScoredPassage


async def rerank(reranker: Reranker, question: str, hits: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """The hits by the re-ranker's probability; equal ones keep their order."""
    if not hits:
        return []
    scores = await asyncio.to_thread(reranker.score, question, [index_text(hit.passage) for hit in hits])
    scored = [replace(hit, rerank=score, score=score) for hit, score in zip(hits, scores, strict=True)]
    return sorted(scored, key=lambda hit: -hit.score)
