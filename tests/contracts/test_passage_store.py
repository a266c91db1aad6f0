"""One suite for every passage store: what retrieval and ingest may rely on."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from postgres_server import PostgresServer

from surefoot.core.errors import StoreError
from surefoot.core.types import Passage, SearchFilter
from surefoot.store.edge import EdgeStore
from surefoot.store.postgres.database import PostgresDatabase
from surefoot.store.postgres.passages import PostgresStore
from surefoot.store.qdrant import QdrantStore
from surefoot.testing.embedding import HashingEmbedder
from surefoot.testing.qdrant_double import QdrantDouble

EMBEDDER = HashingEmbedder()
PASSAGES = [
    Passage(
        id="S1",
        text="Plumbers repair pipes and drains.",
        metadata={"source": "DHET", "file": "plumber.md", "pack": "thandi", "page": 3, "date": "2024-05-01"},
    ),
    Passage(
        id="S2", text="Nurses care for patients in hospitals.", metadata={"file": "nurse.md", "date": "2022-01-31"}
    ),
    Passage(id="S3", text="Pilots fly aeroplanes; running costs are high.", metadata={"file": "pilot.md", "a.b": "x"}),
    Passage(
        id="naïve [4]", text="Bursaries pay fees.", metadata={"file": "fees.md", "tags": ["money", "study"], "ok": True}
    ),
]

Run = Callable[[Any], Any]


@pytest.fixture(scope="module")
def loop() -> Iterator[Run]:
    with asyncio.Runner() as runner:
        yield runner.run


@pytest.fixture(scope="module")
def double() -> Iterator[QdrantDouble]:
    with QdrantDouble() as double:
        yield double


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    server.start()
    yield server
    server.remove()


@pytest.fixture(params=["edge", "postgres", "double", "server"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, loop: Run, double: QdrantDouble, postgres: PostgresServer
) -> Iterator[Any]:
    adapter: Any
    if request.param == "edge":
        adapter = EdgeStore(tmp_path / "store")
    elif request.param == "postgres":
        adapter = PostgresStore(PostgresDatabase(postgres.url, schema=f"contract_{uuid.uuid4().hex}"))
    else:
        url = double.url if request.param == "double" else os.environ.get("SUREFOOT_TEST_QDRANT_URL")
        if not url:
            pytest.skip("no Qdrant server: set SUREFOOT_TEST_QDRANT_URL to run the suite against one")
        key = os.environ.get("SUREFOOT_TEST_QDRANT_API_KEY") if request.param == "server" else None
        adapter = QdrantStore(url, collection=f"contract-{uuid.uuid4().hex}", api_key=key)
    yield adapter
    if request.param == "server":  # somebody else's machine is left as it was
        loop(adapter._client.delete(f"/collections/{adapter._collection}"))
    loop(adapter.close())


@pytest.fixture
def filled(store: Any, loop: Run) -> Any:
    loop(store.upsert(PASSAGES, EMBEDDER.embed([p.text for p in PASSAGES])))
    return store


def ids(hits: list[Any]) -> list[str]:
    return [hit.passage.id for hit in hits]


def vector(text: str) -> Any:
    return EMBEDDER.embed([text])[0]


def test_an_empty_store_finds_nothing(store: Any, loop: Run) -> None:
    assert loop(store.count()) == 0
    assert loop(store.dense(vector("pipes"), limit=5)) == []
    assert loop(store.lexical("pipes", limit=5)) == []


def test_what_was_put_in_comes_out_unchanged(filled: Any, loop: Run) -> None:
    assert loop(filled.get(["naïve [4]", "S1"])) == [PASSAGES[3], PASSAGES[0]]


def test_an_unknown_id_is_left_out(filled: Any, loop: Run) -> None:
    assert [p.id for p in loop(filled.get(["S1", "S9"]))] == ["S1"]


def test_dense_search_ranks_by_cosine(filled: Any, loop: Run) -> None:
    hits = loop(filled.dense(vector("Nurses care for patients in hospitals."), limit=2))
    assert ids(hits)[0] == "S2"
    assert hits[0].dense == pytest.approx(1.0, abs=1e-5)
    assert [hit.dense_rank for hit in hits] == [1, 2]


def test_lexical_search_knows_word_forms(filled: Any, loop: Run) -> None:
    assert ids(loop(filled.lexical("Who will repair my pipe?", limit=5))) == ["S1"]


def test_a_question_of_stop_words_finds_nothing_lexically(filled: Any, loop: Run) -> None:
    assert loop(filled.lexical("what is the", limit=5)) == []


def test_writing_again_replaces(filled: Any, loop: Run) -> None:
    changed = Passage(id="S1", text="Plumbers fit geysers.", metadata={"file": "plumber.md"})
    loop(filled.upsert([changed], EMBEDDER.embed([changed.text])))
    assert loop(filled.count()) == len(PASSAGES)
    assert loop(filled.get(["S1"])) == [changed]
    assert loop(filled.lexical("drains", limit=5)) == []


def test_deleting_is_final_and_deleting_nothing_is_fine(filled: Any, loop: Run) -> None:
    loop(filled.delete(["S1", "S9"]))
    loop(filled.delete([]))
    assert loop(filled.count()) == len(PASSAGES) - 1
    assert "S1" not in ids(loop(filled.dense(vector("pipes"), limit=10)))


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (SearchFilter(equals={"pack": ("thandi",)}), {"S1"}),
        (SearchFilter(equals={"source": ("DHET",)}), {"S1"}),
        (SearchFilter(equals={"source": ("nurse.md",)}), {"S2"}),
        (SearchFilter(equals={"file": ("nurse.md", "pilot.md")}), {"S2", "S3"}),
        (SearchFilter(equals={"page": ("3",)}), {"S1"}),
        (SearchFilter(equals={"ok": ("true",)}), {"naïve [4]"}),
        (SearchFilter(equals={"tags": ("study",)}), {"naïve [4]"}),
        (SearchFilter(equals={"a.b": ("x",)}), {"S3"}),
        (SearchFilter(since="2024-01-01"), {"S1"}),
        (SearchFilter(until="2023-12-31"), {"S2"}),
        (SearchFilter(since="2022-01-31", until="2024-05-01"), {"S1", "S2"}),
        (SearchFilter(equals={"pack": ("thandi",)}, since="2025-01-01"), set()),
        (SearchFilter(equals={"nobody": ("x",)}), set()),
        (SearchFilter(), {p.id for p in PASSAGES}),
    ],
    ids=str,
)
def test_a_filter_lets_through_only_what_matches(
    filled: Any, loop: Run, where: SearchFilter, expected: set[str]
) -> None:
    text = " ".join(p.text for p in PASSAGES)
    assert set(ids(loop(filled.dense(vector(text), limit=10, where=where)))) == expected
    assert set(ids(loop(filled.lexical(text, limit=10, where=where)))) == expected


def test_scanning_gives_every_passage_once(filled: Any, loop: Run) -> None:
    async def every() -> list[str]:
        return [passage.id async for page in filled.scan(batch=3) for passage in page]

    first = loop(every())
    assert sorted(first) == sorted(p.id for p in PASSAGES)
    assert loop(every()) == first


def test_exporting_gives_the_vectors_too(filled: Any, loop: Run) -> None:
    async def every() -> dict[str, Any]:
        return {p.id: row async for page, rows in filled.export(batch=3) for p, row in zip(page, rows, strict=True)}

    rows = loop(every())
    assert np.allclose(rows["S2"], vector(PASSAGES[1].text), atol=1e-5)


def test_vectors_must_match_the_passages(store: Any, loop: Run) -> None:
    with pytest.raises(StoreError, match="1 passages came with 2 vectors"):
        loop(store.upsert(PASSAGES[:1], EMBEDDER.embed(["a", "b"])))


def test_its_identity_stays_while_it_lives(filled: Any, loop: Run) -> None:
    assert loop(filled.identity()) == loop(filled.identity())


def test_the_end_of_a_load_changes_no_answer(filled: Any, loop: Run) -> None:
    before = loop(filled.dense(vector("nurses and pipes"), limit=5)), loop(filled.lexical("nurses pipe", limit=5))
    loop(filled.finish(written=20_000))
    after = loop(filled.dense(vector("nurses and pipes"), limit=5)), loop(filled.lexical("nurses pipe", limit=5))
    assert after == before
    assert loop(filled.count()) == len(PASSAGES)
