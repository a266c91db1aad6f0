"""`make replicas`: two services, Postgres and Redis on loopback, 64 clients; a replica killed, then the database.

The answers of one process over an embedded store are the measure. Then two replicas over Postgres and Redis are asked
the same for a minute; one is killed with -9 after a third of it and started again. Then Postgres is killed under load
and started again. Every answer is compared byte for byte, every run id looked up in the run log, and the log's chain is
verified. At the end the throughput of one process is set beside that of two behind one socket. Exit code 1 where a
promise is broken; the figures go to benchmarks/results/replicas.json. About four minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "store"))

from postgres_server import PostgresServer
from redis_server import RedisServer

from surefoot.core.hashing import plain
from surefoot.wiring import build, builtin_documents, copy_knowledge_base

RESULTS = Path(__file__).parent / "results" / "replicas.json"
CLIENTS = 64
QUESTIONS = (
    "What is the late fee for a DVD?",
    "How much does an adult card cost a year?",
    "When does the library open?",
    "How many books may I borrow?",
    "What does a lost card cost?",
)


@dataclass
class Seen:
    """What the clients of one part saw."""

    statuses: Counter[str] = field(default_factory=Counter)
    runs: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    cut: int = 0
    """Connections that ended without an answer."""
    milliseconds: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def row(self) -> dict[str, Any]:
        times = sorted(self.milliseconds) or [0.0]
        return {
            "statuses": dict(sorted(self.statuses.items())),
            "cut": self.cut,
            "wrong": len(self.wrong),
            "answers_a_second": round(self.statuses["200"] / max(self.seconds, 1e-9), 1),
            "p50_ms": round(times[len(times) // 2], 1),
            "p95_ms": round(times[int(len(times) * 0.95)], 1),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="length of the first part")
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--quick", action="store_true", help="without the throughput of one and two processes")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    postgres = PostgresServer()
    with tempfile.TemporaryDirectory() as folder:
        redis = RedisServer(Path(folder))
        try:
            postgres.start()
            redis.start()
            report = asyncio.run(
                measured(Path(folder), postgres, redis, options.seconds, options.clients, not options.quick)
            )
        finally:
            redis.kill()
            postgres.remove()
    print(json.dumps(report, indent=1))
    options.out.write_text(json.dumps(report, indent=1) + "\n")
    sys.exit(0 if not report["broken_promises"] else 1)


async def measured(
    folder: Path, postgres: PostgresServer, redis: RedisServer, seconds: float, clients: int, throughput: bool
) -> dict[str, Any]:
    shared = {"SUREFOOT_STORE_URL": postgres.url, "SUREFOOT_REDIS_URL": redis.url}
    expected = await _single(folder, shared)
    print("filled", flush=True)
    ports = [_free_port(), _free_port()]
    services = [_start(folder, port, shared) for port in ports]
    try:
        for port in ports:
            await _ready(port)
        print("two replicas are ready", flush=True)
        killed = asyncio.create_task(_kill_and_restart(folder, services, ports, shared, after=seconds / 3))
        first = await drive(ports, expected, seconds=seconds, clients=clients)
        back_s = await killed
        print(json.dumps(first.row()), flush=True)
        away = asyncio.create_task(_database_away(postgres, after=3.0, lasting=4.0))
        second = await drive(ports, expected, seconds=20.0, clients=clients)
        await away
        print(json.dumps(second.row()), flush=True)
        after = await drive(ports, expected, seconds=3.0, clients=8)
    finally:
        for service in services:
            _stop(service)
    report: dict[str, Any] = {"cores": os.cpu_count(), "load_average": round(os.getloadavg()[0], 1), "clients": clients}
    report |= {"replica_killed": first.row() | {"replica_back_after_s": round(back_s, 1)}}
    report |= {"database_killed": second.row(), "afterwards": after.row()}
    async with build(kb=folder / "look", store_url=postgres.url) as house:
        chain = house.runlog.check()
        runs = [*first.runs, *second.runs, *after.runs]
        lost = [run for run in runs if house.runlog.read(run) is None]
    report |= {"run_ids_seen": len(runs), "runs_lost": len(lost), "run_log_rows": chain.rows, "chain": chain.intact}
    if throughput:
        report["throughput"] = await _throughput(folder, shared, expected, clients)
    report["broken_promises"] = _broken(first, second, after, lost, chain.intact)
    return report


def _broken(first: Seen, second: Seen, after: Seen, lost: list[str], intact: bool) -> list[str]:
    found = []
    if first.wrong or second.wrong or after.wrong:
        found.append(f"wrong answers: {[*first.wrong, *second.wrong, *after.wrong][:2]}")
    if any(status.startswith("5") for status in first.statuses):
        found.append("5xx while a replica was killed")
    if set(second.statuses) - {"200", "429", "503 store_unavailable"} or not second.statuses["503 store_unavailable"]:
        found.append(f"not 503 store_unavailable while the database was away: {dict(second.statuses)}")
    if set(after.statuses) != {"200"}:
        found.append("no recovery")
    if lost:
        found.append(f"{len(lost)} run records are lost")
    if not intact:
        found.append("the run log's chain does not hold")
    return found


async def _single(folder: Path, shared: dict[str, str]) -> dict[str, str]:
    """What one process over an embedded store answers, to compare with; its passages are then copied to Postgres."""
    async with build(kb=folder / "single", cache=False) as house:
        await house.ingest([builtin_documents("default")])
        results = {question: (await house.ask(question)).result for question in QUESTIONS}
        async with build(kb=folder / "fill", store_url=shared["SUREFOOT_STORE_URL"]) as target:
            await copy_knowledge_base(house, target)
    return {
        question: _essence(
            {
                "decision": result.decision.value,
                "finalAnswer": result.final_answer,
                "metadata": {"certificate": plain(result.metadata.certificate)},
            }
        )
        for question, result in results.items()
    }


async def drive(ports: list[int], expected: dict[str, str], *, seconds: float, clients: int) -> Seen:
    """Each client asks in turn, one replica after the other; one that cuts the connection is passed by for a moment."""
    seen, started = Seen(), time.monotonic()

    async def one(number: int) -> None:
        async with httpx2.AsyncClient(timeout=30) as client:
            turn = number
            while time.monotonic() - started < seconds:
                turn += 1
                question = QUESTIONS[turn % len(QUESTIONS)]
                began = time.perf_counter()
                try:
                    reply = await _ask(client, ports[turn % len(ports)], question)
                except httpx2.TransportError:
                    seen.cut += 1
                    await asyncio.sleep(0.2)
                    continue
                seen.milliseconds.append((time.perf_counter() - began) * 1000)
                _note(seen, reply, question, expected)
                if reply.status_code != 200:
                    await asyncio.sleep(0.2)

    await asyncio.gather(*(one(number) for number in range(clients)))
    seen.seconds = time.monotonic() - started
    return seen


def _note(seen: Seen, reply: Any, question: str, expected: dict[str, str]) -> None:
    body = reply.json()
    if reply.status_code != 200:
        seen.statuses[f"{reply.status_code} {body['error']['code']}" if reply.status_code >= 500 else "429"] += 1
        return
    seen.statuses["200"] += 1
    run = body["metadata"].get("runId") or body["metadata"].get("run_id")
    if run:
        seen.runs.append(run)
    if _essence(body) != expected[question]:
        seen.wrong.append(question)


def _essence(body: dict[str, Any]) -> str:
    """All of an answer that is not a time or a run's name."""
    certificate = body["metadata"].get("certificate")
    return json.dumps([body["decision"], body["finalAnswer"], certificate], sort_keys=True, ensure_ascii=False)


