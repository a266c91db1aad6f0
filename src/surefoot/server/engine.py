"""Where answers are made: one thread with an event loop of its own, behind a bounded queue.

The loop that speaks HTTP never waits for a model or a rule: it hands work over, and stays free to say 429, to
answer probes and to notice who left.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from surefoot.core.waiting import after_waiting
from surefoot.server.problems import Problem

T = TypeVar("T")
MAX_WAIT_S = 10.0
"""Nobody waits in line for longer: it is better to be told at once, and to come back."""


class Engine:
    """The thread that runs Surefoot."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="surefoot-engine", daemon=True)

    def start(self) -> None:
        self._thread.start()

    async def call(self, work: Callable[[], Awaitable[T]]) -> T:
        """Runs a coroutine there; cancelling here cancels it there."""

        async def run() -> T:
            return await work()

        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(run(), self._loop))

    def stop(self) -> None:
        """Cancels what still runs, then ends the thread."""
        asyncio.run_coroutine_threadsafe(_cancel_others(), self._loop).add_done_callback(
            lambda _: self._loop.call_soon_threadsafe(self._loop.stop)
        )
        self._thread.join(timeout=5)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


class Pool:
    """At most `running` pieces of work at once and `waiting` in line; whoever comes later is told when to return."""

    def __init__(self, engine: Engine, *, running: int, waiting: int) -> None:
        self._engine, self._most, self._line = engine, running, waiting
        self._slots = asyncio.Semaphore(running)
        self._waiting = self._running = 0
        self._average_s = 0.05

    @property
    def busy(self) -> bool:
        """Whether whoever comes now has to wait."""
        return self._slots.locked()

    @property
    def load(self) -> tuple[int, int]:
        """(running, waiting) now."""
        return self._running, self._waiting

    async def run(
        self,
        work: Callable[[], Awaitable[T]],
        *,
        timeout_s: float,
        patience_s: float = MAX_WAIT_S,
        late: Callable[[], Awaitable[T]] | None = None,
    ) -> T:
        """The work's result, or a Problem: 429 when the line is full or too slow, 504 when the work is.

        `late` is what is done, past the line, for a caller who has waited longer than `patience_s`.
        """
        arrived = time.monotonic()
        deadline = arrived + timeout_s
        if not self._slots.locked():
            await self._slots.acquire()  # one is free: nothing to wait for
        elif self._waiting >= self._line or self._expected_wait_s() > MAX_WAIT_S:
            raise self._overloaded()
        elif not await self._wait_for_slot(min(MAX_WAIT_S, timeout_s, patience_s)):
            if late is None or patience_s >= MAX_WAIT_S:
                raise self._overloaded()
            return await self._engine.call(_counting(late, arrived))
        started = time.monotonic()
        self._running += 1
        try:
            async with asyncio.timeout(max(0.001, deadline - started)):
                return await self._engine.call(_counting(work, arrived))
        except TimeoutError:
            raise Problem(
                504, "deadline_exceeded", f"no answer within {timeout_s:.0f} s", "ask something smaller, or retry later"
            ) from None
        finally:
            self._running -= 1
            self._average_s += 0.1 * (time.monotonic() - started - self._average_s)
            self._slots.release()

    async def _wait_for_slot(self, seconds: float) -> bool:
        self._waiting += 1
        try:
            async with asyncio.timeout(seconds):
                await self._slots.acquire()
        except TimeoutError:
            return False
        finally:
            self._waiting -= 1
        return True

    def _expected_wait_s(self) -> float:
        return (self._waiting + 1) * self._average_s / self._most

    def _overloaded(self) -> Problem:
        wait = max(1, round(self._expected_wait_s()))
        return Problem(
            429, "overloaded", "too many requests are waiting", f"retry in {wait} s", headers={"Retry-After": str(wait)}
        )


def _counting(work: Callable[[], Awaitable[T]], arrived: float) -> Callable[[], Awaitable[T]]:
    """The work, told how long it waited: in line, and for the engine's loop to come to it."""

    async def counted() -> T:
        with after_waiting(time.monotonic() - arrived):
            return await work()

    return counted
