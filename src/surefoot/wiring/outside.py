"""What looks outside the knowledge base: curated sources, pages and a search provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surefoot.core.known_names import known_names
from surefoot.core.ports import Cache, Clock, Embedder, Evidence, SearchProvider
from surefoot.core.redaction import redact
from surefoot.correct.search import open_search
from surefoot.packs.schema import Pack
from surefoot.settings import Settings

if TYPE_CHECKING:
    from surefoot.correct.sources import Curated, Pages


def build_search(settings: Settings) -> SearchProvider | None:
    return open_search(settings.search_provider, url=settings.search_url, api_key=settings.search_api_key)


def build_pages(settings: Settings, *, clock: Clock, cache: Cache | None) -> Pages:
    from surefoot.correct.fetch import SafeFetcher
    from surefoot.correct.sources import Pages

    fetcher = SafeFetcher(clock=clock, allowed_hosts=frozenset(settings.fetch_allow_hosts))
    return Pages(fetcher=fetcher, cache=cache)


def build_curated(settings: Settings, pack: Pack, pages: Pages) -> Curated:
    from surefoot.correct.sources import Curated

    return Curated(pages=pages, sources=pack.sources if settings.fetch_curated else ())


def build_evidence(
    pack: Pack, *, curated: Curated, pages: Pages, provider: SearchProvider | None, embedder: Embedder
) -> Evidence:
    """The pack's curated sources, then the search provider."""
    from surefoot.correct.evidence import ExternalEvidence

    return ExternalEvidence(
        curated=curated,
        pages=pages,
        provider=provider,
        keywords=pack.keywords,
        examples=pack.domain_examples,
        embedder=embedder,
        redact=lambda text: redact(text, known_names()).text,
    )
