"""The store at 10 k, 100 k and 1 M chunks: write rate, query times, memory and disk, printed, plotted and kept as data.

    python benchmarks/scale.py                                  # 10 k and 100 k, the embedded store
    python benchmarks/scale.py --sizes 10000 100000 1000000
    python benchmarks/scale.py --with postgres                  # a Postgres with pgvector beside it
    python benchmarks/scale.py --with lancedb sqlite-vec chroma # the alternatives, each in an environment of its own

Vectors are synthetic: clustered points on the sphere, so that neighbours exist; words follow Zipf's law. Each run is a
process of its own, and so is its memory. Times are of warm queries, one caller, top 10 by vector, by word and fused;
cpu_ms is the processor's time per query over all threads, which a busy machine does not change; server_cpu_ms that of
a server's processes, and write_cpu_s and index_cpu_s are of both together.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "scale.jsonl"
PLOT = HERE / "results" / "scale.svg"
DIMENSION = 384
BATCH = 1000
QUERIES = 200
PEERS = {"lancedb": ["lancedb"], "sqlite-vec": ["sqlite-vec", "apsw"], "chroma": ["chromadb"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--with", dest="peers", nargs="*", default=[], choices=["postgres", *sorted(PEERS)])
    parser.add_argument("--only", action="store_true", help="what --with names, and not the embedded store again")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--plot-only", action="store_true", help="draw the kept results again")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.sizes[0])))
        return
    if not options.plot_only:
        for engine in [*([] if options.only else ["surefoot"]), *options.peers]:
            for size in options.sizes:
                keep(run_apart(engine, size))
    plot()


def run_apart(engine: str, size: int) -> dict[str, Any]:
    """One engine at one size in a process of its own."""
    python = sys.executable if engine in ("surefoot", "postgres") else environment(engine)
    command = [str(python), str(Path(__file__).resolve()), "--one", engine, "--sizes", str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"engine": engine, "chunks": size, "error": done.stderr.strip().splitlines()[-1][:200]}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def environment(peer: str) -> Path:
    """A virtual environment with the peer in it, made once under benchmarks/.peers."""
    folder = HERE / ".peers" / peer
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "numpy", *PEERS[peer]], check=True)
    return python


def measure(engine: str, size: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        run = ENGINES[engine](Path(folder))
        before = memory_mb()
        begun, cpu = time.perf_counter(), cpu_s()
        for batch in batches(size):
            run.write(*batch)
            if (batch[0] + BATCH) % 50_000 == 0:
                say(f"{batch[0] + BATCH} written", begun)
        written, write_cpu = time.perf_counter() - begun, cpu_s() - cpu
        if isinstance(run, PostgresRun):
            run.before_index()
        paused, cpu = time.perf_counter() - begun - written, cpu_s()
        run.finish()
        ready, index_cpu = time.perf_counter() - begun - paused, cpu_s() - cpu
        say("indexed", begun)
        times = {}
        for name, search in run.searches().items():
            times[name] = timed(search)
            say(f"{name} {times[name]}", begun)
        result = {
            "engine": engine,
            "chunks": size,
            "write_per_s": round(size / written),
            "index_s": round(ready - written, 1),
            "write_cpu_s": round(write_cpu, 1),
            "index_cpu_s": round(index_cpu, 1),
            "memory_mb": round(memory_mb() - before),
            "memory_total_mb": round(memory_mb()),
            "disk_mb": round(disk_mb(Path(folder))),
            **{f"{name}_{key}": value for name, row in times.items() for key, value in row.items()},
            "recall@10": run.recall(),
            **(run.more() if isinstance(run, PostgresRun) else {}),
        }
        run.close()
        return result


def say(what: str, begun: float) -> None:
    """How far it is, beside the result: a million takes an hour."""
    print(f"{time.perf_counter() - begun:.0f} s: {what}", file=sys.stderr, flush=True)


def timed(search: Callable[[int], Any]) -> dict[str, float]:
    for number in range(20):
        search(number)
    times = []
    cpu, server = time.process_time(), server_cpu_s()
    for number in range(QUERIES):
        begun = time.perf_counter()
        search(number)
        times.append((time.perf_counter() - begun) * 1000)
    cpu, server = (time.process_time() - cpu) * 1000 / QUERIES, (server_cpu_s() - server) * 1000 / QUERIES
    times.sort()
    return {
        "p50_ms": round(times[len(times) // 2], 2),
        "p95_ms": round(times[int(0.95 * len(times))], 2),
        "cpu_ms": round(cpu, 2),
        **({"server_cpu_ms": round(server, 1)} if server else {}),
    }


# --- the data -------------------------------------------------------------------------------------------------------


def batches(size: int) -> Iterator[tuple[int, Any, list[str]]]:
    """(first number, vectors, texts), made anew each time: a million vectors are not kept in memory."""
    for start in range(0, size, BATCH):
        count = min(BATCH, size - start)
        yield start, vectors(start, count), texts(start, count)


def vectors(start: int, count: int) -> Any:
    import numpy as np

    centres = np.random.default_rng(1).standard_normal((500, DIMENSION), dtype=np.float32)
    dice = np.random.default_rng(10_000 + start)
    rows = centres[dice.integers(0, 500, count)] + 0.9 * dice.standard_normal((count, DIMENSION), dtype=np.float32)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def texts(start: int, count: int, words: int = 60) -> list[str]:
    import numpy as np

    dice = np.random.default_rng(20_000 + start)
    ranks = dice.zipf(1.15, (count, words)) % 50_000
    return [" ".join(f"term{rank}" for rank in row) for row in ranks]


def query_vectors() -> Any:
    return vectors(999_000_000, QUERIES)


def query_texts() -> list[str]:
    return texts(999_000_000, QUERIES, words=8)


def memory_mb() -> float:
    """Resident now, from the kernel; the peak where there is no /proc."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def server_mb() -> float:
    """Of all processes below this one, what they share counted once; a server is our child."""
    lines = [line for one in _below() for line in _told(Path(f"/proc/{one}/smaps_rollup")).splitlines()]
    return sum(int(line.split()[1]) / 1e3 for line in lines if line.startswith("Pss:"))


