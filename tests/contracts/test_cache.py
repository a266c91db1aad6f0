"""One suite for every cache: SQLite and a real Redis server behave alike, bare and with checksums."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from redis_server import RedisServer

from surefoot.core.ports import Cache
from surefoot.store.cache.checked import CheckedCache
from surefoot.store.cache.redis import RedisCache
from surefoot.store.cache.sqlite import SqliteCache


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    redis = RedisServer(tmp_path_factory.mktemp("redis"))
    redis.start()
    yield redis
    redis.kill()


Run = Callable[[Callable[[Cache], Awaitable[None]]], None]


@pytest.fixture(params=["sqlite", "redis", "checked sqlite", "checked redis"])
def run(request: pytest.FixtureRequest, tmp_path: Path, server: RedisServer) -> Run:
    def go(story: Callable[[Cache], Awaitable[None]]) -> None:
        async def told() -> None:
            cache: Cache
            if "redis" in request.param:
                import redis

                redis.Redis.from_url(server.url).flushall()
                cache = RedisCache(server.url, call_s=5.0)
            else:
                cache = SqliteCache(tmp_path / "cache.sqlite")
            if "checked" in request.param:
                cache = CheckedCache(cache, secret=b"s")
            await story(cache)
            await cache.close()

        asyncio.run(told())

    return go


def test_what_was_set_comes_back(run: Run) -> None:
    async def story(cache: Cache) -> None:
        await cache.set("answer:1", b"\x00\xff bytes", ttl_s=60)
        assert await cache.get("answer:1") == b"\x00\xff bytes"
        assert await cache.get("answer:2") is None

    run(story)


def test_setting_again_replaces_value_and_tags(run: Run) -> None:
    async def story(cache: Cache) -> None:
        await cache.set("k", b"1", ttl_s=60, tags=["a"])
        await cache.set("k", b"2", ttl_s=60, tags=["b"])
        assert await cache.get("k") == b"2"
        assert await cache.tagged("b") == ["k"]
        assert await cache.drop_tagged(["a"]) == []
        assert await cache.get("k") == b"2"

    run(story)


def test_an_entry_ends_with_its_age_limit(run: Run) -> None:
    async def story(cache: Cache) -> None:
        await cache.set("short", b"1", ttl_s=1, tags=["t"])
        await cache.set("long", b"2", ttl_s=60, tags=["t"])
        await asyncio.sleep(1.2)
        assert await cache.get("short") is None
        assert await cache.get("long") == b"2"
        assert await cache.tagged("t") == ["long"]

    run(story)


def test_a_tag_drops_exactly_the_entries_that_carry_it(run: Run) -> None:
    async def story(cache: Cache) -> None:
        await cache.set("x", b"1", ttl_s=60, tags=["chunk:a", "chunk:b"])
        await cache.set("y", b"2", ttl_s=60, tags=["chunk:b"])
        await cache.set("z", b"3", ttl_s=60, tags=["chunk:c"])
        assert await cache.drop_tagged(["chunk:a"]) == ["x"]
        assert [await cache.get(key) for key in "xyz"] == [None, b"2", b"3"]
        assert await cache.drop_tagged(["chunk:b", "chunk:c"]) == ["y", "z"]
        assert await cache.drop_tagged(["chunk:none"]) == []
        assert await cache.drop_tagged([]) == []

    run(story)


def test_dropping_by_key_forgets_the_tags_too(run: Run) -> None:
    async def story(cache: Cache) -> None:
        await cache.set("x", b"1", ttl_s=60, tags=["t"])
        await cache.drop(["x", "never there"])
        assert await cache.get("x") is None
        assert await cache.tagged("t") == []
        await cache.drop([])

    run(story)


def test_odd_keys_and_large_values_are_no_trouble(run: Run) -> None:
    async def story(cache: Cache) -> None:
        key = "snippet:tenancy:https://example.org/ä?q=1&b='; DROP TABLE entries; --"
        await cache.set(key, b"x" * 3_000_000, ttl_s=60, tags=["tag with spaces 'n quotes"])
        assert len(await cache.get(key) or b"") == 3_000_000
        assert await cache.drop_tagged(["tag with spaces 'n quotes"]) == [key]

    run(story)


def test_many_writers_at_once_lose_nothing(run: Run) -> None:
    async def story(cache: Cache) -> None:
        await asyncio.gather(*(cache.set(f"k{n}", str(n).encode(), ttl_s=60, tags=["all"]) for n in range(100)))
        values = await asyncio.gather(*(cache.get(f"k{n}") for n in range(100)))
        assert values == [str(n).encode() for n in range(100)]
        assert len(await cache.drop_tagged(["all"])) == 100

    run(story)
