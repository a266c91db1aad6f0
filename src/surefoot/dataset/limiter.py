"""How many calls a provider bears: additive increase, multiplicative decrease, on 429s and on latency.

Both show in one number: answers per second and place. A place waiting out a 429 gives no answer, a place in a
provider's queue gives one late. While the number holds, more places mean more answers, whether or not some calls are
refused; when it falls as places are added, the provider is full. A cut that does not raise it is taken back: then the
calls are slower, or refused at random, and fewer of them would only starve the build.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from heapq import heappop, heappush

from surefoot.core.errors import RateLimitedError
from surefoot.core.ports import LanguageModel
from surefoot.core.types import ModelReply, ModelRequest


@dataclass(frozen=True, kw_only=True, slots=True)
class Epoch:
    """What was seen under one limit."""

    answered: int
    busy_s: float
    """Seconds times places in use."""
    full: bool = True
    """Whether the limit was reached: only then does it say anything that all went well."""

    @property
    def yielded(self) -> float:
        """Answers per second and place."""
        return self.answered / self.busy_s if self.busy_s > 0 else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace:
    """The state of the control loop. `step` is pure."""

    limit: float = 4.0
    most: float = 64.0
    starting: bool = True
    """Doubling until the first sign of resistance."""
    ceiling: float | None = None
    """Where resistance was last met: below it growth is fast, near it slow."""
    best: float | None = None
    """The yield a place gave when there was room; follows the work as it changes."""
    last: float | None = None
    """The yield of the epoch before, under much the same limit; two together decide."""
    cut_from: float | None = None
    """The limit before a cut that is still on trial."""
    cut_yield: float = 0.0


def step(pace: Pace, epoch: Epoch) -> Pace:
    """The pace after one epoch."""
    found = epoch.yielded
    if pace.cut_from is not None:
        return _after_trial(pace, found)
    best = found if pace.best is None else max(pace.best * 0.998, 0.8 * pace.best + 0.2 * found)
    usual = found if pace.last is None else (found + pace.last) / 2
    pace = replace(pace, best=best, last=found)
    if usual < _FULL * best and pace.limit > 1:
        return replace(
            pace,
            limit=max(1.0, pace.limit * _CUT),
            starting=False,
            ceiling=pace.limit,
            last=None,
            cut_from=pace.limit,
            cut_yield=usual,
        )
    if usual < _CROWDED * best:
        return replace(pace, limit=max(1.0, pace.limit * _EASE), starting=False, ceiling=pace.limit)
    return _grown(pace) if epoch.full and usual >= _ROOM * best else pace


def _after_trial(pace: Pace, found: float) -> Pace:
    """With fewer places each should yield more; half of what theory promises is proof enough."""
    if found >= _HELPED * pace.cut_yield:
        return replace(pace, cut_from=None)
    restored = pace.cut_from or pace.limit
    return replace(pace, limit=restored, best=(found + pace.cut_yield) / 2, cut_from=None, ceiling=None)


def _grown(pace: Pace) -> Pace:
    if pace.starting:
        return replace(pace, limit=min(pace.most, pace.limit * 2), last=None)
    if pace.ceiling is not None and pace.limit < 0.9 * pace.ceiling:
        wanted = pace.limit * 1.15
    elif pace.ceiling is not None and pace.limit < 1.1 * pace.ceiling:
        wanted = pace.limit + 0.5
    else:
        wanted = pace.limit + 1
    return replace(pace, limit=min(pace.most, wanted))


_CUT, _EASE, _HELPED = 0.7, 0.98, 1.2
_FULL, _CROWDED, _ROOM = 0.7, 0.85, 0.92


class Limiter:
    """Shared by every role that talks to one provider."""

    def __init__(
        self,
        *,
        most: int,
        start: int = 4,
        fixed: bool = False,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.pace = Pace(limit=float(most if fixed else min(start, most)), most=float(most))
        self._fixed, self._clock, self._sleep = fixed, clock, sleep
        self._seen = _Seen(since=clock())
        self._busy = 0
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        """A heap: the most urgent first, then the first to come."""
        self._came = 0
        self._held_until = 0.0
        self._in_a_row = 0
        self._random = random.Random(0)
        self.refused = 0
        self.answered = 0

    async def run(
        self, call: Callable[[], Awaitable[ModelReply]], *, patience_s: float, urgency: int = 0
    ) -> ModelReply:
        """The call's reply. A 429 is waited out and the call made again, until the patience is spent."""
        await self._enter(urgency)
        try:
            return await self._until_answered(call, patience_s)
        finally:
            self._leave()

    async def _until_answered(self, call: Callable[[], Awaitable[ModelReply]], patience_s: float) -> ModelReply:
        """Keeps its place while it waits: a refused call that made room for the next would only hammer."""
        began, attempt = self._clock(), 0
        while True:
            try:
                reply = await call()
            except RateLimitedError as error:
                self.refused += 1
                self._in_a_row += 1
                attempt += 1
                wait = self._wait(error, attempt)
                if self._clock() + wait - began > patience_s:
                    raise
            else:
                self.answered += 1
                self._in_a_row = 0
                self._note_answer()
                return reply
            await self._sleep(wait)

    async def _enter(self, urgency: int) -> None:
        while True:
            hold = self._held_until - self._clock()
            if hold > 0:
                await self._sleep(hold)
            elif self._busy < int(self.pace.limit):
                self._seen.pass_to(self._clock(), self._busy)
                self._busy += 1
                self._seen.full = self._seen.full or self._busy >= int(self.pace.limit)
                return
            else:
                turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._came += 1
                heappush(self._waiting, (urgency, self._came, turn))
                try:
                    await turn
                except asyncio.CancelledError:
                    self._wake()  # the turn may already have been given: pass it on
                    raise

    def _leave(self) -> None:
        self._seen.pass_to(self._clock(), self._busy)
        self._busy -= 1
        self._wake()

    def _wake(self) -> None:
        free = int(self.pace.limit) - self._busy
        while free > 0 and self._waiting:
            turn = heappop(self._waiting)[2]
            if not turn.done():
                turn.set_result(None)
                free -= 1

    def _note_answer(self) -> None:
        seen = self._seen
        if seen.settling > 0:
            seen.settling -= 1
            if seen.settling == 0:
                seen.restart(self._clock())
            return
        seen.answered += 1
        if seen.answered < max(24, 3 * int(self.pace.limit)):
            return
        seen.pass_to(self._clock(), self._busy)
        before = self.pace.limit
        if not self._fixed:
            self.pace = step(self.pace, Epoch(answered=seen.answered, busy_s=seen.busy_s, full=seen.full))
        # After a jump the calls under way still tell of the old limit.
        jumped = not 0.8 < self.pace.limit / before < 1.25
        self._seen = _Seen(since=self._clock(), settling=self._busy if jumped else 0)

    def _wait(self, error: RateLimitedError, attempt: int) -> float:
        """What the provider asks for, else doubling; with some spread, so that the refused do not come back as one."""
        if error.retry_after_s is None:
            return float(min(0.02 * 2**attempt, 8.0)) * (0.5 + self._random.random())
        if self._in_a_row > int(self.pace.limit):
            # Not one answer since everyone was refused: the provider means all of us.
            self._held_until = max(self._held_until, self._clock() + error.retry_after_s)
        return error.retry_after_s * (1 + 0.1 * self._random.random())


@dataclass(kw_only=True)
class _Seen:
    """An epoch while it lasts."""

    since: float
    settling: int = 0
    """Answers still to come from before a jump of the limit."""
    answered: int = 0
    busy_s: float = 0.0
    full: bool = False

    def pass_to(self, now: float, busy: int) -> None:
        """Books the time up to now for so many places."""
        self.busy_s += (now - self.since) * busy
        self.since = now

    def restart(self, now: float) -> None:
        self.since, self.answered, self.busy_s, self.full = now, 0, 0.0, False


class Limited:
    """A model that waits its turn with its provider."""

    def __init__(self, model: LanguageModel, limiter: Limiter, *, patience_s: float = 600.0) -> None:
        self._model, self._limiter, self._patience_s = model, limiter, patience_s

    @property
    def identity(self) -> str:
        return self._model.identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        return await self._limiter.run(
            lambda: self._model.complete(request), patience_s=self._patience_s, urgency=urgency(request)
        )


def urgency(request: ModelRequest) -> int:
    """0 before 1: a call that goes on with a pair comes before one that begins a pair.

    So pairs end one after the other, and whatever stops a build finds most of its work complete.
    """
    return 1 if request.role in ("answer", "question") else 0
