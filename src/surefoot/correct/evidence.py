"""External evidence for a question: curated sources of its domain first, then a search provider."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from surefoot.core.errors import FetchError
from surefoot.core.ports import Embedder, SearchProvider
from surefoot.core.questions import terms
from surefoot.core.taint import tainted
from surefoot.core.types import Passage
from surefoot.correct.domain import detect
from surefoot.correct.snippet import best_paragraphs, shorten
from surefoot.correct.sources import Curated, Pages

MOST_RESULTS = 3
_PARAGRAPHS = 2
_WORDS = 160
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class ExternalEvidence:
    """Implements core.ports.Evidence."""

    curated: Curated
    pages: Pages
    provider: SearchProvider | None = None
    keywords: Mapping[str, Sequence[str]] = field(default_factory=dict)
    embedder: Embedder | None = None
    redact: Callable[[str], str] = lambda text: text
    """Takes names and numbers of persons out of what is sent to a search provider."""

    def available(self, question: str) -> bool:
        return self.provider is not None or bool(self.curated.of(self._domain(question)))

    async def gather(self, question: str, *, gaps: Sequence[str] = ()) -> list[Passage]:
        """The paragraphs nearest to what is missing. Pages that give orders are left out."""
        wanted = " ".join(gaps) or question
        pages = await self.curated.read(self._domain(question))
        if not _speaks(pages, wanted):
            pages += await self._searched(wanted)
        return [part for page in pages if not tainted(page) for part in _parts(page, wanted)]

    async def _searched(self, query: str) -> list[Passage]:
        if self.provider is None:
            return []
        try:
            urls = await self.provider.search(self.redact(query), limit=MOST_RESULTS)
        except FetchError as error:
            _LOG.warning("no search: %s", error)
            return []
        found = await asyncio.gather(*(self.pages.page(url, domain="search") for url in urls[:MOST_RESULTS]))
        return [page for page in found if page is not None]

    def _domain(self, question: str) -> str:
        return detect(question, self.keywords, embedder=self.embedder)


def _speaks(pages: Sequence[Passage], wanted: str) -> bool:
    """Whether some page has a paragraph on most of what is wanted; else it is worth searching further."""
    sought = terms(wanted)
    return any(
        len(sought & terms(paragraph)) >= max(1, round(0.6 * len(sought)))
        for page in pages
        for paragraph in best_paragraphs(page.text, wanted)
    )


def _parts(page: Passage, wanted: str) -> list[Passage]:
    chosen = best_paragraphs(page.text, wanted, count=_PARAGRAPHS)
    return [
        replace(page, id=page.id if number == 0 else f"{page.id}#{number}", text=shorten(paragraph, limit=_WORDS))
        for number, paragraph in enumerate(chosen)
    ]
