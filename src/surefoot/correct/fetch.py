"""Pages from the open internet, safely. Nothing inside the operator's network can be reached through here.

A host name is resolved once; every address it has must be public; the connection goes to that very address. Redirects
start over. Bytes, time, types and decompression are limited, proxies and cookies are not used, robots.txt is kept.
"""

from __future__ import annotations

import asyncio
import socket
import zlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from surefoot.core.errors import FetchError, FetchRefusedError
from surefoot.core.ports import Clock
from surefoot.core.types import Passage
from surefoot.correct.address import Target, as_address, is_allowed, is_public, parse
from surefoot.correct.page import HTML, PLAIN, Page, as_passage, load_reader
from surefoot.correct.robots import AGENT, permits

if TYPE_CHECKING:
    import httpx2

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
_HEADERS = {
    "user-agent": f"{AGENT}/1.0 (reads pages to check facts)",
    "accept": "text/html,application/xhtml+xml,text/plain;q=0.8",
    "accept-encoding": "gzip, identity",
}
_ROBOTS_FOR_S = 3_600


@dataclass(frozen=True, kw_only=True, slots=True)
class FetchLimits:
    wire_bytes: int = 2_000_000
    text_bytes: int = 3_000_000
    """After decompression."""
    seconds: float = 8.0
    """For one page in all, robots.txt and redirects included."""
    redirects: int = 3


@dataclass(frozen=True, kw_only=True)
class SafeFetcher:
    """Implements core.ports.Fetcher."""

    clock: Clock
    allowed_hosts: frozenset[str] = frozenset()
    """`host` or `host:port` the operator allows although they are private."""
    limits: FetchLimits = field(default_factory=FetchLimits)
    resolve: Resolve = field(default_factory=lambda: system_resolve)
    transport: httpx2.AsyncBaseTransport | None = None
    """For tests; None: the network."""
    _robots: dict[str, tuple[float, str | None]] = field(default_factory=dict, repr=False)

    async def fetch(self, url: str) -> Passage:
        """A page's main text. FetchRefusedError: we will not; FetchError: it cannot be had."""
        import httpx2

        await asyncio.to_thread(load_reader)
        try:
            async with asyncio.timeout(self.limits.seconds):
                page = await self._page(url)
                return await asyncio.to_thread(as_passage, page, asked_url=url, today=self.clock.today())
        except TimeoutError as error:
            raise FetchError(f"{url!r} took longer than {self.limits.seconds} s; try another source") from error
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, ValueError) as error:
            raise FetchError(f"{url!r} could not be fetched: {type(error).__name__}; try again later") from error

    async def _page(self, url: str) -> Page:
        target = parse(url, allowed=self.allowed_hosts)
        for _ in range(self.limits.redirects + 1):
            if not permits(await self._robots_of(target), target.url):
                raise FetchRefusedError(f"{target.url!r} is closed to us by robots.txt; name another source")
            answer = await self._get(target, types=(*HTML, *PLAIN))
            if isinstance(answer, Page):
                return answer
            target = parse(urljoin(target.url, answer.location), allowed=self.allowed_hosts)
        raise FetchError(f"{url!r} redirects more than {self.limits.redirects} times; name the page it leads to")

    async def _robots_of(self, target: Target) -> str:
        now = self.clock.monotonic()
        held = self._robots.get(target.origin)
        if held is None or held[0] <= now:
            held = (now + _ROBOTS_FOR_S, await self._read_robots(target))
            self._robots[target.origin] = held
        return _NOBODY if held[1] is None else held[1]

    async def _read_robots(self, target: Target) -> str | None:
        """The text; empty where there is none, None where the site cannot say (then nothing may be read)."""
        place = parse(f"{target.origin}/robots.txt", allowed=self.allowed_hosts)
        for _ in range(self.limits.redirects + 1):
            try:
                answer = await self._get(place, types=("text/plain",), lenient=True)
            except _NotThereError:
                return ""
            if isinstance(answer, Page):
                return answer.body.decode("utf-8", "replace") if answer.content_type == "text/plain" else ""
            place = parse(urljoin(place.url, answer.location), allowed=self.allowed_hosts)
        return None

    async def _get(self, target: Target, *, types: Sequence[str], lenient: bool = False) -> Page | _Redirect:
        import httpx2

        address = await self._pinned(target)
        host = f"[{address}]" if ":" in address else address
        headers = {**_HEADERS, "host": target.origin.split("://", 1)[1]}
        async with (
            httpx2.AsyncClient(
                transport=self.transport, trust_env=False, follow_redirects=False, timeout=self.limits.seconds
            ) as client,
            client.stream(
                "GET",
                f"{target.scheme}://{host}:{target.port}{target.path}",
                headers=headers,
                extensions={"sni_hostname": target.host},
            ) as response,
        ):
            if response.status_code in (301, 302, 303, 307, 308):
                return _Redirect(location=response.headers.get("location", ""))
            if 400 <= response.status_code < 500:
                raise _NotThereError(f"{target.url!r} answered {response.status_code}; name another page")
            if response.status_code != 200:
                raise FetchError(f"{target.url!r} answered {response.status_code}; try again later")
            content_type, charset = _content_type(response.headers.get("content-type", ""))
            if content_type not in types and not lenient:
                raise FetchRefusedError(f"{target.url!r} is {content_type!r}; only pages of text are read")
            body = await self._body(response, target)
        return Page(url=target.url, content_type=content_type, body=body, charset=charset)

    async def _pinned(self, target: Target) -> str:
        """The one address to connect to. Every address of the name must be public, or none is used."""
        literal = as_address(target.host)
        names = [target.host] if literal is not None else list(await self.resolve(target.host, target.port))
        addresses = [address for name in names if (address := as_address(name.split("%", 1)[0])) is not None]
        if not addresses:
            raise FetchError(f"{target.host!r} has no address; check the name")
        if not is_allowed(target.host, target.port, self.allowed_hosts):
            for address in addresses:
                if not is_public(address):
                    raise FetchRefusedError(
                        f"{target.host!r} leads to {address}, which is not public; "
                        "add the host to fetch_allow_hosts if you vouch for it"
                    )
        return str(addresses[0])

    async def _body(self, response: httpx2.Response, target: Target) -> bytes:
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip"):
            raise FetchRefusedError(f"{target.url!r} is encoded as {encoding!r}; only gzip is read")
        unzip = zlib.decompressobj(16 + zlib.MAX_WBITS) if "gzip" in encoding else None
        wire, text = 0, bytearray()
        async for piece in response.aiter_raw():
            wire += len(piece)
            room = self.limits.text_bytes - len(text) + 1
            try:
                text += unzip.decompress(piece, room) if unzip else piece
            except zlib.error as error:
                raise FetchError(f"{target.url!r} is not the gzip it says it is; try again later") from error
            if wire > self.limits.wire_bytes or len(text) > self.limits.text_bytes:
                raise FetchRefusedError(
                    f"{target.url!r} is larger than {self.limits.text_bytes} bytes; name a smaller page"
                )
        return bytes(text)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Redirect:
    location: str


class _NotThereError(FetchError):
    """A status that says: no such page."""


_NOBODY = "User-agent: *\nDisallow: /"


async def system_resolve(host: str, port: int) -> Sequence[str]:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return [str(entry[4][0]) for entry in found]


def _content_type(header: str) -> tuple[str, str | None]:
    kind, _, rest = header.partition(";")
    charset = next(
        (part.split("=", 1)[1].strip(" \"'") for part in rest.split(";") if "charset=" in part.lower()), None
    )
    return kind.strip().lower(), charset
