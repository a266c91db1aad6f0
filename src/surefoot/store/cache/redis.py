"""The shared cache: Redis by URL. A dead, slow or read-only server is noticed once, logged once and passed by."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from surefoot.core.errors import ConfigError, MissingExtraError, StoreUnavailableError

T = TypeVar("T")
_LOG = logging.getLogger(__name__)
_TAG = "tag:"
_TAGS_OF = "tags:"
MAX_ENTRY = 32_000_000
"""Many times what an answer takes; of what somebody else put there no more is read, and its signature fails."""
_SET = """
for _, name in ipairs({KEYS[2], unpack(ARGV, 3)}) do
  local set = name == KEYS[2] and name or 'tag:' .. name
  local kind = redis.call('TYPE', set).ok
  if kind ~= 'set' and kind ~= 'none' then redis.call('DEL', set) end
end
for _, tag in ipairs(redis.call('SMEMBERS', KEYS[2])) do redis.pcall('SREM', 'tag:' .. tag, KEYS[1]) end
redis.call('DEL', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
for i = 3, #ARGV do
  local tag = 'tag:' .. ARGV[i]
  redis.call('SADD', tag, KEYS[1])
  redis.call('SADD', KEYS[2], ARGV[i])
  if redis.call('TTL', tag) < tonumber(ARGV[2]) then redis.call('EXPIRE', tag, ARGV[2]) end
end
if #ARGV > 2 then redis.call('EXPIRE', KEYS[2], ARGV[2]) end
"""
"""One round trip, all or nothing: the entry, its tags, and tags that live at least as long as their newest entry.

What somebody put in the place of a set is dropped first: it would fail for ever.
"""
_CALL_S = 0.3
"""How long one call may take in all; a cache slower than this costs more than it saves."""
_RETRY_S = 2.0
"""How long a server that failed is left alone."""
_CONNECTIONS = 32
_PING_S = 3.0


class RedisCache:
    """Implements core.ports.Cache. Tags are sets of keys that live as long as the longest entry in them."""

    def __init__(
        self,
        url: str,
        *,
        call_s: float = _CALL_S,
        retry_s: float = _RETRY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url, self._call_s, self._retry_s, self._clock = url, call_s, retry_s, clock
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()
        self._reads, self._writes = _Switch("reading from"), _Switch("writing to")
        _check(url)

    async def get(self, key: str) -> bytes | None:
        from redis.exceptions import ResponseError

        async def read(client: Any) -> bytes | None:
            try:
                value: bytes = await client.getrange(key, 0, MAX_ENTRY)
            except ResponseError as error:
                if not str(error).startswith("WRONGTYPE"):
                    raise
                await client.delete(key)  # somebody put another thing there: it would fail for ever
                return None
            return value or None

        return await self._do(self._reads, read, None)

    async def set(self, key: str, value: bytes, *, ttl_s: int, tags: Sequence[str] = ()) -> None:
        async def write(client: Any) -> None:
            await client.eval(_SET, 2, key, _TAGS_OF + key, value, ttl_s, *tags)

        await self._do(self._writes, write, None)

    async def drop(self, keys: Sequence[str]) -> None:
        async def delete(client: Any) -> None:
            if keys:
                await client.delete(*keys, *(_TAGS_OF + key for key in keys))

        await self._do(self._writes, delete, None)

    async def drop_tagged(self, tags: Sequence[str]) -> list[str]:
        async def delete(client: Any) -> list[str]:
            keys = await _members(client, tags)
            names = [*keys, *(_TAGS_OF + key for key in keys), *(_TAG + tag for tag in tags)]
            for start in range(0, len(names), 500):
                await client.delete(*names[start : start + 500])
            return keys

        return await self._do(self._writes, delete, [])

    async def tagged(self, tag: str) -> list[str]:
        return await self._do(self._reads, lambda client: _members(client, [tag]), [])

    async def reach(self) -> bool:
        """Whether the server answers now."""

        async def ping(client: Any) -> bool:
            await client.ping()
            return True

        return await self._do(self._reads, ping, False)

    async def close(self) -> None:
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    async def _do(self, switch: _Switch, action: Callable[[Any], Awaitable[T]], otherwise: T) -> T:
        if switch.is_off(self._clock()):
            return otherwise
        from redis.exceptions import RedisError

        try:
            async with asyncio.timeout(self._call_s):
                done = await action(self._client())
        except (RedisError, OSError, TimeoutError) as error:
            switch.turn_off(self._clock() + self._retry_s, error)
            return otherwise
        switch.turn_on()
        return done

    def _client(self) -> Any:
        """One pool per event loop: connections cannot move between loops."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = _connect(self._url, self._call_s)
        return self._clients[loop]


async def ping(url: str) -> None:
    """A StoreUnavailableError where no Redis answers at the URL; what the cache itself passes over in silence."""
    from redis.exceptions import RedisError

    cache = RedisCache(url, call_s=_PING_S)
    try:
        async with asyncio.timeout(_PING_S):
            await cache._client().ping()
    except (RedisError, OSError, TimeoutError) as error:
        raise StoreUnavailableError(
            f"no Redis answers at {url.split('@')[-1]!r} ({type(error).__name__}); "
            "start it, or unset redis_url to cache in a file"
        ) from error
    finally:
        await cache.close()


class _Switch:
    """Remembers that something does not work, says so once, and says once that it works again."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._off_until: float | None = None

    def is_off(self, now: float) -> bool:
        return self._off_until is not None and now < self._off_until

    def turn_off(self, until: float, error: BaseException) -> None:
        if self._off_until is None:
            _LOG.warning("%s the Redis cache failed (%s); going on without it", self._doing, type(error).__name__)
        self._off_until = until

    def turn_on(self) -> None:
        if self._off_until is not None:
            _LOG.warning("%s the Redis cache works again", self._doing)
        self._off_until = None


def _check(url: str) -> None:
    try:
        import redis.asyncio
    except ImportError:
        raise MissingExtraError("redis", "redis") from None
    try:
        redis.asyncio.ConnectionPool.from_url(url)
    except ValueError as error:
        shown = url.split("@")[-1]
        raise ConfigError(f"redis_url: {shown!r} is not a Redis URL: {error}; use redis://host:6379/0") from error


def _connect(url: str, call_s: float) -> Any:
    import redis.asyncio
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff

    pool = redis.asyncio.BlockingConnectionPool.from_url(
        url,
        max_connections=_CONNECTIONS,
        timeout=call_s,
        socket_timeout=call_s,
        socket_connect_timeout=call_s,
        # Once, at once: a connection that a restarted server closed is opened again without a failure.
        retry=Retry(NoBackoff(), 1),
    )
    return redis.asyncio.Redis(connection_pool=pool)


async def _members(client: Any, tags: Sequence[str]) -> list[str]:
    """Keys that carry one of the tags and still exist."""
    if not tags:
        return []
    async with client.pipeline(transaction=False) as pipe:
        for tag in tags:
            pipe.smembers(_TAG + tag)
        # What is no set under a tag's name holds no keys, and must not keep other tags from being read.
        sets = await pipe.execute(raise_on_error=False)
    found: set[bytes] = {name for one in sets if not _wrong_kind(one) for name in one}
    names = {name for name in found if _is_text(name)}  # what is not was not written by us
    if not names:
        return []
    ordered = sorted(names)
    async with client.pipeline(transaction=False) as pipe:
        for name in ordered:
            pipe.exists(name)
        alive = await pipe.execute()
    return [name.decode() for name, lives in zip(ordered, alive, strict=True) if lives]


def _wrong_kind(answer: object) -> bool:
    if not isinstance(answer, Exception):
        return False
    if not str(answer).startswith("WRONGTYPE"):
        raise answer
    return True


def _is_text(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True
