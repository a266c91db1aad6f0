"""A cache whose entries carry a checksum: what was truncated or changed on the way is dropped and counted."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence

from surefoot.core.ports import Cache

_LOG = logging.getLogger(__name__)
_MAGIC = b"SF1"
_DIGEST = 16


class CheckedCache:
    """Implements core.ports.Cache around another one. The checksum is bound to the key: entries cannot be swapped."""

    def __init__(self, inner: Cache, *, on_poisoned: Callable[[str], None] = lambda tier: None) -> None:
        self._inner, self._on_poisoned = inner, on_poisoned

    async def get(self, key: str) -> bytes | None:
        stored = await self._inner.get(key)
        if stored is None:
            return None
        head, value = stored[: len(_MAGIC) + _DIGEST], stored[len(_MAGIC) + _DIGEST :]
        if head == _MAGIC + _digest(key, value):
            return value
        tier = key.split(":", 1)[0]
        _LOG.warning("dropped a damaged cache entry of the tier %r", tier)
        self._on_poisoned(tier)
        await self._inner.drop([key])
        return None

    async def set(self, key: str, value: bytes, *, ttl_s: int, tags: Sequence[str] = ()) -> None:
        await self._inner.set(key, _MAGIC + _digest(key, value) + value, ttl_s=ttl_s, tags=tags)

    async def drop(self, keys: Sequence[str]) -> None:
        await self._inner.drop(keys)

    async def drop_tagged(self, tags: Sequence[str]) -> list[str]:
        return await self._inner.drop_tagged(tags)

    async def tagged(self, tag: str) -> list[str]:
        return await self._inner.tagged(tag)

    async def close(self) -> None:
        await self._inner.close()


def _digest(key: str, value: bytes) -> bytes:
    return hashlib.blake2b(value, key=hashlib.sha256(key.encode()).digest(), digest_size=_DIGEST).digest()
