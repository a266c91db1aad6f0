"""What replicas share in Postgres: run log, ledger, uploads, keys, secret; and how it is saved and brought back."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from postgres_server import PostgresServer

from support.readers import READERS
from surefoot.core.errors import ConfigError, InputError
from surefoot.core.types import IngestReport, StoredDocument
from surefoot.ingest.copying import copy_store
from surefoot.ingest.ingestor import Ingestor
from surefoot.ingest.manifest import Manifest
from surefoot.ingest.shelf import Shelf
from surefoot.observe.runlog import RunStore
from surefoot.server.crew import require_shared
from surefoot.server.keys import Keyring, parse_keys
from surefoot.server.shared_library import SharedLibrary
from surefoot.settings import Settings
from surefoot.store.cache.secret import shared_secret
from surefoot.store.edge import EdgeStore
from surefoot.store.postgres.database import PostgresDatabase
from surefoot.store.postgres.keys import SharedKeys
from surefoot.store.postgres.passages import PostgresStore
from surefoot.store.postgres.snapshot import restore, save
from surefoot.testing.embedding import HashingEmbedder
from surefoot.wiring import Surefoot


def twin(server: PostgresServer, database: PostgresDatabase) -> PostgresDatabase:
    """Another replica's connection to the same schema."""
    return PostgresDatabase(server.url, schema=database.schema)


class Counting:
    """Counts how often each text was embedded, over all workers."""

    def __init__(self, texts: Counter[str]) -> None:
        self._texts, self._inner = texts, HashingEmbedder()
        self.identity, self.dimension = self._inner.identity, self._inner.dimension

    def embed(self, texts: Sequence[str]) -> Any:
        self._texts.update(texts)
        return self._inner.embed(texts)


def ingestor(database: PostgresDatabase, uploads: Path, texts: Counter[str] | None = None) -> Ingestor:
    return Ingestor(
        store=PostgresStore(database),
        embedder=Counting(texts if texts is not None else Counter()),
        manifest=Manifest(database, uploads=uploads),
        reader=READERS,
    )


