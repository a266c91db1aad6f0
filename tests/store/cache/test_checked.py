"""A truncated, changed or swapped entry is dropped and counted."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from surefoot.core.hashing import sha256_text
from surefoot.ingest.vectors import vectors_of
from surefoot.settings import Settings
from surefoot.store.cache.checked import CheckedCache
from surefoot.store.cache.sqlite import FILE as CACHE_FILE
from surefoot.store.cache.sqlite import SqliteCache
from surefoot.testing.embedding import HashingEmbedder
from surefoot.wiring import Surefoot


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-1], lambda b: b"", lambda b: b + b"x", lambda b: b[:-1] + b"?", lambda b: b"junk"]
)
def test_a_damaged_entry_is_dropped_and_counted(tmp_path: Path, damage: object) -> None:
    counted: list[str] = []

    async def story() -> None:
        inner = SqliteCache(tmp_path / "c.sqlite")
        cache = CheckedCache(inner, secret=b"s", on_poisoned=counted.append)
        await cache.set("snippet:a", b"hello", ttl_s=60)
        stored = await inner.get("snippet:a")
        await inner.set("snippet:a", damage(stored), ttl_s=60)  # type: ignore[operator]
        assert await cache.get("snippet:a") is None
        assert await inner.get("snippet:a") is None

    asyncio.run(story())
    assert counted == ["snippet"]


def test_an_entry_copied_to_another_key_is_not_believed(tmp_path: Path) -> None:
    async def story() -> None:
        inner = SqliteCache(tmp_path / "c.sqlite")
        cache = CheckedCache(inner, secret=b"s")
        await cache.set("answer:a", b"hello", ttl_s=60)
        await inner.set("answer:b", await inner.get("answer:a") or b"", ttl_s=60)
        assert await cache.get("answer:b") is None

    asyncio.run(story())


@pytest.mark.parametrize("tier", ["vector", "answer", "llm", "snippet"])
def test_what_somebody_without_the_key_wrote_is_dropped(tmp_path: Path, tier: str) -> None:
    """Whoever can write to Redis knows how entries are made, and everything but the key."""

    async def story() -> None:
        inner = SqliteCache(tmp_path / "c.sqlite")
        mine, forger = CheckedCache(inner, secret=b"mine"), CheckedCache(inner, secret=b"theirs")
        await forger.set(f"{tier}:a", b"forged", ttl_s=60)
        assert await mine.get(f"{tier}:a") is None
        await mine.set(f"{tier}:a", b"true", ttl_s=60)
        assert await mine.get(f"{tier}:a") == b"true"

    asyncio.run(story())


def test_a_house_signs_vectors_and_drops_forged_ones(tmp_path: Path) -> None:
    house = Surefoot(Settings(kb=tmp_path / "kb"))
    embedder = HashingEmbedder()

    async def story() -> None:
        assert house.cache is not None
        true = await vectors_of(["rent"], embedder, house.cache)
        inner = SqliteCache(tmp_path / "kb" / CACHE_FILE)
        key = "vector:" + sha256_text(embedder.identity + "\nrent")
        stored = await inner.get(key)
        assert stored is not None
        zeros = bytes(4 * embedder.dimension)
        await inner.set(key, stored[: -len(zeros)] + zeros, ttl_s=60)
        assert (await vectors_of(["rent"], embedder, house.cache) == true).all()
        await inner.close()
        await house.cache.close()

    asyncio.run(story())


@pytest.mark.parametrize("tier", ["vector", "llm", "snippet", "answer"])
def test_every_lookup_is_told_by_tier(tmp_path: Path, tier: str) -> None:
    told: list[tuple[str, bool]] = []

    async def story() -> None:
        inner = SqliteCache(tmp_path / "c.sqlite")
        cache = CheckedCache(inner, secret=b"s", on_looked=lambda name, hit: told.append((name, hit)))
        await cache.get(f"{tier}:a")
        await cache.set(f"{tier}:a", b"x", ttl_s=60)
        await cache.get(f"{tier}:a")

    asyncio.run(story())
    assert told == [(tier, False), (tier, True)]
