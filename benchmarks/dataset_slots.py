"""How busy a dataset build keeps a provider, and what 429s cost it.

    python benchmarks/dataset_slots.py

A local server in a process of its own with 16 slots of 50 ms. First: share of the slots busy after the warm-up. Then
with 429s at random, and with 429s whenever it is full: answers a second under the adaptive limit against fixed limits.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from surefoot.core.types import ModelRequest
from surefoot.dataset.limiter import Limited, Limiter
from surefoot.llm.openai_compatible import OpenAICompatibleModel

SLOTS = 16


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--warm-up", type=float, default=4)
    parser.add_argument("--fixed", type=int, nargs="*", default=[8, 12, 16, 20, 24, 32])
    parser.add_argument("--latency-ms", type=float, default=50, help="raise it on a busy machine")
    args = parser.parse_args()
    with server(args) as url:
        busy, rate, _ = asyncio.run(drive(url, args, fixed=None))
    print(f"queueing server, adaptive: {busy:.1%} of {SLOTS} slots ({args.latency_ms:g} ms) busy, {rate:.0f} answers/s")
    good = busy >= 0.95
    for name, flags in (
        ("429s at random (10 %)", ["--random-429", "0.1"]),
        ("429s when full", ["--refuse-over-slots"]),
    ):
        with server(args, *flags) as url:
            _, adaptive, failed = asyncio.run(drive(url, args, fixed=None))
        rates = {}
        for limit in args.fixed:
            with server(args, *flags) as url:
                rates[limit] = asyncio.run(drive(url, args, fixed=limit))[1]
        best = max(rates, key=lambda limit: rates[limit])
        loss = 1 - adaptive / rates[best]
        shown = ", ".join(f"{limit}: {found:.0f}" for limit, found in rates.items())
        print(f"{name}: adaptive {adaptive:.0f}/s, {failed} failures; fixed {shown}")
        print(f"  best fixed limit {best}; the adaptive one stays {loss:+.1%} below it")
        good = good and failed == 0 and loss <= 0.15
    return 0 if good else 1


async def drive(url: str, args: argparse.Namespace, *, fixed: int | None) -> tuple[float, float, int]:
    """Share of slots busy, answers a second, calls that failed."""
    model = OpenAICompatibleModel(identity="local:m", name="m", base_url=url, api_key="none")
    limiter = Limiter(most=fixed or 64, fixed=fixed is not None)
    limited, failed = Limited(model, limiter), 0
    ending = asyncio.Event()

    async def work(number: int) -> None:
        nonlocal failed
        turn = 0
        while not ending.is_set():
            turn += 1
            try:
                await limited.complete(ModelRequest(system="s", prompt=f"q {number} {turn}", max_tokens=10))
            except Exception:
                failed += 1

    workers = [asyncio.create_task(work(number)) for number in range(96)]
    await asyncio.sleep(args.warm_up)
    before = counts(url)
    await asyncio.sleep(args.seconds)
    after = counts(url)
    ending.set()
    await asyncio.gather(*workers)
    await model.close()
    seconds = after["now"] - before["now"]
    busy = (after["busy_slot_s"] - before["busy_slot_s"]) / (seconds * SLOTS)
    return busy, (after["answered"] - before["answered"]) / seconds, failed


def counts(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(url.replace("/v1", "/counts")) as reply:
        found: dict[str, Any] = json.load(reply)
        return found


@contextmanager
def server(args: argparse.Namespace, *flags: str) -> Iterator[str]:
    base = [sys.executable, "-m", "surefoot.testing.server", "--slots", str(SLOTS), "--latency-ms"]
    base.append(str(args.latency_ms))
    process = subprocess.Popen([*base, *flags], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