def cpu_s() -> float:
    return time.process_time() + server_cpu_s()


def server_cpu_s() -> float:
    """Processor time of the processes below this one, and of those that have ended."""
    told = [_told(Path(f"/proc/{one}/stat")).rpartition(")")[2].split() for one in _below()]
    return sum(sum(map(int, row[11:15])) for row in told if row) / os.sysconf("SC_CLK_TCK")


def _below() -> list[int]:
    found = [os.getpid()]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            found += [int(child) for child in _told(task).split()]
    return found[1:]


def _told(file: Path) -> str:
    """What the kernel says; nothing of a process that has ended."""
    try:
        return file.read_text()
    except OSError:
        return ""


def disk_mb(folder: Path) -> float:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file()) / 1e6


class Nearest:
    """The true ten nearest of the query vectors, gathered while writing, to know what an index misses."""

    def __init__(self) -> None:
        self.queries = query_vectors()[:50]
        self.best: Any = None
        self.numbers: Any = None

    def see(self, start: int, rows: Any) -> None:
        import numpy as np

        scores = self.queries @ rows.T
        numbers = np.broadcast_to(np.arange(start, start + len(rows)), scores.shape)
        if self.best is not None:
            scores = np.concatenate([self.best, scores], axis=1)
            numbers = np.concatenate([self.numbers, numbers], axis=1)
        top = np.argsort(-scores, axis=1)[:, :10]
        self.best = np.take_along_axis(scores, top, axis=1)
        self.numbers = np.take_along_axis(numbers, top, axis=1)

    def recall(self, search: Callable[[int], list[int]]) -> float:
        shares = [len(set(search(at)) & set(self.numbers[at].tolist())) / 10 for at in range(len(self.queries))]
        return round(sum(shares) / len(shares), 3)


# --- the engines ----------------------------------------------------------------------------------------------------


class SurefootRun:
    """The embedded store through its own port, as retrieval uses it."""

    def __init__(self, folder: Path) -> None:
        import asyncio

        from surefoot.retrieve.fusion import fuse
        from surefoot.store.edge import EdgeStore

        self.runner = asyncio.Runner()
        self.store = EdgeStore(folder / "store")
        self.fuse = fuse
        self.nearest = Nearest()
        self.vectors, self.texts = query_vectors(), query_texts()

    def write(self, start: int, rows: Any, words: list[str]) -> None:
        from surefoot.core.types import Passage

        self.nearest.see(start, rows)
        passages = [
            Passage(id=str(start + at), text=text, metadata={"file": f"{(start + at) // 20}.md"})
            for at, text in enumerate(words)
        ]
        self.runner.run(self.store.upsert(passages, rows))

    def finish(self) -> None:
        self.runner.run(self.store.optimise())

    def searches(self) -> dict[str, Callable[[int], Any]]:
        return {"dense": self.dense, "lexical": self.lexical, "hybrid": self.hybrid}

    def dense(self, at: int) -> list[int]:
        return [int(h.passage.id) for h in self.runner.run(self.store.dense(self.vectors[at % QUERIES], limit=10))]

    def lexical(self, at: int) -> Any:
        return self.runner.run(self.store.lexical(self.texts[at % QUERIES], limit=10))

    def hybrid(self, at: int) -> Any:
        """As the retriever does it: fifty of each, at the same time, fused."""
        import asyncio

        async def both() -> Any:
            near, named = await asyncio.gather(
                self.store.dense(self.vectors[at % QUERIES], limit=50),
                self.store.lexical(self.texts[at % QUERIES], limit=50),
            )
            return self.fuse(near, named)[:10]

        return self.runner.run(both())

    def recall(self) -> float:
        return self.nearest.recall(self.dense)

    def close(self) -> None:
        self.runner.run(self.store.close())
        self.runner.close()


