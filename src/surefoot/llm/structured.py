"""Structured output: JSON by schema, one more try with the reason, then our error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from surefoot.core.errors import InvalidReplyError
from surefoot.core.hashing import canonical_json
from surefoot.core.ports import LanguageModel
from surefoot.core.structured import extract_object, schema_problem
from surefoot.core.types import Json, ModelReply, ModelRequest

T = TypeVar("T")


async def ask_structured(
    model: LanguageModel, request: ModelRequest, parse: Callable[[dict[str, Json]], T]
) -> tuple[T, ModelReply]:
    """The parsed reply and the reply itself.

    `parse` takes the JSON object and raises ValueError (pydantic's ValidationError is one) when it will not do; its
    words are given to the model, once. A second bad reply is InvalidReplyError. The reply counts the tokens of both.
    """
    first = await model.complete(request)
    try:
        return _read(first.text, request, parse), first
    except ValueError as error:
        reason = str(error)
    second = await model.complete(_again(request, first.text, reason))
    total = replace(
        second,
        prompt_tokens=first.prompt_tokens + second.prompt_tokens,
        completion_tokens=first.completion_tokens + second.completion_tokens,
    )
    try:
        return _read(second.text, request, parse), total
    except ValueError as error:
        raise InvalidReplyError(
            f"{model.identity!r} did not reply with the JSON asked for, twice: {error}; use a model that can"
        ) from error


@dataclass(frozen=True, kw_only=True)
class Structured:
    """A model whose replies to requests with a schema are valid: plain JSON text that meets it, or InvalidReplyError.

    Stages may not import adapters, so they get this wrapper and need only `json.loads`.
    """

    model: LanguageModel

    @property
    def identity(self) -> str:
        return self.model.identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        if request.schema is None:
            return await self.model.complete(request)
        value, reply = await ask_structured(self.model, request, lambda found: found)
        return replace(reply, text=canonical_json(value))


def _read(text: str, request: ModelRequest, parse: Callable[[dict[str, Json]], T]) -> T:
    value = extract_object(text)
    if request.schema is not None:
        problem = schema_problem(value, request.schema)
        if problem:
            raise ValueError(problem)
    return parse(value)


def _again(request: ModelRequest, said: str, reason: str) -> ModelRequest:
    return replace(
        request,
        prompt=f"{request.prompt}\n\nYour last reply was:\n{said[:2000]}\n\nIt cannot be used: {reason[:500]}.\n"
        "Reply again with one valid JSON object and nothing else.",
    )
