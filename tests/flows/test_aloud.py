"""An answer that begins before it is decided: whatever happens after, it goes on from there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from house import FINES, LOANS, Outside, Writes, ask, flow, gate

from surefoot.core.types import AskResult, Decision, Shown, VerificationResult, VerifyInput
from surefoot.core.wire import result_to_wire
from surefoot.flows.aloud import Aloud
from surefoot.flows.ask import AskFlow
from surefoot.flows.state import Limits
from surefoot.testing import ScriptedModel
from surefoot.verify.prove.recheck import problems_of

LONG = "How long does a loan last?"
PROVEN = "A loan lasts 21 days [S1]."
DOUBTFUL = "Perhaps a loan is pleasant [S1]."
DRAFT = f"{PROVEN} {DOUBTFUL}"
APPROVES = json.dumps({"approved": True, "issues": [], "recommendation": "approve"})


def listened(house: AskFlow, question: str = LONG) -> tuple[AskResult, list[str]]:
    heard: list[str] = []
    asked = ask(house, question, aloud=Aloud(lambda shown: heard.append(shown.text)))
    assert problems_of(result_to_wire(asked.result)) == []
    assert asked.result.final_answer.startswith("".join(heard))
    return asked, heard


def critical(replies: int = 1) -> Any:
    return gate(critics=(ScriptedModel([APPROVES] * replies),))


def test_the_proven_start_is_heard_and_the_answer_goes_on_from_it() -> None:
    asked, heard = listened(flow(LOANS, FINES, generator=Writes([DRAFT]), gate=critical()))
    assert heard == [PROVEN]
    assert (asked.result.decision, asked.result.final_answer) == (Decision.APPROVED, DRAFT)


def test_what_was_heard_is_not_taken_back_for_a_quote() -> None:
    """The critic rejects the rest, and the whole counts as no answer: the start stays, whoever could quote."""
    quotes = Writes(["Fines are R2.00 per day [S2]."])
    house = flow(
        LOANS,
        FINES,
        generator=Writes([DRAFT]),
        gate=critical(),
        quotes=lambda pack: quotes,
        scorer=lambda *_, **__: False,
    )
    asked, heard = listened(house)
    assert heard == [PROVEN]
    assert quotes.tasks == []
    assert asked.result.final_answer.startswith(PROVEN)


def test_where_outside_evidence_may_write_the_answer_anew_it_is_decided_first() -> None:
    house = flow(LOANS, FINES, generator=Writes([DRAFT]), gate=critical(2), outside=Outside([]))
    assert listened(house)[1] == []


def test_with_one_round_only_outside_evidence_cannot_change_it() -> None:
    house = flow(LOANS, generator=Writes([DRAFT]), gate=critical(), outside=Outside([]), limits=Limits(rounds=1))
    assert listened(house)[1] == [PROVEN]


def test_a_question_that_takes_something_for_granted_is_decided_first() -> None:
    house = flow(LOANS, FINES, generator=Writes([DRAFT]), gate=critical(4))
    _, heard = listened(house, "Why does a loan last 99 days?")
    assert heard == []


class Speaks:
    """A gate that shows the start, then does what a test tells it to."""

    def __init__(self, error: BaseException | None = None, *, fail: BaseException | None = None) -> None:
        self.error, self._fail, self.real = error, fail, critical()

    async def verify(self, request: VerifyInput, on_release: Any = None) -> VerificationResult:
        result = await self.real.verify(request, on_release)
        if on_release is not None and self.error is not None:
            raise self.error
        return result  # type: ignore[no-any-return]

    async def fail(self, request: VerifyInput, fault: str, shown: Shown | None = None) -> VerificationResult:
        if self._fail is not None:
            raise self._fail
        return await self.real.fail(request, fault, shown)  # type: ignore[no-any-return]


@pytest.mark.parametrize("then", [None, RuntimeError("and again")])
@pytest.mark.parametrize(
    ("error", "reason"), [(TimeoutError(), "deadline_exceeded"), (RuntimeError("boom"), "check_broken")]
)
def test_a_gate_that_breaks_afterwards_ends_the_answer_where_it_stands(
    error: BaseException, reason: str, then: BaseException | None
) -> None:
    asked, heard = listened(flow(LOANS, generator=Writes([DRAFT]), gate=Speaks(error, fail=then)))
    assert heard == [PROVEN]
    assert asked.result.final_answer == PROVEN
    assert (asked.result.decision, asked.result.metadata.fallback_reason) == (Decision.FALLBACK, reason)


def test_a_report_that_breaks_afterwards_ends_the_answer_where_it_stands() -> None:
    def broken(question: str, texts: Any) -> Any:
        raise RuntimeError("scorer")

    house = flow(LOANS, generator=Writes([DRAFT]), gate=critical(), scorer=broken)
    asked, heard = listened(house, "How long does a loan last and who is at the door?")
    assert heard == [PROVEN]
    assert (asked.result.decision, asked.result.final_answer) == (Decision.FALLBACK, PROVEN)


def test_an_audit_that_breaks_afterwards_ends_the_answer_where_it_stands() -> None:
    async def broken(request: VerifyInput, result: VerificationResult) -> VerificationResult:
        raise RuntimeError("disk")

    asked, heard = listened(flow(LOANS, generator=Writes([DRAFT]), gate=critical(), audit=broken))
    assert heard == [PROVEN]
    assert (asked.result.decision, asked.result.final_answer) == (Decision.FALLBACK, PROVEN)


def test_a_listener_that_fails_loses_the_start_and_not_the_answer() -> None:
    def fails(shown: Shown) -> None:
        raise OSError("gone")

    house = flow(LOANS, generator=Writes([DRAFT]), gate=critical())
    assert ask(house, LONG, aloud=Aloud(fails)).result.final_answer == DRAFT
