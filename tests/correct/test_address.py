"""Sixty and more ways into a private network, none of which is let through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import httpx2
import pytest

from surefoot.core.errors import FetchError, FetchRefusedError
from surefoot.correct.address import as_address, is_public, parse
from surefoot.correct.fetch import SafeFetcher
from surefoot.testing.clock import FakeClock

PUBLIC = "93.184.215.14"
NAMES = {
    "public.example": [PUBLIC],
    "internal.example": ["10.0.0.5"],
    "half.example": [PUBLIC, "127.0.0.1"],
    "mapped.example": ["::ffff:127.0.0.1"],
    "six.example": ["fd00::1"],
    "link.example": ["fe80::1%eth0"],
    "metadata.example": ["169.254.169.254"],
    "nat64.example": ["64:ff9b::7f00:1"],
    "sixtofour.example": ["2002:7f00:1::"],
    "empty.example": [],
    "localhost": ["127.0.0.1", "::1"],
    "metadata.google.internal": ["169.254.169.254"],
    "127.0.0.1.nip.io": ["127.0.0.1"],
}
ATTEMPTS = [
    # schemes
    "file:///etc/passwd",
    "ftp://public.example/",
    "gopher://public.example:70/_x",
    "data:text/html,hello",
    "javascript:alert(1)",
    "dict://127.0.0.1:11211/stats",
    "ldap://public.example/",
    "//public.example/",
    "public.example",
    "HTTP+unix://%2Fvar%2Frun%2Fdocker.sock/info",
    # loopback, private and special addresses
    "http://127.0.0.1/",
    "http://127.255.255.254/",
    "http://0.0.0.0/",
    "http://0/",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://168.63.129.16/metadata",
    "http://100.100.100.200/latest/",
    "http://192.0.0.192/opc/v1/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    # IPv6
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[::127.0.0.1]/",
    "http://[fe80::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fd00:ec2::254]/latest/",
    "http://[fec0::1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "http://[ff02::1]/",
    # decimal, octal, hexadecimal and short forms
    "http://2130706433/",
    "http://017700000001/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://0x7f.0.0.1/",
    "http://127.1/",
    "http://127.0.1/",
    "http://127.0.0.1./",
    "http://010.0.0.1/",
    "http://127.0.0.0x1/",
    "http://0000::1/",
    # names
    "http://localhost/",
    "http://LOCALHOST./",
    "http://internal.example/",
    "http://half.example/",
    "http://mapped.example/",
    "http://six.example/",
    "http://link.example/",
    "http://metadata.example/",
    "http://nat64.example/",
    "http://sixtofour.example/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://127.0.0.1.nip.io/",
    "http://empty.example/",
    # credentials, tricks of writing, unicode
    "http://user:secret@public.example/",
    "http://public.example@127.0.0.1/",
    "http://127.0.0.1#@public.example/",
    "http://public.example:80@127.0.0.1/",
    "http://127.0.0.1\\@public.example/",
    "http://public.example%2f@127.0.0.1/",
    "http://127.0.0.1%00.public.example/",
    "http://ⓛocalhost/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http://lоcalhost/",
    "http://public.example\r\nHost: evil/",
    "http:// 127.0.0.1/",
    "http://[127.0.0.1]/",
    "http:///etc/passwd",
    "http://-x.example/",
    # ports
    "http://public.example:22/",
    "http://public.example:6379/",
    "http://public.example:8080/",
    "http://public.example:0/",
    "http://public.example:99999/",
]


RELATIVE = ("//public.example/", "public.example", "http:///etc/passwd")
"""As a redirect's target these stay on the public host."""


class Canary(httpx2.AsyncBaseTransport):
    """A network that notes every connection; only the public address may ever be seen."""

    def __init__(self, responses: dict[str, httpx2.Response] | None = None) -> None:
        self.seen: list[tuple[str, str]] = []
        self.responses = responses or {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.seen.append((request.url.host, request.headers["host"]))
        if request.url.path == "/robots.txt":
            return httpx2.Response(404)
        answer = self.responses.get(request.url.path)
        return answer or httpx2.Response(200, headers={"content-type": "text/plain"}, content=_body())


async def _body() -> AsyncIterator[bytes]:
    yield b"Hello out there."


async def resolve(host: str, port: int) -> Sequence[str]:
    if host not in NAMES:
        raise OSError("no such name")
    return NAMES[host]


def fetcher(network: Canary, **more: object) -> SafeFetcher:
    return SafeFetcher(clock=FakeClock(), resolve=resolve, transport=network, **more)  # type: ignore[arg-type]


def test_there_are_at_least_sixty_attempts() -> None:
    assert len(set(ATTEMPTS)) >= 60


@pytest.mark.parametrize("url", ATTEMPTS)
def test_no_attempt_reaches_the_network(url: str) -> None:
    network = Canary()
    with pytest.raises(FetchError):
        asyncio.run(fetcher(network).fetch(url))
    assert network.seen == []


@pytest.mark.parametrize("url", [url for url in ATTEMPTS if url.isprintable() and " " not in url])
def test_no_redirect_leads_there_either(url: str) -> None:
    moved = httpx2.Response(302, headers={"location": url.encode("utf-8")})
    network = Canary({"/start": moved})
    if url in RELATIVE:
        asyncio.run(fetcher(network).fetch("http://public.example/start"))
    else:
        with pytest.raises(FetchError):
            asyncio.run(fetcher(network).fetch("http://public.example/start"))
    assert {host for host, _ in network.seen} == {PUBLIC}


def test_a_public_page_is_fetched_at_the_address_that_was_checked() -> None:
    network = Canary()
    passage = asyncio.run(fetcher(network).fetch("http://public.example/page"))
    assert passage.text == "Hello out there."
    assert network.seen == [(PUBLIC, "public.example"), (PUBLIC, "public.example")]


def test_a_name_that_changes_its_mind_is_not_asked_twice_per_request() -> None:
    answers = [[PUBLIC], ["127.0.0.1"]]

    async def rebinding(host: str, port: int) -> Sequence[str]:
        return answers.pop(0)

    network = Canary()
    rebound = SafeFetcher(clock=FakeClock(), resolve=rebinding, transport=network)
    with pytest.raises(FetchRefusedError, match=r"127\.0\.0\.1"):
        asyncio.run(rebound.fetch("http://public.example/page"))
    assert network.seen == [(PUBLIC, "public.example")]


def test_a_host_the_operator_vouches_for_may_be_private() -> None:
    network = Canary()
    allowed = fetcher(network, allowed_hosts=frozenset({"internal.example:8080"}))
    asyncio.run(allowed.fetch("http://internal.example:8080/x"))
    assert network.seen[-1] == ("10.0.0.5", "internal.example:8080")
    with pytest.raises(FetchRefusedError):
        asyncio.run(allowed.fetch("http://internal.example:9090/x"))
    with pytest.raises(FetchRefusedError):
        asyncio.run(allowed.fetch("http://10.0.0.5:8080/x"))


def test_a_password_is_not_repeated_in_the_error() -> None:
    with pytest.raises(FetchRefusedError) as error:
        parse("http://user:secret@public.example/")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.215.14", "2606:4700:4700::1111", "2a00:1450:4001:81b::200e"])
def test_public_addresses_are_public(address: str) -> None:
    parsed = as_address(address)
    assert parsed is not None
    assert is_public(parsed)


def test_path_and_query_are_kept_and_the_fragment_is_not() -> None:
    target = parse("https://Public.Example:443/a//b?x=1&y=%20#frag")
    assert (target.url, target.host, target.port) == (
        "https://public.example/a//b?x=1&y=%20",
        "public.example",
        443,
    )
