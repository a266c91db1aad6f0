"""Moving, keeping and comparing knowledge bases."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from surefoot.core.errors import InputError, StoreError
from surefoot.core.space import require_space
from surefoot.core.types import IngestReport
from surefoot.ingest.copying import copy_store
from surefoot.ingest.manifest import Manifest
from surefoot.ingest.remote import is_remote, url_of
from surefoot.retrieve.parity import Parity, compare
from surefoot.settings import Settings
from surefoot.store import snapshot
from surefoot.store.lock import StoreLock
from surefoot.store.postgres import snapshot as shared_snapshot
from surefoot.wiring.house import Surefoot, build


async def copy_knowledge_base(
    source: Surefoot, target: Surefoot, on_progress: Callable[[int], None] | None = None
) -> int:
    """Moves every passage with its vector from one store to another; returns how many."""
    return await copy_store(
        source.store,
        target.store,
        source_ledger=source.ingestor.manifest,
        target_ledger=target.ingestor.manifest,
        on_progress=on_progress,
    )


def save_snapshot(house: Surefoot, file: Path) -> int:
    """The knowledge base as one file, with Postgres run log and uploads too; returns its size in bytes."""
    if house.database is not None:
        return shared_snapshot.save(house.database, file)
    return snapshot.save(house.settings.kb, file)


def restore_snapshot(file: Path, house: Surefoot) -> None:
    if house.database is not None:
        shared_snapshot.restore(file, house.database)
    else:
        snapshot.restore(file, house.settings.kb)


async def rebuild_store(settings: Settings, more: Sequence[Path] = ()) -> tuple[IngestReport, Path | None]:
    """Sets the embedded store and its ledger aside and ingests every document again that the ledger knew.

    The old files are kept until the operator removes them; where the ledger cannot be read, uploads and `more` are all.
    """
    if settings.store_url:
        raise InputError("store_url: a server's collection is rebuilt there; name a folder with --kb")
    require_space(settings.kb)
    lock = StoreLock(settings.kb / "store.lock")
    lock.acquire()
    try:
        paths = _known_files(settings.kb)
        aside = _set_aside(settings.kb)
    finally:
        lock.release()
    house = build(settings)
    try:
        uploads = settings.kb / "uploads"
        wanted = [*paths, *([uploads] if uploads.is_dir() else []), *more]
        return await house.ingest(wanted), aside
    finally:
        await house.close()


def _known_files(kb: Path) -> list[Path | str]:
    """Also those elsewhere, by their address."""
    ledger = Manifest(kb / "manifest.sqlite")
    try:
        known = list(ledger.entries()) if (kb / "manifest.sqlite").exists() else []
        return [url_of(path) if is_remote(path) else path for path in known if is_remote(path) or path.is_file()]
    except StoreError:
        return []
    finally:
        ledger.close()


def _set_aside(kb: Path) -> Path | None:
    parts = [part for part in (kb / "store", *sorted(kb.glob("manifest.sqlite*"))) if part.exists()]
    if not parts:
        return None
    number = next(n for n in itertools.count(1) if not (kb / f"damaged-{n}").exists())
    aside = kb / f"damaged-{number}"
    aside.mkdir()
    for part in parts:
        part.rename(aside / part.name)
    return aside


async def compare_stores(here: Surefoot, there: Surefoot, questions: Sequence[str], *, k: int) -> Parity:
    """Whether two stores return the same top k, before any re-ranking."""
    return await compare(
        replace(here.retriever, reranker=None), replace(there.retriever, reranker=None), questions, k=k
    )
