"""A thread for one verification, and the list of checks that have not come back from theirs.

Python cannot end a thread. Work that does not end in time keeps its thread and the verification goes on with a new
one; a check that is still busy with earlier drafts is not asked again until it is done with them, so that neither
threads nor their share of the interpreter pile up.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

T = TypeVar("T")

BUSY = "it is still busy with earlier drafts and is left alone until it ends"
LEFT_BEHIND = 2
"""Threads one check may keep busy past their deadline. One slow draft stops nobody; a second shows a broken check."""


class BusyError(RuntimeError):
    """What is asked for has not come back from earlier drafts."""


class Worker:
    """Does one piece of blocking work after the other in a thread of its own, each against a time limit."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job | None] | None = None

    async def do(self, work: Callable[[], T], *, limit_s: float) -> T:
        """What the work returns, or TimeoutError after `limit_s` seconds. What it raises comes as a RuntimeError."""
        if limit_s <= 0:
            raise TimeoutError
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[T] = loop.create_future()
        if self._jobs is None:
            self._jobs = SimpleQueue()
            threading.Thread(target=_serve, args=(self._jobs,), daemon=True, name="surefoot-checks").start()
        self._jobs.put(_Job(work, loop, ended))
        try:
            return await asyncio.wait_for(ended, limit_s)
        except TimeoutError:
            self.close()
            raise

    def close(self) -> None:
        """Lets the thread end once it is done with what it does now."""
        if self._jobs is not None:
            self._jobs.put(None)
            self._jobs = None


class _Job:
    def __init__(self, work: Callable[[], Any], loop: asyncio.AbstractEventLoop, ended: asyncio.Future[Any]) -> None:
        self._work, self._loop, self._ended = work, loop, ended

    def run(self) -> None:
        result: Any = None
        failure: BaseException | None = None
        try:
            result = self._work()
        except BaseException as error:  # whatever is raised here must reach the one who waits
            failure = error
        try:
            self._loop.call_soon_threadsafe(self._settle, result, failure)
        except RuntimeError:
            return  # nobody waits any more: the loop was closed after the limit had passed

    def _settle(self, result: Any, failure: BaseException | None) -> None:
        if self._ended.done():
            return
        if failure is None:
            self._ended.set_result(result)
        else:
            error = RuntimeError(f"the work raised {type(failure).__name__}")
            error.__cause__ = failure
            self._ended.set_exception(error)


def _serve(jobs: SimpleQueue[_Job | None]) -> None:
    while (job := jobs.get()) is not None:
        job.run()


class Quarantine:
    """Counts, for each check and for the reading, the threads still busy after their verification gave up on them."""

    def __init__(self) -> None:
        self._busy: Counter[str] = Counter()
        self._lock = threading.Lock()

    def holds(self, check: str) -> bool:
        """Whether the check is to be left alone for now."""
        with self._lock:
            return self._busy[check] >= LEFT_BEHIND

    def enter(self, check: str) -> None:
        with self._lock:
            self._busy[check] += 1

    def leave(self, check: str) -> None:
        with self._lock:
            self._busy[check] -= 1

    async def watch(self, name: str, work: Callable[[], T], *, worker: Worker, limit_s: float) -> T:
        """Work that is no check, done and counted like one; BusyError where it is to be left alone."""
        if self.holds(name):
            raise BusyError(f"{name}: {BUSY}")
        watched = _Watched(name, work, self)
        try:
            return await worker.do(watched.run, limit_s=limit_s)
        except (TimeoutError, asyncio.CancelledError):
            watched.abandon()
            raise


class _Watched(Generic[T]):
    def __init__(self, name: str, work: Callable[[], T], quarantine: Quarantine) -> None:
        self._name, self._work, self._quarantine = name, work, quarantine
        self._lock = threading.Lock()
        self._begun = self._abandoned = False

    def run(self) -> T:
        with self._lock:
            if self._abandoned:
                raise TimeoutError
            self._begun = True
        try:
            return self._work()
        finally:
            with self._lock:
                self._begun = False
                if self._abandoned:
                    self._quarantine.leave(self._name)

    def abandon(self) -> None:
        with self._lock:
            self._abandoned = True
            if self._begun:
                self._quarantine.enter(self._name)
