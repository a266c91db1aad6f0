"""A load puts the dense index off: searches stay right meanwhile, and killed builds and second replicas do no harm."""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from postgres_server import PostgresServer

from surefoot.core.errors import StoreUnavailableError
from surefoot.core.types import Passage
from surefoot.ingest.copying import copy_store
from surefoot.ingest.ingestor import Ingestor
from surefoot.ingest.manifest import Manifest
from surefoot.store.edge import EdgeStore
from surefoot.store.postgres import dense_index
from surefoot.store.postgres.database import PostgresDatabase
from surefoot.store.postgres.passages import PostgresStore
from surefoot.store.postgres.snapshot import restore, save
from surefoot.testing.embedding import HashingEmbedder

EMBEDDER = HashingEmbedder()
HELD = [Passage(id=f"p{number:03}", text=f"item {number} costs {number * 7} rand") for number in range(200)]
ASKED = EMBEDDER.embed(["item 77 costs 539 rand"])[0]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    server.start()
    yield server
    server.remove()


@pytest.fixture
def database(server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresDatabase]:
    """Of a schema in which 100 passages are many."""
    monkeypatch.setattr(dense_index, "INDEX_FROM", 100)
    database = PostgresDatabase(server.url, schema=f"t_{uuid.uuid4().hex}")
    yield database
    database.close()


def fill(store: PostgresStore, passages: list[Passage] = HELD) -> None:
    asyncio.run(store.upsert(passages, EMBEDDER.embed([passage.text for passage in passages])))


def nearest(store: Any) -> list[str]:
    return [hit.passage.id for hit in asyncio.run(store.dense(ASKED, limit=10))]


def index(database: PostgresDatabase) -> list[bool]:
    """Whether it is valid; nothing where there is none."""
    with database.transaction() as db:
        found = db.execute(
            "SELECT indisvalid FROM pg_index WHERE indrelid = 'passages'::regclass "
            "AND indexrelid = to_regclass('passages_dense')"
        )
        return [row[0] for row in found.fetchall()]


def used(database: PostgresDatabase) -> bool:
    """Whether a search would go by the index, were looking at all passages dear."""
    with database.transaction() as db:
        db.execute("SET LOCAL enable_seqscan = off")
        near = "dense::vector(384) <=> (SELECT dense FROM passages LIMIT 1)"
        plan = db.execute(f"EXPLAIN SELECT id FROM passages ORDER BY {near} LIMIT 5").fetchall()
        return any("passages_dense" in row[0] for row in plan)


@contextmanager
def half_way(server: PostgresServer, database: PostgresDatabase) -> Iterator[Callable[[], int]]:
    """A build begun in here cannot end in here: it waits for a transaction that stays open. Gives its process."""
    with psycopg.connect(server.url) as open_one, psycopg.connect(server.url, autocommit=True) as watching:
        open_one.execute(f"UPDATE {database.schema}.passages SET day = day WHERE id = 'p000'")

        def builder() -> int:
            for _ in range(400):
                row = watching.execute(
                    "SELECT pid FROM pg_stat_progress_create_index WHERE relid = to_regclass(%s)",
                    [f"{database.schema}.passages"],
                ).fetchone()
                if row:
                    return int(row[0])
                time.sleep(0.05)
            raise AssertionError("nobody makes the index")

        yield builder
        open_one.rollback()


def test_writing_does_not_make_the_index_and_the_end_of_the_load_does(database: PostgresDatabase) -> None:
    store = PostgresStore(database)
    fill(store)
    exact = nearest(store)
    assert exact[0] == "p077"
    assert index(database) == []
    asyncio.run(store.finish(written=200))
    assert index(database) == [True]
    assert used(database)
    assert nearest(store) == exact
    assert not asyncio.run(store.optimise())


def test_few_passages_need_no_index(database: PostgresDatabase) -> None:
    store = PostgresStore(database)
    fill(store, HELD[:99])
    asyncio.run(store.finish(written=99))
    assert index(database) == []


