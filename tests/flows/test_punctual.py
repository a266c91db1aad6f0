"""Waiting in line is part of the deadline and of the time that is told."""

from __future__ import annotations

import asyncio

import pytest

from surefoot.core.types import Decision, Passage, VerificationResult, VerifyInput, VerifyOptions
from surefoot.core.waiting import after_waiting
from surefoot.flows.budget import Budget
from surefoot.flows.punctual import Punctual
from surefoot.settings import Settings
from surefoot.testing.clock import FakeClock
from surefoot.wiring import Surefoot

DRAFT = VerifyInput(
    draft_answer="The library opens at 08:00 [S1].",
    chunks=(Passage(id="S1", text="The library opens at 08:00."),),
    rag_draft="See the handbook.",
)


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Punctual:
    settings = Settings(kb=tmp_path_factory.mktemp("kb"), grounder_size="none")
    return Punctual(gate=Surefoot(settings).gate, deadline_ms=2_000)


def verified(gate: Punctual, waited: float, request: VerifyInput = DRAFT) -> VerificationResult:
    async def go() -> VerificationResult:
        with after_waiting(waited):
            return await gate.verify(request)

    return asyncio.run(go())


def test_the_wait_is_part_of_the_time_that_is_told(gate: Punctual) -> None:
    result = verified(gate, 1.0)
    assert result.decision is Decision.APPROVED
    assert result.metadata.processing_time_ms >= 1_000


def test_whose_time_ran_out_in_line_gets_the_safe_text(gate: Punctual) -> None:
    result = verified(gate, 2.5)
    assert (result.decision, result.metadata.fallback_reason) == (Decision.FALLBACK, "deadline_exceeded")
    assert result.final_answer == "See the handbook."
    assert result.metadata.processing_time_ms >= 2_500


def test_the_callers_own_deadline_counts_too(gate: Punctual) -> None:
    hasty = VerifyInput(draft_answer=DRAFT.draft_answer, chunks=DRAFT.chunks, options=VerifyOptions(deadline_ms=300))
    assert verified(gate, 0.4, hasty).metadata.fallback_reason == "deadline_exceeded"


def test_without_a_line_nothing_changes(gate: Punctual) -> None:
    first, again = verified(gate, 0.0), verified(gate, 0.001)
    assert first.metadata.certificate == again.metadata.certificate


def test_a_questions_budget_began_when_it_came() -> None:
    clock = FakeClock()
    with after_waiting(7.0):
        budget = Budget.start(clock, milliseconds=10_000, tokens=100)
    assert budget.elapsed_ms == pytest.approx(7_000)
    assert budget.seconds_left == pytest.approx(3.0)
