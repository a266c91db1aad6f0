from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from surefoot.core.errors import StoreError, StoreLockedError
from surefoot.core.types import Passage
from surefoot.store.edge import EdgeStore
from surefoot.testing.embedding import HashingEmbedder

EMBEDDER = HashingEmbedder()


def write(store: EdgeStore, *texts: str) -> None:
    passages = [Passage(id=text, text=text) for text in texts]
    asyncio.run(store.upsert(passages, EMBEDDER.embed(texts)))


def test_what_was_written_is_there_after_a_restart(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path / "store")
    write(store, "rent is due", "fees are due")
    identity = asyncio.run(store.identity())
    asyncio.run(store.close())
    again = EdgeStore(tmp_path / "store")
    assert asyncio.run(again.count()) == 2
    assert asyncio.run(again.identity()) == identity
    asyncio.run(again.close())


def test_a_second_owner_is_told_who_holds_the_store(tmp_path: Path) -> None:
    first = EdgeStore(tmp_path / "store", holder="surefoot serve on port 8808")
    write(first, "rent")
    with pytest.raises(StoreLockedError, match=r"held by process \d+ \(surefoot serve on port 8808.*--kb"):
        asyncio.run(EdgeStore(tmp_path / "store").count())
    asyncio.run(first.close())
    second = EdgeStore(tmp_path / "store")
    assert asyncio.run(second.count()) == 1
    asyncio.run(second.close())


def test_a_killed_owner_leaves_no_lock_behind_and_loses_nothing(tmp_path: Path) -> None:
    script = (
        "import asyncio, os, signal, sys\n"
        "from pathlib import Path\n"
        "from surefoot.core.types import Passage\n"
        "from surefoot.store.edge import EdgeStore\n"
        "from surefoot.testing.embedding import HashingEmbedder\n"
        "store = EdgeStore(Path(sys.argv[1]))\n"
        "texts = [f'passage {n}' for n in range(50)]\n"
        "asyncio.run(store.upsert([Passage(id=t, text=t) for t in texts], HashingEmbedder().embed(texts)))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "store")], check=False)
    store = EdgeStore(tmp_path / "store")
    assert asyncio.run(store.count()) == 50
    asyncio.run(store.close())


def test_a_store_made_anew_has_another_identity(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path / "store")
    identity = asyncio.run(store.identity())
    asyncio.run(store.close())
    shutil.rmtree(tmp_path / "store")
    again = EdgeStore(tmp_path / "store")
    assert asyncio.run(again.identity()) != identity
    asyncio.run(again.close())


def test_optimising_keeps_every_passage(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path / "store")
    write(store, *(f"passage {n}" for n in range(300)))
    asyncio.run(store.optimise())
    assert asyncio.run(store.count()) == 300
    asyncio.run(store.close())


def test_a_damaged_store_says_what_to_do(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path / "store")
    write(store, "rent")
    asyncio.run(store.close())
    (tmp_path / "store" / "edge_config.json").write_text("{ not json")
    for file in (tmp_path / "store" / "segments").rglob("segment.json"):
        file.write_text("{ not json")
    with pytest.raises(StoreError, match="restore a snapshot, or run: surefoot store rebuild"):
        asyncio.run(EdgeStore(tmp_path / "store").count())


@pytest.mark.faults
def test_segments_that_merging_replaced_are_freed_at_once(tmp_path: Path) -> None:
    """14,000 points are more than the engine leaves unindexed; they are written in two halves, merged after each."""
    dice = np.random.default_rng(1)
    store = EdgeStore(tmp_path / "store")

    async def fill() -> int:
        for start in (0, 7_000):
            passages = [Passage(id=str(start + at), text=f"word{start + at}") for at in range(7_000)]
            await store.upsert(passages, dice.standard_normal((7_000, 384), dtype=np.float32))
            await store.optimise()
        held = folder_bytes(tmp_path / "store" / "segments")
        await store.close()
        return held

    held = asyncio.run(fill())
    assert held < 1.2 * folder_bytes(tmp_path / "store" / "segments")


def folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())
