"""One flight per key: while something is being made, everyone else who wants it waits for that one."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Coalesces concurrent makers of the same key within one event loop. Nothing is remembered after landing."""

    def __init__(self, *, finishes: bool = True) -> None:
        """`finishes`: a flight goes on when nobody waits for it any more."""
        self._flights: dict[tuple[int, str], asyncio.Task[T]] = {}
        self._waiting: Counter[asyncio.Task[T]] = Counter()
        self._finishes = finishes

    async def do(self, key: str, make: Callable[[], Awaitable[T]]) -> T:
        """The result of `make`, or of the flight already under way. A caller that goes away stops nobody else."""
        # A task belongs to its loop: two loops in two threads each fly their own.
        place = (id(asyncio.get_running_loop()), key)
        task = self._flights.get(place)
        if task is None:
            task = asyncio.ensure_future(_awaited(make))
            self._flights[place] = task
            task.add_done_callback(lambda done: self._land(place, done))
        self._waiting[task] += 1
        try:
            return await asyncio.shield(task)
        finally:
            self._waiting[task] -= 1
            if not self._waiting[task]:
                del self._waiting[task]
                if not self._finishes and not task.done():
                    self._flights.pop(place, None)  # whoever comes now begins anew
                    task.cancel()

    def _land(self, place: tuple[int, str], task: asyncio.Task[T]) -> None:
        if self._flights.get(place) is task:
            del self._flights[place]
        if not task.cancelled():
            task.exception()  # Marks it as seen, should every caller have gone away.


async def _awaited(make: Callable[[], Awaitable[T]]) -> T:
    return await make()
