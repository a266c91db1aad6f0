"""Where the run log's rows lie, and where its signed head: in a file of their own, or in the replicas' database."""

from __future__ import annotations

import errno
import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from surefoot.core.errors import StoreFullError, StoreUnavailableError
from surefoot.core.ports import Database, Sql
from surefoot.observe.chain import Head, read_head, sealed_head, trusted_head, write_head

FILE = "runs.sqlite"
HEAD = "runs.head"
SHARED_HEAD = "head"
"""The key of the head among the database's facts."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    seq INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, kind TEXT NOT NULL, decision TEXT,
    reason TEXT, pack TEXT, of TEXT, body TEXT NOT NULL, body_hash TEXT NOT NULL, previous TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS runs_at ON runs (at);
CREATE INDEX IF NOT EXISTS runs_of ON runs (of);
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


class FileBook:
    """SQLite in WAL mode under the knowledge base; the head in a small file beside it."""

    def __init__(self, folder: Path) -> None:
        self._path, self._head = folder / FILE, folder / HEAD
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None

    @property
    def exists(self) -> bool:
        return self._path.exists()

    @contextmanager
    def reading(self) -> Iterator[Sql]:
        with self._lock, self._reported():
            yield self._open()

    @contextmanager
    def viewing(self) -> Iterator[Sql]:
        """All that is read here is of one moment."""
        with self.reading() as db:
            db.execute("BEGIN")
            try:
                yield db
            finally:
                db.execute("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[Sql]:
        with self._lock, self._reported():
            db = self._open()
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                db.execute("ROLLBACK")
                raise

    def head(self, key: bytes, db: Sql | None = None) -> Head | str:
        return read_head(self._head, key)

    def found(self, head: Head, key: bytes) -> None:
        """Notes how the log was found where no head can be trusted, before a row is added.

        So a log has a head from its first row on, and one that is gone later was taken away.
        """
        with suppress(OSError):
            write_head(self._head, head, key)

    def seal(self, db: Sql, head: Head, key: bytes, *, removing: bool = False) -> None:
        """A removal is noted before its commit: a head ahead of a broken-off one explains itself, one behind not."""
        if removing:
            with suppress(OSError):
                write_head(self._head, head, key, removing=True)

    def sealed(self, head: Head, key: bytes) -> None:
        """Without a head the log is as it was."""
        with suppress(OSError):
            write_head(self._head, head, key)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if "full" in str(error) or getattr(error, "errno", None) == errno.ENOSPC:
                raise StoreFullError("the disk of the run log is full; make room on it") from error
            raise StoreUnavailableError(
                f"the run log {self._path.name!r} cannot be used: {error}; check the folder's space and permissions"
            ) from error

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self._path, timeout=30, isolation_level=None, check_same_thread=False)
            db.text_factory = _text  # a broken character in one row must not hide all others
            db.execute("PRAGMA journal_mode = WAL")
            # NORMAL: a killed process loses nothing; a power cut may lose the last moments, never the order.
            db.execute("PRAGMA synchronous = NORMAL")
            new = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'runs'").fetchone() is None
            db.executescript(SCHEMA)
            # Logs of before the columns were covered: remember up to which row, once.
            db.execute(
                "INSERT OR IGNORE INTO meta SELECT 'old_links', ifnull(max(seq), 0) FROM runs WHERE ? = 0", [int(new)]
            )
            db.execute("INSERT OR IGNORE INTO meta VALUES ('old_links', '0')")
            db.execute("INSERT OR IGNORE INTO meta SELECT 'removed', ifnull(min(seq), 1) - 1 FROM runs")
            self._connection = db
        return self._connection


class SharedBook:
    """The replicas' database: one chain for the service, its head written in the same transaction as the row."""

    exists = True

    def __init__(self, database: Database) -> None:
        self._database = database

    def reading(self) -> AbstractContextManager[Sql]:
        return self._database.transaction()

    @contextmanager
    def viewing(self) -> Iterator[Sql]:
        with self._database.transaction() as db:
            db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield db

    def writing(self) -> AbstractContextManager[Sql]:
        """One writer at a time, over all replicas: each row is linked to the one before it."""
        return self._database.transaction(alone="runs")

    def head(self, key: bytes, db: Sql | None = None) -> Head | str:
        if db is None:
            with self.reading() as own:
                return self.head(key, own)
        row = db.execute("SELECT value FROM meta WHERE key = ?", [SHARED_HEAD]).fetchone()
        return "the head is missing" if row is None else trusted_head(str(row[0]), key)

    def found(self, head: Head, key: bytes) -> None:
        """Nothing to do: the head goes with the row."""

    def seal(self, db: Sql, head: Head, key: bytes, *, removing: bool = False) -> None:
        db.execute(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [SHARED_HEAD, json.dumps(sealed_head(head, key))],
        )

    def sealed(self, head: Head, key: bytes) -> None:
        """Nothing is left to do: the head went with the row."""

    def close(self) -> None:
        """The database is the house's to close."""


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
