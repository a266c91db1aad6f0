"""`make replicas`: two services, Postgres and Redis on loopback, 64 clients; a replica killed, then the database.

The answers of one process over an embedded store are the measure. Then two replicas over Postgres and Redis are asked
the same for a minute; one is killed with -9 after a third of it and started again. Then Postgres is killed under load
and started again. Every answer is compared byte for byte, every run id looked up in the run log, and the log's chain is
verified. At the end the throughput of one process is set beside that of two behind one socket, in turns, with the
processor's time per answer, which a busy machine hardly changes. Nothing here passes by standing still: a part in which
a replica gave no answer is a broken promise too. Deadlines are long, so that a busy machine makes an answer late and
not another one. Exit code 1 where a promise is broken; the figures go to benchmarks/results/replicas.json. About five
minutes, fifteen at most.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
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
MOST_SECONDS = 900.0
STALLED_SECONDS = 90.0
"""No request may take longer: ten seconds in line and the deadline of an answer are less."""
LONGEST_PAUSE_S = 2.0
"""A client that is told to wait does, but not for longer than this."""
LIMITS = {
    "SUREFOOT_RATE_LIMIT_PER_MINUTE": "0",
    "SUREFOOT_QUEUE": "256",
    "SUREFOOT_DEADLINE_MS": "20000",
    "SUREFOOT_ASK_BUDGET_MS": "80000",
}
"""The first deadline is part of a certificate, and must not be cut short by the second."""
KNOWN = (
    "What is the late fee for a DVD?",
    "How much does an adult card cost a year?",
    "When does the library open?",
    "How many books may I borrow?",
    "What does a lost card cost?",
)
"""Asked of the replicas before the minute begins, so that they come from the cache in it."""
FRESH = (
    "How much does a senior card cost?",
    "What does a colour A4 page cost?",
    "How long does a computer session last?",
    "How many free pages do members receive a month?",
    "What is the deposit for the River hall?",
    "How many seats does the study hall have?",
    "How long may a seat be left?",
    "What does a torn page cost?",
    "When is story time?",
    "How much does the coding club cost?",
    "What is the first prize of the teen writing prize?",
    "How much is an interlibrary loan for students?",
    "How many reservations may be open on one card?",
    "How long does an item wait at the desk?",
    "How many lockers are there?",
    "What does a projector cost?",
    "How far ahead can rooms be booked?",
    "How much does parking cost?",
    "How many members did the library have on 31 December 2024?",
    "How many stops does the mobile library visit?",
    "How many people does a course need?",
    "What does the talk cost?",
    "When is the library closed for stock-taking?",
    "How long is the loan period for tool kits?",
)
"""Made anew in the minute, by whichever replica is asked first."""
NEVER = ("Who painted the ceiling of the River hall?",)
"""Refused: a refusal is not kept, so each one is made anew."""
QUESTIONS = KNOWN + FRESH + NEVER


@dataclass
class Seen:
    """What the clients of one part saw."""

    began: float = field(default_factory=time.monotonic)
    statuses: Counter[str] = field(default_factory=Counter)
    answers: list[tuple[float, int]] = field(default_factory=list)
    """When each came, and from which port."""
    runs: list[str] = field(default_factory=list)
    unrecorded: int = 0
    """Answers without a run id: nothing was written down."""
    wrong: list[str] = field(default_factory=list)
    cut: list[tuple[float, int]] = field(default_factory=list)
    """Connections that ended without an answer, and the port they led to."""
    stalled: int = 0
    milliseconds: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def answered_by(self, port: int, *, since: float = 0.0, until: float = float("inf")) -> int:
        return sum(1 for at, by in self.answers if by == port and since <= at < until)

    def row(self) -> dict[str, Any]:
        times = sorted(self.milliseconds) or [0.0]
        tens = Counter(int(at - self.began) // 10 * 10 for at, _ in self.answers)
        return {
            "seconds": round(self.seconds, 1),
            "statuses": dict(sorted(self.statuses.items())),
            "cut": len(self.cut),
            "stalled": self.stalled,
            "wrong": len(self.wrong),
            "unrecorded": self.unrecorded,
            "answers_a_second": round(self.statuses["200"] / max(self.seconds, 1e-9), 1),
            "answers_by_ten_seconds": {str(ten): tens[ten] for ten in range(0, max(tens, default=0) + 1, 10)},
            "p50_ms": round(times[len(times) // 2], 1),
            "p95_ms": round(times[int(len(times) * 0.95)], 1),
        }


@dataclass(frozen=True, kw_only=True)
class Away:
    """When a replica was not there to answer."""

    port: int
    killed: float
    ready: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="length of the first part")
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--quick", action="store_true", help="without the throughput of one and two processes")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    os.environ |= LIMITS
    postgres = PostgresServer()
    with tempfile.TemporaryDirectory() as folder:
        redis = RedisServer(Path(folder))
        try:
            postgres.start()
            redis.start()
            report = asyncio.run(_bounded(Path(folder), postgres, redis, options))
        finally:
            redis.kill()
            postgres.remove()
    print(json.dumps(report, indent=1))
    options.out.write_text(json.dumps(report, indent=1) + "\n")
    sys.exit(0 if not report["broken_promises"] else 1)


async def _bounded(
    folder: Path, postgres: PostgresServer, redis: RedisServer, options: argparse.Namespace
) -> dict[str, Any]:
    shared = {"SUREFOOT_STORE_URL": postgres.url, "SUREFOOT_REDIS_URL": redis.url}
    async with asyncio.timeout(MOST_SECONDS):
        expected = await _single(folder, shared)
        print("one process has answered, its passages are copied", flush=True)
        report = await measured(folder, postgres, shared, expected, options.seconds, options.clients)
        if not options.quick:
            report["throughput"] = await _throughput(folder, shared, expected)
        return report


async def measured(
    folder: Path,
    postgres: PostgresServer,
    shared: dict[str, str],
    expected: dict[str, str],
    seconds: float,
    clients: int,
) -> dict[str, Any]:
    ports = [_free_port(), _free_port()]
    services = [_start(folder, port, shared) for port in ports]
    try:
        for service, port in zip(services, ports, strict=True):
            await _ready(service, folder, port)
            warm = await drive([port], expected, KNOWN, clients=1, done=_after(len(KNOWN)))
            print("a replica is ready:", json.dumps(warm.row()), flush=True)
        killing = asyncio.create_task(_kill_and_restart(folder, services, ports, shared, after=seconds / 3))
        first = await drive(ports, expected, QUESTIONS, clients=clients, done=_when(seconds, killing))
        away = await killing
        print("a replica was killed:", json.dumps(first.row()), flush=True)
        restarting = asyncio.create_task(_database_away(postgres, after=3.0, lasting=4.0))
        second = await drive(ports, expected, QUESTIONS, clients=clients, done=_when(20.0, restarting))
        await restarting
        print("the database was killed:", json.dumps(second.row()), flush=True)
        for service, port in zip(services, ports, strict=True):
            await _ready(service, folder, port)
        after = await drive(ports, expected, KNOWN, clients=8, done=_when(5.0))
    finally:
        for service in services:
            _stop(service)
    runs = [run for seen in (warm, first, second, after) for run in seen.runs]
    async with build(kb=folder / "look", store_url=postgres.url) as house:
        chain = house.runlog.check()
        lost = [run for run in dict.fromkeys(runs) if house.runlog.read(run) is None]
    return {
        "cores": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 1),
        "clients": clients,
        "questions": len(QUESTIONS),
        "replica_killed": first.row()
        | {
            "replica_back_after_s": round(away.ready - away.killed, 1),
            "answers_by_replica": [first.answered_by(port) for port in ports],
            "answers_of_the_killed_one_after_its_return": first.answered_by(away.port, since=away.ready),
        },
        "database_killed": second.row(),
        "afterwards": after.row(),
        "answers": len(runs),
        "run_ids": len(set(runs)),
        "runs_lost": len(lost),
        "run_log_rows": chain.rows,
        "chain": chain.intact,
        "broken_promises": _broken(first, second, after, away, ports, lost, chain.intact),
    }


def _broken(
    first: Seen, second: Seen, after: Seen, away: Away, ports: Sequence[int], lost: list[str], intact: bool
) -> list[str]:
    parts = (first, second, after)
    other = next(port for port in ports if port != away.port)
    outside = [cut for cut in first.cut if cut[1] != away.port or not away.killed <= cut[0] <= away.ready + 1]
    checks = {
        "wrong answers": [question for part in parts for question in part.wrong][:3],
        "5xx while a replica was killed": [code for code in first.statuses if code.startswith("5")],
        "connections cut beside those of the killed replica": [
            *outside[:3],
            *(cut for part in (second, after) for cut in part.cut[:3]),
        ],
        "requests that stalled": [part.stalled for part in parts if part.stalled],
        "answers without a run record": [part.unrecorded for part in (first, after) if part.unrecorded],
        "run records lost": lost[:3],
        "other than 200, 429 or 503 store_unavailable while the database was away": sorted(
            set(second.statuses) - {"200", "429", "503 store_unavailable"}
        ),
        "no 503 while the database was away": [] if second.statuses["503 store_unavailable"] else [True],
        "no recovery": sorted(set(after.statuses) - {"200"}) or ([] if after.answers else [True]),
        "the killed replica gave no answer": []
        if first.answered_by(away.port, until=away.killed) and first.answered_by(away.port, since=away.ready)
        else [True],
        "the other replica did not answer meanwhile": []
        if first.answered_by(other, since=away.killed, until=away.ready)
        else [True],
        "the run log's chain does not hold": [] if intact else [True],
    }
    return [f"{promise}: {found}" for promise, found in checks.items() if found]


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


Done = Callable[[Seen], bool]


def _after(answers: int) -> Done:
    return lambda seen: len(seen.answers) >= answers


def _when(seconds: float, event: asyncio.Task[Any] | None = None, *, more: float = 10.0) -> Done:
    """After so long; not before the event has been over for a while, as far as the time allows."""
    over: list[float] = []

    def done(seen: Seen) -> bool:
        now = time.monotonic()
        if event is not None and event.done() and not over:
            over.append(now)
        if now - seen.began > seconds + 180:
            return True
        return now - seen.began >= seconds and (event is None or (bool(over) and now - over[0] >= more))

    return done


async def drive(
    ports: Sequence[int], expected: dict[str, str], questions: Sequence[str], *, clients: int, done: Done
) -> Seen:
    """Each client asks in turn, one replica after the other; one that cuts the connection is passed by for a moment.

    Each asks the questions in an order of its own, always the same one.
    """
    connections = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx2.AsyncClient(timeout=STALLED_SECONDS, limits=connections) as client:
        seen = Seen()

        async def one(number: int) -> None:
            order = random.Random(number).sample(list(questions), len(questions)) if clients > 1 else list(questions)
            turn = number
            while not done(seen):
                turn += 1
                question, port = order[turn % len(order)], ports[turn % len(ports)]
                await asyncio.sleep(await _turn(seen, client, port, question, expected))

        await asyncio.gather(*(one(number) for number in range(clients)))
        seen.seconds = time.monotonic() - seen.began
        return seen


async def _turn(seen: Seen, client: Any, port: int, question: str, expected: dict[str, str]) -> float:
    """Asks once; returns how long the client rests before it asks again."""
    began = time.perf_counter()
    try:
        reply = await client.post(f"http://127.0.0.1:{port}/v1/ask", json={"question": question})
    except httpx2.TimeoutException:
        seen.stalled += 1
        return 0.2
    except httpx2.TransportError:
        seen.cut.append((time.monotonic(), port))
        return 0.2
    seen.milliseconds.append((time.perf_counter() - began) * 1000)
    _note(seen, reply, port, question, expected)
    if reply.status_code == 200:
        return 0.0
    return min(LONGEST_PAUSE_S, float(reply.headers.get("retry-after", "0.2")))


def _note(seen: Seen, reply: Any, port: int, question: str, expected: dict[str, str]) -> None:
    body = reply.json()
    if reply.status_code != 200:
        code = reply.status_code
        seen.statuses[f"{code} {body['error']['code']}" if code >= 500 else str(code)] += 1
        return
    seen.statuses["200"] += 1
    seen.answers.append((time.monotonic(), port))
    run = body["metadata"].get("runId")
    if run:
        seen.runs.append(run)
    else:
        seen.unrecorded += 1
    if _essence(body) != expected[question]:
        seen.wrong.append(f"{question} {body['decision']} {body['metadata'].get('fallbackReason')}")


def _essence(body: dict[str, Any]) -> str:
    """All of an answer that is not a time or a run's name."""
    certificate = body["metadata"].get("certificate")
    return json.dumps([body["decision"], body["finalAnswer"], certificate], sort_keys=True, ensure_ascii=False)


