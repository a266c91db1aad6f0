"""Which records are old enough to go. A clock that jumps must delete nothing.

Rows are numbered in the order they were written, so the true time of a row is never later than that of the next one. A
date that breaks this, or that lies more than JUMP before the next, is a clock's mistake or a long silence: such a row
counts as written when the next one was. It is kept too long rather than deleted too soon.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

JUMP = timedelta(days=31)
SHARE = 0.1
"""Of all rows, the most that go at once without the operator's word."""
LEAST = 100
"""Rows that may go at once however few there are."""


def expired(newest_first: Iterable[tuple[int, object]], *, now: datetime, keep: timedelta) -> int:
    """The number of the last row that may go, 0: none. Rows as (number, ISO date)."""
    after = now
    last = 0
    for number, written in newest_first:
        at = _date(written)
        if at is not None and timedelta(0) <= after - at <= JUMP:
            after = at
        if after < now - keep:
            last = max(last, number)
    return last


def most_at_once(rows: int) -> int:
    return max(LEAST, int(rows * SHARE))


def _date(written: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(written) if isinstance(written, str) else None
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found is not None and found.tzinfo is None else found
