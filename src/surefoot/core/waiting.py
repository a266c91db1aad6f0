"""How long a request stood in line before work on it began. The line says so, deadlines and reported times count it.

A context variable, because it belongs to the request and not to any of the calls between the line and the gate.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

NOTICED_S = 0.02
"""Handing work to another thread takes some of this; only longer is called waiting, so that equal input of an idle
service keeps its equal certificate."""
_waited: ContextVar[float] = ContextVar("waited_s", default=0.0)


def waited_s() -> float:
    """Seconds; 0 where there was no line."""
    seconds = _waited.get()
    return seconds if seconds >= NOTICED_S else 0.0


@contextmanager
def after_waiting(seconds: float) -> Iterator[None]:
    token = _waited.set(seconds)
    try:
        yield
    finally:
        _waited.reset(token)
