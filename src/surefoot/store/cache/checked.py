"""A cache whose entries are signed: what was cut, changed or put there by somebody else is dropped and counted."""

from __future__ import annotations

import hashlib
import hmac
import logging
from collections.abc import Callable, Sequence
from functools import cached_property

from surefoot.core.ports import Cache

_LOG = logging.getLogger(__name__)
_MAGIC = b"SF2"
_DIGEST = 32


class CheckedCache:
    """Implements core.ports.Cache around another one. The signature covers the key: entries cannot be swapped.

    Every tier is signed, vectors and model replies too: a forged vector steers retrieval as well as a forged answer.
    """

    def __init__(
        self,
        inner: Cache,
        *,
        secret: bytes | Callable[[], bytes],
        on_poisoned: Callable[[str], None] = lambda tier: None,
        on_looked: Callable[[str, bool], None] = lambda tier, hit: None,
    ) -> None:
        self._inner, self._on_poisoned, self._on_looked = inner, on_poisoned, on_looked
        self._secret = secret

    @cached_property
    def _key(self) -> bytes:
        """Made when first needed: a secret that is kept in a file makes that file."""
        secret = self._secret() if callable(self._secret) else self._secret
        return hashlib.blake2b(b"entries", key=secret[:64]).digest()

    async def get(self, key: str) -> bytes | None:
        stored = await self._inner.get(key)
        tier = key.split(":", 1)[0]
        if stored is None:
            self._on_looked(tier, False)
            return None
        head, value = stored[: len(_MAGIC) + _DIGEST], stored[len(_MAGIC) + _DIGEST :]
        if hmac.compare_digest(head, _MAGIC + self._signature(key, value)):
            self._on_looked(tier, True)
            return value
        _LOG.warning("dropped a damaged cache entry of the tier %r", tier)
        self._on_poisoned(tier)
        await self._inner.drop([key])
        return None

    async def set(self, key: str, value: bytes, *, ttl_s: int, tags: Sequence[str] = ()) -> None:
        await self._inner.set(key, _MAGIC + self._signature(key, value) + value, ttl_s=ttl_s, tags=tags)

    async def drop(self, keys: Sequence[str]) -> None:
        await self._inner.drop(keys)

    async def drop_tagged(self, tags: Sequence[str]) -> list[str]:
        return await self._inner.drop_tagged(tags)

    async def tagged(self, tag: str) -> list[str]:
        return await self._inner.tagged(tag)

    async def close(self) -> None:
        await self._inner.close()

    def _signature(self, key: str, value: bytes) -> bytes:
        name = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
        return hashlib.blake2b(name + value, key=self._key, digest_size=_DIGEST).digest()
