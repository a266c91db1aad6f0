"""The house as it is wired: a verification is one trace with one evaluation per check."""

from __future__ import annotations

import asyncio
from pathlib import Path

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from surefoot.core.types import Passage, VerifyInput
from surefoot.observe.tracing import OpenTelemetryTracing
from surefoot.wiring import build


def test_a_verification_is_a_span_with_an_evaluation_per_check_and_no_text(tmp_path: Path) -> None:
    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    house = build(kb=tmp_path, grounder_size="none")
    house.tracing = OpenTelemetryTracing(provider)
    chunk = Passage(id="S1", text="The zebra costs R10 a day.")
    asyncio.run(house.verify(VerifyInput(draft_answer="The zebra costs R10 a day [S1].", chunks=(chunk,))))
    (span,) = spans.get_finished_spans()
    names = [event.attributes["gen_ai.evaluation.name"] for event in span.events]
    assert "surefoot.values" in names
    assert names[-1] == "surefoot.gate"
    assert span.attributes["surefoot.decision"] == "approved"
    assert "zebra" not in span.to_json()
