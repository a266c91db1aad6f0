"""The adapter against a real socket: what it sends, and what each failure becomes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from surefoot.core.errors import InvalidReplyError, ModelTimeoutError, ModelUnavailableError, RateLimitedError
from surefoot.core.types import ModelReply, ModelRequest
from surefoot.llm.openai_compatible import Dialect, OpenAICompatibleModel, _reply, body, plainer_dialect
from surefoot.testing import LocalModelServer, ServerPlan, request

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["ok"],
    "properties": {"ok": {"type": "boolean"}},
}


def model_at(server: LocalModelServer, **more: Any) -> OpenAICompatibleModel:
    return OpenAICompatibleModel(
        identity="openai-compatible:m", name="m", base_url=server.base_url, api_key="none", **more
    )


def complete(server: LocalModelServer, asked: ModelRequest, **more: Any) -> ModelReply:
    async def go() -> ModelReply:
        model = model_at(server, **more)
        try:
            return await model.complete(asked)
        finally:
            await model.close()

    return asyncio.run(go())


def test_a_reply_carries_text_model_and_tokens() -> None:
    with LocalModelServer(ServerPlan(reply=lambda body: "two words")) as server:
        reply = complete(server, request("three little words", system="sys"))
    assert reply == ModelReply(text="two words", model="m", prompt_tokens=4, completion_tokens=2)


def test_a_429_is_visible_with_its_wait_and_is_not_retried() -> None:
    with LocalModelServer(ServerPlan(random_429=1.0, retry_after_s=1.5)) as server:
        with pytest.raises(RateLimitedError) as caught:
            complete(server, request("x"))
        assert server.counts.started == 1
    assert caught.value.retry_after_s == 1.5


def test_a_server_error_is_unavailable_and_is_not_retried() -> None:
    with LocalModelServer(ServerPlan(fail_first=1)) as server:
        with pytest.raises(ModelUnavailableError, match="500") as caught:
            complete(server, request("x"))
        assert server.counts.started == 1
    assert caught.value.passing


def test_a_slow_server_is_a_timeout() -> None:
    with LocalModelServer(ServerPlan(latency_s=5)) as server, pytest.raises(ModelTimeoutError, match=r"0\.05 s"):
        complete(server, ModelRequest(system="", prompt="x", timeout_ms=50))


def test_no_server_at_all_names_the_address() -> None:
    with LocalModelServer() as server:
        pass
    with pytest.raises(ModelUnavailableError, match=r"127\.0\.0\.1"):
        complete(server, request("x"))


def test_a_reply_without_text_is_invalid() -> None:
    with (
        LocalModelServer(ServerPlan(reply=lambda body: "")) as server,
        pytest.raises(InvalidReplyError, match="no text"),
    ):
        complete(server, request("x"))


def test_a_schema_is_asked_for_in_the_way_the_server_understands() -> None:
    seen: list[Any] = []

    def reply(body: Any) -> str:
        seen.append(body)
        return '{"ok": true}'

    plan = ServerPlan(reply=reply, refuse_fields=("json_schema", "temperature", "max_tokens"))
    with LocalModelServer(plan) as server:

        async def twice() -> None:
            model = model_at(server, dialect=Dialect(limit="max_completion_tokens"))
            await model.complete(request("x", schema=SCHEMA))
            await model.complete(request("x", schema=SCHEMA))

        asyncio.run(twice())
        assert server.counts.answered == 2
        assert server.counts.started == 4  # two refusals, and the second call already knows better
    assert seen[0]["response_format"] == {"type": "json_object"}
    assert "temperature" not in seen[0]
    assert '"required": ["ok"]' in seen[0]["messages"][-1]["content"]


def test_a_refusal_about_something_else_is_passed_on() -> None:
    with LocalModelServer(ServerPlan(refuse_fields=("model",))) as server:
        with pytest.raises(ModelUnavailableError, match="refused the request"):
            complete(server, request("x"))
        assert server.counts.started == 1


def test_the_model_survives_a_change_of_event_loop() -> None:
    with LocalModelServer() as server:
        model = model_at(server)
        first = asyncio.run(model.complete(request("x")))
        second = asyncio.run(model.complete(request("x")))
    assert first == second


def test_the_body_holds_only_what_the_dialect_knows() -> None:
    asked = ModelRequest(system="s", prompt="p", seed=3, schema=SCHEMA, role="critic")
    full = body("m", asked, Dialect())
    assert full["response_format"]["json_schema"] == {"name": "critic", "schema": SCHEMA, "strict": True}
    assert (full["seed"], full["temperature"], full["max_tokens"]) == (3, 0.1, 1000)
    plain = body("m", asked, Dialect(format="prompt", temperature=False, seed=False, limit="max_completion_tokens"))
    assert set(plain) == {"model", "max_completion_tokens", "messages"}


def test_a_dialect_never_steps_down_forever() -> None:
    dialect, steps = Dialect(), 0
    while (plainer := plainer_dialect(dialect, "response_format temperature seed", schema=True)) is not None:
        dialect, steps = plainer, steps + 1
    assert steps == 4
    assert dialect == Dialect(format="prompt", temperature=False, seed=False)


@pytest.mark.parametrize(
    "content", [b"<html>busy</html>", b"[]", b"{}", b'{"choices": 3}', b'{"choices": [{"text": "old"}]}', b"\xff"]
)
def test_a_reply_that_is_no_chat_completion_is_named_as_one(content: bytes) -> None:
    with pytest.raises(InvalidReplyError, match="no chat completion"):
        _reply(content, "local:m")


def test_a_reply_without_usage_costs_nothing() -> None:
    reply = _reply(b'{"choices": [{"message": {"content": "hello"}}], "usage": null}', "local:m")
    assert (reply.text, reply.model, reply.prompt_tokens, reply.finish_reason) == ("hello", "local:m", 0, "stop")
