"""Vectors of texts, asking the cache first: the same words are never embedded twice."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from surefoot.core.hashing import sha256_text
from surefoot.core.ports import Cache, Embedder, Vectors

KEEP_SECONDS = 86_400


async def vectors_of(texts: Sequence[str], embedder: Embedder, cache: Cache | None = None) -> Vectors:
    """One row per text, in order. A cached vector of the wrong size counts as a miss."""
    if cache is None:
        return await asyncio.to_thread(embedder.embed, texts)
    keys = ["vector:" + sha256_text(embedder.identity + "\n" + text) for text in texts]
    rows = np.zeros((len(texts), embedder.dimension), dtype=np.float32)
    missing = []
    for at, raw in enumerate(await asyncio.gather(*(cache.get(key) for key in keys))):
        if raw is not None and len(raw) == 4 * embedder.dimension:
            rows[at] = np.frombuffer(raw, dtype=np.float32)
        else:
            missing.append(at)
    if missing:
        rows[missing] = await asyncio.to_thread(embedder.embed, [texts[at] for at in missing])
        await asyncio.gather(*(cache.set(keys[at], rows[at].tobytes(), ttl_s=KEEP_SECONDS) for at in missing))
    return rows
