"""The embedded cache is disposable: damage and missing rights cost nothing but the cache."""

from __future__ import annotations

import asyncio
import logging
import os
from pathlib import Path

import pytest

from surefoot.store.cache.sqlite import SqliteCache


def test_a_damaged_file_is_made_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "cache.sqlite"
    file.write_bytes(b"this is no database" * 100)

    async def story() -> None:
        cache = SqliteCache(file)
        assert await cache.get("k") is None
        await cache.set("k", b"1", ttl_s=60)
        assert await cache.get("k") == b"1"

    with caplog.at_level(logging.WARNING):
        asyncio.run(story())
    assert len(caplog.records) == 1
    assert "damaged" in caplog.text


def test_a_folder_that_cannot_be_written_is_passed_by_and_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")

    async def story() -> None:
        cache = SqliteCache(blocked / "cache.sqlite")
        for _ in range(3):
            await cache.set("k", b"1", ttl_s=60)
            assert await cache.get("k") is None

    with caplog.at_level(logging.WARNING):
        asyncio.run(story())
    assert len(caplog.records) == 1


def test_two_processes_worth_of_connections_see_each_other(tmp_path: Path) -> None:
    async def story() -> None:
        one, two = SqliteCache(tmp_path / "c.sqlite"), SqliteCache(tmp_path / "c.sqlite")
        await one.set("k", b"1", ttl_s=60, tags=["t"])
        assert await two.get("k") == b"1"
        assert await two.drop_tagged(["t"]) == ["k"]
        assert await one.get("k") is None

    asyncio.run(story())


def test_expired_entries_and_their_tags_are_cleared_away(tmp_path: Path) -> None:
    now = 1000.0

    async def story() -> None:
        nonlocal now
        cache = SqliteCache(tmp_path / "c.sqlite", now=lambda: now)
        for number in range(499):
            await cache.set(f"k{number}", b"x", ttl_s=10, tags=["t"])
        now += 20
        for number in range(3):
            await cache.set(f"new{number}", b"x", ttl_s=10)
        rows = await cache._do(lambda db: db.execute("SELECT (SELECT COUNT(*) FROM entries), COUNT(*) FROM tags"), None)
        assert rows.fetchone() == (3, 0)

    asyncio.run(story())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_file_is_still_read(tmp_path: Path) -> None:
    asyncio.run(SqliteCache(tmp_path / "c.sqlite").set("k", b"1", ttl_s=60))
    (tmp_path / "c.sqlite").chmod(0o400)
    tmp_path.chmod(0o500)
    try:
        assert asyncio.run(SqliteCache(tmp_path / "c.sqlite").get("k")) in (b"1", None)
    finally:
        tmp_path.chmod(0o700)
