"""A question to the passages that may answer it: dense and lexical search, fused, re-ranked, spread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from surefoot.core.ports import Embedder, PassageStore, Reranker, Vectors
from surefoot.core.types import Retrieval, ScoredPassage, SearchFilter
from surefoot.retrieve.diversity import spread
from surefoot.retrieve.fusion import fuse
from surefoot.retrieve.relevance import relevance, shipped
from surefoot.retrieve.rerank import rerank

CANDIDATES = 50
"""Each search gives at least this many, so that most fused passages carry both scores."""


@dataclass(frozen=True, kw_only=True)
class HybridRetriever:
    """core.ports.Retriever."""

    store: PassageStore
    embedder: Embedder
    reranker: Reranker | None = None
    per_source: int | None = None
    """Most passages of one file; None: half of k."""
    threshold: float | None = None
    """Below it nothing is relevant; None: as calibrated."""
    vectors: Callable[[Sequence[str]], Awaitable[Vectors]] | None = None
    """Embeds questions by way of a cache; None: the embedder is asked each time."""

    async def retrieve(self, question: str, *, k: int = 8, where: SearchFilter | None = None) -> Retrieval:
        if not question.strip() or k < 1:
            return Retrieval(question=question, passages=(), relevance=0.0, relevant=False)
        hits = await self.candidates(question, k=k, where=where)
        hits = await self.reranked(question, hits, k=k)
        chosen = spread(hits, k=k, per_source=self.per_source)
        chance = relevance(question, chosen)
        least = shipped().least if self.threshold is None else self.threshold
        return Retrieval(
            question=question,
            passages=tuple(_with_similarity(hit) for hit in chosen),
            relevance=chance,
            relevant=bool(chosen) and chance >= least,
        )

    async def reranked(self, question: str, hits: Sequence[ScoredPassage], *, k: int) -> list[ScoredPassage]:
        """The first 2·k by the re-ranker, where there is one; the rest follows as it was."""
        if self.reranker is None:
            return list(hits)
        return await rerank(self.reranker, question, hits[: 2 * k]) + list(hits[2 * k :])

    async def candidates(self, question: str, *, k: int, where: SearchFilter | None = None) -> list[ScoredPassage]:
        """Both searches at once, at least twice k from each, fused."""
        limit = max(2 * k, CANDIDATES)

        async def dense() -> list[ScoredPassage]:
            vectors = await (self.vectors or self._embedded)([question])
            return await self.store.dense(vectors[0], limit=limit, where=where)

        near, named = await asyncio.gather(dense(), self.store.lexical(question, limit=limit, where=where))
        return fuse(near, named)

    async def _embedded(self, texts: Sequence[str]) -> Vectors:
        return await asyncio.to_thread(self.embedder.embed, texts)


def _with_similarity(hit: ScoredPassage) -> ScoredPassage:
    return replace(hit, passage=replace(hit.passage, similarity=hit.dense))
