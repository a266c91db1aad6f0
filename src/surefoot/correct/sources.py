"""Curated sources: at most two pages of the detected domain, fetched once a day, failures logged and skipped."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from surefoot.core.errors import FetchError, MissingExtraError
from surefoot.core.flight import SingleFlight
from surefoot.core.hashing import plain
from surefoot.core.ports import Cache, Fetcher
from surefoot.core.revive import revive
from surefoot.core.types import Passage
from surefoot.correct.domain import DEFAULT
from surefoot.correct.snippet import snippet
from surefoot.packs.schema import CuratedSource

TTL_S = 86_400
FAILED_TTL_S = 300
"""A page that could not be had is not asked for again at once."""
MOST_URLS = 2
_LONGEST_TEXT = 40_000
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Pages:
    """Pages by way of the cache, one flight per page."""

    fetcher: Fetcher
    cache: Cache | None = None
    flight: SingleFlight[Passage | None] = field(default_factory=SingleFlight)

    async def page(self, url: str, *, domain: str) -> Passage | None:
        """The page's passage; None when it cannot be had, which was logged."""
        key = f"snippet:{domain}:{url}"
        held = await self._held(key)
        if held is not None:
            return held.passage
        return await self.flight.do(key, lambda: self._fetched(url, key))

    async def _held(self, key: str) -> _Held | None:
        data = await self.cache.get(key) if self.cache else None
        if data is None:
            return None
        try:
            return _Held(passage=_opened(data))
        except (ValueError, KeyError, TypeError):
            _LOG.warning("dropped a cached page that cannot be read")
            await self._drop(key)
            return None

    async def _fetched(self, url: str, key: str) -> Passage | None:
        try:
            passage = await self.fetcher.fetch(url)
        except (FetchError, MissingExtraError) as error:
            _LOG.warning("a source was skipped: %s", error)
            await self._keep(key, b'{"failed": true}', FAILED_TTL_S)
            return None
        kept = replace(passage, text=passage.text[:_LONGEST_TEXT])
        await self._keep(key, json.dumps({"snippet": snippet(kept.text), "page": plain(kept)}).encode(), TTL_S)
        return kept

    async def _keep(self, key: str, data: bytes, ttl_s: int) -> None:
        if self.cache:
            await self.cache.set(key, data, ttl_s=ttl_s)

    async def _drop(self, key: str) -> None:
        if self.cache:
            await self.cache.drop([key])


@dataclass(frozen=True, kw_only=True)
class Curated:
    """A pack's curated sources."""

    pages: Pages
    sources: Sequence[CuratedSource]

    def of(self, domain: str) -> list[CuratedSource]:
        """The domain's first two sources. The default domain has none but those that name no domain."""
        named = [source for source in self.sources if source.domain == domain and domain != DEFAULT]
        general = [source for source in self.sources if not source.domain]
        return [*named, *general][:MOST_URLS]

    async def read(self, domain: str) -> list[Passage]:
        """The pages that could be had, in the pack's order, titled as the pack titles them."""
        chosen = self.of(domain)
        pages = await asyncio.gather(*(self.pages.page(source.url, domain=domain) for source in chosen))
        return [_titled(page, source) for page, source in zip(pages, chosen, strict=True) if page is not None]

    async def snippets(self, domain: str) -> list[Passage]:
        """Each page's first paragraph, at most 80 words."""
        return [replace(page, text=snippet(page.text)) for page in await self.read(domain)]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Held:
    """A cache entry; its passage is None where the page could not be had a moment ago."""

    passage: Passage | None


def _opened(data: bytes) -> Passage | None:
    entry = json.loads(data)
    return None if entry.get("failed") is True else revive(Passage, entry["page"])


def _titled(page: Passage, source: CuratedSource) -> Passage:
    title = source.title or str(page.metadata.get("title") or source.url)
    return replace(page, metadata={**page.metadata, "title": title, "publisher": source.publisher})
