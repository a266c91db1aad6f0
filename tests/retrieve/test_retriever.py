from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from surefoot.core.types import Passage, SearchFilter
from surefoot.retrieve.retriever import HybridRetriever
from surefoot.store.edge import EdgeStore
from surefoot.testing.embedding import HashingEmbedder

TEXTS = {
    "rent.md": "Rent is due on the first day of the month.",
    "deposit.md": "The deposit is one month of rent and is returned within two weeks.",
    "nurse.md": "Nurses care for patients in hospitals.",
    "pilot.md": "A pilot needs two hundred hours of flying.",
}


@pytest.fixture(scope="module")
def retriever(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HybridRetriever]:
    folder: Path = tmp_path_factory.mktemp("kb")
    embedder, store = HashingEmbedder(), EdgeStore(folder / "store")
    passages = [Passage(id=name, text=text, metadata={"file": name}) for name, text in TEXTS.items()]
    asyncio.run(store.upsert(passages, embedder.embed(list(TEXTS.values()))))
    yield HybridRetriever(store=store, embedder=embedder)
    asyncio.run(store.close())


def test_the_right_passage_comes_first_with_its_scores_and_ranks(retriever: HybridRetriever) -> None:
    found = asyncio.run(retriever.retrieve("When is the rent due?", k=2))
    best = found.passages[0]
    assert best.passage.id == "rent.md"
    assert (best.dense_rank, best.lexical_rank) == (1, 1)
    assert best.fused == best.score
    assert best.passage.similarity == best.dense
    assert found.relevant


def test_never_more_than_k(retriever: HybridRetriever) -> None:
    assert len(asyncio.run(retriever.retrieve("rent deposit nurse pilot", k=2)).passages) == 2


def test_a_question_about_something_else_is_a_miss(retriever: HybridRetriever) -> None:
    found = asyncio.run(retriever.retrieve("Quantum chromodynamics lattice gauge?", k=2))
    assert not found.relevant


def test_an_empty_question_is_a_miss_and_costs_nothing(retriever: HybridRetriever) -> None:
    found = asyncio.run(retriever.retrieve("   "))
    assert (found.passages, found.relevance, found.relevant) == ((), 0.0, False)


def test_a_filter_reaches_both_searches(retriever: HybridRetriever) -> None:
    where = SearchFilter(equals={"file": ("deposit.md",)})
    found = asyncio.run(retriever.retrieve("When is the rent due?", where=where))
    assert [hit.passage.id for hit in found.passages] == ["deposit.md"]


def test_the_reranker_has_the_last_word_on_order(retriever: HybridRetriever) -> None:
    class Fond:
        identity = "fond:1"

        def score(self, question: str, passages: Sequence[str]) -> list[float]:
            return [0.999 if "deposit" in passage else 0.001 for passage in passages]

    fond = replace(retriever, reranker=Fond())
    best = asyncio.run(fond.retrieve("When is the rent due?", k=3)).passages[0]
    assert (best.passage.id, best.rerank) == ("deposit.md", 0.999)
    assert 0 < best.score < 1


def test_a_reranker_in_doubt_leaves_the_order_of_the_searches(retriever: HybridRetriever) -> None:
    class Doubtful:
        identity = "doubtful:1"

        def score(self, question: str, passages: Sequence[str]) -> list[float]:
            return [0.5 + 0.001 * at for at in range(len(passages))]

    searched = asyncio.run(retriever.retrieve("When is the rent due?", k=3))
    doubted = asyncio.run(replace(retriever, reranker=Doubtful()).retrieve("When is the rent due?", k=3))
    assert [hit.passage.id for hit in doubted.passages][:2] == [hit.passage.id for hit in searched.passages][:2]
