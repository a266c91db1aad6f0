"""Any server that speaks the OpenAI chat protocol: one POST and its reply. Nothing retries here: 429s stay visible.

By hand and not by the SDK, which costs as much processor time a call as all the rest of it (decision 0075).
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from surefoot.core.bounded import read_bounded
from surefoot.core.errors import InvalidReplyError, ModelTimeoutError, ModelUnavailableError, RateLimitedError
from surefoot.core.structured import strictly_closed
from surefoot.core.text import whole
from surefoot.core.types import ModelReply, ModelRequest

if TYPE_CHECKING:
    from httpx2 import AsyncClient

MAX_REPLY_BYTES = 4_000_000
"""Many times what the longest reply we ask for takes; a server that sends more is broken or hostile."""
_ERROR_BYTES = 20_000
_REACH_S = 5.0
_LONGEST_WAIT_S = 600.0
"""A server that asks us to stay away for longer is broken or hostile; whoever waits for it would wait for ever."""


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """What a server understands of the protocol. Servers differ; we start with the most and learn from refusals."""

    format: str = "json_schema"
    """json_schema | json_object | prompt: how a schema is asked for; the latter two also put it in the prompt"""
    limit: str = "max_tokens"
    """max_tokens | max_completion_tokens"""
    temperature: bool = True
    seed: bool = True


@dataclass(kw_only=True)
class OpenAICompatibleModel:
    identity: str
    """provider:name"""
    name: str
    base_url: str
    api_key: str = field(repr=False)
    timeout_ms: int = 30_000
    dialect: Dialect = field(default_factory=Dialect)
    _clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncClient] = field(
        default_factory=WeakKeyDictionary, repr=False
    )
    """One connection pool per event loop: a pool that outlives its loop breaks the next caller."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """One call, within the shorter of the request's and the connection's time limit."""
        limit_s = min(request.timeout_ms, self.timeout_ms) / 1000
        try:
            async with asyncio.timeout(limit_s):
                if "httpx2" not in sys.modules:
                    # It takes a while to import: not on the event loop, where everyone would wait.
                    await asyncio.to_thread(import_module, "httpx2")
                return _reply(await self._negotiate(request, limit_s), self.identity)
        except TimeoutError as error:
            raise ModelTimeoutError(
                f"{self.identity!r} did not answer within {limit_s:g} s; raise llm_timeout_ms or use a faster model"
            ) from error

    async def reach(self) -> None:
        """Asks the server for its models and nothing else. ModelUnavailableError: not there, or the key is refused."""
        import httpx2

        address = f"{self.base_url.rstrip('/')}/models"
        try:
            async with (
                asyncio.timeout(_REACH_S),
                httpx2.AsyncClient(headers={"Authorization": f"Bearer {self.api_key}"}) as client,
                client.stream("GET", address, timeout=_REACH_S) as response,  # the status says all: no body is read
            ):
                status = response.status_code
        except (httpx2.HTTPError, TimeoutError) as error:
            raise ModelUnavailableError(
                f"cannot reach {self.identity!r} at {self.base_url}: {_short(str(error) or type(error).__name__)}; "
                "is the server running?"
            ) from error
        if status in (401, 403):
            raise ModelUnavailableError(f"{self.identity!r} answered {status}; check the API key", passing=False)

    async def _negotiate(self, request: ModelRequest, limit_s: float) -> bytes:
        """Calls, and where the server refuses a field of the request calls again without it."""
        dialect = self.dialect
        while True:
            try:
                reply = await self._call(request, dialect, limit_s)
            except _RefusedError as error:
                plainer = plainer_dialect(dialect, str(error), schema=request.schema is not None)
                if plainer is None:
                    raise ModelUnavailableError(
                        f"{self.identity!r} refused the request: {_short(str(error))}; "
                        "check the model name and its limits",
                        passing=False,
                    ) from error
                dialect = plainer
            else:
                self.dialect = dialect
                return reply

    async def _call(self, request: ModelRequest, dialect: Dialect, limit_s: float) -> bytes:
        import httpx2

        content = json.dumps(body(self.name, request, dialect), ensure_ascii=False).encode("utf-8", "replace")
        try:
            async with self._client().stream("POST", self._address, content=content, timeout=limit_s) as response:
                encoding = response.headers.get("content-encoding", "")
                said = await read_bounded(response.aiter_raw(), encoding, MAX_REPLY_BYTES)
        except ValueError as error:
            raise InvalidReplyError(
                f"{self.identity!r} replied with a body that is {error}; use another model"
            ) from error
        except httpx2.TimeoutException as error:
            raise TimeoutError from error
        except httpx2.HTTPError as error:
            raise ModelUnavailableError(
                f"cannot reach {self.identity!r} at {self.base_url}: {_short(str(error) or type(error).__name__)}; "
                "is the server running?"
            ) from error
        if response.status_code == 200:
            return said
        words = said[:_ERROR_BYTES].decode("utf-8", "replace")
        raise self._error(response.status_code, words, response.headers.get("retry-after"))

    def _error(self, status: int, said: str, retry_after: str | None) -> Exception:
        if status == 429:
            return RateLimitedError(
                f"{self.identity!r} answered 429, too many requests; lower --concurrency or wait",
                retry_after_s=_retry_after(retry_after),
            )
        if status in (400, 422):
            return _RefusedError(said)
        if 300 <= status < 400:
            return ModelUnavailableError(
                f"{self.identity!r} answered {status}, a redirect, and no prompt is sent on to another address; "
                "set llm_base_url to where the model is",
                passing=False,
            )
        remedy = "check the API key" if status in (401, 403) else "check the model name, or try later"
        passing = status >= 500 or status == 408
        return ModelUnavailableError(f"{self.identity!r} answered {status}: {_short(said)}; {remedy}", passing=passing)

    @property
    def _address(self) -> str:
        return f"{self.base_url.rstrip('/')}/chat/completions"

    def _client(self) -> AsyncClient:
        import httpx2

        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            headers = {
                "Authorization": f"Bearer {self.api_key}",
                "Content-Type": "application/json",
                "Accept-Encoding": "identity",
            }
            limits = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)
            client = httpx2.AsyncClient(headers=headers, limits=limits, follow_redirects=False)
            self._clients[loop] = client
        return client

    async def close(self) -> None:
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()


def body(name: str, request: ModelRequest, dialect: Dialect) -> dict[str, Any]:
    """The request in the server's dialect."""
    prompt = request.prompt
    fields: dict[str, Any] = {"model": name, dialect.limit: request.max_tokens}
    if dialect.temperature:
        fields["temperature"] = request.temperature
    if dialect.seed and request.seed is not None:
        fields["seed"] = request.seed
    if request.schema is not None:
        if dialect.format == "json_schema":
            shape = {
                "name": request.role,
                "schema": dict(request.schema),
                "strict": strictly_closed(request.schema),
            }
            fields["response_format"] = {"type": "json_schema", "json_schema": shape}
        else:
            if dialect.format == "json_object":
                fields["response_format"] = {"type": "json_object"}
            shown = json.dumps(request.schema, ensure_ascii=False)
            prompt = f"{prompt}\n\nReply with one JSON object that meets this JSON schema, and nothing else:\n{shown}"
    messages = [{"role": "system", "content": request.system}] if request.system else []
    return {**fields, "messages": [*messages, {"role": "user", "content": prompt}]}