def test_replicas_write_one_chain_that_each_can_verify(server: PostgresServer, database: PostgresDatabase) -> None:
    logs = [RunStore(one, key=lambda: b"key") for one in (database, twin(server, database))]

    def write(log: RunStore) -> None:
        for _ in range(10):
            log.append({"decision": "approved"})

    threads = [threading.Thread(target=write, args=[log]) for log in logs for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for log in logs:
        report = log.check()
        assert (report.rows, report.findings) == (40, ())


@pytest.mark.parametrize(
    "tamper",
    [
        "UPDATE runs SET decision = 'rejected' WHERE seq = 3",
        "UPDATE runs SET body = '{}' WHERE seq = 3",
        "DELETE FROM runs WHERE seq = 3",
        "DELETE FROM runs WHERE seq = 5",
        "DELETE FROM meta WHERE key = 'head'",
        "DELETE FROM runs WHERE seq > 3; DELETE FROM meta WHERE key = 'head'",
        "UPDATE meta SET value = '[' WHERE key = 'head'",
        "INSERT INTO meta VALUES ('removed', 'x') ON CONFLICT (key) DO UPDATE SET value = 'x'",
    ],
)
def test_tampering_in_the_database_shows(database: PostgresDatabase, tamper: str) -> None:
    log = RunStore(database, key=lambda: b"key")
    for _ in range(5):
        log.append({"decision": "approved"})
    assert log.check().intact
    with database.transaction() as db:
        db.execute(tamper)
    assert not log.check().intact
    log.append({"decision": "approved"})
    assert not log.check().intact  # more records do not heal it


def test_feedback_forgetting_pages_and_retention_work_as_in_a_file(database: PostgresDatabase) -> None:
    clock = [datetime(2026, 1, 1, tzinfo=UTC)]
    log = RunStore(database, retention_days=30, now=lambda: clock[0])
    old = log.append({"decision": "approved", "question": "old?"})
    log.feedback(old, "right")
    assert [row["verdict"] for row in log.feedback_on(old)] == ["right"]
    assert log.forget(old)
    assert "question" not in (log.read(old) or {})
    clock[0] += timedelta(days=20)
    log.append({"decision": "rejected"})
    assert [run.decision for run in log.runs(decision="rejected")] == ["rejected"]
    clock[0] += timedelta(days=20)
    assert log.prune() == 3
    assert log.check().intact
    assert log.count() == 1


def test_workers_over_one_folder_do_nothing_twice(
    server: PostgresServer, database: PostgresDatabase, tmp_path: Path
) -> None:
    for number in range(30):
        (tmp_path / f"f{number}.md").write_text(f"Document number {number} says that the fee is R{number}.")
    texts: Counter[str] = Counter()
    workers = [ingestor(one, tmp_path / "up", texts) for one in (database, twin(server, database))]

    async def work() -> list[IngestReport]:
        first = await asyncio.gather(*(worker.ingest([tmp_path]) for worker in workers))
        again = await workers[0].ingest([tmp_path])
        assert (again.added, again.elsewhere, await workers[0].store.count()) == (0, 0, 30)
        return first

    reports = asyncio.run(work())
    assert sum(report.added for report in reports) == 30
    assert set(texts.values()) == {1}
    with database.transaction() as db:
        assert db.execute("SELECT count(*) FROM leases").fetchone() == (0,)


def test_workers_over_one_bucket_do_nothing_twice(
    server: PostgresServer, database: PostgresDatabase, tmp_path: Path
) -> None:
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed: pip install 'surefoot[remote]'")
    memory = fsspec.filesystem("memory")
    memory.pipe({f"/shared/f{number}.md": f"The fee of room {number} is R{number}.".encode() for number in range(12)})
    texts: Counter[str] = Counter()
    workers = [ingestor(one, tmp_path / "up", texts) for one in (database, twin(server, database))]

    async def work() -> list[IngestReport]:
        first = await asyncio.gather(*(worker.ingest(["memory://shared"]) for worker in workers))
        memory.rm("/shared/f3.md")
        again = await workers[1].ingest(["memory://shared"])
        assert (again.added, again.unchanged, again.removed, again.elsewhere) == (0, 11, 1, 0)
        return first

    try:
        assert sum(report.added for report in asyncio.run(work())) == 12
        assert set(texts.values()) == {1}
    finally:
        memory.rm("/shared", recursive=True)


def test_a_file_of_a_worker_that_died_is_done_when_its_lease_has_run_out(
    database: PostgresDatabase, tmp_path: Path
) -> None:
    file = tmp_path / "a.md"
    file.write_text("The fee is R5.")
    with database.transaction() as db:
        db.execute("INSERT INTO leases VALUES (?, 'dead', now() + interval '1 hour')", [str(file).encode()])
    worker = ingestor(database, tmp_path / "up")
    waited = asyncio.run(worker.ingest([file]))
    assert (waited.added, waited.elsewhere) == (0, 1)
    with database.transaction() as db:
        db.execute("UPDATE leases SET until = now() - interval '1 second'")
    assert asyncio.run(worker.ingest([file])).added == 1


def test_a_wish_is_given_to_one_worker_and_a_newer_one_stands(
    server: PostgresServer, database: PostgresDatabase
) -> None:
    here, there = Shelf(database), Shelf(twin(server, database))
    for number in range(6):
        here.put(f"{number}.md", b"words")
    claimed = [wish for _ in range(3) for wish in (here.claim(), there.claim()) if wish]
    assert sorted(wish.name for wish in claimed) == [f"{number}.md" for number in range(6)]
    assert here.claim() is None
    assert there.remove(claimed[0].name)
    here.fulfil(claimed[0])  # of the version before: the removal stands
    removal = there.claim()
    assert removal is not None
    assert (removal.name, removal.removal) == (claimed[0].name, True)
    there.fulfil(removal)
    assert claimed[0].name not in {upload.name for upload in here.uploads()}


def test_a_document_added_through_one_replica_is_known_to_all_and_removed_by_any(
    server: PostgresServer, database: PostgresDatabase, tmp_path: Path
) -> None:
    def library(one: PostgresDatabase, folder: Path) -> tuple[SharedLibrary, Ingestor]:
        worker = ingestor(one, folder)

        async def listing() -> list[StoredDocument]:
            return worker.manifest.documents()

        return SharedLibrary(Shelf(one), folder, ingest=worker.ingest, listing=listing), worker

    async def until(here: SharedLibrary, wanted: dict[str, str]) -> None:
        deadline = time.monotonic() + 60
        while {one.source: one.status for one in await here.documents()} != wanted:
            assert time.monotonic() < deadline, await here.documents()
            await asyncio.sleep(0.05)

    async def work() -> None:
        (left, ours), (right, theirs) = (
            library(one, tmp_path / name) for name, one in (("a", database), ("b", twin(server, database)))
        )
        left.start()
        right.start()
        added = await left.add("zebra.md", b"The zebra ticket costs R10.")
        await until(right, {"zebra.md": "indexed"})
        assert [hit.passage.metadata["file"] for hit in await theirs.store.lexical("zebra", limit=3)] == ["zebra.md"]
        await left.add("zebra.md", b"The zebra ticket costs R12.")
        await until(right, {"zebra.md": "indexed"})
        assert "R12" in (await theirs.store.lexical("zebra", limit=3))[0].passage.text
        await right.remove(added.id)
        await until(left, {})
        assert await ours.store.count() == 0
        await left.settle(within_s=20)
        await right.settle(within_s=20)
        assert not list(tmp_path.glob("*/*"))

    asyncio.run(work())


def test_an_ingest_from_a_folder_leaves_uploads_alone(database: PostgresDatabase, tmp_path: Path) -> None:
    worker = ingestor(database, tmp_path / "up")
    (tmp_path / "up").mkdir()
    (tmp_path / "docs").mkdir()
    upload = tmp_path / "up" / "fees.md"
    upload.write_text("The fee is R5.")

    async def work() -> set[str]:
        await worker.ingest([upload])
        upload.unlink()  # it lies in the database
        (tmp_path / "docs" / "fees.md").write_text("The other fee is R7.")
        await worker.ingest([tmp_path / "docs"])
        await worker.ingest([tmp_path])
        return {document.source for document in worker.manifest.documents()}

    assert asyncio.run(work()) == {"fees.md", "docs/fees.md"}


def test_keys_made_in_one_place_open_every_replica_until_revoked(
    server: PostgresServer, database: PostgresDatabase
) -> None:
    import hashlib

    keys = SharedKeys(database)
    keys.add(hashlib.sha256(b"sf_secret").hexdigest(), "write", "team")
    with pytest.raises(InputError, match="revoke it first"):
        keys.add("0" * 64, "read", "team")
    other, ring = SharedKeys(twin(server, database)), Keyring(())
    ring.share(parse_keys(other.entries()))
    found = ring.find("sf_secret")
    assert found is not None
    assert (found.name, found.scope) == ("team", "write")
    keys.revoke("team")
    ring.share(parse_keys(other.entries()))
    assert ring.find("sf_secret") is None
    with pytest.raises(InputError, match="keys list"):
        keys.revoke("team")


def test_replicas_sign_with_one_secret(server: PostgresServer, database: PostgresDatabase) -> None:
    assert shared_secret(database) == shared_secret(twin(server, database))
    assert len(shared_secret(database)) == 32


def test_several_processes_over_an_embedded_store_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"one owner.*SUREFOOT_STORE_URL"):
        require_shared(Surefoot(Settings(kb=tmp_path)), 2)


