"""A clock that stands still until it is moved, and an event loop that need not wait."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class FakeClock:
    def __init__(self, *, now: float = 1000.0, today: str = "2026-11-15") -> None:
        self._now, self._today = now, today

    def monotonic(self) -> float:
        return self._now

    def today(self) -> str:
        return self._today

    def advance(self, seconds: float) -> None:
        if seconds < 0:
            raise ValueError(f"a clock cannot go back by {seconds!r} s; give a positive number")
        self._now += seconds

    def set_today(self, today: str) -> None:
        self._today = today


class _VirtualLoop(asyncio.SelectorEventLoop):
    """Jumps to the next timer instead of waiting for it."""

    def __init__(self) -> None:
        selector = selectors.DefaultSelector()
        super().__init__(selector)
        self._virtual_now = 0.0
        look = selector.select

        def select(timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            if timeout:
                self._virtual_now += timeout
            return look(0)

        selector.select = select  # type: ignore[method-assign]

    def time(self) -> float:
        return self._virtual_now


def run_in_virtual_time(story: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine whose every sleep takes no time at all; the loop's own clock shows what it would have taken.

    For code that only sleeps and computes: a thread or a socket would not be waited for.
    """
    with asyncio.Runner(loop_factory=_VirtualLoop) as runner:
        return runner.run(story)
