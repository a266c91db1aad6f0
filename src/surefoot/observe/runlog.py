"""The run log: an append-only, hash-chained, redacted audit of decisions in one SQLite file under the knowledge base.

Each row's hash covers the row before it and the hash of its own body, so a changed, removed or inserted row shows,
while a body can still be forgotten on request (its hash stays). Many threads and processes may append at once:
every append is one transaction under SQLite's write lock, and a killed process leaves whole rows only.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from surefoot.core.errors import InputError, StoreUnavailableError
from surefoot.core.hashing import canonical_json, sha256_text
from surefoot.core.redaction import Redactor, introduced_names, profile_names
from surefoot.core.types import Json, RunSummary

FILE = "runs.sqlite"
GENESIS = "0" * 64
WITHOUT_CONTENT = frozenset(
    "run_id kind at decision success reason fallback_reason confidence rule_status stages_completed stage_times_ms "
    "processing_time_ms issues issue_codes issue_counts llm_model pack pack_hash config_hash session cached domain "
    "rounds relevant key of verdict".split()
)
"""What a record keeps under `run_content: none`: no key here ever holds a text of a person or a source."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChainReport:
    rows: int
    broken: tuple[int, ...]
    """Sequence numbers whose hash does not follow from the row before or from their body."""

    @property
    def intact(self) -> bool:
        return not self.broken


