"""Who may come in: keys, loopback only where there are no keys, and the rate of each key.

Stands before everything that reads a body, so that a stranger costs us nothing. What a key may do once inside is for
the matched route to say.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from functools import lru_cache

from starlette.types import ASGIApp, Receive, Scope, Send

from surefoot.server.keys import LOOPBACK, Key, Keyring
from surefoot.server.problems import Problem, error_response
from surefoot.server.ratelimit import RateLimiter

PROBES = frozenset({"/healthz", "/readyz"})
PAGES = frozenset({"/docs", "/docs/page.js", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"})
OPEN_PATHS = PROBES | PAGES
"""What anybody who reaches us may see."""
HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing; a page of another site cannot read what they answer, because CORS is off."""
FORWARDED = frozenset({"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})
"""What proxies say, and programs on this machine do not."""
UNLIMITED = frozenset({"/metrics", "/openapi.json"})


class Guard:
    def __init__(self, app: ASGIApp, *, keyring: Keyring, limiter: RateLimiter) -> None:
        self._app, self._keyring, self._limiter = app, keyring, limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS:
            await self._app(scope, receive, send)
            return
        try:
            _refuse_other_sites(scope)
            key = self._admitted(scope)
            allowance_headers = await self._limited(scope["path"], key)
        except Problem as problem:
            await error_response(problem, scope["state"]["request_id"])(scope, receive, send)
            return
        scope["state"]["key"] = key
        scope["state"]["extra_headers"] = allowance_headers
        await self._app(scope, receive, send)

    def _admitted(self, scope: Scope) -> Key:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if not self._keyring:
            _only_loopback(scope, headers)
            return LOOPBACK
        key = self._keyring.find(_presented(headers))
        if key is None:
            raise Problem(
                401,
                "unauthorized",
                "the API key is missing or unknown",
                "send it as 'Authorization: Bearer KEY'",
                headers={"WWW-Authenticate": "Bearer"},
            )
        return key

    async def _limited(self, path: str, key: Key) -> dict[str, str]:
        if path in UNLIMITED:
            return {}
        allowance = await self._limiter.take(key.name)
        if not allowance.allowed:
            raise Problem(
                429,
                "rate_limited",
                f"more than {allowance.limit} requests a minute with this key",
                f"wait {allowance.retry_after_s} s",
                headers={"Retry-After": str(allowance.retry_after_s)},
            )
        if not allowance.limit:
            return {}
        return {"X-RateLimit-Limit": str(allowance.limit), "X-RateLimit-Remaining": str(allowance.remaining)}


def _refuse_other_sites(scope: Scope) -> None:
    """A browser sends forms of any page to any address, ours on loopback too, and says from where it does.

    Programs send neither header. Only the authority is compared: behind a proxy the scheme differs.
    """
    if scope["method"] in HARMLESS:
        return
    hosts = {value.lower() for name, value in scope["headers"] if name == b"host" and value}
    for name, value in scope["headers"]:
        foreign = name == b"sec-fetch-site" and value.strip().lower() not in (b"same-origin", b"none")
        if foreign or (name == b"origin" and _authority(value) not in hosts):
            raise Problem(
                403,
                "cross_site",
                "a page of another site sent this request",
                "call the service from a program, or from a page of its own address",
            )


def _authority(origin: bytes) -> bytes:
    """`host[:port]` of an Origin as a Host header writes it; nothing for `null` and for what is no origin."""
    found = _ORIGIN.fullmatch(origin.strip().lower())
    if found is None:
        return b""
    scheme, authority = found.groups()
    return bytes(authority).removesuffix(_DEFAULT_PORTS[scheme])


@lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _only_loopback(scope: Scope, headers: Mapping[str, str]) -> None:
    """Also looks at the Host header: a web page that rebinds its name to this machine is a stranger.

    So is whoever stands behind a proxy on this machine, whatever the proxy makes of Host and address.
    """
    client = scope.get("client")
    named = re.sub(r":\d+\Z", "", headers.get("host", "localhost"))
    passed_on = not FORWARDED.isdisjoint(headers)
    if (client is not None and not is_loopback(client[0])) or not is_loopback(named) or passed_on:
        raise Problem(
            403,
            "loopback_only",
            "no API keys are configured, so only this machine may call",
            "configure api_keys, or call http://127.0.0.1",
        )


def _presented(headers: Mapping[str, str]) -> str:
    kind, _, value = headers.get("authorization", "").partition(" ")
    return value.strip() if kind.lower() == "bearer" else headers.get("x-api-key", "")


_ORIGIN = re.compile(rb"(https?)://([^/\\\s@?#]+)")
_DEFAULT_PORTS = {b"http": b":80", b"https": b":443"}
