"""`make load`: the service under load on loopback: cached asks, verify, extractive asks at 1, 8 and 64 connections.

Starts a service of its own over the built-in knowledge base, drives it with keep-alive connections from this process,
prints p50/p95/p99 and every status seen, then floods it past its queue, and at the end looks at its memory.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import signal
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
from surefoot.wiring import build, builtin_documents

PORT = 18990
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
    parser.add_argument("--out", type=Path, default=None, help="write the rows as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = asyncio.run(measured(Path(folder), options.seconds))
    print(json.dumps({key: value for key, value in report.items() if key != "rows"}, indent=1))
    if options.out is not None:
        options.out.write_text(json.dumps(report, indent=1) + "\n")


async def measured(folder: Path, seconds: float) -> dict[str, Any]:
    library_ms = await _prepare(folder)
    service = _start(folder)
    try:
        await _ready()
        rows = []
        for name, path, body in scenarios():
            for _ in QUESTIONS:  # each once, so that nothing is measured cold
                await drive(name, path, body, connections=1, seconds=0.001)
            for connections in (1, 8, 64):
                rows.append((await drive(name, path, body, connections=connections, seconds=seconds)).row())
                print(_line(rows[-1]), flush=True)
        before = _memory_mb(service.pid)
        flood = [await drive("overload", p, b, connections=256, seconds=seconds) for _, p, b in scenarios()[2:3]]
        rows += [outcome.row() for outcome in flood]
        print(_line(rows[-1]), flush=True)
        await asyncio.sleep(3)
        after = _memory_mb(service.pid)
        one = next(row for row in rows if row["scenario"] == "verify" and row["connections"] == 1)
        return {
            "cores": os.cpu_count(),
            "load_average_of_the_machine": round(os.getloadavg()[1], 1),
            "verify_library_p50_ms": library_ms,
            "verify_http_p50_ms": one["p50_ms"],
            "http_adds_ms": round(one["p50_ms"] - library_ms, 2),
            "memory_before_overload_mb": before,
            "memory_after_overload_mb": after,
            "memory_growth": f"{(after - before) / before:+.1%}",
            "errors": sum(n for row in rows for status, n in row["statuses"].items() if status not in ("200", "429")),
            "rows": rows,
        }
    finally:
        service.send_signal(signal.SIGTERM)
        service.wait(timeout=60)


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


async def drive(name: str, path: str, body: Body, *, connections: int, seconds: float) -> Outcome:
    """Each connection sends its next request when the answer to the last is in; 429s wait 50 ms."""
    outcome = Outcome(name=name, connections=connections)
    numbers: Iterator[int] = _NUMBERS
    began = time.perf_counter()
    end = began + seconds
    await asyncio.gather(*(_connection(path, body, numbers, end, outcome) for _ in range(connections)))
    outcome.seconds = time.perf_counter() - began
    return outcome


async def _connection(path: str, body: Body, numbers: Iterator[int], end: float, outcome: Outcome) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    while time.perf_counter() < end:
        data = body(next(numbers))
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(data)}"
        )
        began = time.perf_counter()
        writer.write(f"{head}\r\n\r\n".encode() + data)
        try:
            status = await _answer(reader)
        except (OSError, asyncio.IncompleteReadError):
            outcome.statuses[0] += 1
            return
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


async def _prepare(folder: Path) -> float:
    """Fills the knowledge base, and times the same verification as a library call."""
    house = build(kb=folder / "kb")
    await house.ingest([builtin_documents("default")])
    request = parse_verify_input(examples.BAD_VERIFY)
    times = []
    for _ in range(300):
        began = time.perf_counter()
        await house.verify(request)
        times.append((time.perf_counter() - began) * 1000)
    await house.close()
    return round(sorted(times)[150], 2)


def _start(folder: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "SUREFOOT_RATE_LIMIT_PER_MINUTE": "0", "SUREFOOT_LOG_LEVEL": "warning"}
    command = [sys.executable, "-m", "surefoot", "serve", "--port", str(PORT), "--kb", str(folder / "kb")]
    return subprocess.Popen(command, env=environment, cwd=folder)


async def _ready() -> None:
    for _ in range(600):
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
            writer.write(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            if b" 200 " in await reader.readline():
                return
        except OSError:
            pass
        await asyncio.sleep(0.1)
    raise SystemExit("the service did not become ready within a minute")


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
