"""From synchronous code into asynchronous code: for the blocking one-liners and for frameworks that do not await."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def blocking(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine to its end on a loop of our own, so that a loop of the caller's is never in the way.

    It is one loop for the life of the process: what a client of a model has opened on it stays usable.
    """
    home = _LOOP.get()
    if threading.current_thread() is home.thread:
        return _apart(work)  # called from inside: waiting for our own loop would never end
    future = asyncio.run_coroutine_threadsafe(work, home.loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


class _Loop:
    def __init__(self) -> None:
        self.process = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="surefoot-blocking", daemon=True)
        self.thread.start()


class _Kept:
    """The loop, made on first use; a forked process has no threads of its parent and gets its own."""

    def __init__(self) -> None:
        self._made: _Loop | None = None
        self._lock = threading.Lock()

    def get(self) -> _Loop:
        with self._lock:
            if self._made is None or self._made.process != os.getpid():
                self._made = _Loop()
            return self._made


_LOOP = _Kept()


def _apart(work: Coroutine[Any, Any, T]) -> T:
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(asyncio.run(work))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=run, name="surefoot-blocking-inside")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]
