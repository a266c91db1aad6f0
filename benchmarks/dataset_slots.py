"""How busy a dataset build keeps a provider, and what 429s cost it.

    python benchmarks/dataset_slots.py

A local server in a process of its own with 16 slots of 50 ms. First: share of the slots busy after the warm-up. Then
with 429s at random, and with 429s whenever it is full: answers a second under the adaptive limit and fixed ones, in
turns of a second or two against one server, so that all of them see the same machine. The processor's time a call is
measured for both sides; the results go to benchmarks/results/dataset_slots.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from surefoot.core.types import ModelRequest
from surefoot.dataset.limiter import Limited, Limiter
from surefoot.llm.openai_compatible import OpenAICompatibleModel

SLOTS, WORKERS = 16, 96
RESULTS = Path(__file__).parent / "results" / "dataset_slots.json"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=8, help="length of the first measurement")
    parser.add_argument("--warm-up", type=float, default=4)
    parser.add_argument("--fixed", type=int, nargs="*", default=[12, 16, 20, 24, 32])
    parser.add_argument("--turns", type=int, default=5, help="turns of each limit")
    parser.add_argument("--turn", type=float, default=1.5, help="seconds a turn")
    parser.add_argument("--latency-ms", type=float, default=50, help="raise it on a busy machine")
    args = parser.parse_args()
    report: dict[str, Any] = {"latency_ms": args.latency_ms, "load_average": round(os.getloadavg()[0], 1)}
    with server(args) as (url, pid):
        report["queueing"] = found = asyncio.run(busy(url, pid, args))
    print(f"queueing server, adaptive: {found}", flush=True)
    good = found["busy"] >= 0.95
    for name, flags in (("random 429s, 10 %", ["--random-429", "0.1"]), ("429s when full", ["--refuse-over-slots"])):
        with server(args, *flags) as (url, _):
            report[name] = found = asyncio.run(turns(url, args))
        print(f"{name}: {found}", flush=True)
        good = good and found["failures"] == 0 and found["below_the_best"] <= 0.15
    RESULTS.write_text(json.dumps(report, indent=1) + "\n")
    return 0 if good else 1


class Driver:
    """Sessions that call without end under one limit, while they are let."""

    def __init__(self, url: str, fixed: int | None) -> None:
        self._model = OpenAICompatibleModel(identity="local:m", name="m", base_url=url, api_key="none")
        self._limited = Limited(self._model, Limiter(most=fixed or 64, fixed=fixed is not None))
        self._going = asyncio.Event()
        self._ended = False
        self.failures = self._under_way = 0
        self._workers = [asyncio.create_task(self._work(number)) for number in range(WORKERS)]

    async def _work(self, number: int) -> None:
        turn = 0
        while True:
            await self._going.wait()
            if self._ended:
                return
            turn += 1
            self._under_way += 1
            try:
                await self._limited.complete(ModelRequest(system="s", prompt=f"q {number} {turn}", max_tokens=10))
            except Exception:
                self.failures += 1
            finally:
                self._under_way -= 1

    def go(self) -> None:
        self._going.set()

    async def pause(self) -> None:
        self._going.clear()
        while self._under_way:
            await asyncio.sleep(0.01)

    async def close(self) -> None:
        await self.pause()
        self._ended = True
        self._going.set()
        await asyncio.gather(*self._workers)
        await self._model.close()


async def busy(url: str, pid: int, args: argparse.Namespace) -> dict[str, Any]:
    """Share of the slots that work, and the processor's time a call here and there."""
    driver = Driver(url, None)
    driver.go()
    await asyncio.sleep(args.warm_up)
    before, cpu, server_cpu = await counts(url), time.process_time(), _cpu_seconds(pid)
    await asyncio.sleep(args.seconds)
    after, cpu, server_cpu = await counts(url), time.process_time() - cpu, _cpu_seconds(pid) - server_cpu
    await driver.close()
    answers, seconds = after["answered"] - before["answered"], after["now"] - before["now"]
    return {
        "busy": round((after["busy_slot_s"] - before["busy_slot_s"]) / (seconds * SLOTS), 3),
        "answers_per_s": round(answers / seconds),
        "client_cpu_ms_per_call": round(cpu / answers * 1000, 2),
        "server_cpu_ms_per_call": round(server_cpu / answers * 1000, 2),
    }


async def turns(url: str, args: argparse.Namespace) -> dict[str, Any]:
    """Answers a second of the adaptive limit and of fixed ones: the median over turns taken one after the other."""
    drivers = {"adaptive": Driver(url, None), **{str(limit): Driver(url, limit) for limit in args.fixed}}
    drivers["adaptive"].go()
    await asyncio.sleep(args.warm_up)
    await drivers["adaptive"].pause()
    rates: dict[str, list[float]] = {name: [] for name in drivers}
    for _ in range(args.turns):
        for name, driver in drivers.items():
            driver.go()
            await asyncio.sleep(0.3)
            before = await counts(url)
            await asyncio.sleep(args.turn)
            after = await counts(url)
            await driver.pause()
            rates[name].append((after["answered"] - before["answered"]) / (after["now"] - before["now"]))
    for driver in drivers.values():
        await driver.close()
    median = {name: round(statistics.median(found)) for name, found in rates.items()}
    best = max(rate for name, rate in median.items() if name != "adaptive")
    return {
        "answers_per_s": median,
        "below_the_best": round(1 - median["adaptive"] / best, 3),
        "failures": sum(driver.failures for driver in drivers.values()),
    }


async def counts(url: str) -> dict[str, Any]:
    def read() -> dict[str, Any]:
        with urllib.request.urlopen(url.replace("/v1", "/counts")) as reply:
            found: dict[str, Any] = json.load(reply)
            return found

    return await asyncio.to_thread(read)


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def server(args: argparse.Namespace, *flags: str) -> Iterator[tuple[str, int]]:
    base = [sys.executable, "-m", "surefoot.testing.server", "--slots", str(SLOTS), "--latency-ms"]
    base.append(str(args.latency_ms))
    process = subprocess.Popen([*base, *flags], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield process.stdout.readline().strip(), process.pid
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
