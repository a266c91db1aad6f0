"""OpenTelemetry traces: a span per request, a span per step of the workflow, a span per model call.

Names follow the GenAI conventions: `invoke_workflow`, `retrieval`, `chat`; each check of the gate is one
`gen_ai.evaluation.result` event. No text of a person or a source becomes an attribute.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from surefoot.core.errors import MissingExtraError
from surefoot.core.ports import Forgetting, LanguageModel, RequestTrace
from surefoot.core.types import AskEvent, Json, ModelReply, ModelRequest, VerificationResult

_OPERATIONS = {"retrieve": "retrieval", "generate": "chat", "synthesize": "chat"}


class SilentTracing:
    """Traces nothing."""

    @contextmanager
    def request(self, operation: str) -> Iterator[RequestTrace]:
        yield _SilentTrace()

    def traced(self, model: LanguageModel) -> LanguageModel:
        return model

    def close(self) -> None: ...


class _SilentTrace:
    def node(self, event: AskEvent) -> None: ...

    def decided(self, result: VerificationResult) -> None: ...


class OpenTelemetryTracing:
    """Implements core.ports.Tracing; the provider is given, or built for an OTLP endpoint by `exporting_to`."""

    def __init__(self, provider: Any) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("surefoot")

    @contextmanager
    def request(self, operation: str) -> Iterator[RequestTrace]:
        attributes = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": f"surefoot.{operation}"}
        with self._tracer.start_as_current_span(
            f"invoke_workflow surefoot.{operation}",
            attributes=attributes,
            record_exception=False,  # a message may quote a person; the type is enough
            set_status_on_exception=False,
        ) as span:
            trace = _Trace(self._tracer, span)
            try:
                yield trace
            except BaseException as error:
                _failed(span, error)
                raise
            finally:
                trace.close()

    def traced(self, model: LanguageModel) -> LanguageModel:
        return TracedModel(model, self._tracer)

    def close(self) -> None:
        self._provider.shutdown()


def exporting_to(endpoint: str) -> OpenTelemetryTracing:
    """Traces sent over OTLP/HTTP in the background; a dead collector never slows a request."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise MissingExtraError("opentelemetry-sdk", "tracing") from error
    provider = TracerProvider(resource=Resource.create({"service.name": "surefoot"}))
    address = endpoint if endpoint.endswith("/v1/traces") else endpoint.rstrip("/") + "/v1/traces"
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=address)))
    return OpenTelemetryTracing(provider)


def _failed(span: Any, error: BaseException) -> None:
    from opentelemetry.trace import Status, StatusCode

    span.set_status(Status(StatusCode.ERROR))
    span.set_attribute("error.type", type(error).__name__)


class TracedModel:
    """A wrapper: one `chat` span per call of the model inside."""

    def __init__(self, inner: LanguageModel, tracer: Any) -> None:
        self._inner, self._tracer = inner, tracer

    @property
    def identity(self) -> str:
        return self._inner.identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        provider, _, name = self.identity.partition(":")
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider,
            "gen_ai.request.model": name or provider,
            "gen_ai.request.temperature": request.temperature,
            "gen_ai.request.max_tokens": request.max_tokens,
            "surefoot.role": request.role,
        }
        with self._tracer.start_as_current_span(
            f"chat {name or provider}", attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                reply = await self._inner.complete(request)
            except BaseException as error:
                _failed(span, error)
                raise
            span.set_attribute("gen_ai.response.model", reply.model)
            span.set_attribute("gen_ai.response.finish_reasons", [reply.finish_reason])
            span.set_attribute("gen_ai.usage.input_tokens", reply.prompt_tokens)
            span.set_attribute("gen_ai.usage.output_tokens", reply.completion_tokens)
            return reply

    async def forget(self, request: ModelRequest) -> None:
        if isinstance(self._inner, Forgetting):
            await self._inner.forget(request)


class _Trace:
    """Implements core.ports.RequestTrace over one open span."""

    def __init__(self, tracer: Any, span: Any) -> None:
        self._tracer, self._span = tracer, span
        self._open: dict[tuple[str, int], Any] = {}

    def node(self, event: AskEvent) -> None:
        key = (event.node, event.round)
        if event.state == "started":
            operation = _OPERATIONS.get(event.node, event.node)
            attributes = {
                "gen_ai.operation.name": operation,
                "surefoot.node": event.node,
                "surefoot.round": event.round,
            }
            self._open[key] = self._tracer.start_span(f"{operation} {event.node}", attributes=attributes)
        elif (span := self._open.pop(key, None)) is not None:
            if event.state == "failed":
                span.set_attribute("error.type", "failed")
            span.end()

    def decided(self, result: VerificationResult) -> None:
        metadata = result.metadata
        self._span.set_attribute("surefoot.decision", result.decision.value)
        self._span.set_attribute("surefoot.confidence", metadata.confidence)
        if metadata.run_id:
            self._span.set_attribute("surefoot.run_id", metadata.run_id)
        if metadata.fallback_reason:
            self._span.set_attribute("surefoot.reason", metadata.fallback_reason)
        for event in evaluations(result):
            self._span.add_event("gen_ai.evaluation.result", attributes=dict(event))

    def close(self) -> None:
        for span in self._open.values():
            span.end()


def evaluations(result: VerificationResult) -> list[Mapping[str, str | float]]:
    """One evaluation per check in the certificate, and one for the whole decision."""
    found: list[Mapping[str, str | float]] = []
    for check in _checks(result.metadata.certificate):
        issues = check.get("issues")
        failed = isinstance(issues, int) and issues > 0
        found.append(
            {
                "gen_ai.evaluation.name": f"surefoot.{check['name']}",
                "gen_ai.evaluation.score.value": 0.0 if failed else 1.0,
                "gen_ai.evaluation.score.label": "fail" if failed else "pass",
                "gen_ai.evaluation.explanation": f"{issues or 0} issues",
                "surefoot.check.version": str(check.get("version", "")),
            }
        )
    found.append(
        {
            "gen_ai.evaluation.name": "surefoot.gate",
            "gen_ai.evaluation.score.value": result.metadata.confidence,
            "gen_ai.evaluation.score.label": result.decision.value,
            "gen_ai.evaluation.explanation": result.metadata.fallback_reason or "",
        }
    )
    return found


def _checks(certificate: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    checks = certificate.get("checks")
    return (
        [check for check in checks if isinstance(check, dict) and "name" in check] if isinstance(checks, list) else []
    )
