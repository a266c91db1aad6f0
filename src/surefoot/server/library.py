"""Uploaded documents: kept as files in the knowledge base's own folder, indexed one run after the other."""

from __future__ import annotations

import asyncio
import os
import secrets
import time
import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import structlog

from surefoot.core.errors import SurefootError
from surefoot.core.hashing import sha256_text
from surefoot.core.invisible import INVISIBLE
from surefoot.core.space import require_space
from surefoot.core.types import IngestReport, Passage, StoredDocument
from surefoot.server.problems import Problem, without_values

TYPES = (".txt", ".md", ".html", ".htm", ".pdf", ".docx", ".csv", ".json", ".jsonl")
Ingest = Callable[[Sequence[Path]], Awaitable[IngestReport]]
Listing = Callable[[], Awaitable[Sequence[StoredDocument]]]
Reading = Callable[[Path], Awaitable[Sequence[Passage]]]
Asking = Callable[[], Awaitable[Sequence[str]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Shelved:
    """A document as a client sees it."""

    id: str
    source: str
    status: str
    """queued | indexed | failed | removing"""
    chunks: int | None = None
    reason: str | None = None
    name: str | None = None
    """Of its file among the uploads; None: it was ingested from elsewhere."""


class Shelves:
    """What every library tells of its documents, wherever it keeps them."""

    def __init__(self, folder: Path, *, listing: Listing, reading: Reading | None, asking: Asking | None) -> None:
        """Without `reading` and `asking` there are no passages to show and no questions to begin with."""
        self._folder, self._listing, self._reading, self._asking = folder, listing, reading, asking
        self._asked: tuple[object, Sequence[str]] = (None, ())

    async def documents(self) -> list[Shelved]:
        return [self._shelved(stored) for stored in await self._listing()]

    async def document(self, identity: str) -> Shelved:
        for document in await self.documents():
            if document.id == identity and document.status != "removing":
                return document
        raise Problem(404, "not_found", "there is no such document", "GET /v1/documents lists them")

    async def passages(self, identity: str) -> tuple[str, Sequence[Passage]]:
        """A document's name and its passages."""
        for stored in await self._listing():
            document = self._shelved(stored)
            if document.id == identity and stored.path is not None:
                found = await self._reading(stored.path) if self._reading else ()
                return document.name or document.source, found
        raise Problem(404, "not_found", "there is no such document", "GET /v1/documents lists them")

    async def questions(self) -> Sequence[str]:
        """Made once for the documents as they are."""
        now = [(one.source, one.state, one.chunks) for one in await self._listing()]
        if self._asked[0] != now:
            self._asked = (now, await self._asking() if self._asking else ())
        return self._asked[1]

    def _shelved(self, stored: StoredDocument) -> Shelved:
        """A document of another folder may have an upload's name: only its path tells them apart."""
        uploaded = stored.path is not None and stored.path.parent == self._folder.absolute()
        name = stored.path.name if stored.path is not None and uploaded else None
        return Shelved(
            id=document_id(name or f"ingested:{stored.source}"),
            source=stored.source,
            status={"skipped": "failed", "pending": "queued"}.get(stored.state, "indexed"),
            chunks=stored.chunks,
            reason=without_values(stored.reason) if stored.reason else None,
            name=name,
        )


class Library(Shelves):
    """Files land whole or not at all (written aside, then renamed); then the folder is ingested."""

    def __init__(
        self,
        folder: Path,
        *,
        ingest: Ingest,
        listing: Listing,
        reading: Reading | None = None,
        asking: Asking | None = None,
    ) -> None:
        super().__init__(folder, listing=listing, reading=reading, asking=asking)
        self._ingest = ingest
        self._busy: dict[str, Shelved] = {}
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def documents(self) -> list[Shelved]:
        busy = dict(self._busy)  # as it was before the look: what ends meanwhile is in one of the two
        listed = [self._shelved(stored) for stored in await self._listing()]
        return sorted({**{one.id: one for one in listed}, **busy}.values(), key=lambda document: document.source)

    async def add(self, name: str, data: bytes) -> Shelved:
        """Writes the file and queues its indexing."""
        source = safe_name(name)
        if not data.strip():
            raise Problem(400, "bad_input", "the document is empty", "send a document with words in it")
        await asyncio.to_thread(_write, self._folder, source, data)
        return self._queued(source, "queued")

    async def remove(self, identity: str) -> Shelved:
        document = await self.document(identity)
        file = self._folder / document.name if document.name else None
        if file is None or not await asyncio.to_thread(file.is_file):
            raise Problem(
                409,
                "not_uploaded",
                "this document was not uploaded here",
                "remove it from the folder it came from and run surefoot ingest",
            )
        await asyncio.to_thread(file.unlink, missing_ok=True)
        return self._queued(file.name, "removing")

    @property
    def waiting(self) -> int:
        """Documents whose indexing is under way or to come."""
        return len(self._tasks)

    async def settle(self, *, within_s: float | None = None) -> None:
        """Waits for all indexing; what is not done in time is left for the next start, which goes on from there."""
        deadline = None if within_s is None else time.monotonic() + within_s
        while self._tasks:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            _, late = await asyncio.wait(self._tasks, timeout=left)
            if deadline is not None and time.monotonic() >= deadline:
                for task in late:
                    task.cancel()
                await asyncio.gather(*late, return_exceptions=True)
                return

    def _queued(self, name: str, status: str) -> Shelved:
        document = Shelved(id=document_id(name), source=name, status=status, name=name)
        self._busy[document.id] = document
        task = asyncio.create_task(self._index(document))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return document

    async def _index(self, document: Shelved) -> None:
        """Only the last wish for a document is settled here: an upload that ends must not undo a removal that waits."""
        async with self._turn:
            try:
                await self._ingest([self._folder])
            except SurefootError as error:
                self._failed(document, without_values(str(error)))
                return
            except Exception as error:  # a task that dies in silence would leave the document queued for good
                structlog.get_logger("surefoot.server").error("indexing failed", error=type(error).__name__)
                self._failed(document, f"indexing failed ({type(error).__name__})")
                return
            if self._busy.get(document.id) is document:
                del self._busy[document.id]

    def _failed(self, document: Shelved, reason: str) -> None:
        if self._busy.get(document.id) is document:
            self._busy[document.id] = replace(document, status="failed", reason=reason)


def document_id(name: str) -> str:
    return sha256_text(name)[:24]


def safe_name(name: str) -> str:
    """A plain file name, or a Problem: no folders, nothing that cannot be seen, a type we can read.

    Composed, as most systems write it, so that one name is one document whoever sends it. Vowel signs and accents are
    kept: without them two names of many scripts would be one.
    """
    last = unicodedata.normalize("NFC", INVISIBLE.sub("", name)).replace("\\", "/").rsplit("/", 1)[-1]
    base = "".join(char if _nameable(char) else "_" for char in last).strip(" .")
    stem, dot, suffix = base.rpartition(".")
    if not stem or not dot or f".{suffix.lower()}" not in TYPES or len(base.encode()) > 200:
        known = " ".join(TYPES)
        raise Problem(400, "bad_document", "the document's name has no type we can read", f"use one of {known}")
    return base


def _nameable(char: str) -> bool:
    return char in "_. ()-" or unicodedata.category(char)[0] in "LMN"


def _write(folder: Path, name: str, data: bytes) -> None:
    require_space(folder, len(data))
    folder.mkdir(parents=True, exist_ok=True)
    aside = folder / f".{secrets.token_hex(8)}.part"
    try:
        with aside.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        aside.replace(folder / name)
    finally:
        aside.unlink(missing_ok=True)
