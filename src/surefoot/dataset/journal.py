"""The journal: every reply that was paid for, on disk before anyone uses it.

One SQLite file beside the dataset. A call's key is the content hash of model and request, so a run that is killed and
started again finds all it has paid for, whatever else was changed. Writes of many sessions share one commit.
"""

from __future__ import annotations

import asyncio
import json
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from surefoot.core.errors import StoreError, StoreLockedError
from surefoot.core.hashing import canonical_json, content_hash, plain, request_key
from surefoot.core.ports import LanguageModel
from surefoot.core.types import Json, ModelReply, ModelRequest

FORMAT = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleUse:
    """What one role has used so far."""

    role: str
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int


class Journal:
    """Owned by one process at a time; others may read."""

    def __init__(self, file: Path, *, now: Callable[[], float] = time.time) -> None:
        self.file = file
        self._now = now
        file.parent.mkdir(parents=True, exist_ok=True)
        self._lock = _take_lock(file)
        self._reader = _connect(file)
        with _explained(file):
            self._reader.executescript(_SCHEMA)
            self._check_format()
        self._queue: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write_forever, name="journal", daemon=True)
        self._thread.start()

    def find_call(self, key: str) -> ModelReply | None:
        row = self._reader.execute("SELECT reply FROM calls WHERE key = ?", (key,)).fetchone()
        return ModelReply(**json.loads(row[0])) if row else None

    async def keep_call(
        self, key: str, request: ModelRequest, identity: str, reply: ModelReply, seconds: float
    ) -> None:
        """Returns once the reply is on disk."""
        await self._write(
            "INSERT OR IGNORE INTO calls VALUES (?,?,?,?,?,?,?,?,?)",
            (
                key,
                request.role,
                identity,
                canonical_json(request),
                canonical_json(reply),
                reply.prompt_tokens,
                reply.completion_tokens,
                seconds,
                self._now(),
            ),
        )

    def find_pair(self, key: str) -> Mapping[str, Json] | None:
        row = self._reader.execute("SELECT value FROM pairs WHERE key = ?", (key,)).fetchone()
        found: Mapping[str, Json] | None = json.loads(row[0]) if row else None
        return found

    async def keep_pair(self, key: str, value: Mapping[str, Json]) -> None:
        await self._write("INSERT OR REPLACE INTO pairs VALUES (?,?,?)", (key, canonical_json(value), self._now()))

    async def note(self, name: str, value: Json) -> None:
        """A fact about the build, for `dataset status`."""
        await self._write("INSERT OR REPLACE INTO notes VALUES (?,?)", (name, canonical_json(plain(value))))

    def uses(self) -> list[RoleUse]:
        return role_uses(self._reader)

    def tokens(self) -> int:
        return sum(use.prompt_tokens + use.completion_tokens for use in self.uses())

    def close(self) -> None:
        """Waits until everything is on disk."""
        self._queue.put(None)
        self._thread.join()
        self._reader.close()
        self._lock.close()

    async def _write(self, statement: str, values: tuple[object, ...]) -> None:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._queue.put(_Write(statement=statement, values=values, loop=loop, done=done))
        # A cancelled caller must not cancel the write: the reply is paid for.
        await asyncio.shield(done)

    def _write_forever(self) -> None:
        connection = _connect(self.file)
        while (batch := self._next_batch()) is not None:
            error: sqlite3.Error | None = None
            try:
                with connection:
                    for write in batch:
                        connection.execute(write.statement, write.values)
            except sqlite3.Error as problem:
                error = problem
            for write in batch:
                write.settle(error, self.file)
        connection.close()

    def _next_batch(self) -> list[_Write] | None:
        """Everything that waits, or the next one to come; None after close."""
        first = self._queue.get()
        if first is None:
            return None
        batch = [first]
        while not self._queue.empty() and len(batch) < 256:
            more = self._queue.get()
            if more is None:
                self._queue.put(None)
                break
            batch.append(more)
        return batch

    def _check_format(self) -> None:
        row = self._reader.execute("SELECT value FROM notes WHERE name = 'format'").fetchone()
        if row is None:
            with self._reader:
                self._reader.execute("INSERT OR IGNORE INTO notes VALUES ('format', ?)", (str(FORMAT),))
        elif row[0] != str(FORMAT):
            raise StoreError(f"journal {self.file} has format {row[0]!r}, not {FORMAT}; move it away and build again")