def plainer_dialect(dialect: Dialect, refusal: str, *, schema: bool) -> Dialect | None:
    """The dialect to try after a refusal; None when the refusal is about something else."""
    said = refusal.lower()
    if dialect.limit == "max_tokens" and "max_completion_tokens" in said:
        return replace(dialect, limit="max_completion_tokens")
    if dialect.limit == "max_completion_tokens" and "max_completion_tokens" in said:
        return replace(dialect, limit="max_tokens")
    if dialect.temperature and "temperature" in said:
        return replace(dialect, temperature=False)
    if dialect.seed and "seed" in said:
        return replace(dialect, seed=False)
    if schema and dialect.format != "prompt" and any(word in said for word in _FORMAT_WORDS):
        return replace(dialect, format="json_object" if dialect.format == "json_schema" else "prompt")
    return None


def _reply(content: bytes, identity: str) -> ModelReply:
    try:
        completion = json.loads(content)
        choices = completion["choices"]
        usage = completion.get("usage") or {}
        choice = choices[0] if choices else None
        message = choice["message"] if choice else {}
        text, finish = message.get("content"), (choice or {}).get("finish_reason")
        counts = [int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")]
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError, OverflowError) as error:
        raise InvalidReplyError(
            f"{identity!r} replied with no chat completion ({type(error).__name__}); check that base_url is a chat API"
        ) from error
    if choice is None:
        raise InvalidReplyError(f"{identity!r} replied without a choice; check that it is a chat model")
    if not text or not isinstance(text, str):
        why = _short(str(message.get("refusal") or f"finish_reason {finish!r}"))
        raise InvalidReplyError(f"{identity!r} replied with no text ({why}); raise max_tokens or use another model")
    return ModelReply(
        text=whole(text),
        model=_short(whole(str(completion.get("model") or identity))),
        prompt_tokens=counts[0],
        completion_tokens=counts[1],
        finish_reason=_short(whole(str(finish or "stop"))),
    )


def _retry_after(header: str | None) -> float | None:
    """Seconds, bounded; the date form of the header is rare enough to count as absent."""
    try:
        return min(max(0.0, float(header)), _LONGEST_WAIT_S) if header else None
    except ValueError:
        return None


def _short(said: str) -> str:
    return " ".join(said.split())[:200]


class _RefusedError(Exception):
    """The server calls the request wrong, in the words of its reply."""


_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "json schema", "json mode", "grammar", "schema")
