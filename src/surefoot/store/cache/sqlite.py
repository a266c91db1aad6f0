"""The embedded cache: one SQLite file, shared by threads and processes, disposable at any time."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
FILE = "cache.sqlite"
_LOG = logging.getLogger(__name__)
_PRUNE_EVERY = 500
_MOST_ENTRIES = 200_000
_RETRY_S = 5.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value BLOB NOT NULL, expires REAL NOT NULL);
CREATE TABLE IF NOT EXISTS tags (tag TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (tag, key)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tags_by_key ON tags (key);
CREATE INDEX IF NOT EXISTS entries_by_age ON entries (expires);
"""


class SqliteCache:
    """Implements core.ports.Cache. A file that cannot be used is logged once and passed by."""

    def __init__(self, path: Path, *, now: Callable[[], float] = time.time) -> None:
        self._path, self._now = path, now
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._writes = 0
        self._down_until = 0.0

    async def get(self, key: str) -> bytes | None:
        return await self._do(lambda db: self._read(db, key), None)

    async def set(self, key: str, value: bytes, *, ttl_s: int, tags: Sequence[str] = ()) -> None:
        await self._do(lambda db: self._write(db, key, value, ttl_s, tags), None)

    async def drop(self, keys: Sequence[str]) -> None:
        none: list[str] = []
        await self._do(lambda db: _delete(db, keys), none)

    async def drop_tagged(self, tags: Sequence[str]) -> list[str]:
        none: list[str] = []
        return await self._do(lambda db: _delete(db, _keys(db, tags, self._now())), none)

    async def tagged(self, tag: str) -> list[str]:
        return await self._do(lambda db: _keys(db, [tag], self._now()), [])

    async def close(self) -> None:
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    async def _do(self, action: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        return await asyncio.to_thread(self._guarded, action, otherwise)

    def _guarded(self, action: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        with self._lock:
            if time.monotonic() < self._down_until:
                return otherwise
            try:
                return self._committed(action)
            except sqlite3.DatabaseError as error:
                if not _is_busy(error) and not self._reopened(error):
                    self._go_down(error)
                    return otherwise
            except OSError as error:
                self._go_down(error)
                return otherwise
            try:
                return self._committed(action)
            except (sqlite3.Error, OSError) as error:
                self._go_down(error)
                return otherwise

    def _committed(self, action: Callable[[sqlite3.Connection], T]) -> T:
        db = self._connection()
        with db:
            return action(db)

    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # Autocommit off: `with db` is one transaction. The lock above lets threads share the connection.
            db = sqlite3.connect(self._path, timeout=0.5, check_same_thread=False)
            with suppress(sqlite3.OperationalError):
                db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=OFF")
            db.executescript(_SCHEMA)
            self._db = db
            if self._down_until:
                self._down_until = 0.0
                _LOG.warning("the cache file %s works again", self._path.name)
        return self._db

    def _reopened(self, error: sqlite3.DatabaseError) -> bool:
        """A damaged cache file is thrown away: everything in it can be made again."""
        if isinstance(error, sqlite3.OperationalError | sqlite3.ProgrammingError):
            return False
        _LOG.warning("the cache file %s is damaged (%s); it is made anew", self._path.name, error)
        if self._db is not None:
            self._db.close()
            self._db = None
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self._path}{suffix}").unlink(missing_ok=True)
        return True

    def _go_down(self, error: Exception) -> None:
        if not self._down_until:
            _LOG.warning("the cache file %s cannot be used (%s); going on without it", self._path.name, error)
        if self._db is not None:
            self._db.close()
            self._db = None
        self._down_until = time.monotonic() + _RETRY_S

    def _read(self, db: sqlite3.Connection, key: str) -> bytes | None:
        row = db.execute("SELECT value FROM entries WHERE key = ? AND expires > ?", (key, self._now())).fetchone()
        return bytes(row[0]) if row else None

    def _write(self, db: sqlite3.Connection, key: str, value: bytes, ttl_s: int, tags: Sequence[str]) -> None:
        db.execute("DELETE FROM tags WHERE key = ?", (key,))
        db.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", (key, value, self._now() + ttl_s))
        db.executemany("INSERT OR IGNORE INTO tags VALUES (?, ?)", [(tag, key) for tag in tags])
        self._writes += 1
        if self._writes % _PRUNE_EVERY == 1:
            self._prune(db)

    def _prune(self, db: sqlite3.Connection) -> None:
        db.execute("DELETE FROM entries WHERE expires <= ?", (self._now(),))
        db.execute(
            "DELETE FROM entries WHERE key IN (SELECT key FROM entries ORDER BY expires DESC LIMIT -1 OFFSET ?)",
            (_MOST_ENTRIES,),
        )
        db.execute("DELETE FROM tags WHERE key NOT IN (SELECT key FROM entries)")


def _keys(db: sqlite3.Connection, tags: Sequence[str], now: float) -> list[str]:
    found: set[str] = set()
    for tag in tags:
        rows = db.execute(
            "SELECT tags.key FROM tags JOIN entries USING (key) WHERE tag = ? AND expires > ?", (tag, now)
        )
        found |= {str(row[0]) for row in rows}
    return sorted(found)


def _delete(db: sqlite3.Connection, keys: Sequence[str]) -> list[str]:
    db.executemany("DELETE FROM entries WHERE key = ?", [(key,) for key in keys])
    db.executemany("DELETE FROM tags WHERE key = ?", [(key,) for key in keys])
    return list(keys)


def _is_busy(error: sqlite3.DatabaseError) -> bool:
    return isinstance(error, sqlite3.OperationalError) and "locked" in str(error)
