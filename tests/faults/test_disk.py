"""A disk that fills up or turns read-only: no crash, no lost record, answers go on, and everybody is told."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.server.small_house import SmallHouse, local_client
from tests.store.test_edge import write

from surefoot.core import space
from surefoot.core.errors import StoreError, StoreFullError, StoreReadOnlyError
from surefoot.settings import Settings
from surefoot.store.edge import EdgeStore
from surefoot.wiring import Surefoot, rebuild_store

Usage = namedtuple("Usage", "total used free")
ROOT = Path(__file__).parents[2]


def fill(monkeypatch: pytest.MonkeyPatch, disk: Path, free: int = 1_000_000) -> None:
    """Says that so little is left on the disk that holds the folder, and all is well elsewhere."""
    real = shutil.disk_usage

    def usage(path: Path) -> Usage:
        there = real(path)
        return Usage(there.total, there.used, free if Path(path).is_relative_to(disk) else there.free)

    monkeypatch.setattr(space.shutil, "disk_usage", usage)


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    """On a disk of its own, as far as the test can pretend."""
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk" / "kb"


def test_a_store_on_a_full_disk_answers_and_is_not_written(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = EdgeStore(kb / "store")
    write(store, "rent", "fees")
    asyncio.run(store.close())
    fill(monkeypatch, kb.parent)
    again = EdgeStore(kb / "store")
    assert asyncio.run(again.count()) == 2
    with pytest.raises(StoreFullError, match="make room"):
        write(again, "deposits")
    asyncio.run(again.close())
    assert not list((kb / "store").glob("*.part"))


def test_space_that_runs_out_while_writing_stops_the_writing(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = EdgeStore(kb / "store")
    write(store, "rent")
    fill(monkeypatch, kb.parent)
    with pytest.raises(StoreFullError):
        write(store, "fees")
    assert asyncio.run(store.count()) == 1
    monkeypatch.undo()
    write(store, "fees")
    assert asyncio.run(store.count()) == 2
    asyncio.run(store.close())


def test_a_copy_made_for_a_full_disk_is_not_written_once_there_is_room(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = EdgeStore(kb / "store")
    write(store, "rent")
    asyncio.run(store.close())
    fill(monkeypatch, kb.parent)
    again = EdgeStore(kb / "store")
    assert asyncio.run(again.count()) == 1
    monkeypatch.undo()
    with pytest.raises(StoreReadOnlyError, match="start again"):
        write(again, "fees")
    asyncio.run(again.close())


def test_without_a_store_and_without_room_the_reason_is_said(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(monkeypatch, kb.parent)
    with pytest.raises(StoreReadOnlyError, match="less than 100 MB left"):
        asyncio.run(EdgeStore(kb / "store").count())


@pytest.fixture
def full(kb: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    fill(monkeypatch, kb.parent)
    with local_client(SmallHouse(Settings(kb=kb, rate_limit_per_minute=0))) as client:
        yield client


def test_an_upload_to_a_full_disk_is_507_and_leaves_nothing(full: TestClient, kb: Path) -> None:
    form = full.post("/v1/documents", files={"files": ("fees.md", b"The fee is R10.")})
    text = full.post("/v1/documents/text", json={"source": "fees.md", "text": "The fee is R10."})
    for answer in (form, text):
        assert (answer.status_code, answer.json()["error"]["code"]) == (507, "store_full")
        assert "make room" in answer.json()["error"]["remedy"]
    assert not (kb / "uploads").exists()


def test_a_service_on_a_full_disk_answers_and_says_that_it_is_read_only(full: TestClient) -> None:
    answer = full.post("/v1/ask", json={"question": "What does the bursary pay?"})
    assert answer.status_code == 200
    ready = full.get("/readyz")
    assert ready.status_code == 200
    assert "less than 100 MB left" in ready.json()["readOnly"]


def test_a_write_that_fails_halfway_is_507_too(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with local_client(SmallHouse(Settings(kb=kb, rate_limit_per_minute=0))) as client:
        monkeypatch.setattr("surefoot.server.library.os.fsync", refuse)
        answer = client.post("/v1/documents/text", json={"source": "fees.md", "text": "The fee is R10."})
    assert (answer.status_code, answer.json()["error"]["code"]) == (507, "store_full")
    assert list((kb / "uploads").iterdir()) == []


def make_house(kb: Path) -> Surefoot:
    return Surefoot(Settings(kb=kb, rerank=False, grounder_size="none"))


def test_a_store_that_lost_passages_is_noticed_and_rebuilt(kb: Path, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("rent", "fees"):
        (docs / f"{name}.md").write_text(f"The {name} is due.")

    async def scenario() -> None:
        house = make_house(kb)
        await house.ingest([docs])
        assert await house.check_store() == 2
        async for page in house.store.scan():
            await house.store.delete([page[0].id])
            break
        with pytest.raises(StoreError, match="surefoot store rebuild"):
            await house.check_store()
        await house.close()
        report, aside = await rebuild_store(house.settings)
        assert (report.added, report.chunks) == (2, 2)
        assert aside is not None
        assert (aside / "store").is_dir()
        again = make_house(kb)
        assert await again.check_store(every=True) == 2
        await again.close()

    asyncio.run(scenario())


def test_a_damaged_ledger_is_set_aside_and_uploads_are_read_again(kb: Path) -> None:
    (kb / "uploads").mkdir(parents=True)
    (kb / "uploads" / "fees.md").write_text("The fee is due.")
    (kb / "manifest.sqlite").write_bytes(b"no ledger" * 1000)
    report, _ = asyncio.run(rebuild_store(make_house(kb).settings))
    assert report.added == 1


def can_mount() -> bool:
    """Whether a private mount namespace can be had here: not in every container."""
    try:
        done = subprocess.run(["unshare", "-rm", "true"], capture_output=True, timeout=10, check=False)
    except OSError:
        return False
    return done.returncode == 0


def on_a_small_disk(folder: Path, fault: str) -> dict[str, object]:
    script = ROOT / "tests" / "faults" / "small_disk.py"
    command = ["unshare", "-rm", sys.executable, str(script), str(folder), fault]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]  # minus the signal, where the engine was killed by one
    seen: dict[str, object] = json.loads(done.stdout)
    return seen


@pytest.mark.skipif(not can_mount(), reason="no private mount namespace here")
@pytest.mark.parametrize(("fault", "said"), [("full", "store_full"), ("read-only", "store_unavailable")])
def test_a_real_disk_that_fills_up_or_turns_read_only(tmp_path: Path, fault: str, said: str) -> None:
    seen = on_a_small_disk(tmp_path, fault)
    assert seen["before"] == "added 50"
    assert seen["ingest"] == said
    assert seen["held"] == 50


@pytest.mark.faults
@pytest.mark.skipif(not can_mount(), reason="no private mount namespace here")
@pytest.mark.parametrize("number", range(20))
def test_a_full_disk_twenty_times(tmp_path: Path, number: int) -> None:
    assert on_a_small_disk(tmp_path, "full" if number % 2 else "read-only")["held"] == 50
