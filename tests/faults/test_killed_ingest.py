"""kill -9 at random moments of an ingest, then the same command: the same chunks as an undisturbed run, every time."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.readers import READERS
from surefoot.core.types import IngestReport, Passage
from surefoot.ingest.ingestor import Ingestor
from surefoot.ingest.manifest import Manifest
from surefoot.store.edge import EdgeStore
from surefoot.testing.embedding import HashingEmbedder

SCRIPT = """
import asyncio, sys
from pathlib import Path
from surefoot.ingest import ingestor
from surefoot.ingest.manifest import Manifest
from surefoot.store.edge import EdgeStore
from surefoot.testing.embedding import HashingEmbedder
ingestor.GROUP = 6
docs, kb = Path(sys.argv[1]), Path(sys.argv[2])
house = ingestor.Ingestor(store=EdgeStore(kb / "store"), embedder=HashingEmbedder(), manifest=Manifest(kb / "m.sqlite"))
asyncio.run(house.ingest([docs], on_progress=lambda now: print(now.files, now.chunks, flush=True)))
print("done", flush=True)
"""


def write_corpus(folder: Path, files: int, *, version: int) -> None:
    """A third of the files differ between versions, one in ten is gone in the second."""
    folder.mkdir(exist_ok=True)
    for number in range(files):
        path = folder / f"page-{number:03}.md"
        if version == 2 and number % 10 == 9:
            path.unlink(missing_ok=True)
            continue
        words = version if number % 3 == 0 else 1
        parts = [f"## Part {n}\n\n" + f"Fact {number}.{n}.{words} holds here. " * 30 for n in range(1 + number % 5)]
        path.write_text(f"# Page {number}\n\n" + "\n\n".join(parts))


def kill_during(docs: Path, kb: Path, dice: random.Random) -> bool:
    """Starts an ingest and kills it after a random number of its steps; False when it was done first."""
    child = subprocess.Popen([sys.executable, "-c", SCRIPT, str(docs), str(kb)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    steps = dice.randint(0, 60)
    for line in child.stdout:
        steps -= 1
        if steps <= 0 or line.startswith("done"):
            break
    time.sleep(dice.random() * 0.02)
    child.send_signal(signal.SIGKILL)
    child.stdout.close()
    return child.wait() == -signal.SIGKILL


def contents(docs: Path, kb: Path) -> tuple[dict[str, Passage], dict[str, tuple[float, ...]], IngestReport]:
    """Runs the ingest to its end and reads everything back, vectors rounded."""

    async def finish() -> tuple[dict[str, Passage], dict[str, tuple[float, ...]], IngestReport]:
        store = EdgeStore(kb / "store")
        house = Ingestor(store=store, embedder=HashingEmbedder(), manifest=Manifest(kb / "m.sqlite"), reader=READERS)
        report = await house.ingest([docs])
        passages, vectors = {}, {}
        async for page, rows in store.export():
            for passage, row in zip(page, rows, strict=True):
                assert passage.id not in passages
                passages[passage.id] = passage
                vectors[passage.id] = tuple(round(float(value), 4) for value in row)
        await store.close()
        house.manifest.close()
        return passages, vectors, report

    return asyncio.run(finish())


def check(tmp_path: Path, moments: int, files: int) -> None:
    docs = tmp_path / "docs"
    dice = random.Random(11)
    write_corpus(docs, files, version=1)
    contents(docs, tmp_path / "start")
    write_corpus(docs, files, version=2)
    expected = contents(docs, tmp_path / "undisturbed")[:2]
    killed = 0
    for moment in range(moments):
        kb = tmp_path / f"kb-{moment}"
        if moment % 2:
            write_corpus(docs, files, version=1)
            contents(docs, kb)
            write_corpus(docs, files, version=2)
        killed += kill_during(docs, kb, dice)
        kill_during(docs, kb, dice)
        assert contents(docs, kb)[:2] == expected, f"moment {moment}"
        assert contents(docs, kb)[2].chunks == 0
    assert killed >= moments // 2


def test_a_killed_ingest_is_made_good_by_the_same_command(tmp_path: Path) -> None:
    check(tmp_path, 2, 30)


@pytest.mark.faults
def test_twenty_moments_of_death_leave_the_same_chunks(tmp_path: Path) -> None:
    check(tmp_path, 20, 60)
