"""Who may come in: keys and scopes, loopback only where there are no keys, and the rate of each key.

Stands before everything that reads a body, so that a stranger costs us nothing.
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

OPEN = frozenset({"/healthz", "/readyz"})
"""What anybody who reaches us may see."""
ADMIN_PATHS = re.compile(r"/v1/runs(?:/.*)?")
WRITES = re.compile(r"/v1/(?:documents|datasets|runs/[^/]+/feedback)(?:/.*)?")
UNLIMITED = frozenset({"/metrics", "/openapi.json"})


class Guard:
    def __init__(self, app: ASGIApp, *, keyring: Keyring, limiter: RateLimiter) -> None:
        self._app, self._keyring, self._limiter = app, keyring, limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        try:
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
        needed = scope_needed(scope["method"], scope["path"])
        if not key.allows(needed):
            raise Problem(
                403, "forbidden", f"this key has scope {key.scope!r}", f"use a key with scope {needed!r} for this"
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


def scope_needed(method: str, path: str) -> str:
    if WRITES.fullmatch(path) and method not in ("GET", "HEAD"):
        return "write"
    return "admin" if ADMIN_PATHS.fullmatch(path) else "read"


@lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _only_loopback(scope: Scope, headers: Mapping[str, str]) -> None:
    """Also looks at the Host header: a web page that rebinds its name to this machine is a stranger."""
    client = scope.get("client")
    named = re.sub(r":\d+\Z", "", headers.get("host", "localhost"))
    if (client is not None and not is_loopback(client[0])) or not is_loopback(named):
        raise Problem(
            403,
            "loopback_only",
            "no API keys are configured, so only this machine may call",
            "configure api_keys, or call http://127.0.0.1",
        )


def _presented(headers: Mapping[str, str]) -> str:
    kind, _, value = headers.get("authorization", "").partition(" ")
    return value.strip() if kind.lower() == "bearer" else headers.get("x-api-key", "")
