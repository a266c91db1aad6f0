"""What time it is, and what day."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """Implements core.ports.Clock."""

    def monotonic(self) -> float:
        return time.monotonic()

    def today(self) -> str:
        return datetime.now(UTC).date().isoformat()


class FixedDate(SystemClock):
    """A clock whose date stands still: a case about old sources must not depend on the day it is run."""

    def __init__(self, today: str) -> None:
        self._today = today

    def today(self) -> str:
        return self._today
