"""What the store holds of which file: the ledger that makes an ingest repeatable and safe to kill.

Before the store is touched the ledger lists every chunk id that may be in it afterwards, old and new; after the
store is written the list is cut down to what is there. A run killed in between leaves the file marked `pending`,
and the next run knows every id it has to look after. Nothing is lost, nothing is doubled.

It lies in a file beside an embedded store, or in the database that replicas share. There a file is leased while it is
worked on, so that several workers over one folder do nothing twice; a lease that is not renewed runs out.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from surefoot.core.errors import StoreFullError, StoreUnavailableError
from surefoot.core.ports import Database, Sql
from surefoot.core.space import require_space
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


LEASE_S = 60
"""A file is left to the worker that has it for so long after its last sign of life."""
UPLOADED = b"upload:"
"""How the shared ledger writes the folder of uploads, which every replica has elsewhere."""


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
    """Every method is one transaction."""

    def __init__(self, place: Path | Database, *, uploads: Path | None = None) -> None:
        """`uploads`: where this replica keeps copies of what was uploaded to any of them."""
        self._shared = None if isinstance(place, Path) else place
        self._file = _LedgerFile(place) if isinstance(place, Path) else None
        self._uploads = uploads.absolute() if uploads is not None else None
        self._worker = f"{socket.gethostname()}:{os.getpid()}:{id(self):x}"

    @property
    def exists(self) -> bool:
        """Whether anything was ever ingested. Looks without making the file; a shared ledger is always there."""
        return self._file is None or self._file.path.exists()

    def bind(self, store: str) -> None:
        """Ties the ledger to one store; a ledger of another store is forgotten, so that everything is written again."""
        if self._file is not None:
            require_space(self._file.path.parent)
        with self._using() as db:
            row = db.execute("SELECT value FROM ledger WHERE key = 'store'").fetchone()
            if row is not None and row[0] == store:
                return
            if row is not None:
                db.execute("DELETE FROM files")
                db.execute("DELETE FROM chunks")
            _bind(db, store)

    def entries(self) -> dict[Path, Entry]:
        with self._using() as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM files").fetchall()
            return {entry.path: entry for entry in map(self._entry, rows)}

    def entry(self, path: Path) -> Entry | None:
        with self._using() as db:
            row = db.execute(f"SELECT {_COLUMNS} FROM files WHERE path = ?", (self._key(path),)).fetchone()
            return self._entry(row) if row else None

    def chunks(self, path: Path) -> dict[str, str]:
        """Ids that may be in the store for this file, with the digest of what was stored ('' when unsure)."""
        with self._using() as db:
            rows = db.execute(
                "SELECT id, CASE stored WHEN 1 THEN digest ELSE '' END FROM chunks WHERE path = ?", (self._key(path),)
            )
            return {str(row[0]): str(row[1]) for row in rows}

    def listed(self) -> int:
        """How many chunks the store must hold at least: those of files that are done."""
        with self._using() as db:
            row = db.execute(
                "SELECT count(*) FROM chunks JOIN files USING (path) WHERE state = 'done' AND stored = 1"
            ).fetchone()
            return int(row[0])

    def note(self, recipe: str, embedder: str) -> None:
        """Which embedder makes the vectors of files that are done by this recipe."""
        with self._using() as db:
            db.execute(
                "INSERT INTO ledger VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (_MADE_BY + recipe, embedder),
            )

    def outdated(self, embedder: str) -> int:
        """Files whose vectors another embedder made, or one that nobody noted: an ingest makes them anew."""
        with self._using() as db:
            row = db.execute(
                "SELECT count(*) FROM files WHERE state = 'done' AND NOT EXISTS "
                "(SELECT 1 FROM ledger WHERE key = ? || recipe AND value = ?)",
                (_MADE_BY, embedder),
            ).fetchone()
            return int(row[0])

    @property
    def has_workers(self) -> bool:
        """Whether others may work on the same files at the same time."""
        return self._shared is not None

    def keeps(self, path: Path) -> bool:
        """Whether the file lies in the database: that it is not on this machine says nothing."""
        return self._shared is not None and path.parent == self._uploads

    def claim(self, path: Path) -> bool:
        """Whether this worker may do the file now; a file is another's until it is done or its lease has run out."""
        if self._shared is None:
            return True
        key = self._key(path)
        with self._using() as db:
            db.execute("INSERT INTO leases VALUES (?, '', now() - interval '1 second') ON CONFLICT DO NOTHING", [key])
            taken = db.execute(
                "UPDATE leases SET holder = ?, until = now() + ? * interval '1 second' WHERE path IN "
                "(SELECT path FROM leases WHERE path = ? AND (until < now() OR holder = ?) FOR UPDATE SKIP LOCKED)",
                [self._worker, LEASE_S, key, self._worker],
            )
            return bool(taken.rowcount)

    def release(self) -> None:
        """Lets others have what this worker has claimed and is done with."""
        if self._shared is not None:
            with self._using() as db:
                db.execute("DELETE FROM leases WHERE holder = ?", [self._worker])

    def plan(self, entries: Iterable[Entry], chunks: Mapping[Path, Mapping[str, str]]) -> None:
        """Marks files as pending and lists their coming chunks beside the ones they have."""
        with self._using() as db:
            for entry in entries:
                self._write(db, entry, state="pending")
                db.executemany(
                    "INSERT INTO chunks VALUES (?, ?, ?, 0) ON CONFLICT (path, id) DO UPDATE "
                    "SET stored = 0, digest = excluded.digest WHERE chunks.digest != excluded.digest",
                    [(self._key(entry.path), *chunk) for chunk in chunks.get(entry.path, {}).items()],
                )

    def stored(self, path: Path, chunks: Iterable[str]) -> None:
        """These planned chunks are in the store: a run killed after this does not embed them again."""
        key = self._key(path)
        with self._using() as db:
            db.executemany("UPDATE chunks SET stored = 1 WHERE path = ? AND id = ?", [(key, chunk) for chunk in chunks])
            if self._shared is not None:
                db.execute("UPDATE leases SET until = now() + ? * interval '1 second' WHERE path = ?", [LEASE_S, key])

    def documents(self) -> list[StoredDocument]:
        """What the knowledge base knows, by source."""
        with self._using() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS}, (SELECT count(*) FROM chunks WHERE chunks.path = files.path) "
                "FROM files ORDER BY source"
            ).fetchall()
        held = [(self._entry(row[:8]), int(row[8])) for row in rows]
        return [
            StoredDocument(source=one.source, state=one.state, chunks=count, reason=one.reason, path=one.path)
            for one, count in held
        ]

    def settle(self, entries: Iterable[Entry], chunks: Mapping[Path, Mapping[str, str]]) -> None:
        """The store now holds exactly these chunks of these files."""
        with self._using() as db:
            for entry in entries:
                self._write(db, entry, state=entry.state)
                key = self._key(entry.path)
                db.execute("DELETE FROM chunks WHERE path = ?", (key,))
                rows = [(key, chunk, digest) for chunk, digest in chunks.get(entry.path, {}).items()]
                db.executemany("INSERT INTO chunks VALUES (?, ?, ?, 1)", rows)
                self._free(db, key)

    def adopt(self, other: Manifest, store: str) -> None:
        """Becomes a copy of another ledger, bound to its own store: a copied knowledge base is up to date at once."""
        with other._using() as theirs:
            files = [other._entry(row) for row in theirs.execute(f"SELECT {_COLUMNS} FROM files").fetchall()]
            chunks = theirs.execute("SELECT path, id, digest, stored FROM chunks").fetchall()
            made_by = theirs.execute("SELECT key, value FROM ledger WHERE key LIKE ?", (f"{_MADE_BY}%",)).fetchall()
        with self._using() as mine:
            mine.execute("DELETE FROM files")
            mine.execute("DELETE FROM chunks")
            for entry in files:
                self._write(mine, entry, state=entry.state)
            rows = [(self._key(other._path(bytes(row[0]))), *row[1:]) for row in chunks]
            mine.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?)", rows)
            _bind(mine, store)
        for key, embedder in made_by:
            self.note(str(key).removeprefix(_MADE_BY), str(embedder))

    def forget(self, path: Path) -> None:
        key = self._key(path)
        with self._using() as db:
            db.execute("DELETE FROM chunks WHERE path = ?", (key,))
            db.execute("DELETE FROM files WHERE path = ?", (key,))
            self._free(db, key)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _using(self) -> AbstractContextManager[Sql]:
        if self._file is not None:
            return self._file.using()
        assert self._shared is not None
        return self._shared.transaction()

    def _free(self, db: Sql, key: bytes) -> None:
        if self._shared is not None:
            db.execute("DELETE FROM leases WHERE path = ? AND holder = ?", [key, self._worker])

    def _write(self, db: Sql, entry: Entry, *, state: str) -> None:
        key = self._key(entry.path)
        if self._shared is None:  # elsewhere another worker may have taken the name: that is an error, not a change
            db.execute("DELETE FROM files WHERE source = ?", (entry.source,))
        db.execute("DELETE FROM files WHERE path = ?", (key,))
        db.execute(
            "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (key, entry.source, entry.size, entry.mtime_ns, entry.sha256, entry.recipe, state, entry.reason),
        )

    def _key(self, path: Path) -> bytes:
        if self._shared is not None and path.parent == self._uploads:
            return UPLOADED + os.fsencode(path.name)
        return os.fsencode(path)

    def _path(self, key: bytes) -> Path:
        if self._uploads is not None and key.startswith(UPLOADED):
            return self._uploads / os.fsdecode(key.removeprefix(UPLOADED))
        return Path(os.fsdecode(key))

    def _entry(self, row: tuple[bytes, str, int, int, str, str, str, str]) -> Entry:
        path, source, size, mtime_ns, sha256, recipe, state, reason = row
        return Entry(
            path=self._path(bytes(path)),
            source=source,
            size=size,
            mtime_ns=mtime_ns,
            sha256=sha256,
            recipe=recipe,
            state=state,
            reason=reason,
        )


