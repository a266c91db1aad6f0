"""Any server that speaks the OpenAI chat protocol, by the official SDK. Nothing retries here: 429s stay visible."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from surefoot.core.errors import InvalidReplyError, ModelTimeoutError, ModelUnavailableError, RateLimitedError
from surefoot.core.structured import strictly_closed
from surefoot.core.types import ModelReply, ModelRequest

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletion


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
    _clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncOpenAI] = field(
        default_factory=WeakKeyDictionary, repr=False
    )
    """One connection pool per event loop: a pool that outlives its loop breaks the next caller."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """One call, within the shorter of the request's and the connection's time limit."""
        limit_s = min(request.timeout_ms, self.timeout_ms) / 1000
        try:
            async with asyncio.timeout(limit_s):
                if "openai" not in sys.modules:
                    # The SDK takes most of a second to import: not on the event loop, where everyone would wait.
                    await asyncio.to_thread(import_module, "openai")
                return _reply(await self._negotiate(request, limit_s), self.identity)
        except TimeoutError as error:
            raise ModelTimeoutError(
                f"{self.identity!r} did not answer within {limit_s:g} s; raise llm_timeout_ms or use a faster model"
            ) from error

    async def _negotiate(self, request: ModelRequest, limit_s: float) -> ChatCompletion:
        """Calls, and where the server refuses a field of the request calls again without it."""
        from openai import BadRequestError, UnprocessableEntityError

        dialect = self.dialect
        while True:
            try:
                reply = await self._call(request, dialect, limit_s)
            except (BadRequestError, UnprocessableEntityError) as error:
                plainer = plainer_dialect(dialect, str(error), schema=request.schema is not None)
                if plainer is None:
                    raise ModelUnavailableError(
                        f"{self.identity!r} refused the request: {_short(error)}; check the model name and its limits"
                    ) from error
                dialect = plainer
            else:
                self.dialect = dialect
                return reply

    async def _call(self, request: ModelRequest, dialect: Dialect, limit_s: float) -> ChatCompletion:
        import openai
        from openai.types.chat import ChatCompletion

        try:
            # Our body needs none of the rewriting `chat.completions.create` does, a quarter of the call's own cost.
            return await self._client().post(
                "/chat/completions",
                cast_to=ChatCompletion,
                body=body(self.name, request, dialect),
                options={"timeout": limit_s},
            )
        except openai.RateLimitError as error:
            raise RateLimitedError(
                f"{self.identity!r} answered 429, too many requests; lower --concurrency or wait",
                retry_after_s=_retry_after(error.response.headers.get("retry-after")),
            ) from error
        except openai.APITimeoutError as error:
            raise TimeoutError from error
        except openai.APIConnectionError as error:
            raise ModelUnavailableError(
                f"cannot reach {self.identity!r} at {self.base_url}: {_cause(error)}; is the server running?"
            ) from error
        except (openai.BadRequestError, openai.UnprocessableEntityError):
            raise
        except openai.APIStatusError as error:
            remedy = "check the API key" if error.status_code in (401, 403) else "check the model name, or try later"
            raise ModelUnavailableError(
                f"{self.identity!r} answered {error.status_code}: {_short(error)}; {remedy}"
            ) from error
        except openai.APIError as error:
            raise ModelUnavailableError(f"{self.identity!r} failed: {_short(error)}; try later") from error

    def _client(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = AsyncOpenAI(base_url=self.base_url, api_key=self.api_key, max_retries=0)
            self._clients[loop] = client
        return client

    async def close(self) -> None:
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()


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


def _reply(completion: ChatCompletion, identity: str) -> ModelReply:
    if not completion.choices:
        raise InvalidReplyError(f"{identity!r} replied without a choice; check that it is a chat model")
    choice = completion.choices[0]
    if not choice.message.content:
        why = choice.message.refusal or f"finish_reason {choice.finish_reason!r}"
        raise InvalidReplyError(f"{identity!r} replied with no text ({why}); raise max_tokens or use another model")
    usage = completion.usage
    return ModelReply(
        text=choice.message.content,
        model=completion.model or identity,
        prompt_tokens=usage.prompt_tokens if usage else 0,
        completion_tokens=usage.completion_tokens if usage else 0,
        finish_reason=choice.finish_reason or "stop",
    )


def _retry_after(header: str | None) -> float | None:
    """Seconds; the date form of the header is rare enough to count as absent."""
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:
        return None


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _cause(error: Exception) -> str:
    return _short(error.__cause__ if isinstance(error.__cause__, Exception) else error)


_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "json schema", "json mode", "grammar", "schema")
