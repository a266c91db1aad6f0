"""A question's vector is computed once, kept under `vector:`, and counted; one that names a person is not kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from surefoot.core.ports import Vectors
from surefoot.observe.metrics import PrometheusMeter
from surefoot.settings import Settings
from surefoot.testing.embedding import HashingEmbedder
from surefoot.wiring import Surefoot


class Counted(HashingEmbedder):
    asked = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        type(self).asked += len(texts)
        return super().embed(texts)


def ask_twice(folder: Path, question: str) -> tuple[int, str]:
    """How often the embedder was asked, and the metrics page."""
    Counted.asked = 0
    meter = PrometheusMeter()
    house = Surefoot(Settings(kb=folder, rerank=False), meter=meter)
    house.__dict__["embedder"] = Counted()

    async def story() -> None:
        for _ in range(2):
            await house.retriever.retrieve(question, k=2)
        await house.close()

    asyncio.run(story())
    return Counted.asked, meter.text().decode()


def test_the_second_time_the_vector_comes_from_the_cache(tmp_path: Path) -> None:
    asked, page = ask_twice(tmp_path, "When is the rent due?")
    assert asked == 1
    assert 'surefoot_cache_requests_total{outcome="miss",tier="vector"} 1.0' in page
    assert 'surefoot_cache_requests_total{outcome="hit",tier="vector"} 1.0' in page


@pytest.mark.parametrize("question", ["My e-mail is anna@example.org, when is the rent due?"])
def test_a_question_that_names_a_person_is_not_kept(tmp_path: Path, question: str) -> None:
    asked, page = ask_twice(tmp_path, question)
    assert asked == 2
    assert 'tier="vector"' not in page
