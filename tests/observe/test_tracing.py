"""What a trace shows."""

from __future__ import annotations

import asyncio

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from surefoot.core.types import AskEvent, ModelReply, ModelRequest, VerificationResult
from surefoot.observe.tracing import OpenTelemetryTracing, SilentTracing


@pytest.fixture
def spans() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def tracing(spans: InMemorySpanExporter) -> OpenTelemetryTracing:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    return OpenTelemetryTracing(provider)


def test_each_node_is_a_span_inside_the_requests(
    spans: InMemorySpanExporter, tracing: OpenTelemetryTracing, result: VerificationResult
) -> None:
    with tracing.request("ask") as trace:
        trace.node(AskEvent(node="retrieve", state="started"))
        trace.node(AskEvent(node="retrieve", state="finished"))
        trace.node(AskEvent(node="generate", state="started", round=1))
        trace.decided(result)
    retrieve, generate, root = spans.get_finished_spans()
    assert [span.name for span in (retrieve, generate, root)] == [
        "retrieval retrieve",
        "chat generate",
        "invoke_workflow surefoot.ask",
    ]
    assert retrieve.parent is not None
    assert retrieve.parent.span_id == root.context.span_id
    assert root.attributes["surefoot.decision"] == "fallback"


def test_each_check_is_one_evaluation_event(
    spans: InMemorySpanExporter, tracing: OpenTelemetryTracing, result: VerificationResult
) -> None:
    with tracing.request("verify") as trace:
        trace.decided(result)
    (root,) = spans.get_finished_spans()
    found = [
        (e.attributes["gen_ai.evaluation.name"], e.attributes["gen_ai.evaluation.score.label"]) for e in root.events
    ]
    assert found == [("surefoot.values", "fail"), ("surefoot.urls", "pass"), ("surefoot.gate", "fallback")]
    assert {event.name for event in root.events} == {"gen_ai.evaluation.result"}


def test_a_failed_request_shows_the_errors_type_and_not_its_words(
    spans: InMemorySpanExporter, tracing: OpenTelemetryTracing
) -> None:
    with pytest.raises(ValueError), tracing.request("ask"):
        raise ValueError("Zola Nkosi")
    (root,) = spans.get_finished_spans()
    assert root.attributes["error.type"] == "ValueError"
    assert "Zola" not in root.to_json()


class Model:
    identity = "openai:gpt-x"

    async def complete(self, request: ModelRequest) -> ModelReply:
        return ModelReply(text="secret words", model="gpt-x-1", prompt_tokens=3, completion_tokens=2)


def test_a_model_call_is_a_chat_span_with_tokens_and_no_text(
    spans: InMemorySpanExporter, tracing: OpenTelemetryTracing
) -> None:
    model = tracing.traced(Model())
    reply = asyncio.run(model.complete(ModelRequest(system="s", prompt="Zola asks", role="critic")))
    assert reply.text == "secret words"
    (span,) = spans.get_finished_spans()
    assert span.name == "chat gpt-x"
    assert span.attributes["gen_ai.usage.input_tokens"] == 3
    assert span.attributes["surefoot.role"] == "critic"
    assert "Zola" not in span.to_json()
    assert "secret" not in span.to_json()


def test_silent_tracing_takes_everything(result: VerificationResult) -> None:
    with SilentTracing().request("ask") as trace:
        trace.node(AskEvent(node="retrieve", state="started"))
        trace.decided(result)
