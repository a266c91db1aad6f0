"""What ingest costs beyond the model's own time, as a ratio within one run, and what the same command costs again.

    python benchmarks/ingest.py FOLDER                   # both measures; about twice the model's time for the folder
    python benchmarks/ingest.py FOLDER --files 60        # the same on a sample
    python benchmarks/ingest.py FOLDER --without-model   # everything but the model, profiled by CPU time
    python benchmarks/ingest.py FOLDER --files 60 --by-cores   # pages a second by cores, as threads and as processes

Bare: every passage's text through the embedder in one call, nothing else. Ingest: the same folder into an empty
knowledge base. Wall and CPU time (all threads, and the child processes that parse) are both shown: on a busy machine
only CPU time means something.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import json
import os
import pstats
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from surefoot.core.passages import index_text
from surefoot.core.ports import Embedder, Vectors
from surefoot.ingest.ingestor import Ingestor
from surefoot.settings import Settings
from surefoot.wiring import Surefoot

RESULTS = Path(__file__).resolve().parent / "results" / "ingest.json"
BY_CORES = RESULTS.with_name("ingest_by_cores.json")


@dataclass(kw_only=True)
class Watched:
    """An embedder that counts what passes through it."""

    inner: Embedder
    texts: int = 0
    wall_s: float = 0.0
    cpu_s: float = 0.0

    @property
    def identity(self) -> str:
        return self.inner.identity

    @property
    def dimension(self) -> int:
        return self.inner.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        wall, cpu = time.perf_counter(), cpu_seconds()
        found = self.inner.embed(texts)
        self.texts += len(texts)
        self.wall_s += time.perf_counter() - wall
        self.cpu_s += cpu_seconds() - cpu
        return found


@dataclass(frozen=True)
class Instant:
    """Vectors for nothing, so that only the rest is left to measure."""

    identity: str = "instant:1"
    dimension: int = 384
    dice: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = self.dice.standard_normal((len(texts), self.dimension), dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--without-model", action="store_true")
    parser.add_argument("--by-cores", action="store_true")
    parser.add_argument("--turns", type=int, default=2, help="with --by-cores: how often each way is run")
    parser.add_argument("--files", type=int, help="only so many files, spread over the folder")
    parser.add_argument("--kb", type=Path, help="keep the knowledge base here; must not exist yet")
    options = parser.parse_args()
    if options.kb and options.kb.exists():
        parser.error(f"{options.kb} exists; a first run needs an empty knowledge base")
    with tempfile.TemporaryDirectory() as scratch:
        kb = options.kb or Path(scratch) / "kb"
        folder = few(options.folder, options.files, Path(scratch)) if options.files else options.folder
        if options.by_cores:
            by_cores(folder, Path(scratch), turns=options.turns)
            return
        if options.without_model:
            asyncio.run(profile(folder, kb))
            return
        result = {**asyncio.run(first(folder, kb)), **again(folder, kb)}
    print(json.dumps(result, indent=2))
    if not options.files:
        RESULTS.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def few(folder: Path, count: int, scratch: Path) -> Path:
    """A copy of every n-th file."""
    chosen = scratch / "few"
    chosen.mkdir()
    files = sorted(path for path in folder.iterdir() if path.is_file())
    for path in files[:: max(1, len(files) // count)][:count]:
        (chosen / path.name).write_bytes(path.read_bytes())
    return chosen


async def first(folder: Path, kb: Path) -> dict[str, float | int]:
    """The folder into an empty knowledge base, then its texts through the model alone."""
    house = Surefoot(Settings(kb=kb))
    house.embedder.embed(["The model is loaded before anything is measured."])
    model = Watched(inner=house.embedder)
    wall, cpu = time.perf_counter(), cpu_seconds()
    report = await watched(house, model).ingest([folder])
    wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    texts = [index_text(passage) async for page in house.store.scan() for passage in page]
    bare = Watched(inner=house.embedder)
    bare.embed(texts)
    await house.close()
    return {
        "files": report.added,
        "chunks": report.chunks,
        "ingest_wall_s": round(wall, 2),
        "ingest_cpu_s": round(cpu, 2),
        "bare_model_wall_s": round(bare.wall_s, 2),
        "bare_model_cpu_s": round(bare.cpu_s, 2),
        "overhead_wall": round(wall / bare.wall_s - 1, 4),
        "overhead_cpu": round(cpu / bare.cpu_s - 1, 4),
        "beside_the_model_wall": round((wall - model.wall_s) / model.wall_s, 4),
        "beside_the_model_cpu": round((cpu - model.cpu_s) / model.cpu_s, 4),
        "texts_embedded": model.texts,
    }


def again(folder: Path, kb: Path) -> dict[str, float | int]:
    """The same command as a process of its own, start-up included."""
    command = [sys.executable, "-m", "surefoot", "ingest", str(folder), "--kb", str(kb), "--json"]
    before, begun = os.times(), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    wall, after = time.perf_counter() - begun, os.times()
    report = json.loads(done.stdout)
    return {
        "second_run_wall_s": round(wall, 2),
        "second_run_cpu_s": round(
            after.children_user + after.children_system - before.children_user - before.children_system, 2
        ),
        "second_run_chunks_embedded": report["chunks"],
        "second_run_unchanged": report["unchanged"],
    }


def by_cores(folder: Path, scratch: Path, *, turns: int) -> None:
    """The command as a user runs it, start-up included, each way in turn so that all see the same machine.

    Processes are started from 256 chunks on: give files enough. What is measured is kept after each turn.
    """
    cores = os.cpu_count() or 1
    counts = sorted({1, *(2**power for power in range(1, 7) if 2**power <= cores), cores})
    ways = [(1, count) for count in counts] + [(count, 1) for count in counts if count > 1]
    spent = {way: [0.0, 0.0] for way in ways}
    files = chunks = 0
    for turn in range(turns):
        for processes, threads in ways:
            kb = scratch / f"kb-{turn}-{processes}-{threads}"
            command = [sys.executable, "-m", "surefoot", "ingest", str(folder), "--kb", str(kb), "--json"]
            settings = {**os.environ, "SUREFOOT_THREADS": str(threads), "SUREFOOT_CACHE": "false"}
            before, begun = os.times(), time.perf_counter()
            done = subprocess.run(
                [*command, "--processes", str(processes)], capture_output=True, text=True, check=True, env=settings
            )
            wall, after = time.perf_counter() - begun, os.times()
            report = json.loads(done.stdout)
            files, chunks = report["added"], report["chunks"]
            spent[processes, threads][0] += wall
            spent[processes, threads][1] += after.children_user + after.children_system
            spent[processes, threads][1] -= before.children_user + before.children_system
        found = {
            "cores": cores,
            "load_average": round(os.getloadavg()[0], 1),
            "files": files,
            "chunks": chunks,
            "turns": turn + 1,
            "ways": [_way(way, *spent[way], pages=(turn + 1) * files) for way in ways],
        }
        BY_CORES.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(json.dumps(found, indent=1), flush=True)


def _way(way: tuple[int, int], wall: float, cpu: float, *, pages: int) -> dict[str, float | int]:
    return {
        "processes": way[0],
        "threads_each": way[1],
        "pages_a_second": round(pages / wall, 3),
        "processor_s_a_page": round(cpu / pages, 3),
        "cores_had": round(cpu / wall, 2),
    }


async def profile(folder: Path, kb: Path) -> None:
    """Everything but the model, by CPU time, in one thread's eyes and in total."""
    house = Surefoot(Settings(kb=kb))
    house.__dict__["embedder"] = Instant()
    profiler = cProfile.Profile(time.thread_time)
    cpu = cpu_seconds()
    profiler.enable()
    report = await house.ingest([folder])
    profiler.disable()
    cpu = cpu_seconds() - cpu
    await house.close()
    print(f"{report.chunks} chunks, {cpu:.2f} s of CPU without the model, {1000 * cpu / report.chunks:.2f} ms a chunk")
    pstats.Stats(profiler).sort_stats("cumulative").print_stats(25)


def watched(house: Surefoot, model: Watched) -> Ingestor:
    ingestor = house.ingestor
    ingestor.embedder = model
    return ingestor


def cpu_seconds() -> float:
    """Of this process with all its threads, and of its children that ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    main()
