"""Search providers: a query in, URLs worth fetching out. Their own address is the operator's choice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from surefoot.core.bounded import TooLargeError, read_bounded
from surefoot.core.errors import ConfigError, FetchError
from surefoot.core.ports import SearchProvider

TIMEOUT_S = 6.0
_LONGEST_QUERY = 380
_LARGEST_REPLY = 4_000_000
_PLAIN = {"Accept-Encoding": "identity"}


@dataclass(frozen=True, kw_only=True)
class HttpSearch:
    """Implements core.ports.SearchProvider over one of the dialects below."""

    name: str
    url: str
    api_key: str = ""

    async def search(self, query: str, *, limit: int = 5) -> list[str]:
        import httpx2

        ask, read = _DIALECTS[self.name]
        try:
            async with (
                asyncio.timeout(TIMEOUT_S),
                httpx2.AsyncClient(timeout=TIMEOUT_S, follow_redirects=False) as client,
                client.stream(**ask(self, query[:_LONGEST_QUERY], limit)) as response,
            ):
                if response.status_code != 200:
                    raise FetchError(
                        f"the search provider {self.name!r} answered {response.status_code}; check its settings"
                    )
                encoding = response.headers.get("content-encoding", "")
                body = await read_bounded(response.aiter_raw(), encoding, _LARGEST_REPLY)
            urls = [str(item.get("url", "")) for item in read(json.loads(body))]
        except TooLargeError as error:
            raise FetchError(f"the search provider {self.name!r} answered too much; ask for fewer results") from error
        except (
            httpx2.HTTPError,
            TimeoutError,
            RecursionError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
        ) as error:
            raise FetchError(
                f"the search provider {self.name!r} failed: {type(error).__name__}; check search_url"
            ) from error
        return [url for url in urls if url.startswith(("http://", "https://"))][:limit]


def open_search(name: str, *, url: str | None, api_key: str | None) -> SearchProvider | None:
    """The configured provider; None for `none`."""
    if name == "none":
        return None
    if name not in _DIALECTS:
        raise ConfigError(f"search_provider: {name!r} is not known; use none, {', '.join(sorted(_DIALECTS))}")
    address = url or _DEFAULT_URLS.get(name)
    if address is None:
        raise ConfigError(f"search_url is not set; {name!r} needs the address of your instance")
    if name in _DEFAULT_URLS and not api_key:
        raise ConfigError(f"search_api_key is not set; {name!r} needs one")
    return HttpSearch(name=name, url=address.rstrip("/"), api_key=api_key or "")


Ask = Callable[[HttpSearch, str, int], dict[str, Any]]
Read = Callable[[Any], list[Mapping[str, Any]]]


def _ask_searxng(provider: HttpSearch, query: str, limit: int) -> dict[str, Any]:
    return {
        "method": "GET",
        "url": f"{provider.url}/search",
        "params": {"q": query, "format": "json"},
        "headers": _PLAIN,
    }


def _ask_brave(provider: HttpSearch, query: str, limit: int) -> dict[str, Any]:
    return {
        "method": "GET",
        "url": f"{provider.url}/res/v1/web/search",
        "params": {"q": query, "count": str(limit)},
        "headers": {"X-Subscription-Token": provider.api_key, "Accept": "application/json", **_PLAIN},
    }


def _ask_tavily(provider: HttpSearch, query: str, limit: int) -> dict[str, Any]:
    return {
        "method": "POST",
        "url": f"{provider.url}/search",
        "json": {"query": query, "max_results": limit},
        "headers": {"Authorization": f"Bearer {provider.api_key}", **_PLAIN},
    }


_DIALECTS: dict[str, tuple[Ask, Read]] = {
    "searxng": (_ask_searxng, lambda data: data["results"]),
    "brave": (_ask_brave, lambda data: data.get("web", {}).get("results", [])),
    "tavily": (_ask_tavily, lambda data: data["results"]),
}
_DEFAULT_URLS = {"brave": "https://api.search.brave.com", "tavily": "https://api.tavily.com"}
