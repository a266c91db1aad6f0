"""Passages in Postgres: equal scores to the embedded engine, safe migrations, and a server that comes and goes."""

from __future__ import annotations

import asyncio
import random
import threading
import uuid
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from postgres_server import PostgresServer

from surefoot.core.errors import ConfigError, StoreError, StoreUnavailableError
from surefoot.core.types import Passage, SearchFilter
from surefoot.store.edge import EdgeStore
from surefoot.store.place import Place
from surefoot.store.postgres import passages as module
from surefoot.store.postgres.database import PostgresDatabase
from surefoot.store.postgres.passages import PostgresStore
from surefoot.store.postgres.schema import STEPS
from surefoot.testing.embedding import HashingEmbedder

EMBEDDER = HashingEmbedder()
WORDS = "fee late book day library open monday bursary close september rand year nurse pipe drain patient".split()


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    server.start()
    yield server
    server.remove()


@pytest.fixture
def database(server: PostgresServer) -> Iterator[PostgresDatabase]:
    database = PostgresDatabase(server.url, schema=f"t_{uuid.uuid4().hex}")
    yield database
    database.close()


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def many(count: int) -> list[Passage]:
    """Passages of words in turns, so that scores differ and repeat."""
    texts = [" ".join(WORDS[(n * k) % len(WORDS)] for k in range(1, 3 + n % 9)) for n in range(count)]
    return [Passage(id=f"p{n:04}", text=text, metadata={"file": f"f{n % 7}.md"}) for n, text in enumerate(texts)]


def vectors(passages: list[Passage]) -> Any:
    return EMBEDDER.embed([passage.text for passage in passages])


def scores(hits: list[Any]) -> dict[str, float]:
    return {hit.passage.id: hit.score for hit in hits}


def test_scores_equal_those_of_the_embedded_engine(database: PostgresDatabase, tmp_path: Path) -> None:
    async def compare() -> None:
        ours, theirs = PostgresStore(database), EdgeStore(tmp_path / "store")
        held = many(300)
        for store in (ours, theirs):
            await store.upsert(held, vectors(held))
            await store.upsert(held[:20], vectors(held[:20]))  # written again: counted once
        for question in ("late fee", "when does the library open on monday", "bursary rand year close", "patients"):
            for kind, asked in (("lexical", question), ("dense", EMBEDDER.embed([question])[0])):
                here = scores(await getattr(ours, kind)(asked, limit=400))
                there = scores(await getattr(theirs, kind)(asked, limit=400))
                assert here.keys() == there.keys()
                assert here == pytest.approx(there, abs=1e-6), kind
        await ours.close()
        await theirs.close()

    run(compare())


@pytest.mark.parametrize("limit", [1, 7, 20, 50])
def test_equal_scores_fall_by_id_as_in_the_embedded_engine(
    database: PostgresDatabase, tmp_path: Path, limit: int
) -> None:
    """Texts that many passages share tie across the limit; those of single precision's last digit are ordered too."""

    async def compare() -> None:
        ours, theirs = PostgresStore(database), EdgeStore(tmp_path / "store")
        texts = [passage.text for passage in many(40)]
        held = [Passage(id=f"{(7 * at) % 400:03}", text=texts[at % 40]) for at in range(400)]
        for store, order in ((ours, held), (theirs, held[::-1])):
            await store.upsert(order, vectors(order))
        for question in ("late fee", "when does the library open on monday", "patients"):
            for kind, asked in (("lexical", question), ("dense", EMBEDDER.embed([question])[0])):
                here = [hit.passage.id for hit in await getattr(ours, kind)(asked, limit=limit)]
                there = [hit.passage.id for hit in await getattr(theirs, kind)(asked, limit=limit)]
                assert here == there, kind
                assert len(here) == limit, kind
        await ours.close()
        await theirs.close()

    run(compare())


@pytest.mark.parametrize("where", [None, SearchFilter(equals={"file": ("f1.md", "f2.md")})])
def test_passages_left_out_for_their_common_words_would_not_have_been_found(
    database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch, where: SearchFilter | None
) -> None:
    """Words from everywhere to nowhere: few passages are looked at, and the first ones are those of all."""
    dice = random.Random(5)
    common = [f"word{int(50 * dice.random() ** 4)}" for _ in range(12_000)]
    held = [
        Passage(id=f"{at:04}", text=" ".join(common[10 * at : 10 * at + 10]), metadata={"file": f"f{at % 5}.md"})
        for at in range(1_200)
    ]
    questions = [" ".join(dice.sample(common, 5)) for _ in range(40)]
    store = PostgresStore(database)

    async def found(limit: int) -> list[list[tuple[str, float]]]:
        hits = [await store.lexical(question, limit=limit, where=where) for question in questions]
        return [[(hit.passage.id, hit.score) for hit in one] for one in hits]

    run(store.upsert(held, vectors(held)))
    for limit in (1, 10, 60):
        monkeypatch.setattr(module, "SOME", 10**9)
        all_looked_at = run(found(limit))
        monkeypatch.setattr(module, "SOME", 40)
        assert run(found(limit)) == all_looked_at
    assert module._needed({1: 0.1, 2: 0.2, 3: 5.0}, 4.0) == {3}
    assert module._needed({1: 0.1, 2: 0.2, 3: 5.0}, 0.5) == {2, 3}


