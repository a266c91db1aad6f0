"""The OpenAI client that verifies."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest
from openai.types.chat import ChatCompletion

import surefoot

SOURCES = ["The late fee for a DVD is R5 a day."]
ASKED = {"model": "any", "messages": [{"role": "user", "content": "What is the late fee?"}]}


def client(content: str | None, *, later: bool = False, tools: object = None) -> Any:
    def reply(**asked: Any) -> Any:
        message = SimpleNamespace(content=content, tool_calls=tools)
        return SimpleNamespace(choices=[SimpleNamespace(message=message)], asked=asked)

    async def reply_later(**asked: Any) -> Any:
        return reply(**asked)

    create = reply_later if later else reply
    return SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))


def test_only_proven_text_is_seen() -> None:
    safe = surefoot.openai.verified(client("The late fee for a DVD is R9 a day."), sources=SOURCES)
    reply = safe.chat.completions.create(**ASKED)
    assert reply.choices[0].message.content == SOURCES[0]
    assert reply.surefoot[0].decision == "revised"


def test_the_draft_does_not_come_by_another_field() -> None:
    draft = "The late fee for a DVD is R9 a day."
    token = {"token": draft, "bytes": None, "logprob": 0.0, "top_logprobs": []}
    audio = {"id": "a", "data": "", "expires_at": 1, "transcript": draft}
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "logprobs": {"content": [token], "refusal": None},
        "message": {
            "role": "assistant",
            "content": draft,
            "reasoning_content": draft,
            "reasoning": draft,
            "audio": audio,
        },
    }
    whole = {"id": "c", "object": "chat.completion", "created": 1, "model": "any", "choices": [choice]}
    completion = ChatCompletion.model_validate(whole)
    completions = SimpleNamespace(create=lambda **asked: completion)
    inner = SimpleNamespace(chat=SimpleNamespace(completions=completions))
    reply = surefoot.openai.verified(inner, sources=SOURCES).chat.completions.create(**ASKED)
    assert reply.choices[0].message.content == SOURCES[0]
    assert "R9" not in json.dumps([choice.model_dump(mode="json") for choice in reply.choices])


def test_an_asynchronous_client_is_awaited() -> None:
    safe = surefoot.openai.verified(client("The late fee for a DVD is R9 a day.", later=True), sources=SOURCES)
    reply = asyncio.run(safe.chat.completions.create(**ASKED))
    assert reply.choices[0].message.content == SOURCES[0]


def test_sources_may_be_found_by_the_question_or_given_with_the_call() -> None:
    heard: list[str] = []

    def find(question: str) -> list[str]:
        heard.append(question)
        return SOURCES

    safe = surefoot.openai.verified(client(SOURCES[0]), sources=find)
    assert safe.chat.completions.create(**ASKED).surefoot[0].accepted
    assert heard == ["What is the late fee?"]
    unproven = safe.chat.completions.create(**ASKED, sources=[])
    assert (unproven.surefoot[0].decision, "sources" in unproven.asked) == ("rejected", False)


def test_an_empty_reply_is_no_answer() -> None:
    reply = surefoot.openai.verified(client(None), sources=SOURCES).chat.completions.create(**ASKED)
    assert not reply.surefoot[0].accepted or reply.choices[0].message.content == ""


def test_a_call_of_a_tool_passes() -> None:
    reply = surefoot.openai.verified(client(None, tools=[1]), sources=SOURCES).chat.completions.create(**ASKED)
    assert (reply.surefoot, reply.choices[0].message.content) == ([], None)


def test_what_cannot_be_verified_is_refused() -> None:
    safe = surefoot.openai.verified(client("x"), sources=SOURCES)
    with pytest.raises(surefoot.InputError, match="stream=True"):
        safe.chat.completions.create(**ASKED, stream=True)
    with pytest.raises(AttributeError, match="'responses' is not verified"):
        _ = safe.responses
