"""What every request and response gets: an id, limits on the body, security headers, a measure, and one error shape."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
import traceback
from collections.abc import Mapping

import structlog
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from surefoot.core.ports import Meter
from surefoot.server.problems import INTERNAL, Problem, error_response

BODY_SECONDS = 20.0
"""A body must be in by then: a trickle is cut."""
UPLOAD_SECONDS = 300.0
GONE = 499
"""What is counted for a caller who left before the whole request was here."""
SECURITY_HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Envelope:
    def __init__(self, app: ASGIApp, *, meter: Meter, max_body: int, max_upload: int) -> None:
        self._app, self._meter, self._max_body, self._max_upload = app, meter, max_body, max_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        state["request_id"] = request_id = _request_id(scope)
        started, status = time.perf_counter(), [0]

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
                own = {name.lower() for name, _ in message["headers"]}
                ours = _headers(request_id, state.get("extra_headers", {}))
                message["headers"] = [*message["headers"], *(one for one in ours if one[0] not in own)]
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            await self._guarded(scope, receive, sending, status)
        route = _route(scope)
        self._meter.count("http_requests", route=route, method=_method(scope), status=str(status[0]))
        self._meter.observe("http", (time.perf_counter() - started) * 1000, route=route)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send, status: list[int]) -> None:
        try:
            await self._app(scope, self._limited(scope, receive), send)
        except Problem as problem:
            await self._answer(problem, scope, receive, send, status)
        except ClientDisconnect:  # nobody is there to be answered, and nothing of ours failed
            status[0] = status[0] or GONE
        except Exception as error:  # the last net: nothing but our shape ever leaves
            name, places = type(error).__name__, _places(error)  # never its message: it may quote a person
            structlog.get_logger("surefoot.server").error("request failed", error=name, at_code=places)
            await self._answer(INTERNAL, scope, receive, send, status)

    async def _answer(self, problem: Problem, scope: Scope, receive: Receive, send: Send, status: list[int]) -> None:
        if not status[0]:
            await error_response(problem, scope["state"]["request_id"])(scope, receive, send)

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        upload = scope["path"].startswith("/v1/documents")
        limit = self._max_upload if upload else self._max_body
        deadline = time.monotonic() + (UPLOAD_SECONDS if upload else BODY_SECONDS)
        _refuse_two_lengths(scope)
        declared = _content_length(scope)
        if declared is not None and declared > limit:
            raise _too_large(limit)
        seen, complete = 0, False

        async def receiving() -> Message:
            nonlocal seen, complete
            if complete:
                return await receive()  # waits for the client to leave
            try:
                async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
                    message = await receive()
            except TimeoutError:
                raise Problem(
                    408,
                    "body_too_slow",
                    "the body did not arrive in time",
                    "send it in one piece",
                    headers={"Connection": "close"},
                ) from None
            seen += len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if seen > limit:
                raise _too_large(limit)
            return message

        return receiving


def _too_large(limit: int) -> Problem:
    return Problem(
        413,
        "too_large",
        f"the body is larger than {limit} bytes",
        "send less, or raise the limit in the settings",
        headers={"Connection": "close"},
    )


def _refuse_two_lengths(scope: Scope) -> None:
    """A proxy before us may go by the other one, and take the rest of this body for somebody's next request."""
    names = {name for name, _ in scope["headers"]}
    if {b"content-length", b"transfer-encoding"} <= names:
        raise Problem(
            400,
            "bad_input",
            "the body's length is given in two ways",
            "send Content-Length or Transfer-Encoding, not both",
            headers={"Connection": "close"},
        )


def _request_id(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _SAFE_ID.fullmatch(value):
            return str(value.decode("ascii"))
    return secrets.token_hex(12)


def _content_length(scope: Scope) -> int | None:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return None


def _headers(request_id: str, extra: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    own = [(b"x-request-id", request_id.encode())]
    return [*own, *_ENCODED, *((name.lower().encode(), value.encode()) for name, value in extra.items())]


def _places(error: Exception) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    return [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in frames]


def _route(scope: Scope) -> str:
    """The route's pattern, never the path: a path may hold what a person typed."""
    route = scope.get("route")
    return str(getattr(route, "path", "unmatched"))


def _method(scope: Scope) -> str:
    method = str(scope["method"])
    return method if method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else "other"


_ENCODED = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
_SAFE_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")
