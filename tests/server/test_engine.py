"""The line in front of the engine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from surefoot.core.waiting import waited_s
from surefoot.server import engine
from surefoot.server.engine import Engine, Pool
from surefoot.server.problems import Problem


@asynccontextmanager
async def pool(*, running: int, waiting: int) -> AsyncIterator[Pool]:
    started = Engine()
    started.start()
    yield Pool(started, running=running, waiting=waiting)
    started.stop()


async def quick() -> int:
    return 7


def test_work_runs_on_another_thread_and_its_result_comes_back() -> None:
    async def run() -> int:
        async with pool(running=1, waiting=1) as line:
            return await line.run(quick, timeout_s=5)

    assert asyncio.run(run()) == 7


def test_an_exception_comes_back_too_and_frees_the_slot() -> None:
    async def fail() -> None:
        raise KeyError("x")

    async def run() -> int:
        async with pool(running=1, waiting=0) as line:
            with pytest.raises(KeyError):
                await line.run(fail, timeout_s=5)
            return await line.run(quick, timeout_s=5)

    assert asyncio.run(run()) == 7


def test_who_would_wait_too_long_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MAX_WAIT_S", 0.01)

    async def run() -> Problem:
        async with pool(running=1, waiting=50) as line:
            slow = asyncio.create_task(line.run(lambda: asyncio.sleep(0.3), timeout_s=5))
            await asyncio.sleep(0.05)
            with pytest.raises(Problem) as told:
                await line.run(quick, timeout_s=5)
            await slow
            return told.value

    problem = asyncio.run(run())
    assert problem.status == 429
    assert int(problem.headers["Retry-After"]) >= 1


def test_work_is_told_how_long_it_waited() -> None:
    async def told() -> float:
        return waited_s()

    async def run() -> tuple[float, float]:
        async with pool(running=1, waiting=5) as line:
            alone = await line.run(told, timeout_s=5)
            slow = asyncio.create_task(line.run(lambda: asyncio.sleep(0.3), timeout_s=5))
            await asyncio.sleep(0.05)
            behind = await line.run(told, timeout_s=5)
            await slow
            return alone, behind

    alone, behind = asyncio.run(run())
    assert alone == 0.0
    assert 0.2 < behind < 2


def test_who_loses_patience_is_served_past_the_line() -> None:
    async def late() -> int:
        return 8

    async def run() -> tuple[int, float]:
        async with pool(running=1, waiting=5) as line:
            slow = asyncio.create_task(line.run(lambda: asyncio.sleep(1.0), timeout_s=5))
            await asyncio.sleep(0.05)
            began = time.monotonic()
            answer = await line.run(quick, timeout_s=5, patience_s=0.1, late=late)
            took = time.monotonic() - began
            await slow
            return answer, took

    answer, took = asyncio.run(run())
    assert answer == 8
    assert took < 0.8