class Journaled:
    """A model that is asked only what the journal does not know. Equal requests at the same time are one call.

    `paced` wraps the model that calls and keeps: a call gives its place to the next only when its reply is on disk, so
    that a kill loses at most as many replies as there are places.
    """

    def __init__(
        self,
        model: LanguageModel,
        journal: Journal,
        *,
        paced: Callable[[LanguageModel], LanguageModel] = lambda model: model,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = paced(_Keeping(model, journal, clock))
        self._journal = journal
        self._asking: dict[str, asyncio.Future[ModelReply]] = {}

    @property
    def identity(self) -> str:
        return self._model.identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        key = call_key(self.identity, request)
        kept = self._journal.find_call(key)
        if kept is not None:
            return kept
        asking = self._asking.get(key)
        if asking is None:
            asking = asyncio.ensure_future(self._model.complete(request))
            self._asking[key] = asking
            asking.add_done_callback(lambda _: self._asking.pop(key, None))
        # Shielded: when a session is stopped, a call under way still ends and is kept.
        return await asyncio.shield(asking)

    async def settle(self) -> None:
        """Waits for calls under way whose session is gone."""
        await asyncio.gather(*self._asking.values(), return_exceptions=True)


class _Keeping:
    """Calls, and returns once the reply is on disk."""

    def __init__(self, model: LanguageModel, journal: Journal, clock: Callable[[], float]) -> None:
        self._model, self._journal, self._clock = model, journal, clock

    @property
    def identity(self) -> str:
        return self._model.identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        began = self._clock()
        reply = await self._model.complete(request)
        key = call_key(self.identity, request)
        await self._journal.keep_call(key, request, self.identity, reply, seconds=self._clock() - began)
        return reply


def call_key(identity: str, request: ModelRequest) -> str:
    return content_hash([identity, request_key(request)])


@dataclass(frozen=True, kw_only=True)
class _Write:
    statement: str
    values: tuple[object, ...]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[None]

    def settle(self, error: sqlite3.Error | None, file: Path) -> None:
        def tell() -> None:
            if self.done.done():
                return
            if error is None:
                self.done.set_result(None)
            else:
                self.done.set_exception(
                    StoreError(f"cannot write journal {file}: {error}; free disk space and run again")
                )

        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(tell)


def role_uses(connection: sqlite3.Connection) -> list[RoleUse]:
    rows = connection.execute(
        "SELECT role, model, COUNT(*), SUM(prompt_tokens), SUM(completion_tokens) FROM calls "
        "GROUP BY role, model ORDER BY role, model"
    )
    return [
        RoleUse(role=role, model=model, calls=calls, prompt_tokens=asked or 0, completion_tokens=said or 0)
        for role, model, calls, asked, said in rows
    ]


@contextmanager
def read_journal(file: Path) -> Iterator[sqlite3.Connection]:
    """A look from outside, also while a build is running."""
    if not file.is_file():
        raise StoreError(f"there is no journal {file}; build the dataset first")
    connection = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)
    try:
        with _explained(file):
            yield connection
    finally:
        connection.close()


def is_locked(file: Path) -> bool:
    """Whether a build is using the journal right now."""
    try:
        _take_lock(file).close()
    except StoreLockedError:
        return True
    return False


def _take_lock(file: Path) -> sqlite3.Connection:
    """An exclusive transaction in a file of its own: portable, and gone with the process, however it ends."""
    connection = sqlite3.connect(file.with_name(f"{file.name}.lock"), timeout=0.2, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        connection.close()
        raise StoreLockedError(f"another build holds journal {file}; wait for it or stop it") from None
    return connection


def _connect(file: Path) -> sqlite3.Connection:
    with _explained(file):
        connection = sqlite3.connect(file, check_same_thread=False, timeout=30)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        return connection


@contextmanager
def _explained(file: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"cannot use journal {file}: {error}; move it away to start anew") from error


_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
  key TEXT PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, request TEXT NOT NULL, reply TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, seconds REAL NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS pairs (key TEXT PRIMARY KEY, value TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
