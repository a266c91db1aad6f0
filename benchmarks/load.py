"""`make load`: the service under load on loopback: cached asks, verify, extractive asks at 1, 8 and 64 connections.

Starts a service of its own over the built-in knowledge base, drives it with keep-alive connections from this process,
prints p50/p95/p99 and every status seen, then floods it past its queue, and at the end looks at its memory. What HTTP
adds to a verification is measured in turns with the library call, by the clock and by the processor's time, so that
both see the same machine. About two minutes, six at most; the results go to benchmarks/results/load.json.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surefoot.core.wire import parse_verify_input
from surefoot.server import examples
from surefoot.wiring import Surefoot, build, builtin_documents

RESULTS = Path(__file__).parent / "results" / "load.json"
MOST_SECONDS = 350.0
STALLED_SECONDS = 30.0
"""An answer that takes longer is a stall, counted as status 0."""
TURNS, CALLS = 12, 40
QUESTIONS = (
    "What is the late fee for a DVD?",
    "How much does an adult card cost a year?",
    "When does the library open?",
)
Body = Callable[[int], bytes]
_NUMBERS = itertools.count()


@dataclass
class Outcome:
    name: str
    connections: int
    seconds: float = 0.0
    latencies_ms: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    def row(self) -> dict[str, Any]:
        times = sorted(self.latencies_ms) or [0.0]
        quantile = {q: round(times[min(len(times) - 1, int(len(times) * q / 100))], 2) for q in (50, 95, 99)}
        return {
            "scenario": self.name,
            "connections": self.connections,
            "requests": sum(self.statuses.values()),
            "per_second": round(sum(self.statuses.values()) / max(self.seconds, 1e-9), 1),
            **{f"p{q}_ms": value for q, value in quantile.items()},
            "max_ms": round(times[-1], 2),
            "statuses": {str(status): count for status, count in sorted(self.statuses.items())},
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0, help="length of each measurement")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the results are kept")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = asyncio.run(_bounded(Path(folder), min(options.seconds, 20.0)))
    print(json.dumps({key: value for key, value in report.items() if key != "rows"}, indent=1))
    options.out.write_text(json.dumps(report, indent=1) + "\n")


async def _bounded(folder: Path, seconds: float) -> dict[str, Any]:
    async with asyncio.timeout(MOST_SECONDS):
        return await measured(folder, seconds)


async def measured(folder: Path, seconds: float) -> dict[str, Any]:
    load_before = os.getloadavg()[0]
    house = await _library(folder)
    port = _free_port()
    service = _start(folder, port)
    try:
        await _ready(port)
        added = {name: await adds(house, port, service.pid, body) for name, body in DRAFTS.items()}
        for name, row in added.items():
            print(f"verify, {name}: {json.dumps(row)}", flush=True)
        rows = []
        for name, path, body in scenarios():
            for _ in QUESTIONS:  # each once, so that nothing is measured cold
                await drive(name, port, path, body, connections=1, seconds=0.001)
            for connections in (1, 8, 64):
                rows.append((await drive(name, port, path, body, connections=connections, seconds=seconds)).row())
                print(_line(rows[-1]), flush=True)
        before = _memory_mb(service.pid)
        rows.append((await drive("overload", port, *scenarios()[2][1:], connections=256, seconds=seconds)).row())
        print(_line(rows[-1]), flush=True)
        await asyncio.sleep(3)
        after = _memory_mb(service.pid)
        return {
            "cores": os.cpu_count(),
            "load_average_before": round(load_before, 1),
            "verify_over_http": added,
            "memory_before_overload_mb": before,
            "memory_after_overload_mb": after,
            "memory_growth": f"{(after - before) / before:+.1%}",
            "errors": sum(n for row in rows for status, n in row["statuses"].items() if status not in ("200", "429")),
            "rows": rows,
        }
    finally:
        await house.close()
        _stop(service)


DRAFTS = {"proven draft": examples.VERIFY, "wrong draft": examples.BAD_VERIFY}


async def adds(house: Surefoot, port: int, pid: int, body: dict[str, Any]) -> dict[str, float]:
    """What HTTP adds to one verification: library and service in turns, medians over the turns."""
    request, data = parse_verify_input(body), json.dumps(body).encode()
    outcome = Outcome(name="turns", connections=1)
    library: list[float] = []
    library_cpu, http_cpu = [], []
    for turn in range(TURNS + 1):
        began_cpu = time.process_time()
        for _ in range(CALLS):
            began = time.perf_counter()
            await house.verify(request)
            library.append((time.perf_counter() - began) * 1000)
        library_cpu.append((time.process_time() - began_cpu) / CALLS * 1000)
        began_cpu = _cpu_seconds(pid)
        calls = iter(range(CALLS))
        await _connection(port, "/v1/verify", lambda _: data, calls, float("inf"), outcome)
        http_cpu.append((_cpu_seconds(pid) - began_cpu) / CALLS * 1000)
        if turn == 0:  # the first turn warms both
            for list_ in (library, library_cpu, http_cpu, outcome.latencies_ms):
                list_.clear()
    library_ms, http_ms = statistics.median(library), statistics.median(outcome.latencies_ms)
    cpu = [theirs - ours for ours, theirs in zip(library_cpu, http_cpu, strict=True)]
    return {
        "library_p50_ms": round(library_ms, 2),
        "http_p50_ms": round(http_ms, 2),
        "http_adds_ms": round(http_ms - library_ms, 2),
        "http_adds_cpu_ms": round(statistics.median(cpu), 2),
    }


def scenarios() -> list[tuple[str, str, Body]]:
    verify = json.dumps(examples.BAD_VERIFY).encode()

    def cached(number: int) -> bytes:
        return json.dumps({"question": QUESTIONS[number % len(QUESTIONS)]}).encode()

    def fresh(number: int) -> bytes:
        return json.dumps({"question": f"{QUESTIONS[number % len(QUESTIONS)]} I ask for visit {number}."}).encode()

    return [
        ("cached ask", "/v1/ask", cached),
        ("verify", "/v1/verify", lambda _: verify),
        ("extractive ask", "/v1/ask", fresh),
    ]


async def drive(name: str, port: int, path: str, body: Body, *, connections: int, seconds: float) -> Outcome:
    """Each connection sends its next request when the answer to the last is in; 429s wait 50 ms."""
    outcome = Outcome(name=name, connections=connections)
    numbers: Iterator[int] = _NUMBERS
    began = time.perf_counter()
    end = began + seconds
    await asyncio.gather(*(_connection(port, path, body, numbers, end, outcome) for _ in range(connections)))
    outcome.seconds = time.perf_counter() - began
    return outcome


async def _connection(port: int, path: str, body: Body, numbers: Iterator[int], end: float, outcome: Outcome) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for number in numbers:
        if time.perf_counter() >= end:
            break
        data = body(number)
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(data)}"
        )
        began = time.perf_counter()
        writer.write(f"{head}\r\n\r\n".encode() + data)
        try:
            async with asyncio.timeout(STALLED_SECONDS):
                status = await _answer(reader)
        except (OSError, asyncio.IncompleteReadError):  # a TimeoutError is an OSError
            outcome.statuses[0] += 1
            break
        outcome.statuses[status] += 1
        if status == 200:
            outcome.latencies_ms.append((time.perf_counter() - began) * 1000)
        else:
            await asyncio.sleep(0.05)
    writer.close()


async def _answer(reader: asyncio.StreamReader) -> int:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = next(int(line.split(":")[1]) for line in head.split("\r\n") if line.startswith("content-length:"))
    await reader.readexactly(length)
    return int(head.split(" ", 2)[1])


async def _library(folder: Path) -> Surefoot:
    """Fills the service's knowledge base; gives back a house of our own, for the library calls."""
    house = build(kb=folder / "kb")
    await house.ingest([builtin_documents("default")])
    await house.close()
    return build(kb=folder / "library")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _start(folder: Path, port: int) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "SUREFOOT_RATE_LIMIT_PER_MINUTE": "0"}
    command = [sys.executable, "-m", "surefoot", "serve", "--port", str(port), "--kb", str(folder / "kb")]
    return subprocess.Popen(command, env=environment, cwd=folder, stderr=subprocess.DEVNULL)


def _stop(service: subprocess.Popen[bytes]) -> None:
    service.terminate()
    try:
        service.wait(timeout=30)
    except subprocess.TimeoutExpired:
        service.kill()
        service.wait()


async def _ready(port: int) -> None:
    for _ in range(600):
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            first = await reader.readline()
            writer.close()
            if b" 200 " in first:
                return
        except OSError:
            pass
        await asyncio.sleep(0.1)
    raise SystemExit("the service did not become ready within a minute")


def _cpu_seconds(pid: int) -> float:
    """User and system time of a process, its ended threads included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return round(int(line.split()[1]) / 1024, 1)
    return 0.0


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['scenario']:<15} {row['connections']:>4} conn  {row['per_second']:>7}/s  p50 {row['p50_ms']:>8} ms  "
        f"p95 {row['p95_ms']:>8} ms  p99 {row['p99_ms']:>8} ms  max {row['max_ms']:>8} ms  {row['statuses']}"
    )


if __name__ == "__main__":
    main()
