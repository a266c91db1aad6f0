"""A truncated, changed or swapped entry is dropped and counted."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from surefoot.store.cache.checked import CheckedCache
from surefoot.store.cache.sqlite import SqliteCache


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-1], lambda b: b"", lambda b: b + b"x", lambda b: b[:-1] + b"?", lambda b: b"junk"]
)
def test_a_damaged_entry_is_dropped_and_counted(tmp_path: Path, damage: object) -> None:
    counted: list[str] = []

    async def story() -> None:
        inner = SqliteCache(tmp_path / "c.sqlite")
        cache = CheckedCache(inner, on_poisoned=counted.append)
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
        cache = CheckedCache(inner)
        await cache.set("answer:a", b"hello", ttl_s=60)
        await inner.set("answer:b", await inner.get("answer:a") or b"", ttl_s=60)
        assert await cache.get("answer:b") is None

    asyncio.run(story())
