"""The line in front of the engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

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
