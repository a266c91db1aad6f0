"""Every step of the workflow is observed: how long, which round, what it was worth, and why it was not the end."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from house import FINES, LOANS, Outside, Shelf, Writes, ask, flow

from surefoot.core.errors import ModelUnavailableError, RecordingMissingError, StoreUnavailableError
from surefoot.core.types import AskEvent, AskResult, Passage, VerifyInput
from surefoot.flows.audited import run_record
from surefoot.observe.logging import decision_line
from surefoot.observe.metrics import PrometheusMeter
from surefoot.observe.runlog import RunStore
from surefoot.testing.clock import FakeClock
from surefoot.wiring import build

BOTH = "How long does a loan last and what does a late book cost?"
FIRST = "A loan lasts 21 days [S1]."
SECOND = "A loan lasts 21 days [S2]. A late book costs R2.50 per day [S1]."
WEB = Passage(id="https://web.example/fines", text=FINES.text, metadata={"source": "https://web.example/fines"})


class Slow(Writes):
    """Takes a second of the clock for every draft."""

    def __init__(self, script: list[str | Exception], clock: FakeClock) -> None:
        super().__init__(script)
        self.clock = clock

    async def draft(self, task: Any) -> Any:
        self.clock.advance(1.0)
        return await super().draft(task)


def two_rounds() -> AskResult:
    clock = FakeClock()
    return ask(flow(LOANS, clock=clock, outside=Outside([WEB]), generator=Slow([FIRST, SECOND], clock)), BOTH)


def test_each_step_has_its_time_its_round_its_score_and_its_reason() -> None:
    nodes = two_rounds().result.metadata.nodes
    assert [(node.node, node.round, node.reason) for node in nodes] == [
        ("retrieve", 1, None),
        ("generate", 1, None),
        ("validate", 1, "unanswered"),
        ("execute", 2, None),
        ("synthesize", 2, None),
        ("validate", 2, None),
        ("deliver", 2, None),
    ]
    times = {(node.node, node.round): node.took_ms for node in nodes}
    assert times[("generate", 1)] == times[("synthesize", 2)] == 1000.0
    assert times[("retrieve", 1)] == 0.0
    scores = [node.score for node in nodes if node.node == "validate"]
    assert scores == [0.5, 1.0]


def test_the_log_line_and_the_record_have_the_steps_and_no_word_of_the_question() -> None:
    result = two_rounds().result
    line = decision_line(result, kind="ask")
    record = run_record(_request(), result, kind="ask")
    assert line["nodes"] == record["nodes"] == [node.line for node in result.metadata.nodes]
    assert line["nodes"][2] == {"node": "validate", "round": 1, "ms": 0.0, "score": 0.5, "reason": "unanswered"}
    assert "late book" not in json.dumps(line)


def test_the_steps_are_kept_where_no_texts_are(tmp_path: Path) -> None:
    store = RunStore(tmp_path, content="none")
    run = store.append(run_record(_request(), two_rounds().result, kind="ask"))
    record = store.read(run)
    assert record is not None
    assert [node["node"] for node in record["nodes"]][:2] == ["retrieve", "generate"]
    assert "question" not in record


def test_a_step_that_failed_says_which_fault_it_was() -> None:
    asked = ask(flow(LOANS, generator=Writes([ModelUnavailableError("down")])), "How long does a loan last?")
    assert [(node.node, node.reason) for node in asked.result.metadata.nodes] == [
        ("retrieve", None),
        ("generate", "llm_unavailable"),
        ("deliver", "llm_unavailable"),
    ]


def test_a_search_that_finds_nothing_is_a_reason_and_is_told() -> None:
    asked = ask(flow(LOANS, outside=Outside([]), generator=Writes([FIRST])), BOTH)
    execute = next(node for node in asked.result.metadata.nodes if node.node == "execute")
    assert execute.reason == "nothing_found"
    assert [(search.round, search.query, search.pages) for search in asked.searches] == [(2, BOTH, ())]


def test_what_was_searched_is_told_with_the_round_it_was_for() -> None:
    (search,) = two_rounds().searches
    assert (search.round, search.where, search.pages) == (2, "web", ("https://web.example/fines",))


def test_a_missing_recording_is_an_error_and_no_fallback() -> None:
    with pytest.raises(RecordingMissingError):
        ask(flow(LOANS, generator=Writes([RecordingMissingError("no file")])), "How long does a loan last?")


def test_a_store_that_is_down_tells_its_step_too() -> None:
    heard: list[AskEvent] = []
    broken = flow(LOANS, retriever=Shelf(error=StoreUnavailableError("down")))
    with pytest.raises(StoreUnavailableError):
        ask(broken, "How long does a loan last?", on_event=heard.append)
    assert [(event.node, event.state, event.reason) for event in heard] == [
        ("retrieve", "started", None),
        ("retrieve", "failed", "store_unavailable"),
    ]


def test_metrics_time_every_step_of_an_answer_and_of_a_verdict(tmp_path: Path) -> None:
    meter = PrometheusMeter()
    house = build(kb=tmp_path / "kb", meter=meter, grounder_size="none", rerank=False, fetch_curated=False)
    (tmp_path / "loans.md").write_text("# Loans\n\nA book loan lasts 21 days.\n", encoding="utf-8")

    async def story() -> list[str]:
        await house.ingest([tmp_path / "loans.md"])
        await house.ask("How long does a book loan last?")
        await house.ask("How long does a book loan last?")
        judged = await house.judge("My landlord will not repair the boiler.", "Who repairs a broken boiler?")
        await house.close()
        return [node.node for node in judged.result.metadata.nodes]

    assert asyncio.run(story()) == ["retrieve", "generate", "validate", "deliver"]
    page = meter.text().decode()
    counts = {"retrieve": 2, "generate": 2, "validate": 2, "deliver": 3}
    for node, count in counts.items():
        assert f'surefoot_node_seconds_count{{node="{node}"}} {count}.0' in page
    runs = house.runlog.runs(kind="ask")
    assert [(run.question, run.cached) for run in runs] == [
        ("How long does a book loan last?", True),
        ("How long does a book loan last?", False),
    ]
    house.runlog.close()


def _request() -> VerifyInput:
    return VerifyInput(draft_answer=FIRST, question=BOTH)
