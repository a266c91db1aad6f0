"""The run log: an append-only, hash-chained, redacted audit of decisions, in a file or in the replicas' database.

Each row's hash covers the row before it, its columns and the hash of its own body, so a changed, removed or inserted
row shows, while a body can still be forgotten on request (its hash stays, and a record says so). A small signed note
beside it holds the last hash, so that missing newest rows show too. Many threads, processes and replicas may append
at once: every append is one transaction that no other writer shares, and a killed process leaves whole rows only.
"""

from __future__ import annotations

import json
import math
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from surefoot.core.errors import InputError, StoreUnavailableError
from surefoot.core.hashing import canonical_json, sha256_text
from surefoot.core.ports import Database, Sql
from surefoot.core.redaction import Redactor, introduced_names, profile_names
from surefoot.core.text import whole
from surefoot.core.types import Json, RunSummary
from surefoot.observe.chain import (
    COLUMNS,
    FORGOTTEN,
    GENESIS,
    MAX_SEQ,
    Finding,
    Frame,
    Head,
    Row,
    examine,
    link,
    number,
    stub,
)
from surefoot.observe.retention import expired, most_at_once
from surefoot.observe.runbook import FileBook, SharedBook

WITHOUT_CONTENT = frozenset(
    "run_id kind at decision success reason fallback_reason confidence rule_status stages_completed stage_times_ms "
    "processing_time_ms nodes issues issue_codes issue_counts llm_model pack pack_hash config_hash session cached "
    "domain rounds relevant key of verdict".split()
)
"""What a record keeps under `run_content: none`: no key here ever holds a text of a person or a source."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChainReport:
    rows: int
    findings: tuple[Finding, ...] = ()

    @property
    def intact(self) -> bool:
        return not self.findings


class RunStore:
    """Implements core.ports.RunLog and RunArchive over a file of SQLite, or over a database that replicas share."""

    def __init__(
        self,
        place: Path | Database,
        *,
        content: str = "redacted",
        retention_days: int = 90,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        key: Callable[[], bytes] = lambda: b"",
        witness: Callable[[Head], None] = lambda head: None,
    ) -> None:
        """`key` signs the head, asked for once there is one; `witness` hears of every head, to note it elsewhere."""
        if content not in ("redacted", "none"):
            raise InputError(f"run_content: {content!r} is not a choice; use 'redacted' or 'none'")
        self._content, self._retention, self._now = content, retention_days, now
        self._secret, self._witness = key, witness
        self._book = FileBook(place) if isinstance(place, Path) else SharedBook(place)
        self._next_prune = 0.0

    def append(self, record: Mapping[str, Json]) -> str:
        """Stores one record, redacted, and returns its run id. The record's own `run_id` and `at` are kept if given."""
        entry = self._prepared(record)
        with self._book.writing() as db:
            head = self._add(db, entry)
            self._book.seal(db, head, self._key)
        self._noted(head)
        self._prune_now_and_then()
        return str(entry["run_id"])

    def _add(self, db: Sql, entry: Mapping[str, Json]) -> Head:
        body = whole(canonical_json(entry))
        body_hash = sha256_text(body)
        anchor = self._anchor(db)
        before = self._newest(db)
        columns = [whole(text) if (text := _text(entry.get(key))) else text for key in COLUMNS]
        made = link(before, columns, body_hash)
        names = ", ".join(COLUMNS)
        known = self._known(db)
        seq = self._next(db, known)
        db.execute(
            f"INSERT INTO runs (seq, {names}, body, body_hash, previous, hash) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [seq, *columns, body, body_hash, before, made],
        )
        return Head(seq=seq, hash=made, anchor=anchor, removed=self._removed(db), doubt=known.doubt)

    def _newest(self, db: Sql) -> str:
        row = db.execute("SELECT hash FROM runs ORDER BY seq DESC LIMIT 1").fetchone()
        return str(row[0]) if row else self._anchor(db)

    def _known(self, db: Sql) -> Head:
        """The head before this row. Where none can be trusted and there should be one, the next says so for good."""
        head = self._book.head(self._key, db)
        if isinstance(head, Head):
            return head
        last = self._last(db)
        doubt = 0 if last <= max(self._fact(db, "old_links"), self._removed(db)) else last + 1
        head = Head(seq=last, hash=self._newest(db), anchor=self._anchor(db), removed=self._removed(db), doubt=doubt)
        self._book.found(head, self._key)
        return head

    def _next(self, db: Sql, known: Head) -> int:
        """Numbers are never given twice: rows that the head knows and the log has lost leave a gap for good."""
        return max(self._last(db), self._removed(db), known.seq) + 1

    def _last(self, db: Sql) -> int:
        row = db.execute("SELECT max(seq) FROM runs WHERE seq <= ?", [MAX_SEQ]).fetchone()
        return max(0, number(row[0]))

    def _removed(self, db: Sql) -> int:
        return self._fact(db, "removed")

    def _fact(self, db: Sql, key: str) -> int:
        row = db.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchone()
        return number(row[0]) if row else 0

    @cached_property
    def _key(self) -> bytes:
        return self._secret()

    def _noted(self, head: Head) -> None:
        """After a record's commit, so that no head knows more rows than the log."""
        self._book.sealed(head, self._key)
        self._witness(head)

    def feedback(self, run_id: str, verdict: str, note: str | None = None, claim: int | None = None) -> str:
        """Records what a person thought of a run, or of its n-th claim; the run itself is not touched."""
        run = self.read(run_id)
        if run is None:
            raise InputError(f"there is no run {run_id!r}; list them with: surefoot runs list")
        claims = run.get("claims")
        many = len(claims) if isinstance(claims, list) else 0
        if claim is not None and not 1 <= claim <= many:
            raise InputError(f"run {run_id!r} has no claim {claim}; its claims are numbered from 1 to {many}")
        said: dict[str, Json] = {"kind": "feedback", "of": run_id, "verdict": verdict, "note": note}
        return self.append(said if claim is None else {**said, "claim": claim})

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
        wheres, values = ["1 = 1"], list[str | int]()
        for column, value in (("decision", decision), ("pack", pack), ("kind", kind)):
            if value is not None:
                wheres.append(f"{column} = ?")
                values.append(value)
        if before is not None:
            wheres.append("seq < (SELECT seq FROM runs WHERE run_id = ?)")
            values.append(before)
        names = ("run_id", "at", "kind", "decision", "reason", "pack")
        sql = f"SELECT {', '.join(names)}, body FROM runs WHERE {' AND '.join(wheres)}"
        found = []
        for *columns, body in self._query(f"{sql} ORDER BY seq DESC LIMIT ?", [*values, limit]):
            record = _record(body)
            shown = dict(zip(names, map(_shown, columns), strict=True))
            cached = record.get("cached") is True
            found.append(RunSummary(**shown, question=_text(record.get("question")), cached=cached))
        return found

    def since(self, at: str) -> Iterator[Mapping[str, Json]]:
        """Every record from an ISO time on, oldest first, read in pages so that a long log fits in memory."""
        last: str | int = 0
        while rows := self._query(
            "SELECT seq, body FROM runs WHERE at >= ? AND seq > ? ORDER BY seq LIMIT 200", (at, last)
        ):
            last = rows[-1][0]
            yield from (_record(row[1]) for row in rows)

    def count(self) -> int:
        rows = self._query("SELECT count(*) FROM runs", [])
        return int(rows[0][0]) if rows else 0

    def forget(self, run_id: str) -> bool:
        """Erases one record's content, as a person may demand. The chain covers its hash, and a new record says so."""
        with self._book.writing() as db:
            row = db.execute("SELECT at FROM runs WHERE run_id = ?", [run_id]).fetchone()
            if row is None:
                return False
            db.execute("UPDATE runs SET body = ? WHERE run_id = ?", [stub(run_id, str(row[0])), run_id])
            head = self._add(db, self._prepared({"kind": FORGOTTEN, "of": run_id}))
            self._book.seal(db, head, self._key)
        self._noted(head)
        return True

    def prune(self, *, all_of_it: bool = False) -> int:
        """Deletes what is older than the retention, a bounded share at once unless the operator says all of it.

        The newest deleted hash becomes the chain's anchor.
        """
        with self._book.writing() as db:
            rows = db.execute("SELECT seq, at FROM runs ORDER BY seq DESC").fetchall()
            last = expired(rows, now=self._now(), keep=timedelta(days=self._retention))
            if not all_of_it and last:
                most = most_at_once(db.execute("SELECT count(*) FROM runs").fetchone()[0])
                reach = db.execute("SELECT seq FROM runs ORDER BY seq LIMIT 1 OFFSET ?", [most - 1]).fetchone()
                last = min(last, int(reach[0])) if reach else last
            found = db.execute("SELECT hash FROM runs WHERE seq <= ? ORDER BY seq DESC LIMIT 1", [last]).fetchone()
            if found is None:
                return 0
            doubt = self._known(db).doubt
            db.execute(
                "INSERT INTO meta VALUES ('anchor', ?), ('removed', ?) "
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                [found[0], str(last)],
            )
            gone: int = db.execute("DELETE FROM runs WHERE seq <= ?", [last]).rowcount
            newest = db.execute("SELECT seq, hash FROM runs ORDER BY seq DESC LIMIT 1").fetchone()
            seq, made = newest or (last, found[0])
            # Before the commit: a head that is ahead of a broken-off removal explains itself, one behind would not.
            head = Head(seq=seq, hash=made, anchor=found[0], removed=last, doubt=doubt if doubt > last else 0)
            self._book.seal(db, head, self._key, removing=True)
        self._witness(head)
        return gone

    def check(self) -> ChainReport:
        """Walks the whole chain and says what is wrong and where; a file that cannot be read is a finding too."""
        before = self._head()
        report = self._checked()
        if not report.intact and self._head() != before:
            return self._checked()  # somebody wrote or removed rows between the look at the head and at the log
        return report

    def _head(self) -> Head | str:
        try:
            return self._book.head(self._key)
        except StoreUnavailableError:
            return "the head cannot be read"

    def _checked(self) -> ChainReport:
        head = self._head()
        if not self._book.exists:
            lost = isinstance(head, Head) and head.hash != GENESIS
            found = (Finding(seq=None, run_id=None, problem="the log is gone, and its head is here"),) if lost else ()
            return ChainReport(rows=0, findings=found)
        try:
            with self._book.viewing() as db:  # one view of it all, whoever writes meanwhile
                return self._examined(db, self._book.head(self._key, db))
        except StoreUnavailableError as error:
            return ChainReport(rows=0, findings=(Finding(seq=None, run_id=None, problem=str(error)),))

    def _examined(self, db: Sql, head: Head | str) -> ChainReport:
        erased = db.execute("SELECT of FROM runs WHERE kind = ?", [FORGOTTEN])
        frame = Frame(
            anchor=self._anchor(db),
            removed=self._removed(db),
            forgotten=frozenset(str(row[0]) for row in erased.fetchall()),
            old_until=self._fact(db, "old_links"),
        )
        count, findings = examine(_all_rows(db), frame, head)
        return ChainReport(rows=count, findings=tuple(findings))

    def close(self) -> None:
        self._book.close()

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
        if not self._book.exists:
            return []
        with self._book.reading() as db:
            rows: list[tuple[str, ...]] = db.execute(sql, values).fetchall()
            return rows

    def _anchor(self, db: Sql) -> str:
        row = db.execute("SELECT value FROM meta WHERE key = 'anchor'").fetchone()
        return str(row[0]) if row else GENESIS


