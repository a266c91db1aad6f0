"""Which addresses we talk to. Pure: a URL is judged by its parts, an IP by its range; names are resolved elsewhere."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from surefoot.core.errors import FetchRefusedError

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
PORTS = {"http": 80, "https": 443}
_LONGEST = 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """A URL that may be fetched once its host's addresses have been looked at."""

    scheme: str
    host: str
    """Lower case, ASCII, without brackets and trailing dot."""
    port: int
    path: str
    """Path and query."""

    @property
    def origin(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == PORTS[self.scheme] else f":{self.port}")

    @property
    def url(self) -> str:
        return self.origin + self.path


def parse(url: str, *, allowed: frozenset[str] = frozenset()) -> Target:
    """The target of a URL; a FetchRefusedError says what about it we refuse.

    `allowed` holds hosts (`host` or `host:port`) the operator vouches for: any port, private addresses too.
    """
    if len(url) > _LONGEST or not url.isascii() or _UNSAFE.search(url):
        raise _refused(url, "holds characters that do not belong in a URL", "write it percent-encoded, hosts as xn--")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise _refused(url, f"cannot be read: {error}", "correct it") from error
    if parts.scheme not in PORTS:
        raise _refused(url, f"has the scheme {parts.scheme!r}", "only http and https are fetched")
    if "@" in parts.netloc:
        raise _refused(url, "carries credentials", "give a URL without user and password")
    if not host:
        raise _refused(url, "names no host", "give a full URL")
    name = _host(url, host.removesuffix("."))
    number = PORTS[parts.scheme] if port is None else port
    if number not in PORTS.values() and not is_allowed(name, number, allowed):
        raise _refused(url, f"names the port {number}", "only 80 and 443 are fetched")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(scheme=parts.scheme, host=name, port=number, path=path)


def is_allowed(host: str, port: int, allowed: frozenset[str]) -> bool:
    return host in allowed or f"{host}:{port}" in allowed


def is_public(address: IPAddress) -> bool:
    """Whether an address belongs to the open internet: nothing local, private, shared, reserved or tunnelled."""
    if isinstance(address, ipaddress.IPv6Address):
        if any(address in network for network in _V6_REFUSED):
            return False
    elif any(address in network for network in _V4_REFUSED):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def as_address(host: str) -> IPAddress | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _host(url: str, host: str) -> str:
    if "%" in host:
        raise _refused(url, "names a host with a percent sign", "give the host plainly")
    if as_address(host) is not None:
        return host
    if ":" in host or not _NAME.fullmatch(host):
        raise _refused(url, f"names the host {host!r}", "that is no host name")
    # A last label of digits is read as an IPv4 address by browsers and C libraries: 2130706433, 0177.0.0.1, 127.1
    if _NUMERIC.fullmatch(host.rsplit(".", 1)[-1]):
        raise _refused(url, f"writes an address as {host!r}", "write it as four decimal numbers")
    return host


def _refused(url: str, problem: str, remedy: str) -> FetchRefusedError:
    shown = re.sub(r"//[^/]*@", "//***@", url[:120])
    return FetchRefusedError(f"{shown!r} {problem}; {remedy}")


_UNSAFE = re.compile(r"[\x00-\x20\x7f\\<>\"`{}|^]")
_NAME = re.compile(
    r"(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*"
)
_NUMERIC = re.compile(r"\d+|0x[0-9a-f]*")
_V6_REFUSED = tuple(
    ipaddress.IPv6Network(network)
    for network in (
        "::/96",  # IPv4-compatible, unspecified, loopback
        "::ffff:0:0/96",  # IPv4-mapped
        "::ffff:0:0:0/96",  # IPv4-translated
        "64:ff9b::/96",  # NAT64
        "64:ff9b:1::/48",  # local NAT64
        "100::/64",  # discard
        "2001::/23",  # Teredo and protocol assignments
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "5f00::/16",  # segment routing
        "fc00::/7",  # unique local
        "fe80::/10",  # link local
        "fec0::/10",  # site local
        "ff00::/8",  # multicast
    )
)
_V4_REFUSED = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT
        "168.63.129.16/32",  # a cloud's host agent on a public address
        "169.254.0.0/16",  # link local, metadata services
        "192.0.0.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "198.18.0.0/15",
        "224.0.0.0/3",
    )
)
