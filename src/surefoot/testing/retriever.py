"""Retrieval over a handful of passages by shared words: no model, no store."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.core.text import content_words
from surefoot.core.types import Passage, Retrieval, ScoredPassage, SearchFilter


class WordRetriever:
    """Best first by the share of the question's content words a passage holds; ties in the order given."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = [(one, frozenset(content_words(one.text))) for one in passages]

    async def retrieve(self, question: str, *, k: int = 8, where: SearchFilter | None = None) -> Retrieval:
        wanted = frozenset(content_words(question))
        scored = [(len(wanted & held) / max(1, len(wanted)), one) for one, held in self._passages]
        kept = [(score, one) for score, one in scored if _matches(one, where)]
        best = sorted(kept, key=lambda pair: -pair[0])[:k]
        found = tuple(ScoredPassage(passage=one, score=score) for score, one in best if score > 0)
        relevance = found[0].score if found else 0.0
        return Retrieval(question=question, passages=found, relevance=relevance, relevant=bool(found))


def _matches(passage: Passage, where: SearchFilter | None) -> bool:
    if where is None:
        return True
    return all(str(passage.metadata.get(key)) in values for key, values in where.equals.items())
