"""How many calls a provider bears: additive increase, multiplicative decrease, on 429s and on latency.

Not every 429 means "too many at once". A cut that does not lower the share of 429s is taken back, and that share counts
as the provider's background from then on; else a provider that refuses at random would starve the build.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from statistics import median

from surefoot.core.errors import RateLimitedError
from surefoot.core.ports import LanguageModel
from surefoot.core.types import ModelReply, ModelRequest


@dataclass(frozen=True, kw_only=True, slots=True)
class Epoch:
    """What was seen since the last decision, of calls that began after it."""

    answered: int = 0
    refused: int = 0
    latencies: tuple[float, ...] = ()
    full: bool = False
    """Whether the limit was reached: only then does it say anything that all went well."""

    @property
    def share(self) -> float:
        total = self.answered + self.refused
        return self.refused / total if total else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace:
    """The state of the control loop. `step` is pure."""

    limit: float = 4.0
    most: float = 64.0
    starting: bool = True
    """Doubling until the first sign of resistance."""
    ceiling: float | None = None
    """Where resistance was last met: below it growth is fast, near it slow."""
    background: float = 0.0
    """Share of 429s that no cut has helped against."""
    cut_from: float | None = None
    """The limit before a cut that is still on trial."""
    cut_share: float = 0.0
    quickest_s: float | None = None


def step(pace: Pace, epoch: Epoch) -> Pace:
    """The pace after one epoch."""
    if pace.cut_from is not None:
        return _after_trial(pace, epoch)
    if epoch.share > pace.background + _tolerance(pace.background, epoch.answered + epoch.refused):
        return replace(
            pace,
            limit=max(1.0, pace.limit * _CUT),
            starting=False,
            ceiling=pace.limit,
            cut_from=pace.limit,
            cut_share=epoch.share,
        )
    pace = replace(pace, background=min(pace.background, 0.9 * pace.background + 0.1 * epoch.share))
    if epoch.latencies:
        usual = median(epoch.latencies)
        # The floor drifts up slowly, so that a provider that has become slower is not taken for a full one forever.
        floor = usual if pace.quickest_s is None else min(usual, pace.quickest_s * 1.002)
        pace = replace(pace, quickest_s=floor)
        if usual > _SLOW * floor:
            return replace(pace, limit=max(1.0, pace.limit * _EASE), starting=False, ceiling=pace.limit)
        if usual > _FULL * floor:
            return replace(pace, starting=False, ceiling=pace.limit)
    return _grown(pace) if epoch.full else pace


def _after_trial(pace: Pace, epoch: Epoch) -> Pace:
    if epoch.share >= _HELPED * pace.cut_share:
        restored = pace.cut_from or pace.limit
        background = max(pace.background, (epoch.share + pace.cut_share) / 2)
        return replace(pace, limit=restored, background=background, cut_from=None, ceiling=None)
    return replace(pace, cut_from=None)


def _grown(pace: Pace) -> Pace:
    if pace.starting:
        wanted = pace.limit * 2
    elif pace.ceiling is not None and pace.limit < 0.9 * pace.ceiling:
        wanted = pace.limit * 1.15
    elif pace.ceiling is not None and pace.limit < 1.1 * pace.ceiling:
        wanted = pace.limit + 0.25
    else:
        wanted = pace.limit + 1
    return replace(pace, limit=min(pace.most, wanted))


def _tolerance(background: float, count: int) -> float:
    """Three standard errors: chance alone must not look like resistance."""
    share = max(background, 0.02)
    return 3 * float((share * (1 - share) / max(count, 1)) ** 0.5)


_CUT = 0.8
_EASE = 0.9
_HELPED = 0.75
_SLOW = 2.0
_FULL = 1.4


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
        self._seen = _Seen()
        self._busy = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._held_until = 0.0
        self._random = random.Random(0)
        self.refused = 0
        self.answered = 0

    async def run(self, call: Callable[[], Awaitable[ModelReply]], *, patience_s: float) -> ModelReply:
        """The call's reply. A 429 is waited out and the call made again, until the patience is spent."""
        await self._enter()
        try:
            return await self._until_answered(call, patience_s)
        finally:
            self._leave()

    async def _until_answered(self, call: Callable[[], Awaitable[ModelReply]], patience_s: float) -> ModelReply:
        """Keeps its place while it waits: a refused call that made room for the next would only hammer."""
        began, attempt = self._clock(), 0
        while True:
            started, epoch = self._clock(), self._seen.number
            try:
                reply = await call()
            except RateLimitedError as error:
                self._note(epoch, refused=True)
                self.refused += 1
                attempt += 1
                wait = self._wait(error, attempt)
                if self._clock() + wait - began > patience_s:
                    raise
            else:
                self._note(epoch, latency=self._clock() - started)
                self.answered += 1
                return reply
            await self._sleep(wait)

    async def _enter(self) -> None:
        while True:
            hold = self._held_until - self._clock()
            if hold > 0:
                await self._sleep(hold)
            elif self._busy < int(self.pace.limit):
                self._busy += 1
                self._seen.full = self._seen.full or self._busy >= int(self.pace.limit)
                return
            else:
                turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._waiting.append(turn)
                try:
                    await turn
                except asyncio.CancelledError:
                    self._wake()  # the turn may already have been given: pass it on
                    raise

    def _leave(self) -> None:
        self._busy -= 1
        self._wake()

    def _wake(self) -> None:
        free = int(self.pace.limit) - self._busy
        while free > 0 and self._waiting:
            turn = self._waiting.pop(0)
            if not turn.done():
                turn.set_result(None)
                free -= 1

    def _note(self, epoch: int, *, latency: float | None = None, refused: bool = False) -> None:
        """Counts a call to the epoch it began in; one that began earlier tells of an older limit."""
        if epoch != self._seen.number:
            return
        self._seen.refused += refused
        if latency is not None:
            self._seen.latencies.append(latency)
        if self._seen.count >= max(8, int(self.pace.limit) * 2):
            if not self._fixed:
                self.pace = step(self.pace, self._seen.epoch())
            self._seen = _Seen(number=epoch + 1)

    def _wait(self, error: RateLimitedError, attempt: int) -> float:
        """What the provider asks for, else doubling; with some spread, so that the refused do not come back as one."""
        if error.retry_after_s is None:
            return float(min(0.02 * 2**attempt, 8.0)) * (0.5 + self._random.random())
        if self._seen.count and self._seen.refused > 0.5 * self._seen.count:
            self._held_until = max(self._held_until, self._clock() + error.retry_after_s)
        return error.retry_after_s * (1 + 0.1 * self._random.random())


@dataclass(kw_only=True)
class _Seen:
    number: int = 0
    refused: int = 0
    latencies: list[float] = field(default_factory=list)
    full: bool = False

    @property
    def count(self) -> int:
        return self.refused + len(self.latencies)

    def epoch(self) -> Epoch:
        return Epoch(
            answered=len(self.latencies), refused=self.refused, latencies=tuple(self.latencies), full=self.full
        )


class Limited:
    """A model that waits its turn with its provider."""

    def __init__(self, model: LanguageModel, limiter: Limiter, *, patience_s: float = 600.0) -> None:
        self._model, self._limiter, self._patience_s = model, limiter, patience_s

    @property
    def identity(self) -> str:
        return self._model.identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        return await self._limiter.run(lambda: self._model.complete(request), patience_s=self._patience_s)