def test_word_counts_follow_every_write_and_deletion(database: PostgresDatabase) -> None:
    async def work() -> None:
        store = PostgresStore(database)
        held = many(60)
        await store.upsert(held, vectors(held))
        await store.upsert(held[30:], vectors(held[:30]))
        await store.delete([passage.id for passage in held[10:20]])

    run(work())
    with database.transaction() as db:
        counted = dict(db.execute("SELECT id, passages FROM terms WHERE hash >= 0 AND passages > 0").fetchall())
        true = dict(db.execute("SELECT unnest(terms) AS term, count(*) FROM words GROUP BY term").fetchall())
        total = db.execute("SELECT passages FROM terms WHERE hash = -1").fetchone()[0]
    assert counted == true
    assert total == 50


def test_writers_at_once_neither_lock_each_other_out_nor_lose_counts(database: PostgresDatabase) -> None:
    async def work() -> int:
        store = PostgresStore(database)
        held = many(120)
        parts = [held[start::4] + held[:10] for start in range(4)]
        await asyncio.gather(*(store.upsert(part, vectors(part)) for part in parts))
        return await store.count()

    assert run(work()) == 120
    with database.transaction() as db:
        assert db.execute("SELECT passages FROM terms WHERE hash = -1").fetchone()[0] == 120


def test_replicas_that_start_at_once_make_one_schema(server: PostgresServer) -> None:
    name = f"t_{uuid.uuid4().hex}"
    found: list[str] = []

    def start() -> None:
        database = PostgresDatabase(server.url, schema=name)
        with database.transaction() as db:
            found.append(db.execute("SELECT value FROM meta WHERE key = 'identity'").fetchone()[0])
        database.close()

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_a_schema_of_a_newer_version_is_refused(server: PostgresServer, database: PostgresDatabase) -> None:
    with database.transaction() as db:
        db.execute("UPDATE meta SET value = ? WHERE key = 'version'", [str(len(STEPS) + 1)])
    with (
        pytest.raises(StoreError, match="upgrade this service"),
        PostgresDatabase(server.url, schema=database.schema).transaction(),
    ):
        pass


def test_vectors_of_another_embedder_are_refused(server: PostgresServer, database: PostgresDatabase) -> None:
    run(PostgresStore(database, dimension=384).count())
    with pytest.raises(StoreError, match="SUREFOOT_STORE_COLLECTION"):
        run(PostgresStore(database, dimension=768).count())


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    database = PostgresDatabase("postgresql://me:hunter2@127.0.0.1:9/kb")
    with pytest.raises(StoreUnavailableError, match=r"127\.0\.0\.1:9/kb.*SUREFOOT_STORE_URL") as caught:
        run(PostgresStore(database).count())
    assert "hunter2" not in str(caught.value)
    assert "hunter2" not in repr(Place(kb=Path("kb"), url="postgresql://me:hunter2@127.0.0.1:9/kb"))


def test_a_name_that_is_no_schema_is_refused() -> None:
    with pytest.raises(ConfigError, match="store_collection"):
        PostgresDatabase("postgresql://127.0.0.1/kb", schema='x"; DROP SCHEMA public; --')


def test_a_server_killed_and_started_again_is_used_again_without_a_restart() -> None:
    server = PostgresServer()
    server.start()
    try:
        store = PostgresStore(PostgresDatabase(server.url))

        async def work() -> None:
            held = many(5)
            await store.upsert(held, vectors(held))
            server.kill()
            for _ in range(3):
                with pytest.raises(StoreUnavailableError):
                    await store.count()
            server.start()
            for _ in range(100):
                try:
                    assert await store.count() == 5
                    break
                except StoreUnavailableError:
                    await asyncio.sleep(0.1)
            else:
                raise AssertionError("it never came back")
            await store.close()

        run(work())
    finally:
        server.remove()


def test_odd_characters_come_back_as_they_were(database: PostgresDatabase) -> None:
    odd = Passage(id="odd", text="a\0b naïve", metadata={"file": "a\0.md", "z": 1, "a": 2})

    async def work() -> Passage:
        store = PostgresStore(database)
        await store.upsert([odd], EMBEDDER.embed(["naïve"]))
        return (await store.get(["odd"]))[0]

    back = run(work())
    assert (back.text, list(back.metadata.items())) == (odd.text, list(odd.metadata.items()))


def test_a_read_only_replica_of_the_server_is_said_to_be_one(server: PostgresServer) -> None:
    name = f"t_{uuid.uuid4().hex}"
    writable = PostgresDatabase(server.url, schema=name)
    run(PostgresStore(writable).count())
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("ALTER DATABASE postgres SET default_transaction_read_only = on")
    try:
        held = many(1)
        fresh = PostgresDatabase(server.url, schema=name)
        with pytest.raises(StoreError):
            run(PostgresStore(fresh).upsert(held, vectors(held)))
    finally:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute("ALTER DATABASE postgres RESET default_transaction_read_only")
