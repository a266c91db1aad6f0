"""Requests per minute and key: in memory, or in Redis where several services share the count."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from surefoot.core.errors import MissingExtraError

MAX_KEYS = 10_000
AWAY_S = 5.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Allowance:
    allowed: bool
    limit: int
    remaining: int
    retry_after_s: int = 0


class RateLimiter(Protocol):
    async def take(self, key: str) -> Allowance: ...


class MemoryLimiter:
    """A token bucket per key; the least recently seen key is dropped when there are too many."""

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit, self._clock = per_minute, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def take(self, key: str) -> Allowance:
        if self._limit <= 0:
            return Allowance(allowed=True, limit=0, remaining=0)
        now = self._clock()
        tokens, seen = self._buckets.pop(key, (float(self._limit), now))
        tokens = min(self._limit, tokens + (now - seen) * self._limit / 60)
        allowed = tokens >= 1
        self._buckets[key] = (tokens - 1 if allowed else tokens, now)
        if len(self._buckets) > MAX_KEYS:
            self._buckets.popitem(last=False)
        wait = 0 if allowed else int((1 - tokens) * 60 / self._limit) + 1
        return Allowance(allowed=allowed, limit=self._limit, remaining=int(max(0, tokens - 1)), retry_after_s=wait)


class RedisLimiter:
    """A window of one minute per key in Redis; while Redis is away, this process counts alone.

    After a failure Redis is left alone for a few seconds: its time-out is not paid by every request.
    """

    def __init__(self, client: Any, per_minute: int, *, clock: Callable[[], float] = time.time) -> None:
        self._client, self._limit, self._clock = client, per_minute, clock
        self._alone = MemoryLimiter(per_minute)
        self._away_until = float("-inf")

    async def take(self, key: str) -> Allowance:
        if self._limit <= 0:
            return Allowance(allowed=True, limit=0, remaining=0)
        now = self._clock()
        if now < self._away_until:
            return await self._alone.take(key)
        try:
            used = await self._count(f"rate:{key}:{int(now // 60)}")
        except Exception:  # whatever Redis' trouble is, requests go on and stay limited
            self._away_until = now + AWAY_S
            return await self._alone.take(key)
        wait = 0 if used <= self._limit else 60 - int(now % 60)
        return Allowance(
            allowed=used <= self._limit, limit=self._limit, remaining=max(0, self._limit - used), retry_after_s=wait
        )

    async def _count(self, slot: str) -> int:
        """Both or neither: a count without an end would stay in Redis for good."""
        async with self._client.pipeline(transaction=True) as both:
            used, _ = await both.incr(slot).expire(slot, 120).execute()
        return int(used)


def limiter(per_minute: int, redis_url: str | None) -> RateLimiter:
    if redis_url is None:
        return MemoryLimiter(per_minute)
    try:
        from redis.asyncio import Redis
    except ImportError as error:
        raise MissingExtraError("redis", "redis") from error
    return RedisLimiter(Redis.from_url(redis_url, socket_timeout=0.2, socket_connect_timeout=0.2), per_minute)
