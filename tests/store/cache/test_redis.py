"""A Redis that is dead, slow or read-only is noticed once, logged once and passed by."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis as client
from redis_server import RedisServer

from surefoot.core.errors import ConfigError
from surefoot.store.cache.redis import RedisCache


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    running = RedisServer(tmp_path)
    running.start()
    yield running
    running.kill()


def test_a_server_that_dies_and_returns_is_logged_once_each_time(
    server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        cache = RedisCache(server.url, retry_s=0.0)
        await cache.set("k", b"1", ttl_s=60)
        server.kill()
        assert [await cache.get("k") for _ in range(20)] == [None] * 20
        server.start()
        assert await cache.get("k") is None
        await cache.set("k", b"2", ttl_s=60)
        assert await cache.get("k") == b"2"
        await cache.close()

    with caplog.at_level(logging.WARNING):
        asyncio.run(story())
    assert [record.getMessage().split(" (")[0] for record in caplog.records] == [
        "reading from the Redis cache failed",
        "reading from the Redis cache works again",
    ]


def test_a_server_that_failed_is_left_alone_for_a_while() -> None:
    now = 0.0

    async def story() -> None:
        nonlocal now
        cache = RedisCache("redis://127.0.0.1:1/0", retry_s=5.0, clock=lambda: now)
        assert await cache.get("k") is None
        assert cache._reads.is_off(4.9)
        now = 5.1
        assert not cache._reads.is_off(now)

    asyncio.run(story())


def test_a_server_that_hangs_costs_one_call_limit(server: RedisServer) -> None:
    async def story() -> None:
        cache = RedisCache(server.url, call_s=0.1)
        await cache.set("k", b"1", ttl_s=60)
        server.pause()
        try:
            assert [await cache.get("k") for _ in range(100)] == [None] * 100
        finally:
            server.resume()

    asyncio.run(asyncio.wait_for(story(), 2.0))


def test_a_read_only_server_is_still_read(server: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        cache = RedisCache(server.url)
        await cache.set("k", b"1", ttl_s=60)
        client.Redis.from_url(server.url).config_set("min-replicas-to-write", "3")
        for _ in range(5):
            await cache.set("k", b"2", ttl_s=60)
        assert await cache.get("k") == b"1"
        await cache.close()

    with caplog.at_level(logging.WARNING):
        asyncio.run(story())
    assert len([record for record in caplog.records if "writing to" in record.getMessage()]) == 1


def test_two_event_loops_may_share_one_cache(server: RedisServer) -> None:
    cache = RedisCache(server.url)
    asyncio.run(cache.set("k", b"1", ttl_s=60))
    assert asyncio.run(cache.get("k")) == b"1"


def test_a_url_that_is_none_names_the_setting_and_hides_the_password() -> None:
    with pytest.raises(ConfigError, match="redis_url: 'host'") as error:
        RedisCache("http://user:secret@host")
    assert "secret" not in str(error.value)


def test_keys_stand_in_redis_as_the_design_names_them(server: RedisServer) -> None:
    asyncio.run(RedisCache(server.url).set("vector:abc", b"\x00\x01", ttl_s=86_400))
    direct = client.Redis.from_url(server.url)
    assert direct.get("vector:abc") == b"\x00\x01"
    assert 86_390 < direct.ttl("vector:abc") <= 86_400


def test_a_thing_of_another_kind_under_our_key_is_dropped_and_reading_goes_on(server: RedisServer) -> None:
    async def story() -> None:
        cache = RedisCache(server.url)
        raw = client.Redis.from_url(server.url)
        raw.rpush("answer:a", b"no string")
        raw.sadd("tag:chunk:1", b"\xff\xfe")
        raw.set(b"\xff\xfe", b"x")
        assert await cache.get("answer:a") is None
        await cache.set("answer:a", b"1", ttl_s=60, tags=["chunk:1"])
        assert await cache.get("answer:a") == b"1"
        assert "answer:a" in await cache.tagged("chunk:1")
        assert "answer:a" in await cache.drop_tagged(["chunk:1"])
        assert await cache.get("answer:a") is None
        await cache.close()

    asyncio.run(story())


def test_a_thing_of_another_kind_under_a_tag_keeps_no_answer_from_being_kept_or_dropped(server: RedisServer) -> None:
    """Else whoever puts a word in a tag's place keeps the answers of a deleted document alive."""

    async def story() -> None:
        cache = RedisCache(server.url, retry_s=0.0)
        raw = client.Redis.from_url(server.url)
        await cache.set("answer:a", b"1", ttl_s=60, tags=["doc:1", "doc:2"])
        raw.delete("tag:doc:2")
        raw.set("tag:doc:2", "no set")
        assert await cache.drop_tagged(["doc:2", "doc:1"]) == ["answer:a"]
        raw.set("tag:doc:2", "no set")
        raw.set("tags:answer:a", "no set")
        await cache.set("answer:a", b"2", ttl_s=60, tags=["doc:2"])
        assert await cache.get("answer:a") == b"2"
        assert await cache.drop_tagged(["doc:2"]) == ["answer:a"]
        assert await cache.get("answer:a") is None
        await cache.close()

    asyncio.run(story())


def test_a_huge_thing_under_our_key_is_read_only_so_far(server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.store.cache.redis.MAX_ENTRY", 1_000)

    async def story() -> None:
        cache = RedisCache(server.url)
        client.Redis.from_url(server.url).set("answer:a", b"x" * 5_000_000)
        found = await cache.get("answer:a")
        assert found is not None
        assert len(found) <= 1_001
        await cache.close()

    asyncio.run(story())
