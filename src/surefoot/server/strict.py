"""Requests as we accept them: an exact path, a key that the route allows, and JSON with finite numbers, whole
characters and bounded depth. Everything else is the caller's mistake."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

import numpy as np
from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from surefoot.server.keys import OPEN
from surefoot.server.problems import Problem

MAX_DEPTH = 64


def parse_json(body: bytes) -> Any:
    """Decodes a body or raises a Problem that says what is wrong with it."""
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _depth(body) > MAX_DEPTH:
        raise _too_deep()  # before it is parsed: how deep a parser may go depends on how deep we already are
    try:
        # Decoded here: json.loads takes UTF-16 and halves of characters, which the looks below would not see.
        value = json.loads(body.decode("utf-8-sig"), parse_constant=_refuse_constant, parse_float=_finite)
    except RecursionError:
        raise _too_deep() from None
    except UnicodeDecodeError:
        raise _bad("the body is not UTF-8 text") from None
    except ValueError as error:
        place = f" at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise _bad(f"the body is not valid JSON{place}") from None
    if b"\\u" in body:
        _refuse_half_characters(value)
    if b"\\u0000" in body and "\\u0000" in json.dumps(value):
        raise _bad("the body holds a NUL character")
    return value


class StrictRoute(APIRoute):
    """A route with a scope, an exact path and strictly decoded JSON.

    The scope is the route's own, so that what is guarded and what answers cannot differ by a way to write a path.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        needed = getattr(endpoint, "needs", None)
        if needed is None:
            raise TypeError(f"the route {path!r} has no scope; mark its endpoint with @needs(…)")
        self.needs: str = needed
        super().__init__(path, endpoint, **options)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """The router forgives a newline at the end of a path, and takes any character as part of a name; we do not."""
        if _UNWANTED.search(scope.get("path", "")):
            return Match.NONE, {}
        return super().matches(scope)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.needs != OPEN and (not self.methods or scope["method"] in self.methods):
            _refuse_small_key(scope, self.needs)
        await super().handle(scope, receive, send)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await handle(StrictRequest(request.scope, request.receive))

        return strict


class DirectRoute(StrictRoute):
    """A strict route whose endpoint takes the request and nothing else, so that it is called without more ado.

    FastAPI looks for parameters and dependencies in every request, also where there are none to be found; for a
    verification that takes a few milliseconds this is felt.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = self.endpoint

        async def direct(request: Request) -> Response:
            response: Response = await answer(StrictRequest(request.scope, request.receive))
            return response

        return direct


class StrictRequest(Request):
    async def json(self) -> Any:
        if not hasattr(self, "_strict"):
            self._strict = parse_json(await self.body())
        return self._strict


def _depth(body: bytes) -> int:
    """The deepest nesting of brackets outside strings: no recursion, and no loop that a megabyte of brackets feeds."""
    brackets = np.frombuffer(_STRING.sub(b"", body).translate(_STEPS, _NO_BRACKETS), dtype=np.int8)
    return int(brackets.cumsum(dtype=np.int32).max(initial=0))


def _refuse_half_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise _bad("the body holds half of a character pair (a lone surrogate)") from None


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _bad("the body holds a number too large to be kept")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise _bad(f"the body holds {name}, which is not JSON")


def _bad(message: str) -> Problem:
    return Problem(400, "bad_json", message, "send one JSON value in UTF-8")


def _too_deep() -> Problem:
    return Problem(400, "too_deep", f"the body nests deeper than {MAX_DEPTH} levels", "flatten it")


def _refuse_small_key(scope: Scope, needed: str) -> None:
    """Before the body is read. A request that no guard has seen carries no key, and is refused as well."""
    key = scope["state"].get("key")
    if key is None or not key.allows(needed):
        held = key.scope if key is not None else "none"
        raise Problem(403, "forbidden", f"this key has scope {held!r}", f"use a key with scope {needed!r} for this")


_UNWANTED = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffd\\;]|//|/\.{1,2}(?:/|\Z)")
"""Control characters and other things by which two readers of one path may come to different ends."""
_STRING = re.compile(rb'"(?:[^"\\]|\\.?)*+"?', re.DOTALL)
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
"""Down one, up one, as signed bytes."""
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
