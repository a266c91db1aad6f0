"""Refused questions in clusters; what no document would cure is left out."""

from __future__ import annotations

import asyncio

import numpy as np
from house import LOANS, Shelf

from surefoot.core.types import Json
from surefoot.flows.gaps import Gap, find_gaps


class Topics:
    """Questions about one animal point the same way."""

    identity, dimension = "fake", 3

    def embed(self, texts: list[str]) -> np.ndarray:
        animals = ("cat", "dog")
        rows = [[float(animal in text.lower()) for animal in animals] + [0.1] for text in texts]
        vectors = np.array(rows, np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def record(
    question: str | None, *, decision: str = "rejected", reason: str = "retrieval_miss", kind: str = "ask"
) -> dict[str, Json]:
    return {"kind": kind, "decision": decision, "reason": reason, "question": question}


def gaps(*records: dict[str, Json]) -> list[Gap]:
    return asyncio.run(find_gaps(records, embedder=Topics(), retriever=Shelf([LOANS])))


def test_questions_for_the_same_thing_are_one_gap_and_the_largest_comes_first() -> None:
    found = gaps(
        record("May I bring a dog?"),
        record("May I bring a cat?"),
        record("Are cats allowed?", decision="fallback", reason="evidence_miss"),
        record("may I bring a  CAT?"),
    )
    assert [(gap.question, gap.count) for gap in found] == [("May I bring a cat?", 3), ("May I bring a dog?", 1)]
    assert found[0].reasons == {"evidence_miss": 1, "retrieval_miss": 2}
    assert found[0].questions == ("May I bring a cat?", "Are cats allowed?")


def test_each_gap_shows_the_nearest_passages() -> None:
    (gap,) = gaps(record("May I bring a dog?"))
    assert [found.passage.id for found in gap.nearest] == ["loans"]


def test_answers_rules_faults_and_forgotten_texts_are_no_gaps() -> None:
    assert not gaps(
        record("May I bring a dog?", decision="approved", reason=""),
        record("May I bring a dog?", reason="policy:danger"),
        record("May I bring a dog?", decision="fallback", reason="deadline_exceeded"),
        record("May I bring a dog?", kind="verify"),
        record(None),
    )