class _LedgerFile:
    """A SQLite file beside the store, of one writer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._guard = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    @contextmanager
    def using(self) -> Iterator[sqlite3.Connection]:
        with self._guard:
            try:
                with self._open() as db:
                    yield db
            except sqlite3.Error as error:
                raise self._unusable(error) from error

    def close(self) -> None:
        with self._guard:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                connection = self._connect()
            except (sqlite3.Error, OSError) as error:
                raise self._unusable(error) from error
            self._connection = connection
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        if self.path.exists() and not os.access(self.path.parent, os.W_OK):  # a read-only disk: look, and no more
            alone = "" if Path(f"{self.path}-wal").exists() else "&immutable=1"
            address = f"{self.path.absolute().as_uri()}?mode=ro{alone}"
            return sqlite3.connect(address, uri=True, check_same_thread=False)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, check_same_thread=False, timeout=10)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.executescript(_SCHEMA)
        return connection

    def _unusable(self, error: Exception) -> StoreUnavailableError:
        if "full" in str(error):
            return StoreFullError(f"the disk of the ledger {str(self.path)!r} is full; make room on it")
        return StoreUnavailableError(
            f"the ledger {str(self.path)!r} cannot be used: {error}; "
            "check the disk's room and permissions, or run: surefoot store rebuild"
        )


def _bind(db: Sql, store: str) -> None:
    db.execute(
        "INSERT INTO ledger VALUES ('store', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (store,)
    )


_MADE_BY = "recipe:"
_COLUMNS = "path, source, size, mtime_ns, sha256, recipe, state, reason"