async def _throughput(
    folder: Path, shared: dict[str, str], expected: dict[str, str], clients: int
) -> dict[str, dict[str, Any]]:
    """Answers made anew, no cache: one process beside two behind one socket, each with its share of the cores."""
    found = {}
    cores = os.cpu_count() or 1
    for processes in (1, 2):
        port = _free_port()
        threads = str(max(1, cores // processes))
        own = {**shared, "SUREFOOT_CACHE": "false", "SUREFOOT_THREADS": threads, "SUREFOOT_PROCESSES": str(processes)}
        service = _start(folder, port, own)
        try:
            await _ready(port)
            await drive([port], expected, seconds=4.0, clients=min(clients, 8))  # the second may still be loading
            found[f"workers {processes}"] = (await drive([port], expected, seconds=15.0, clients=min(clients, 8))).row()
        finally:
            _stop(service)
    return found


async def _ask(client: Any, port: int, question: str) -> Any:
    return await client.post(f"http://127.0.0.1:{port}/v1/ask", json={"question": question})


async def _kill_and_restart(
    folder: Path, services: list[subprocess.Popen[bytes]], ports: list[int], shared: dict[str, str], *, after: float
) -> float:
    await asyncio.sleep(after)
    services[0].kill()
    services[0].wait()
    began = time.monotonic()
    services[0] = _start(folder, ports[0], shared)
    await _ready(ports[0])
    return time.monotonic() - began


async def _database_away(postgres: PostgresServer, *, after: float, lasting: float) -> None:
    await asyncio.sleep(after)
    await asyncio.to_thread(postgres.kill)
    await asyncio.sleep(lasting)
    await asyncio.to_thread(postgres.start)


def _start(folder: Path, port: int, settings: dict[str, str], *, kb: str | None = None) -> subprocess.Popen[bytes]:
    limits = {"SUREFOOT_RATE_LIMIT_PER_MINUTE": "0", "SUREFOOT_QUEUE": "256"}
    place = folder / (kb or f"kb-{port}")
    command = [sys.executable, "-m", "surefoot", "serve", "--port", str(port), "--kb", str(place)]
    return subprocess.Popen(command, env={**os.environ, **limits, **settings}, cwd=folder, stderr=subprocess.DEVNULL)


def _stop(service: subprocess.Popen[bytes]) -> None:
    service.terminate()
    try:
        service.wait(timeout=30)
    except subprocess.TimeoutExpired:
        service.kill()
        service.wait()


async def _ready(port: int) -> None:
    async with httpx2.AsyncClient(timeout=5) as client:
        for _ in range(900):
            try:
                if (await client.get(f"http://127.0.0.1:{port}/readyz")).status_code == 200:
                    return
            except httpx2.TransportError:
                pass
            await asyncio.sleep(0.2)
    raise RuntimeError("a service did not become ready")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    main()
