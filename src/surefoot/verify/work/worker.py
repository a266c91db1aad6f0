"""A thread for one verification, and the list of checks that have not come back from theirs.

A thread that is done serves the next verification. Python cannot end a thread: work that does not end in time keeps
its own and the verification goes on with another; a check that is still busy with earlier drafts is not asked again
until it is done with them, so that neither threads nor their share of the interpreter pile up.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
import time
from collections import Counter
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

T = TypeVar("T")

BUSY = "it is still busy with earlier drafts and is left alone until it ends"
LEFT_BEHIND = 2
"""Threads one check may keep busy past their deadline. One slow draft stops nobody; a second shows a broken check."""


IDLE_S = 1.0
"""How long a thread waits for the next verification before it ends."""
LAST_WAIT_S = 10.0
"""How long the end of the process is put off for threads still at work: a grounder's batch needs a few seconds."""


class BusyError(RuntimeError):
    """What is asked for has not come back from earlier drafts."""


class Worker:
    """Does one piece of blocking work after the other in a thread of its own, each against a time limit."""

    def __init__(self) -> None:
        self._thread: _Thread | None = None
        self._left_behind = False
        """The thread may still be busy with work nobody waits for any more."""

    async def do(self, work: Callable[[], T], *, limit_s: float, more_s: Callable[[], float] = lambda: 0.0) -> T:
        """What the work returns, or TimeoutError after `limit_s` seconds. What it raises comes as a RuntimeError.

        When the time is up, `more_s` is asked once how much longer to wait: the work may have come to a second part.
        """
        if limit_s <= 0:
            raise TimeoutError
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[T] = loop.create_future()
        if self._thread is None:
            self._thread = _IDLE.take()
        self._thread.jobs.put(_Job(work, loop, ended))
        self._left_behind = True
        # a timer of our own: `wait_for` takes the loop round once more, which costs as much as a check
        timer = _Timer(loop, ended, limit_s, more_s)
        try:
            return await ended
        except TimeoutError:
            self.close()
            raise
        finally:
            timer.cancel()
            self._left_behind = ended.cancelled() or not ended.done()

    def close(self) -> None:
        """Leaves the thread to the next verification; one that is still at work ends once it is done."""
        if self._thread is not None and self._left_behind:
            self._thread.jobs.put(None)
        elif self._thread is not None:
            _IDLE.put(self._thread)
        self._thread = None


class _Timer:
    """Ends the waiting for a piece of work when its time is up."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, ended: asyncio.Future[Any], limit_s: float, more_s: Callable[[], float]
    ) -> None:
        self._loop, self._ended, self._more_s = loop, ended, more_s
        self._next = loop.call_later(limit_s, self._up)

    def _up(self) -> None:
        more = self._more_s()
        if more > 0:
            self._next = self._loop.call_later(more, self._over)
        else:
            self._over()

    def _over(self) -> None:
        if not self._ended.done():
            self._ended.set_exception(TimeoutError())

    def cancel(self) -> None:
        self._next.cancel()


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


class _Thread(threading.Thread):
    """Does what is put into its queue, until it is told to end or nobody has had work for it for a while."""

    def __init__(self, idle: _Idle) -> None:
        super().__init__(daemon=True, name="surefoot-checks")
        self.jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self.working = threading.Lock()
        """Held while a job runs."""
        self._idle = idle

    def run(self) -> None:
        while True:
            try:
                job = self.jobs.get(timeout=IDLE_S)
            except Empty:
                if self._idle.drop(self):
                    return
                continue
            if job is None:
                return
            with self.working:
                job.run()
            del job  # else the last draft would stay in memory for as long as the thread waits


class _Idle:
    """Threads that wait for the next verification: to start one takes longer than most checks."""

    def __init__(self) -> None:
        self._waiting: list[_Thread] = []
        self._lock = threading.Lock()
        self._waited_for = False

    def take(self) -> _Thread:
        with self._lock:
            while self._waiting:
                thread = self._waiting.pop()
                if thread.is_alive():  # a forked process has the list, but not the threads
                    return thread
            if not self._waited_for:
                atexit.register(let_finish)
                self._waited_for = True
        thread = _Thread(self)
        thread.start()
        return thread

    def put(self, thread: _Thread) -> None:
        with self._lock:
            self._waiting.append(thread)

    def drop(self, thread: _Thread) -> bool:
        """Takes a thread off the list, so that it may end; False where somebody has taken it before."""
        with self._lock:
            if thread not in self._waiting:
                return False
            self._waiting.remove(thread)
            return True


def let_finish(limit_s: float = LAST_WAIT_S) -> None:
    """Waits for threads still at work when the process ends, but not for ever.

    One that comes back from a model's native code into an interpreter that has ended aborts the whole process, and its
    exit code with it, though the verification was answered long before.
    """
    until = time.monotonic() + limit_s
    for thread in threading.enumerate():
        if isinstance(thread, _Thread) and thread.working.acquire(timeout=max(0.0, until - time.monotonic())):
            thread.working.release()


_IDLE = _Idle()


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


class Watched(Generic[T]):
    """Work that is no check, counted like one once it is abandoned."""

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
