"""Uploaded documents: kept as files in the knowledge base's own folder, indexed one run after the other."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from surefoot.core.errors import SurefootError
from surefoot.core.hashing import sha256_text
from surefoot.core.types import IngestReport, StoredDocument
from surefoot.server.problems import Problem, without_values

TYPES = (".txt", ".md", ".html", ".htm", ".pdf", ".docx", ".csv", ".json", ".jsonl")
Ingest = Callable[[Sequence[Path]], Awaitable[IngestReport]]
Listing = Callable[[], Awaitable[Sequence[StoredDocument]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Shelved:
    """A document as a client sees it."""

    id: str
    source: str
    status: str
    """queued | indexed | failed | removing"""
    chunks: int | None = None
    reason: str | None = None


class Library:
    """Files land whole or not at all (written aside, then renamed); then the folder is ingested."""

    def __init__(self, folder: Path, *, ingest: Ingest, listing: Listing) -> None:
        self._folder, self._ingest, self._listing = folder, ingest, listing
        self._busy: dict[str, Shelved] = {}
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def documents(self) -> list[Shelved]:
        busy = dict(self._busy)  # as it was before the look: what ends meanwhile is in one of the two
        listed = {document_id(stored.source): _shelved(stored) for stored in await self._listing()}
        return sorted({**listed, **busy}.values(), key=lambda document: document.source)

    async def document(self, identity: str) -> Shelved:
        for document in await self.documents():
            if document.id == identity and document.status != "removing":
                return document
        raise Problem(404, "not_found", "there is no such document", "GET /v1/documents lists them")

    async def add(self, name: str, data: bytes) -> Shelved:
        """Writes the file and queues its indexing."""
        source = safe_name(name)
        if not data.strip():
            raise Problem(400, "bad_input", "the document is empty", "send a document with words in it")
        await asyncio.to_thread(_write, self._folder, source, data)
        return self._queued(source, "queued")

    async def remove(self, identity: str) -> Shelved:
        document = await self.document(identity)
        file = self._folder / document.source
        if not await asyncio.to_thread(file.is_file):
            raise Problem(
                409,
                "not_uploaded",
                "this document was not uploaded here",
                "remove it from the folder it came from and run surefoot ingest",
            )
        await asyncio.to_thread(file.unlink)
        return self._queued(document.source, "removing")

    async def settle(self) -> None:
        """Waits for all indexing, for a clean shutdown."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _queued(self, source: str, status: str) -> Shelved:
        document = Shelved(id=document_id(source), source=source, status=status)
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
                if self._busy.get(document.id) is document:
                    self._busy[document.id] = replace(document, status="failed", reason=without_values(str(error)))
                return
            if self._busy.get(document.id) is document:
                del self._busy[document.id]


def document_id(source: str) -> str:
    return sha256_text(source)[:24]


def safe_name(name: str) -> str:
    """A plain file name, or a Problem: no folders, no control characters, a type we can read."""
    base = re.sub(r"[^\w. ()-]", "_", name.replace("\\", "/").rsplit("/", 1)[-1]).strip(" .")
    stem, dot, suffix = base.rpartition(".")
    if not stem or not dot or f".{suffix.lower()}" not in TYPES or len(base.encode()) > 200:
        known = " ".join(TYPES)
        raise Problem(400, "bad_document", "the document's name has no type we can read", f"use one of {known}")
    return base


def _write(folder: Path, name: str, data: bytes) -> None:
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


def _shelved(stored: StoredDocument) -> Shelved:
    failed = stored.state == "skipped"
    return Shelved(
        id=document_id(stored.source),
        source=stored.source,
        status="failed" if failed else "queued" if stored.state == "pending" else "indexed",
        chunks=stored.chunks,
        reason=without_values(stored.reason) if stored.reason else None,
    )