def test_while_one_replica_makes_it_the_other_writes_searches_and_does_not_make_a_second(
    server: PostgresServer, database: PostgresDatabase
) -> None:
    store = PostgresStore(database)
    fill(store)
    twin = PostgresDatabase(server.url, schema=database.schema)
    made: list[bool] = []
    with half_way(server, database) as builder:
        building = threading.Thread(target=lambda: made.append(dense_index.make(twin)))
        building.start()
        builder()
        assert not dense_index.make(database)
        fill(store, [Passage(id="late", text="item 77 costs 539 rand")])
        assert nearest(store)[:2] == ["late", "p077"]
        assert index(database) == [False]
        assert not used(database)
    building.join()
    assert made == [True]
    assert index(database) == [True]
    assert nearest(store)[:2] == ["late", "p077"]
    twin.close()


def test_a_build_that_was_killed_is_made_anew_by_the_next_load_even_of_nothing(
    server: PostgresServer, database: PostgresDatabase
) -> None:
    store = PostgresStore(database)
    fill(store)
    exact = nearest(store)
    twin = PostgresDatabase(server.url, schema=database.schema)
    failed: list[Exception] = []

    def build() -> None:
        try:
            dense_index.make(twin)
        except StoreUnavailableError as error:
            failed.append(error)

    with half_way(server, database) as builder:
        building = threading.Thread(target=build)
        building.start()
        with psycopg.connect(server.url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", [builder()])
        building.join()
    assert len(failed) == 1
    assert index(database) == [False]
    assert nearest(store) == exact
    assert not used(database)
    asyncio.run(store.finish(written=0))
    assert index(database) == [True]
    assert nearest(store) == exact
    twin.close()


def test_where_workers_find_no_shared_memory_one_makes_it_alone(
    database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two terabytes are more than any machine's /dev/shm, as two gigabytes are more than a container's."""
    monkeypatch.setattr(dense_index, "MOST_ROOM_MB", 2_000_000)
    monkeypatch.setattr(dense_index, "NEIGHBOURS", 10**10)
    store = PostgresStore(database)
    fill(store)
    with database.transaction() as db:
        db.execute("ALTER TABLE passages SET (parallel_workers = 2)")
    assert asyncio.run(store.optimise())
    assert index(database) == [True]


def test_ingest_makes_it_at_its_end_and_a_second_run_makes_what_the_first_did_not(
    database: PostgresDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for passage in HELD[:120]:
        (tmp_path / f"{passage.id}.md").write_text(passage.text)
    worker = Ingestor(
        store=PostgresStore(database), embedder=EMBEDDER, manifest=Manifest(database, uploads=tmp_path / "up")
    )
    with monkeypatch.context() as killed:
        killed.setattr(dense_index, "make", lambda database: False)
        assert asyncio.run(worker.ingest([tmp_path])).added == 120
    assert index(database) == []
    assert asyncio.run(worker.ingest([tmp_path])).unchanged == 120
    assert index(database) == [True]


def test_a_copy_and_a_restored_snapshot_have_it_too(
    server: PostgresServer, database: PostgresDatabase, tmp_path: Path
) -> None:
    async def copied() -> None:
        edge = EdgeStore(tmp_path / "store")
        await edge.upsert(HELD, EMBEDDER.embed([passage.text for passage in HELD]))
        await copy_store(
            edge,
            PostgresStore(database),
            source_ledger=Manifest(tmp_path / "m.sqlite"),
            target_ledger=Manifest(database, uploads=tmp_path / "up"),
        )
        await edge.close()

    asyncio.run(copied())
    assert index(database) == [True]
    save(database, tmp_path / "kb.tar.gz")
    fresh = PostgresDatabase(server.url, schema=f"{database.schema[:40]}_b")
    restore(tmp_path / "kb.tar.gz", fresh)
    assert index(fresh) == [True]
    assert nearest(PostgresStore(fresh)) == nearest(PostgresStore(database))
    fresh.close()
