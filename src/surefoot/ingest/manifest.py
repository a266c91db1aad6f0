"""What the store holds of which file: the ledger that makes an ingest repeatable and safe to kill.

Before the store is touched the ledger lists every chunk id that may be in it afterwards, old and new; after the
store is written the list is cut down to what is there. A run killed in between leaves the file marked `pending`,
and the next run knows every id it has to look after. Nothing is lost, nothing is doubled.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from surefoot.core.errors import StoreError
from surefoot.core.types import StoredDocument

_SCHEMA = """
CREATE TABLE IF NOT EXISTS ledger (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS files (
  path BLOB PRIMARY KEY, source TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  sha256 TEXT NOT NULL, recipe TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS chunks (
  path BLOB NOT NULL, id TEXT NOT NULL, digest TEXT NOT NULL, stored INTEGER NOT NULL, PRIMARY KEY (path, id))
  WITHOUT ROWID;
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    path: Path
    source: str
    size: int
    mtime_ns: int
    sha256: str
    recipe: str
    """Which chunker and embedder made its chunks."""
    state: str
    """done | pending | skipped"""
    reason: str = ""


class Manifest:
    """A SQLite file beside the store. One writer; every method is one transaction."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._guard = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def bind(self, store: str) -> None:
        """Ties the ledger to one store; a ledger of another store is forgotten, so that everything is written again."""
        with self._guard, self._open() as db:
            row = db.execute("SELECT value FROM ledger WHERE key = 'store'").fetchone()
            if row is not None and row[0] != store:
                db.execute("DELETE FROM files")
                db.execute("DELETE FROM chunks")
            db.execute("INSERT OR REPLACE INTO ledger VALUES ('store', ?)", (store,))

    def entries(self) -> dict[Path, Entry]:
        with self._guard, self._open() as db:
            rows = db.execute("SELECT path, source, size, mtime_ns, sha256, recipe, state, reason FROM files")
            return {entry.path: entry for entry in map(_entry, rows)}

    def chunks(self, path: Path) -> dict[str, str]:
        """Ids that may be in the store for this file, with the digest of what was stored ('' when unsure)."""
        with self._guard, self._open() as db:
            rows = db.execute(
                "SELECT id, CASE stored WHEN 1 THEN digest ELSE '' END FROM chunks WHERE path = ?", (_key(path),)
            )
            return {str(row[0]): str(row[1]) for row in rows}

    def plan(self, entries: Iterable[Entry], chunks: Mapping[Path, Mapping[str, str]]) -> None:
        """Marks files as pending and lists their coming chunks beside the ones they have."""
        with self._guard, self._open() as db:
            for entry in entries:
                self._write(db, entry, state="pending")
                for chunk, digest in chunks.get(entry.path, {}).items():
                    db.execute(
                        "INSERT INTO chunks VALUES (?, ?, ?, 0) ON CONFLICT DO UPDATE "
                        "SET stored = 0, digest = excluded.digest WHERE digest != excluded.digest",
                        (_key(entry.path), chunk, digest),
                    )

    def stored(self, path: Path, chunks: Iterable[str]) -> None:
        """These planned chunks are in the store: a run killed after this does not embed them again."""
        with self._guard, self._open() as db:
            rows = [(_key(path), chunk) for chunk in chunks]
            db.executemany("UPDATE chunks SET stored = 1 WHERE path = ? AND id = ?", rows)

    def documents(self) -> list[StoredDocument]:
        """What the knowledge base knows, by source."""
        with self._guard, self._open() as db:
            rows = db.execute(
                "SELECT source, state, (SELECT count(*) FROM chunks WHERE chunks.path = files.path), reason "
                "FROM files ORDER BY source"
            )
            return [
                StoredDocument(source=source, state=state, chunks=count, reason=reason)
                for source, state, count, reason in rows
            ]

    def settle(self, entries: Iterable[Entry], chunks: Mapping[Path, Mapping[str, str]]) -> None:
        """The store now holds exactly these chunks of these files."""
        with self._guard, self._open() as db:
            for entry in entries:
                self._write(db, entry, state=entry.state)
                key = _key(entry.path)
                db.execute("DELETE FROM chunks WHERE path = ?", (key,))
                rows = [(key, chunk, digest) for chunk, digest in chunks.get(entry.path, {}).items()]
                db.executemany("INSERT INTO chunks VALUES (?, ?, ?, 1)", rows)

    def adopt(self, other: Manifest, store: str) -> None:
        """Becomes a copy of another ledger, bound to its own store: a copied knowledge base is up to date at once."""
        with self._guard, other._guard, self._open() as mine, other._open() as theirs:
            mine.execute("DELETE FROM files")
            mine.execute("DELETE FROM chunks")
            mine.executemany("INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)", theirs.execute("SELECT * FROM files"))
            mine.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?)", theirs.execute("SELECT * FROM chunks"))
            mine.execute("INSERT OR REPLACE INTO ledger VALUES ('store', ?)", (store,))

    def forget(self, path: Path) -> None:
        with self._guard, self._open() as db:
            db.execute("DELETE FROM chunks WHERE path = ?", (_key(path),))
            db.execute("DELETE FROM files WHERE path = ?", (_key(path),))

    def close(self) -> None:
        with self._guard:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                connection = sqlite3.connect(self._file, check_same_thread=False, timeout=10)
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.executescript(_SCHEMA)
            except (sqlite3.Error, OSError) as error:
                raise StoreError(
                    f"the ledger {str(self._file)!r} cannot be used: {error}; delete the folder and ingest again"
                ) from error
            self._connection = connection
        return self._connection

    def _write(self, db: sqlite3.Connection, entry: Entry, *, state: str) -> None:
        db.execute(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                _key(entry.path),
                entry.source,
                entry.size,
                entry.mtime_ns,
                entry.sha256,
                entry.recipe,
                state,
                entry.reason,
            ),
        )


def _key(path: Path) -> bytes:
    return os.fsencode(path)


def _entry(row: tuple[bytes, str, int, int, str, str, str, str]) -> Entry:
    path, source, size, mtime_ns, sha256, recipe, state, reason = row
    return Entry(
        path=Path(os.fsdecode(path)),
        source=source,
        size=size,
        mtime_ns=mtime_ns,
        sha256=sha256,
        recipe=recipe,
        state=state,
        reason=reason,
    )
