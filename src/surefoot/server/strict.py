"""JSON as we accept it: finite numbers, whole characters, bounded depth. Everything else is the caller's mistake."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

from fastapi import Request, Response
from fastapi.routing import APIRoute

from surefoot.server.problems import Problem

MAX_DEPTH = 64


def parse_json(body: bytes) -> Any:
    """Decodes a body or raises a Problem that says what is wrong with it."""
    try:
        value = json.loads(body, parse_constant=_refuse_constant, parse_float=_finite)
    except RecursionError:
        raise _too_deep() from None
    except UnicodeDecodeError:
        raise _bad("the body is not UTF-8 text") from None
    except ValueError as error:
        place = f" at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise _bad(f"the body is not valid JSON{place}") from None
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _deeper_than(value, MAX_DEPTH):
        raise _too_deep()
    if b"\\u" in body:
        _refuse_half_characters(value)
    return value


class StrictRoute(APIRoute):
    """A route whose request decodes JSON strictly."""

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


def _deeper_than(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return False
    return True


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
