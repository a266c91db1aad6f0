"""Uploaded documents of a service with several replicas: kept in their database, indexed by whoever is free."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import structlog

from surefoot.core.errors import StoreUnavailableError, SurefootError
from surefoot.core.ports import Uploads
from surefoot.core.types import IngestReport, Wish
from surefoot.server.library import Asking, Ingest, Listing, Reading, Shelved, Shelves, document_id, safe_name
from surefoot.server.problems import Problem, without_values

IDLE_S = 1.0
"""Between two looks for a wish of another replica; one's own is seen at once."""
RENEW_S = 15.0
LATER_S = 2.0
_STATES = {"index": "queued", "removal": "removing", "failed": "failed"}


class SharedLibrary(Shelves):
    """The same calls as Library. `folder` holds a document only while it is read."""

    def __init__(
        self,
        shelf: Uploads,
        folder: Path,
        *,
        ingest: Ingest,
        listing: Listing,
        reading: Reading | None = None,
        asking: Asking | None = None,
    ) -> None:
        super().__init__(folder.absolute(), listing=listing, reading=reading, asking=asking)
        self._shelf, self._ingest = shelf, ingest
        self._knock = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        self._ending = False
        self.waiting = 0
        """Documents this replica is indexing."""

    def start(self) -> None:
        """Begins to look for documents to index."""
        self._worker = asyncio.create_task(self._work())

    async def documents(self) -> list[Shelved]:
        uploads = {upload.name: upload for upload in await asyncio.to_thread(self._shelf.uploads)}
        found = {one.id: one for one in map(self._shelved, await self._listing())}
        for name, upload in uploads.items():
            if upload.state in _STATES:
                reason = without_values(upload.reason) if upload.reason else None
                busy = Shelved(
                    id=document_id(name), source=name, status=_STATES[upload.state], name=name, reason=reason
                )
                found[busy.id] = busy
        return sorted(found.values(), key=lambda document: document.source)

    async def add(self, name: str, data: bytes) -> Shelved:
        """Keeps the document, so that no replica's end can lose it, and wishes it indexed."""
        source = safe_name(name)
        if not data.strip():
            raise Problem(400, "bad_input", "the document is empty", "send a document with words in it")
        await asyncio.to_thread(self._shelf.put, source, data)
        self._knock.set()
        return Shelved(id=document_id(source), source=source, status="queued", name=source)

    async def remove(self, identity: str) -> Shelved:
        document = await self.document(identity)
        if document.name is None or not await asyncio.to_thread(self._shelf.remove, document.name):
            raise Problem(
                409,
                "not_uploaded",
                "this document was not uploaded here",
                "remove it from the folder it came from and run surefoot ingest",
            )
        self._knock.set()
        return Shelved(id=identity, source=document.source, status="removing", name=document.name)

    async def settle(self, *, within_s: float | None = None) -> None:
        """Takes no new wish and waits for the one at work; one not done in time is taken up by another replica."""
        if self._worker is None:
            return
        self._ending = True
        self._knock.set()
        with suppress(TimeoutError, asyncio.CancelledError):
            async with asyncio.timeout(within_s):
                await self._worker

    async def _work(self) -> None:
        while not self._ending:
            self._knock.clear()
            try:
                wish = await asyncio.to_thread(self._shelf.claim)
                if wish is not None:
                    await self._fulfil(wish)
                    continue
            except SurefootError:  # the store is away; the wish waits in it
                await asyncio.sleep(IDLE_S)
            except Exception as error:  # a worker that dies in silence would leave every document queued for good
                structlog.get_logger("surefoot.server").error("indexing failed", error=type(error).__name__)
                await asyncio.sleep(IDLE_S)
            with suppress(TimeoutError):
                async with asyncio.timeout(IDLE_S):
                    await self._knock.wait()

    async def _fulfil(self, wish: Wish) -> None:
        self.waiting = 1
        renewing = asyncio.create_task(self._renew(wish))
        try:
            report = await self._indexed(wish)
        except StoreUnavailableError:
            raise
        except SurefootError as error:
            await asyncio.to_thread(self._shelf.fail, wish, without_values(str(error)))
        except Exception as error:
            structlog.get_logger("surefoot.server").error("indexing failed", error=type(error).__name__)
            await asyncio.to_thread(self._shelf.fail, wish, f"indexing failed ({type(error).__name__})")
        else:
            if report is not None and report.elsewhere:
                await asyncio.to_thread(self._shelf.postpone, wish, LATER_S)
            else:
                await asyncio.to_thread(self._shelf.fulfil, wish)
        finally:
            renewing.cancel()
            self.waiting = 0

    async def _indexed(self, wish: Wish) -> IngestReport | None:
        file = self._folder / wish.name
        if wish.removal:
            known = any(stored.path == file for stored in await self._listing())
            return await self._ingest([file]) if known else None
        try:
            await asyncio.to_thread(_write, file, wish.data)
            return await self._ingest([file])
        finally:
            await asyncio.to_thread(file.unlink, missing_ok=True)

    async def _renew(self, wish: Wish) -> None:
        while True:
            await asyncio.sleep(RENEW_S)
            with suppress(SurefootError):
                await asyncio.to_thread(self._shelf.renew, wish)


def _write(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.write_bytes(data)