def _all_rows(db: Sql) -> Iterator[Row]:
    """In order, and in pages, so that a long log fits in memory."""
    first = db.execute("SELECT min(seq) FROM runs").fetchone()[0]
    last = first - 1 if isinstance(first, int) else 0
    sql = f"SELECT seq, {', '.join(COLUMNS)}, body, body_hash, previous, hash FROM runs"
    while rows := db.execute(f"{sql} WHERE seq > ? ORDER BY seq LIMIT 500", [last]).fetchall():
        for row in rows:
            yield Row(seq=row[0], columns=row[1:8], body=row[8], body_hash=row[9], previous=row[10], hash=row[11])
        last = rows[-1][0]


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
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no word for it, and a record is not lost over one number
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


def _record(body: object) -> dict[str, Json]:
    """A row that cannot be read is a finding of `check`, and no reason to fail for all others.

    Nor is one that cannot be shown: written again as JSON it must be text.
    """
    try:
        record = json.loads(body) if isinstance(body, str) else None
        if isinstance(body, str) and _UNSHOWN.search(body):
            canonical_json(record).encode()
    except (ValueError, RecursionError):
        record = None
    return record if isinstance(record, dict) else {"kind": "unreadable"}


def _shown(value: object) -> Any:
    """A column as text: a tampered one may be anything, and is shown as such."""
    return value if value is None or isinstance(value, str) else "?"


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _new_id() -> str:
    """Sorts by time; unguessable, because a run id opens a run."""
    return f"{time.time_ns() // 1_000_000:012x}{secrets.token_hex(10)}"


_UNSHOWN = re.compile(r"\\u[dD][89a-fA-F]|NaN|Infinity|[eE]\+?\d{3}")
"""Signs of what JSON readers take and writers refuse."""
_LEAVES = (str, int, float, bool, type(None))
_PROFILE_KEYS = frozenset({"profile", "studentProfile", "student_profile"})