async def _throughput(
    folder: Path, shared: dict[str, str], expected: dict[str, str], *, turns: int = 2, seconds: float = 20.0
) -> dict[str, dict[str, Any]]:
    """Answers made anew, no cache: one process beside two behind one socket, each with its share of the cores."""
    cores = os.cpu_count() or 1
    services: dict[int, tuple[subprocess.Popen[bytes], int]] = {}
    totals = {processes: (Seen(), [0.0, 0.0]) for processes in (1, 2)}
    try:
        for processes in totals:
            port, threads = _free_port(), str(max(1, cores // processes))
            own = {"SUREFOOT_CACHE": "false", "SUREFOOT_THREADS": threads, "SUREFOOT_PROCESSES": str(processes)}
            service = _start(folder, port, {**shared, **own})
            services[processes] = service, port
            await _ready(service, folder, port)
            await drive([port], expected, KNOWN, clients=8, done=_when(15.0))  # the second may still be loading
        for _ in range(turns):
            for processes, (service, port) in services.items():
                total, spent = totals[processes]
                before = _processor_s(service.pid)
                part = await drive([port], expected, KNOWN + FRESH, clients=8, done=_when(seconds))
                spent[0] += _processor_s(service.pid) - before
                spent[1] += part.seconds
                total.statuses += part.statuses
                total.wrong += part.wrong
                total.milliseconds += part.milliseconds
    finally:
        for service, _ in services.values():
            _stop(service)
    return {f"workers {processes}": _speed(*total) for processes, total in totals.items()}


def _speed(seen: Seen, spent: list[float]) -> dict[str, Any]:
    times, answers = sorted(seen.milliseconds) or [0.0], seen.statuses["200"]
    return {
        "statuses": dict(sorted(seen.statuses.items())),
        "wrong": len(seen.wrong),
        "answers_a_second": round(answers / spent[1], 2),
        "processor_s_an_answer": round(spent[0] / max(answers, 1), 3),
        "cores_had": round(spent[0] / spent[1], 2),
        "p50_ms": round(times[len(times) // 2], 1),
        "p95_ms": round(times[int(len(times) * 0.95)], 1),
    }


def _processor_s(pid: int) -> float:
    """Processor time of a process and its children, from the kernel."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0.0
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(_processor_s(int(child)) for child in children)


async def _kill_and_restart(
    folder: Path, services: list[subprocess.Popen[bytes]], ports: list[int], shared: dict[str, str], *, after: float
) -> Away:
    await asyncio.sleep(after)
    killed = time.monotonic()
    services[0].kill()
    services[0].wait()
    services[0] = _start(folder, ports[0], shared)
    await _ready(services[0], folder, ports[0])
    return Away(port=ports[0], killed=killed, ready=time.monotonic())


async def _database_away(postgres: PostgresServer, *, after: float, lasting: float) -> None:
    await asyncio.sleep(after)
    await asyncio.to_thread(postgres.kill)
    await asyncio.sleep(lasting)
    await asyncio.to_thread(postgres.start)


def _start(folder: Path, port: int, settings: dict[str, str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "surefoot", "serve", "--port", str(port), "--kb", str(folder / f"kb-{port}")]
    with _log(folder, port).open("ab") as log:
        return subprocess.Popen(command, env={**os.environ, **settings}, cwd=folder, stderr=log)


def _log(folder: Path, port: int) -> Path:
    return folder / f"service-{port}.log"


def _stop(service: subprocess.Popen[bytes]) -> None:
    service.terminate()
    try:
        service.wait(timeout=60)
    except subprocess.TimeoutExpired:
        service.kill()
        service.wait()


async def _ready(service: subprocess.Popen[bytes], folder: Path, port: int) -> None:
    async with httpx2.AsyncClient(timeout=10) as client:
        ends = time.monotonic() + 240
        while time.monotonic() < ends and service.poll() is None:
            try:
                if (await client.get(f"http://127.0.0.1:{port}/readyz")).status_code == 200:
                    return
            except httpx2.TransportError:
                pass
            await asyncio.sleep(0.2)
    said = _log(folder, port).read_text(errors="replace")[-2000:]
    raise RuntimeError(f"a service did not become ready (exit code {service.poll()}): {said}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    main()
