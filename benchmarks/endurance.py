"""Ten thousand verifications in a row, then 64 callers at once: memory stays flat and no run-log line is lost.

python benchmarks/endurance.py [--count 10000] [--callers 64]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from surefoot.core.types import Passage, VerifyInput
from surefoot.settings import Settings
from surefoot.wiring import Surefoot, build


def requests(count: int) -> list[VerifyInput]:
    """Distinct drafts, a third of them wrong, so that nothing is answered from memory."""
    made = []
    for number in range(count):
        price = 100 + number
        said = price + (7 if number % 3 == 0 else 0)
        sources = tuple(
            Passage(id=f"S{n}", text=f"Card {number}-{n} costs R{price + n} a year. Desk {n} opens at 09:00.")
            for n in range(1, 5)
        )
        made.append(VerifyInput(draft_answer=f"Card {number}-1 costs R{said + 1} a year [S1].", chunks=sources))
    return made


def resident_mb() -> float:
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale / 1e6


async def in_a_row(house: Surefoot, count: int) -> dict[str, float]:
    began, marks = time.perf_counter(), []
    for place, request in enumerate(requests(count), 1):
        await house.verify(request)
        if place in (count // 10, count // 2, count):
            marks.append(resident_mb())
    seconds = time.perf_counter() - began
    return {
        "count": count,
        "per_second": round(count / seconds, 1),
        "mb_at_10_percent": round(marks[0], 1),
        "mb_at_50_percent": round(marks[1], 1),
        "mb_at_end": round(marks[2], 1),
    }


async def at_once(house: Surefoot, callers: int, each: int) -> dict[str, float]:
    work = requests(callers * each)

    async def caller(mine: list[VerifyInput]) -> None:
        for request in mine:
            await house.verify(request)

    began = time.perf_counter()
    await asyncio.gather(*(caller(work[n::callers]) for n in range(callers)))
    return {"callers": callers, "count": len(work), "per_second": round(len(work) / (time.perf_counter() - began), 1)}


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--count", type=int, default=10_000)
    options.add_argument("--callers", type=int, default=64)
    options.add_argument("--each", type=int, default=20)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        house = build(Settings(kb=Path(folder)))

        async def go() -> dict[str, object]:
            row = await in_a_row(house, given.count)
            crowd = await at_once(house, given.callers, given.each)
            return {"in_a_row": row, "at_once": crowd}

        report = asyncio.run(go())
        expected = given.count + given.callers * given.each
        chain = house.runlog.check()
        report["run_log"] = {"expected": expected, "found": house.runlog.count(), "chain_intact": chain.intact}
        print(json.dumps(report, indent=2))
        sys.exit(0 if house.runlog.count() == expected and chain.intact else 1)


if __name__ == "__main__":
    main()
