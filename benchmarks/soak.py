"""`make soak`: two hours of mixed requests on loopback; memory must stay flat within a tenth and no answer be a 5xx.

Starts a service of its own over the built-in knowledge base. A few clients ask (known and new questions, streamed and
not), verify right and wrong drafts, add and delete documents, read runs and documents, leave feedback and send
nonsense, each with a pause between two requests. Memory is read every half minute; what the first tenth of the time
adds is warming up. Prints a line every ten minutes and exits 1 where memory grew or a 5xx was seen.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import httpx2

sys.path[:0] = [str(Path(__file__).parent)]
from load import QUESTIONS, _free_port, _library, _memory_mb, _ready, _start, _stop  # noqa: E402 - the same service

from surefoot.server import examples  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "soak.json"
LONGEST_MINUTES = 240.0
EVERY_S = 30.0
GROWTH = 0.10
NONSENSE = (
    ("POST", "/v1/ask", b"{"),
    ("POST", "/v1/verify", b'{"draftAnswer": 7}'),
    ("GET", "/v1/runs/none", b""),
    ("GET", "/nowhere", b""),
)


class Traffic:
    """One client's requests, and what came of them."""

    def __init__(self, base: str, seed: int) -> None:
        self.http = httpx2.AsyncClient(base_url=base, timeout=60.0)
        self.dice = random.Random(seed)
        self.seed, self.number = seed, 0
        self.statuses: dict[str, Counter[int]] = defaultdict(Counter)
        self.times: dict[str, list[float]] = defaultdict(list)

    async def run(self, end: float, pause: float) -> None:
        kinds = (self.known, self.new, self.streamed, self.right, self.wrong, self.document, self.look, self.nonsense)
        async with self.http:
            while time.monotonic() < end:
                await self.dice.choice(kinds)()
                await asyncio.sleep(self.dice.uniform(0.5, 1.5) * pause)

    async def send(self, kind: str, method: str, path: str, **given: Any) -> httpx2.Response | None:
        began = time.monotonic()
        try:
            answer = await self.http.request(method, path, **given)
        except httpx2.HTTPError:
            self.statuses[kind][0] += 1
            return None
        self.statuses[kind][answer.status_code] += 1
        self.times[kind].append(time.monotonic() - began)
        return answer

    async def known(self) -> None:
        await self.send("known question", "POST", "/v1/ask", json={"question": self.dice.choice(QUESTIONS)})

    async def new(self) -> None:
        await self.send("new question", "POST", "/v1/ask", json={"question": self.question()})

    async def streamed(self) -> None:
        body = {"question": self.question(), "stream": True}
        await self.send("streamed question", "POST", "/v1/ask", json=body)

    def question(self) -> str:
        self.number += 1
        return f"{self.dice.choice(QUESTIONS)} I ask for visit {self.seed}-{self.number}."

    async def right(self) -> None:
        await self.send("right draft", "POST", "/v1/verify", json=examples.VERIFY)

    async def wrong(self) -> None:
        self.number += 1
        draft = dict(examples.BAD_VERIFY)
        key = next(name for name in ("answer", "draftAnswer", "draft_answer") if name in draft)
        draft[key] = f"{draft[key]} Shelf {self.seed}-{self.number} is full."
        await self.send("wrong draft", "POST", "/v1/verify", json=draft)

    async def document(self) -> None:
        self.number += 1
        text = f"Room {self.seed}-{self.number} seats {self.number % 90 + 2} people. It opens at 09:00."
        body = {"source": f"room-{self.seed}-{self.number}.txt", "text": text}
        added = await self.send("document added", "POST", "/v1/documents/text", json=body)
        if added is not None and added.status_code == 202:
            await asyncio.sleep(2)
            await self.send("document deleted", "DELETE", f"/v1/documents/{_id_of(added.json())}")

    async def look(self) -> None:
        await self.send("documents", "GET", "/v1/documents")
        await self.send("metrics", "GET", "/metrics")
        runs = await self.send("runs", "GET", "/v1/runs?limit=20")
        if runs is not None and runs.status_code == 200 and runs.json()["runs"]:
            run = self.dice.choice(runs.json()["runs"])
            name = run.get("run_id") or run.get("runId") or run.get("id")
            await self.send("one run", "GET", f"/v1/runs/{name}")
            await self.send("feedback", "POST", f"/v1/runs/{name}/feedback", json={"verdict": "right"})

    async def nonsense(self) -> None:
        method, path, body = self.dice.choice(NONSENSE)
        await self.send("nonsense", method, path, content=body, headers={"Content-Type": "application/json"})


