"""Behaviour around a model, one wrapper each: `Metered(Cached(Retrying(model)))`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from surefoot.core.errors import ModelError, ModelTimeoutError, ModelUnavailableError
from surefoot.core.hashing import canonical_json, content_hash, request_key
from surefoot.core.known_names import known_names
from surefoot.core.patience import retried
from surefoot.core.ports import Cache, Forgetting, LanguageModel, Meter
from surefoot.core.redaction import Redactor, introduced_names
from surefoot.core.types import ModelReply, ModelRequest


@dataclass(frozen=True, kw_only=True)
class Retrying:
    """Tries again after a lost connection, a server error or a timeout, within the request's own time.

    A 429 passes through at once: whoever sets the pace must see it. So does what another try cannot change, such as a
    key that is refused.
    """

    model: LanguageModel
    attempts: int = 3
    wait_initial_s: float = 0.1
    wait_max_s: float = 2.0

    @property
    def identity(self) -> str:
        return self.model.identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        began = time.monotonic()
        attempts = retried(
            on=_passes,
            attempts=self.attempts,
            timeout=request.timeout_ms / 1000,
            wait_initial=self.wait_initial_s,
            wait_max=self.wait_max_s,
            wait_jitter=self.wait_initial_s,
        )
        reply = None
        async for attempt in attempts:
            with attempt:
                spent_ms = int((time.monotonic() - began) * 1000)
                left = max(1, request.timeout_ms - spent_ms)
                reply = await self.model.complete(replace(request, timeout_ms=left))
        assert reply is not None  # the context either set it or raised
        return reply


@dataclass(frozen=True, kw_only=True)
class Cached:
    """Asks once and remembers. Only for requests at temperature 0.1 or below: a warmer one wants variety."""

    model: LanguageModel
    cache: Cache
    ttl_s: int = 86_400

    @property
    def identity(self) -> str:
        return self.model.identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        if request.temperature > 0.1:
            return await self.model.complete(request)
        key = self._key(request)
        kept = await self.cache.get(key)
        if kept is not None:
            try:
                return ModelReply(**json.loads(kept))
            except (ValueError, TypeError):
                await self.cache.drop([key])
        reply = await self.model.complete(request)
        await self.cache.set(key, canonical_json(reply).encode(), ttl_s=self.ttl_s)
        return reply

    async def forget(self, request: ModelRequest) -> None:
        await self.cache.drop([self._key(request)])

    def _key(self, request: ModelRequest) -> str:
        return f"llm:{content_hash([self.identity, request_key(request)])}"


@dataclass(frozen=True, kw_only=True)
class Metered:
    """Counts calls, tokens and failures by role, and times every call."""

    model: LanguageModel
    meter: Meter
    clock: Callable[[], float] = time.monotonic

    @property
    def identity(self) -> str:
        return self.model.identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        began = self.clock()
        try:
            reply = await self.model.complete(request)
        except ModelError as error:
            self.meter.count("llm_failures", role=request.role, model=self.identity, code=error.code)
            raise
        self.meter.count("llm_calls", role=request.role, model=self.identity)
        self.meter.observe("llm", (self.clock() - began) * 1000, role=request.role, model=self.identity)
        return reply

    async def forget(self, request: ModelRequest) -> None:
        await forget(self.model, request)


@dataclass(frozen=True, kw_only=True)
class Redacting:
    """Takes personal data out of everything that leaves the house, and puts it back into the reply.

    The placeholders live as long as the call; a cache, a recording or a provider inside never sees the originals.
    """

    model: LanguageModel

    @property
    def identity(self) -> str:
        return self.model.identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        redactor = _redactor(request)
        reply = await self.model.complete(_clean(request, redactor))
        return replace(reply, text=redactor.restore(reply.text))

    async def forget(self, request: ModelRequest) -> None:
        await forget(self.model, _clean(request, _redactor(request)))


def _passes(error: Exception) -> bool:
    return isinstance(error, ModelTimeoutError) or (isinstance(error, ModelUnavailableError) and error.passing)


def _redactor(request: ModelRequest) -> Redactor:
    return Redactor((*known_names(), *introduced_names(request.prompt)))


def _clean(request: ModelRequest, redactor: Redactor) -> ModelRequest:
    return replace(request, system=redactor.text(request.system), prompt=redactor.text(request.prompt))


async def forget(model: LanguageModel, request: ModelRequest) -> None:
    """Tells a model that its reply was rejected; one that remembers nothing has nothing to forget."""
    if isinstance(model, Forgetting):
        await model.forget(request)
