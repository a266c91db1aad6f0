"""Rate limits that several services share through a real Redis server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from redis.asyncio import Redis
from tests.server.small_house import SmallHouse, local_client
from tests.store.redis_server import RedisServer

from surefoot.server.ratelimit import AWAY_S, RedisLimiter, limiter
from surefoot.settings import Settings


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path)
    server.start()
    yield server
    server.kill()


def told(redis: RedisServer, story: Callable[[Redis], Awaitable[list[bool]]]) -> list[bool]:
    async def run() -> list[bool]:
        async with Redis.from_url(redis.url, socket_timeout=0.2, socket_connect_timeout=0.2) as client:
            return await story(client)

    return asyncio.run(run())


async def taken(limit: RedisLimiter, times: int) -> list[bool]:
    return [(await limit.take("k")).allowed for _ in range(times)]


def test_two_services_share_one_count(redis: RedisServer) -> None:
    async def story(client: Redis) -> list[bool]:
        one, other = (RedisLimiter(client, 3, clock=lambda: 30.0) for _ in range(2))
        return [*await taken(one, 2), *await taken(other, 2)]

    assert told(redis, story) == [True, True, True, False]


def test_the_next_minute_starts_anew_and_the_last_one_leaves_nothing_for_good(redis: RedisServer) -> None:
    now = [59.0]

    async def story(client: Redis) -> list[bool]:
        limit = RedisLimiter(client, 1, clock=lambda: now[0])
        before = await taken(limit, 2)
        refused = await limit.take("k")
        assert refused.retry_after_s == 1
        now[0] = 60.0
        after = await taken(limit, 1)
        keys = await client.keys("rate:*")
        lives = [await client.ttl(key) for key in keys]
        assert len(keys) == 2
        assert all(0 < life <= 120 for life in lives)
        return [*before, *after]

    assert told(redis, story) == [True, False, True]


@pytest.mark.parametrize("trouble", ["kill", "pause"])
def test_while_redis_is_away_this_process_limits_alone(redis: RedisServer, trouble: str) -> None:
    async def story(client: Redis) -> list[bool]:
        limit = RedisLimiter(client, 2, clock=lambda: 30.0)
        await limit.take("k")
        getattr(redis, trouble)()
        return await taken(limit, 3)

    try:
        assert told(redis, story) == [True, True, False]
    finally:
        if trouble == "pause":
            redis.resume()


def test_redis_is_asked_again_after_a_while(redis: RedisServer) -> None:
    now = [30.0]

    async def story(client: Redis) -> list[bool]:
        limit = RedisLimiter(client, 2, clock=lambda: now[0])
        redis.kill()
        alone = await taken(limit, 2)
        redis.start()
        still_alone = await taken(limit, 1)
        now[0] += AWAY_S
        return [*alone, *still_alone, *await taken(limit, 3)]

    assert told(redis, story) == [True, True, False, True, True, False]


def test_the_service_counts_in_the_redis_of_its_settings(redis: RedisServer, settings: Settings) -> None:
    limited = replace(settings, rate_limit_per_minute=2, redis_url=redis.url, cache=False)
    with local_client(SmallHouse(limited)) as client:
        answers = [client.get("/v1/packs") for _ in range(5)]
    # A minute may turn between two of them; even then two windows of two let no fifth one through.
    assert [answer.status_code for answer in answers].count(429) >= 1

    async def counted() -> int:
        async with Redis.from_url(redis.url) as client:
            return sum([int(await client.get(key)) for key in await client.keys("rate:*")])

    assert asyncio.run(counted()) == 5


def test_without_a_redis_url_the_count_stays_in_memory() -> None:
    assert not isinstance(limiter(2, None), RedisLimiter)
