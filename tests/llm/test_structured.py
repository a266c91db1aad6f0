"""One retry with the reason, then our error."""

from __future__ import annotations

import asyncio
import json

import pytest
from pydantic import BaseModel

from surefoot.core.errors import InvalidReplyError
from surefoot.llm.structured import Structured, ask_structured
from surefoot.testing import ScriptedModel, request

SCHEMA = {"type": "object", "required": ["grounded"], "properties": {"grounded": {"type": "boolean"}}}


class Verdict(BaseModel):
    grounded: bool


def test_a_good_reply_costs_one_call() -> None:
    model = ScriptedModel(['Sure: {"grounded": true}'])
    verdict, _ = asyncio.run(ask_structured(model, request("x", schema=SCHEMA), Verdict.model_validate))
    assert verdict == Verdict(grounded=True)
    assert len(model.requests) == 1


def test_a_bad_reply_is_asked_again_once_with_the_reason() -> None:
    model = ScriptedModel(['{"grounded": "perhaps"}', '{"grounded": false}'])
    verdict, reply = asyncio.run(ask_structured(model, request("judge this", schema=SCHEMA), Verdict.model_validate))
    assert verdict == Verdict(grounded=False)
    assert "$.grounded must be boolean" in model.requests[1].prompt
    assert model.requests[1].prompt.startswith("judge this")
    assert reply.prompt_tokens > len(model.requests[1].prompt.split())


def test_a_parser_may_refuse_what_the_schema_allows() -> None:
    def parse(value: dict[str, object]) -> bool:
        raise ValueError("no verdict without a reason")

    model = ScriptedModel(['{"grounded": true}'] * 2)
    with pytest.raises(InvalidReplyError, match="no verdict without a reason"):
        asyncio.run(ask_structured(model, request("x", schema=SCHEMA), parse))
    assert len(model.requests) == 2


def test_a_second_bad_reply_is_an_error() -> None:
    model = ScriptedModel(["no", "still no"])
    with pytest.raises(InvalidReplyError, match="twice"):
        asyncio.run(ask_structured(model, request("x", schema=SCHEMA), Verdict.model_validate))


def test_the_wrapper_gives_plain_json_and_leaves_free_text_alone() -> None:
    model = Structured(model=ScriptedModel(['```\n{"grounded": true, "n": 1}\n```', "free {text}"]))
    reply = asyncio.run(model.complete(request("x", schema=SCHEMA)))
    assert json.loads(reply.text) == {"grounded": True, "n": 1}
    assert asyncio.run(model.complete(request("x"))).text == "free {text}"
