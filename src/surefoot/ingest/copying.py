"""A knowledge base moved whole from one store to another, vectors included: nothing is embedded again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from surefoot.core.ports import PortableStore
from surefoot.ingest.manifest import Manifest


async def copy_store(
    source: PortableStore,
    target: PortableStore,
    *,
    source_ledger: Manifest,
    target_ledger: Manifest,
    on_progress: Callable[[int], None] | None = None,
) -> int:
    """Passages copied. Repeating it is harmless; passages the source no longer has are removed from the target."""
    copied: set[str] = set()
    async for passages, vectors in source.export():
        await target.upsert(passages, vectors)
        copied |= {passage.id for passage in passages}
        if on_progress is not None:
            on_progress(len(copied))
    async for page in target.scan():
        await target.delete([passage.id for passage in page if passage.id not in copied])
    await asyncio.to_thread(target_ledger.adopt, source_ledger, await target.identity())
    await target.finish(written=len(copied))
    return len(copied)
