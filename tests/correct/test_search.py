"""Each provider's dialect against a local server that speaks it."""

from __future__ import annotations

import asyncio
import http.server
import json
import threading
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest

from surefoot.core.errors import ConfigError, FetchError
from surefoot.correct.search import open_search

RESULTS = [{"url": "https://a.example/"}, {"url": "file:///etc/passwd"}, {"url": "https://b.example/"}, {}]


class Double:
    """Answers like the provider it is asked as; notes what came."""

    def __init__(self) -> None:
        self.requests: list[dict[str, object]] = []
        self.status, self.body = 200, b""
        double = self

        class Answers(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                parts = urlsplit(self.path)
                double.requests.append(
                    {
                        "path": parts.path,
                        "query": parse_qs(parts.query),
                        "headers": dict(self.headers),
                        "json": json.loads(self.rfile.read(length) or b"null"),
                    }
                )
                self.send_response(double.status)
                self.end_headers()
                self.wfile.write(double.body)

            do_POST = do_GET

            def log_message(self, *args: object) -> None: ...

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


@pytest.fixture
def double() -> Iterator[Double]:
    running = Double()
    yield running
    running.server.shutdown()
    running.server.server_close()


def search(name: str, double: Double, query: str = "loan days") -> list[str]:
    provider = open_search(name, url=double.url, api_key="key")
    assert provider is not None
    return asyncio.run(provider.search(query, limit=2))


@pytest.mark.parametrize("name", ["searxng", "tavily", "brave"])
def test_urls_of_pages_come_back_in_order(name: str, double: Double) -> None:
    double.body = json.dumps({"web": {"results": RESULTS}} if name == "brave" else {"results": RESULTS}).encode()
    assert search(name, double) == ["https://a.example/", "https://b.example/"]


def test_each_provider_is_asked_in_its_own_way(double: Double) -> None:
    double.body = b'{"results": [], "web": {}}'
    for name in ("searxng", "brave", "tavily"):
        search(name, double)
    searxng, brave, tavily = double.requests
    assert (searxng["path"], searxng["query"]) == ("/search", {"q": ["loan days"], "format": ["json"]})
    assert brave["path"] == "/res/v1/web/search"
    assert brave["headers"]["X-Subscription-Token"] == "key"  # type: ignore[index]
    assert tavily["json"] == {"query": "loan days", "max_results": 2}
    assert tavily["headers"]["Authorization"] == "Bearer key"  # type: ignore[index]


@pytest.mark.parametrize(
    ("status", "body"), [(429, b""), (500, b""), (200, b"<html>"), (200, b"[]"), (200, b'{"results": [1]}')]
)
def test_a_provider_that_fails_is_a_fetch_error(status: int, body: bytes, double: Double) -> None:
    double.status, double.body = status, body
    with pytest.raises(FetchError, match="'searxng'"):
        search("searxng", double)


def test_settings_that_do_not_suffice_are_named() -> None:
    assert open_search("none", url=None, api_key=None) is None
    with pytest.raises(ConfigError, match="search_provider: 'gogle'"):
        open_search("gogle", url=None, api_key=None)
    with pytest.raises(ConfigError, match="search_url"):
        open_search("searxng", url=None, api_key=None)
    with pytest.raises(ConfigError, match="search_api_key"):
        open_search("tavily", url=None, api_key=None)
