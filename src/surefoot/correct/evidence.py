"""External evidence for a question: curated sources of its domain first, then a search provider."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from surefoot.core.errors import FetchError
from surefoot.core.followup import searchable
from surefoot.core.ports import Embedder, SearchProvider
from surefoot.core.questions import terms
from surefoot.core.taint import tainted
from surefoot.core.types import Gathered, Passage, Search
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
    examples: Mapping[str, Sequence[str]] = field(default_factory=dict)
    embedder: Embedder | None = None
    redact: Callable[[str], str] = lambda text: text
    """Takes names and numbers of persons out of what is sent to a search provider."""

    @property
    def identity(self) -> str:
        return f"curated:{len(self.curated.sources)} search:{self.provider.name if self.provider else 'none'}"

    def available(self, question: str) -> bool:
        return self.provider is not None or bool(self.curated.of(self._domain(question)))

    async def gather(self, question: str, *, gaps: Sequence[str] = ()) -> Gathered:
        """The paragraphs nearest to what is missing. Pages that give orders are left out."""
        # a search engine has not read the rest of the question
        wanted = " ".join(searchable(gap, question) for gap in gaps) or question
        searches = []
        pages: list[Passage] = []
        domain = await asyncio.to_thread(self._domain, question)
        if asked := self.curated.of(domain):
            pages = await self.curated.read(domain)
            searches.append(self._search("curated", wanted, pages, asked=len(asked)))
        if self.provider is not None and not _speaks(pages, wanted):
            more, search = await self._searched(self.provider, wanted)
            pages += more
            searches.append(search)
        parts = [part for page in pages if not tainted(page) for part in _parts(page, wanted)]
        return Gathered(passages=tuple(parts), searches=tuple(searches))

    async def _searched(self, provider: SearchProvider, query: str) -> tuple[list[Passage], Search]:
        try:
            urls = await provider.search(self.redact(query), limit=MOST_RESULTS)
        except FetchError as error:
            _LOG.warning("no search: %s", error)
            return [], replace(self._search(provider.name, query, []), problem="the search provider did not answer")
        found = await asyncio.gather(*(self.pages.page(url, domain="search") for url in urls[:MOST_RESULTS]))
        pages = [page for page in found if page is not None]
        return pages, self._search(provider.name, query, pages, asked=len(found))

    def _search(self, where: str, query: str, pages: Sequence[Passage], *, asked: int = 0) -> Search:
        return Search(
            where=where,
            query=self.redact(query),
            pages=tuple(page.id for page in pages if not tainted(page)),
            problem=_problem(pages, asked),
        )

    def _domain(self, question: str) -> str:
        return detect(question, self.keywords, embedder=self.embedder, examples=self.examples)


def _problem(pages: Sequence[Passage], asked: int) -> str:
    """Why not every page that was asked for serves as evidence."""
    orders, missing = sum(map(tainted, pages)), asked - len(pages)
    said = [] if asked else ["no page was found"]
    said += [f"{missing} of {asked} could not be read"] if missing > 0 else []
    said += [f"{orders} of {asked} left out: it holds orders to a machine"] if orders else []
    return "; ".join(said)


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