class PostgresRun(SurefootRun):
    """The same through a Postgres of its own on loopback, with 4 GB of buffers. `memory_mb` is the client's."""

    def __init__(self, folder: Path) -> None:
        sys.path.insert(0, str(HERE.parent / "tests" / "store"))
        from postgres_server import PostgresServer

        from surefoot.store.postgres.database import PostgresDatabase
        from surefoot.store.postgres.passages import PostgresStore

        super().__init__(folder)
        self.server = PostgresServer()
        # by several workers the wheel's server ends with an illegal instruction on some processors
        self.server.start(shared_buffers="4GB", max_wal_size="4GB", max_parallel_maintenance_workers="0")
        self.database = PostgresDatabase(self.server.url)
        self.store = PostgresStore(self.database)
        self.found: dict[str, Any] = {}

    def before_index(self) -> None:
        """A few searches over all passages, as they are while a load goes on."""
        times = []
        for at in range(5):
            begun = time.perf_counter()
            self.dense(at)
            times.append((time.perf_counter() - begun) * 1000)
        self.found["exact_p50_ms"] = round(sorted(times)[2], 1)

    def finish(self) -> None:
        self.found["server_loading_mb"] = round(server_mb())
        building = threading.Event()
        watching = threading.Thread(target=self.watch, args=[building])
        watching.start()
        super().finish()
        building.set()
        watching.join()

    def watch(self, building: threading.Event) -> None:
        """The most memory the server's processes had together, buffers counted once."""
        while not building.wait(5):
            self.found["server_building_mb"] = round(max(self.found.get("server_building_mb", 0), server_mb()))

    def more(self) -> dict[str, Any]:
        self.found["server_mb"] = round(server_mb())
        parts = "passages passages_dense words words_terms terms".split()
        with self.database.transaction() as db:
            size = db.execute("SELECT pg_database_size(current_database())").fetchone()[0]
            for name in parts:
                part = db.execute("SELECT pg_relation_size(to_regclass(?))", [name]).fetchone()[0]
                self.found[f"{name}_mb"] = round((part or 0) / 1e6)
        return {"disk_mb": round(size / 1e6), **self.found}

    def close(self) -> None:
        super().close()
        self.server.remove()


class LanceRun:
    def __init__(self, folder: Path) -> None:
        import lancedb

        self.db = lancedb.connect(folder / "lance")
        self.table: Any = None
        self.nearest = Nearest()
        self.vectors, self.texts = query_vectors(), query_texts()

    def write(self, start: int, rows: Any, words: list[str]) -> None:
        self.nearest.see(start, rows)
        data = [{"id": start + at, "vector": rows[at], "text": text} for at, text in enumerate(words)]
        if self.table is None:
            self.table = self.db.create_table("chunks", data=data)
        else:
            self.table.add(data)

    def finish(self) -> None:
        self.table.optimize()
        if self.table.count_rows() >= 50_000:
            self.table.create_index(metric="cosine", vector_column_name="vector")
        self.table.create_fts_index("text")

    def searches(self) -> dict[str, Callable[[int], Any]]:
        return {"dense": self.dense, "lexical": self.lexical, "hybrid": lambda at: (self.dense(at), self.lexical(at))}

    def dense(self, at: int) -> list[int]:
        query = self.table.search(self.vectors[at % QUERIES], vector_column_name="vector").metric("cosine")
        return [row["id"] for row in query.limit(10).to_list()]

    def lexical(self, at: int) -> Any:
        return self.table.search(self.texts[at % QUERIES], query_type="fts").limit(10).to_list()

    def recall(self) -> float:
        return self.nearest.recall(self.dense)

    def close(self) -> None:
        pass


