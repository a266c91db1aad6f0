"""Moving, keeping and comparing knowledge bases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from surefoot.ingest.copying import copy_store
from surefoot.retrieve.parity import Parity, compare
from surefoot.store import snapshot
from surefoot.wiring.house import Surefoot


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


def save_snapshot(kb: Path, file: Path) -> int:
    """The embedded knowledge base as one file; returns its size in bytes."""
    return snapshot.save(kb, file)


def restore_snapshot(file: Path, kb: Path) -> None:
    snapshot.restore(file, kb)


async def compare_stores(here: Surefoot, there: Surefoot, questions: Sequence[str], *, k: int) -> Parity:
    """Whether two stores return the same top k, before any re-ranking."""
    return await compare(
        replace(here.retriever, reranker=None), replace(there.retriever, reranker=None), questions, k=k
    )
