"""A clock that stands still until it is moved."""

from __future__ import annotations


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