async def _filled(database: PostgresDatabase, folder: Path) -> Ingestor:
    folder.mkdir(exist_ok=True)
    for number in range(12):
        (folder / f"f{number}.md").write_text(f"Item {number} costs R{number * 7} and lasts {number} days.")
    worker = ingestor(database, folder / "up")
    await worker.ingest([folder])
    return worker


async def _answers(store: Any) -> list[tuple[str, float]]:
    hits = await store.lexical("what does item 7 cost", limit=12)
    hits += await store.dense(HashingEmbedder().embed(["item 7 costs"])[0], limit=12)
    return [(hit.passage.id, round(hit.score, 4)) for hit in hits]


def test_a_knowledge_base_is_copied_both_ways_with_its_ledger(database: PostgresDatabase, tmp_path: Path) -> None:
    async def work() -> None:
        worker = await _filled(database, tmp_path / "docs")
        edge, ledger = EdgeStore(tmp_path / "kb" / "store"), Manifest(tmp_path / "kb" / "m.sqlite")
        await copy_store(worker.store, edge, source_ledger=worker.manifest, target_ledger=ledger)
        assert await _answers(edge) == await _answers(worker.store)
        before = await _answers(worker.store)
        await worker.store.delete([passage.id async for page in worker.store.scan() for passage in page])
        await copy_store(edge, worker.store, source_ledger=ledger, target_ledger=worker.manifest)
        assert await _answers(worker.store) == before
        assert (await worker.ingest([tmp_path / "docs"])).unchanged == 12
        await edge.close()

    asyncio.run(work())


def test_a_snapshot_brings_everything_back_and_writing_goes_on(
    server: PostgresServer, database: PostgresDatabase, tmp_path: Path
) -> None:
    async def work() -> None:
        worker = await _filled(database, tmp_path / "docs")
        RunStore(database, key=lambda: b"key").append({"decision": "approved"})
        Shelf(database).put("a.md", b"words")
        save(database, tmp_path / "kb.tar.gz")
        fresh = PostgresDatabase(server.url, schema=f"{database.schema[:40]}_b")
        restore(tmp_path / "kb.tar.gz", fresh)
        again = ingestor(fresh, tmp_path / "docs" / "up")
        assert await _answers(again.store) == await _answers(worker.store)
        assert RunStore(fresh, key=lambda: b"key").check() == RunStore(database, key=lambda: b"key").check()
        assert [upload.name for upload in Shelf(fresh).uploads()] == ["a.md"]
        (tmp_path / "docs" / "new.md").write_text("A brand new unheard-of word: flibbertigibbet.")
        assert (await again.ingest([tmp_path / "docs"])).added == 1
        assert len(await again.store.lexical("flibbertigibbet", limit=5)) == 1
        with pytest.raises(InputError, match="in use"):
            restore(tmp_path / "kb.tar.gz", fresh)
        fresh.close()

    asyncio.run(work())


def test_a_dump_by_postgres_own_tools_is_restored_with_the_same_answers(tmp_path: Path, server: PostgresServer) -> None:
    async def work() -> None:
        source = PostgresDatabase(server.database("before"))
        worker = await _filled(source, tmp_path / "docs")
        RunStore(source, key=lambda: b"key").append({"decision": "approved"})
        target = PostgresDatabase(server.database("after"))
        dump = server.run("pg_dump", "--format=custom", "--dbname=before")
        server.run("pg_restore", "--exit-on-error", "--dbname=after", given=dump)
        assert await _answers(PostgresStore(target)) == await _answers(worker.store)
        assert RunStore(target, key=lambda: b"key").check().rows == 1
        assert RunStore(target, key=lambda: b"key").check().intact

    asyncio.run(work())