class RunStore:
    """Implements core.ports.RunLog and RunArchive over SQLite in WAL mode."""

    def __init__(
        self,
        folder: Path,
        *,
        content: str = "redacted",
        retention_days: int = 90,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        if content not in ("redacted", "none"):
            raise InputError(f"run_content: {content!r} is not a choice; use 'redacted' or 'none'")
        self._path, self._content, self._retention, self._now = folder / FILE, content, retention_days, now
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._next_prune = 0.0

    def append(self, record: Mapping[str, Json]) -> str:
        """Stores one record, redacted, and returns its run id. The record's own `run_id` and `at` are kept if given."""
        entry = self._prepared(record)
        body = canonical_json(entry)
        body_hash = sha256_text(body)
        with self._writing() as db:
            previous = db.execute("SELECT hash FROM runs ORDER BY seq DESC LIMIT 1").fetchone()
            before = previous[0] if previous else self._anchor(db)
            columns = [_text(entry.get(key)) for key in ("run_id", "at", "kind", "decision", "reason", "pack", "of")]
            db.execute(
                "INSERT INTO runs (run_id, at, kind, decision, reason, pack, of, body, body_hash, previous, hash) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [*columns, body, body_hash, before, _link(before, body_hash)],
            )
        self._prune_now_and_then()
        return str(entry["run_id"])

    def feedback(self, run_id: str, verdict: str, note: str | None = None) -> str:
        """Records what a person thought of a run; the run itself is not touched."""
        if self.read(run_id) is None:
            raise InputError(f"there is no run {run_id!r}; list the runs there are")
        return self.append({"kind": "feedback", "of": run_id, "verdict": verdict, "note": note})

    def read(self, run_id: str) -> Mapping[str, Json] | None:
        rows = self._query("SELECT body FROM runs WHERE run_id = ?", [run_id])
        return _record(rows[0][0]) if rows else None

    def feedback_on(self, run_id: str) -> list[Mapping[str, Json]]:
        rows = self._query("SELECT body FROM runs WHERE of = ? AND kind = 'feedback' ORDER BY seq", [run_id])
        return [_record(row[0]) for row in rows]

    def runs(
        self,
        *,
        limit: int = 50,
        before: str | None = None,
        decision: str | None = None,
        pack: str | None = None,
        kind: str | None = None,
    ) -> list[RunSummary]:
        """The newest runs first; `before` is the id of the last one of the page before."""
        wheres, values = ["1"], list[str | int]()
        for column, value in (("decision", decision), ("pack", pack), ("kind", kind)):
            if value is not None:
                wheres.append(f"{column} = ?")
                values.append(value)
        if before is not None:
            wheres.append("seq < (SELECT seq FROM runs WHERE run_id = ?)")
            values.append(before)
        sql = f"SELECT run_id, at, kind, decision, reason, pack FROM runs WHERE {' AND '.join(wheres)}"
        rows = self._query(f"{sql} ORDER BY seq DESC LIMIT ?", [*values, limit])
        names = ("run_id", "at", "kind", "decision", "reason", "pack")
        return [RunSummary(**dict(zip(names, row, strict=True))) for row in rows]

    def since(self, at: str) -> Iterator[Mapping[str, Json]]:
        """Every record from an ISO time on, oldest first, read in pages so that a long log fits in memory."""
        last = 0
        while rows := self._query(
            "SELECT seq, body FROM runs WHERE at >= ? AND seq > ? ORDER BY seq LIMIT 200", (at, last)
        ):
            last = int(rows[-1][0])
            yield from (_record(row[1]) for row in rows)

    def count(self) -> int:
        rows = self._query("SELECT count(*) FROM runs", [])
        return int(rows[0][0]) if rows else 0

    def forget(self, run_id: str) -> bool:
        """Erases one record's content, as a person may demand; the chain stays whole because it covers the hash."""
        with self._writing() as db:
            row = db.execute("SELECT at FROM runs WHERE run_id = ?", [run_id]).fetchone()
            stub = canonical_json({"run_id": run_id, "kind": "forgotten", "at": row[0] if row else None})
            return db.execute("UPDATE runs SET body = ? WHERE run_id = ?", [stub, run_id]).rowcount > 0

    def prune(self) -> int:
        """Deletes what is older than the retention; the newest deleted hash becomes the chain's anchor."""
        oldest = (self._now() - timedelta(days=self._retention)).isoformat(timespec="milliseconds")
        with self._writing() as db:
            last = db.execute("SELECT seq, hash FROM runs WHERE at < ? ORDER BY seq DESC LIMIT 1", [oldest]).fetchone()
            if last is None:
                return 0
            db.execute("INSERT OR REPLACE INTO meta VALUES ('anchor', ?)", [last[1]])
            return db.execute("DELETE FROM runs WHERE seq <= ?", [last[0]]).rowcount

    def check(self) -> ChainReport:
        """Walks the whole chain."""
        if not self._path.exists():
            return ChainReport(rows=0, broken=())
        with self._lock, self._reported():
            db = self._open()
            expected, broken, rows = self._anchor(db), [], 0
            for seq, body, body_hash, previous, found in db.execute(
                "SELECT seq, body, body_hash, previous, hash FROM runs ORDER BY seq"
            ):
                rows += 1
                whole = sha256_text(body) == body_hash or _record(body).get("kind") == "forgotten"
                if not whole or previous != expected or found != _link(previous, body_hash):
                    broken.append(int(seq))
                expected = found
        return ChainReport(rows=rows, broken=tuple(broken))

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _prepared(self, record: Mapping[str, Json]) -> dict[str, Json]:
        entry: dict[str, Json] = {
            "run_id": _new_id(),
            "at": self._now().isoformat(timespec="milliseconds"),
            "kind": "verify",
            **{key: value for key, value in record.items() if value is not None},
        }
        if isinstance(session := entry.pop("session_id", None), str):
            entry["session"] = session_hash(session)
        if self._content == "none":
            return {key: value for key, value in entry.items() if key in WITHOUT_CONTENT} | {"content": "none"}
        return redacted_record(entry) | {"content": "redacted"}

    def _prune_now_and_then(self) -> None:
        if time.monotonic() >= self._next_prune:
            self._next_prune = time.monotonic() + 3600
            self.prune()

    def _query(self, sql: str, values: Sequence[str | int]) -> list[tuple[str, ...]]:
        if not self._path.exists():
            return []
        with self._lock, self._reported():
            return self._open().execute(sql, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._reported():
            db = self._open()
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                db.execute("ROLLBACK")
                raise

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreUnavailableError(
                f"the run log {self._path.name!r} cannot be used: {error}; check the folder's space and permissions"
            ) from error

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self._path, timeout=30, isolation_level=None, check_same_thread=False)
            db.execute("PRAGMA journal_mode = WAL")
            # NORMAL: a killed process loses nothing; a power cut may lose the last moments, never the order.
            db.execute("PRAGMA synchronous = NORMAL")
            db.executescript(_SCHEMA)
            self._connection = db
        return self._connection

    def _anchor(self, db: sqlite3.Connection) -> str:
        row = db.execute("SELECT value FROM meta WHERE key = 'anchor'").fetchone()
        return str(row[0]) if row else GENESIS


def session_hash(session_id: str) -> str:
    """What logs and runs know of a session: enough to follow it, not enough to name it."""
    return sha256_text(session_id)[:16]


def redacted_record(record: Mapping[str, Json]) -> dict[str, Json]:
    """The record without personal data: profiles stripped, every other string redacted, consistently."""
    inside = _containers(record)
    given = (name for profile in _profiles(inside) for name in profile_names(profile))
    said = (name for text in dict.fromkeys(_texts(inside)) for name in introduced_names(text))
    redactor = Redactor((*given, *said))
    return {key: value if key in WITHOUT_CONTENT else _redacted(key, value, redactor) for key, value in record.items()}


def _redacted(key: str, value: Json, redactor: Redactor) -> Json:
    if isinstance(value, str):
        return redactor.text(value)
    if key in _PROFILE_KEYS and isinstance(value, Mapping):
        return redactor.profile(value)
    if isinstance(value, Mapping):
        return {redactor.text(str(name)): _redacted(str(name), item, redactor) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted("", item, redactor) for item in value]
    return value


def _containers(record: Mapping[str, Json]) -> list[Any]:
    """Every object and list in the record, the record first."""
    found: list[Any] = [record]
    for value in found:
        inside = value.values() if isinstance(value, Mapping) else value
        found += [item for item in inside if type(item) not in _LEAVES and isinstance(item, Mapping | list | tuple)]
    return found


def _profiles(containers: Sequence[Any]) -> Iterator[Mapping[str, Json]]:
    for value in containers:
        if isinstance(value, Mapping):
            yield from (value[key] for key in _PROFILE_KEYS & value.keys() if isinstance(value[key], Mapping))


def _texts(containers: Sequence[Any]) -> Iterator[str]:
    for value in containers:
        inside = value.values() if isinstance(value, Mapping) else value
        yield from (item for item in inside if isinstance(item, str))


def _record(body: str) -> dict[str, Json]:
    record: dict[str, Json] = json.loads(body)
    return record


def _link(previous: str, body_hash: str) -> str:
    return sha256_text(f"{previous}\n{body_hash}")


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _new_id() -> str:
    """Sorts by time; unguessable, because a run id opens a run."""
    return f"{time.time_ns() // 1_000_000:012x}{secrets.token_hex(10)}"


_LEAVES = (str, int, float, bool, type(None))
_PROFILE_KEYS = frozenset({"profile", "studentProfile", "student_profile"})
_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    seq INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, kind TEXT NOT NULL, decision TEXT,
    reason TEXT, pack TEXT, of TEXT, body TEXT NOT NULL, body_hash TEXT NOT NULL, previous TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS runs_at ON runs (at);
CREATE INDEX IF NOT EXISTS runs_of ON runs (of);
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