def _id_of(body: dict[str, Any]) -> str:
    document = body.get("document", body)
    return str(document["id"])


async def soaked(folder: Path, minutes: float, clients: int, pause: float) -> dict[str, Any]:
    house = await _library(folder)
    await house.close()
    port = _free_port()
    service = _start(folder, port)
    try:
        await _ready(port)
        began = time.monotonic()
        end = began + minutes * 60
        traffic = [Traffic(f"http://127.0.0.1:{port}", seed) for seed in range(clients)]
        running = asyncio.gather(*(one.run(end, pause) for one in traffic))
        memory: list[tuple[float, float]] = []
        while time.monotonic() < end:
            await asyncio.sleep(min(EVERY_S, max(0.1, end - time.monotonic())))
            memory.append((time.monotonic() - began, _memory_mb(service.pid)))
            if len(memory) % 20 == 0:
                print(f"{memory[-1][0] / 60:.0f} min, {memory[-1][1]:.0f} MB, {_total(traffic)}", flush=True)
        await running
        return report(memory, traffic, minutes)
    finally:
        _stop(service)


def report(memory: list[tuple[float, float]], traffic: list[Traffic], minutes: float) -> dict[str, Any]:
    """Memory of the time after warming up, in its first and its last quarter."""
    warm = [mb for at, mb in memory if at >= minutes * 6] or [mb for _, mb in memory]
    quarter = max(1, len(warm) // 4)
    first, last = statistics.median(warm[:quarter]), statistics.median(warm[-quarter:])
    statuses: dict[str, Counter[int]] = defaultdict(Counter)
    times: dict[str, list[float]] = defaultdict(list)
    for one in traffic:
        for kind, counts in one.statuses.items():
            statuses[kind].update(counts)
            times[kind] += one.times[kind]
    bad = sum(n for counts in statuses.values() for status, n in counts.items() if status >= 500 or status == 0)
    return {
        "minutes": minutes,
        "cores": os.cpu_count(),
        "requests": sum(map(Counter.total, statuses.values())),
        "server_errors": bad,
        "memory_mb": {"first_quarter": first, "last_quarter": last, "highest": max(mb for _, mb in memory)},
        "memory_growth": round((last - first) / first, 4),
        "kinds": {
            kind: {
                "statuses": {str(status): n for status, n in sorted(counts.items())},
                "p50_ms": round(statistics.median(times[kind]) * 1000, 1) if times[kind] else None,
                "longest_ms": round(max(times[kind], default=0.0) * 1000, 1),
            }
            for kind, counts in sorted(statuses.items())
        },
    }


def _total(traffic: list[Traffic]) -> dict[int, int]:
    counts: Counter[int] = Counter()
    for one in traffic:
        for each in one.statuses.values():
            counts.update(each)
    return dict(sorted(counts.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--pause", type=float, default=2.0, help="mean seconds between two requests of a client")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(
            soaked(Path(folder), min(options.minutes, LONGEST_MINUTES), min(options.clients, 64), options.pause)
        )
    options.out.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))
    sys.exit(0 if not found["server_errors"] and found["memory_growth"] <= GROWTH else 1)


if __name__ == "__main__":
    main()