class SqliteVecRun:
    """Over apsw: many builds of Python's own sqlite3 cannot load extensions."""

    def __init__(self, folder: Path) -> None:
        import apsw
        import sqlite_vec

        self.db = apsw.Connection(str(folder / "vec.sqlite"))
        self.db.enable_load_extension(True)
        self.db.load_extension(sqlite_vec.loadable_path())
        self.db.execute(
            "CREATE VIRTUAL TABLE dense USING "
            f"vec0(id INTEGER PRIMARY KEY, v float[{DIMENSION}] distance_metric=cosine)"
        )
        self.db.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        self.nearest = Nearest()
        self.vectors, self.texts = query_vectors(), query_texts()

    def write(self, start: int, rows: Any, words: list[str]) -> None:
        self.nearest.see(start, rows)
        numbers = range(start, start + len(words))
        with self.db:
            self.db.executemany(
                "INSERT INTO dense VALUES (?, ?)", zip(numbers, (row.tobytes() for row in rows), strict=True)
            )
            self.db.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", zip(numbers, words, strict=True))

    def finish(self) -> None:
        self.db.execute("INSERT INTO words(words) VALUES ('optimize')")

    def searches(self) -> dict[str, Callable[[int], Any]]:
        return {"dense": self.dense, "lexical": self.lexical, "hybrid": lambda at: (self.dense(at), self.lexical(at))}

    def dense(self, at: int) -> list[int]:
        raw = self.vectors[at % QUERIES].tobytes()
        return [row[0] for row in self.db.execute("SELECT id FROM dense WHERE v MATCH ? AND k = 10", (raw,))]

    def lexical(self, at: int) -> Any:
        words = " OR ".join(dict.fromkeys(self.texts[at % QUERIES].split()))
        return self.db.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT 10", (words,)
        ).fetchall()

    def recall(self) -> float:
        return self.nearest.recall(self.dense)

    def close(self) -> None:
        self.db.close()


class ChromaRun:
    """Vectors only: its embedded version has no ranked search by words."""

    def __init__(self, folder: Path) -> None:
        import chromadb

        client = chromadb.PersistentClient(str(folder / "chroma"))
        self.table = client.create_collection("chunks", metadata={"hnsw:space": "cosine"}, embedding_function=None)
        self.nearest = Nearest()
        self.vectors = query_vectors()

    def write(self, start: int, rows: Any, words: list[str]) -> None:
        self.nearest.see(start, rows)
        self.table.add(ids=[str(start + at) for at in range(len(words))], embeddings=rows, documents=words)

    def finish(self) -> None:
        self.dense(0)

    def searches(self) -> dict[str, Callable[[int], Any]]:
        return {"dense": self.dense}

    def dense(self, at: int) -> list[int]:
        found = self.table.query(query_embeddings=[self.vectors[at % QUERIES]], n_results=10)
        return [int(name) for name in found["ids"][0]]

    def recall(self) -> float:
        return self.nearest.recall(self.dense)

    def close(self) -> None:
        pass


ENGINES: dict[str, Callable[[Path], Any]] = {
    "surefoot": SurefootRun,
    "postgres": PostgresRun,
    "lancedb": LanceRun,
    "sqlite-vec": SqliteVecRun,
    "chroma": ChromaRun,
}


# --- the results ----------------------------------------------------------------------------------------------------


def keep(result: dict[str, Any]) -> None:
    """Prints a result and keeps it; a newer one of the same engine and size replaces the older."""
    print(json.dumps(result))
    RESULTS.parent.mkdir(exist_ok=True)
    rows = [row for row in kept() if (row["engine"], row["chunks"]) != (result["engine"], result["chunks"])]
    rows.append(result)
    rows.sort(key=lambda row: (row["engine"], row["chunks"]))
    RESULTS.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def kept() -> list[dict[str, Any]]:
    return [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()] if RESULTS.exists() else []


def plot() -> None:
    try:
        import matplotlib
    except ImportError:
        print("matplotlib is not installed: no plot; the numbers are in", RESULTS.relative_to(HERE.parent))
        return
    matplotlib.use("svg")
    from matplotlib import pyplot

    panels = {
        "hybrid_p95_ms": "hybrid query p95, ms",
        "dense_p95_ms": "dense query p95, ms",
        "write_per_s": "chunks written a second",
        "memory_mb": "memory, MB",
        "disk_mb": "disk, MB",
        "recall@10": "recall@10 of vectors",
    }
    figure, axes = pyplot.subplots(2, 3, figsize=(13, 7))
    for axis, (key, title) in zip(axes.flat, panels.items(), strict=True):
        for engine in sorted({row["engine"] for row in kept()}):
            points = [(row["chunks"], row[key]) for row in kept() if row["engine"] == engine and key in row]
            if points:
                axis.plot(*zip(*points, strict=True), marker="o", label=engine)
        axis.set_xscale("log")
        axis.set_title(title)
        axis.grid(alpha=0.3)
    axes.flat[0].legend()
    figure.tight_layout()
    figure.savefig(PLOT, metadata={"Date": None})
    print("plotted", PLOT.relative_to(HERE.parent))


if __name__ == "__main__":
    main()
