"""OpenAI clients, and all that speak like one: what the model writes is verified before the caller sees it.

`verified(client, sources=…)` stands in the client's place. It needs nothing of the `openai` package itself.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from surefoot.core.errors import InputError
from surefoot.core.request import Citing, as_request
from surefoot.core.sources import Sources
from surefoot.core.types import VerificationResult
from surefoot.settings import SettingChanges
from surefoot.wiring.oneliners import verify_once

Finder = Callable[[str], Sources]
"""From the question to what its answer must be proven from, such as a retriever of your own."""


def verified(
    client: Any,
    *,
    sources: Sources | Finder,
    citations: Citing | None = None,
    **settings: Unpack[SettingChanges],
) -> VerifiedClient:
    """The client with `chat.completions.create` verified: `openai.OpenAI`, `AsyncOpenAI` or any that looks alike.

        client = surefoot.openai.verified(openai.OpenAI(), sources=["The late fee is R5 a day."])
        reply = client.chat.completions.create(model="…", messages=[…])
        reply.choices[0].message.content   # only what the sources prove
        reply.surefoot[0].claims           # the verdict on each choice

    sources: texts or documents, or a function from the last user message to them. `create(sources=…)` overrides it.
    """
    create = _Create(create=client.chat.completions.create, sources=sources, citations=citations, settings=settings)
    return VerifiedClient(chat=VerifiedChat(completions=VerifiedCompletions(create=create)))


@dataclass(frozen=True, kw_only=True)
class VerifiedCompletions:
    """`client.chat.completions`."""

    create: Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class VerifiedChat:
    """`client.chat`."""

    completions: VerifiedCompletions


@dataclass(frozen=True, kw_only=True)
class VerifiedClient:
    """A client that has only what is verified; other calls belong to the client it was made from."""

    chat: VerifiedChat

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{name!r} is not verified by Surefoot; call it on the client itself")


@dataclass(frozen=True, kw_only=True)
class _Create:
    create: Callable[..., Any]
    sources: Sources | Finder
    citations: Citing | None
    settings: SettingChanges

    def __call__(self, **asked: Any) -> Any:
        """A completion, or for an asynchronous client something to await."""
        sources = asked.pop("sources", self.sources)
        if asked.get("stream"):
            raise InputError("stream=True shows words before they are proven; leave it out, or use surefoot serve")
        question = _question(asked.get("messages") or ())
        reply = self.create(**asked)
        if inspect.isawaitable(reply):
            return self._later(reply, sources, question)
        return self._checked(reply, sources, question)

    async def _later(self, reply: Awaitable[Any], sources: Sources | Finder, question: str | None) -> Any:
        return await asyncio.to_thread(self._checked, await reply, sources, question)

    def _checked(self, reply: Any, sources: Sources | Finder, question: str | None) -> Any:
        given: Sources = sources(question or "") if callable(sources) else sources
        results: list[VerificationResult] = []
        for choice in reply.choices:
            message = choice.message
            _clear(choice, ("logprobs",))
            _clear(message, ("reasoning", "reasoning_content", "audio", "parsed"))
            if message.content is None and getattr(message, "tool_calls", None):
                continue  # a call of a tool says nothing to a reader
            request = as_request(message.content or "", given, question=question, citations=self.citations)
            results.append(verify_once(request, self.settings))
            message.content = results[-1].text
        reply.surefoot = results
        return reply


def _clear(place: Any, names: Sequence[str]) -> None:
    """The draft word by word, thought aloud, spoken or parsed is the draft all the same."""
    for name in names:
        if getattr(place, name, None) is not None:
            setattr(place, name, None)


def _question(messages: Sequence[Mapping[str, Any]]) -> str | None:
    """The last thing the user said, where it is text."""
    for message in reversed(list(messages)):
        if message.get("role") == "user":
            content = message.get("content")
            return content if isinstance(content, str) else None
    return None
