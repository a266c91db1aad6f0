"""The critic joined with the gate."""

from __future__ import annotations

import asyncio

import pytest

from surefoot.core.ports import Verifier
from surefoot.core.types import DONT_KNOW
from surefoot.dataset.critique import is_refusal, join
from surefoot.dataset.pair import QuestionType
from surefoot.testing import verify_input

SOURCE = "The Marula bursary pays R42,000 a year. Applications close on 30 September 2026."
LENIENT = (True, "All good.")
FACT, UNANSWERABLE = QuestionType.FACT, QuestionType.UNANSWERABLE


def verified(gate: Verifier, draft: str):  # type: ignore[no-untyped-def]
    return asyncio.run(gate.verify(verify_input(draft, SOURCE, question="What does it pay?", deadline_ms=60_000)))


def test_a_lenient_critic_cannot_pass_a_wrong_number(gate: Verifier) -> None:
    answer = "The Marula bursary pays R45,000 a year [S1]."
    found = join(kind=FACT, answer=answer, result=verified(gate, answer), said=LENIENT)
    assert not found.grounded
    assert found.said is True
    assert "value_mismatch" in found.codes
    assert "R45,000" in found.reasoning


def test_a_lenient_critic_cannot_pass_an_invented_source(gate: Verifier) -> None:
    answer = "The Marula bursary pays R42,000 a year [S7]."
    found = join(kind=FACT, answer=answer, result=verified(gate, answer), said=LENIENT)
    assert not found.grounded
    assert "citation_unknown" in found.codes


def test_a_proven_answer_with_a_content_critic_is_grounded(gate: Verifier) -> None:
    answer = "The Marula bursary pays R42,000 a year [S1]."
    found = join(kind=FACT, answer=answer, result=verified(gate, answer), said=LENIENT)
    assert (found.grounded, found.reasoning, found.decision, found.codes) == (True, "All good.", "approved", ())


def test_a_critic_can_lower_a_verdict_the_gate_would_give(gate: Verifier) -> None:
    answer = "The Marula bursary pays R42,000 a year [S1]."
    found = join(kind=FACT, answer=answer, result=verified(gate, answer), said=(False, "Off the question."))
    assert (found.grounded, found.codes, found.reasoning) == (False, ("critic",), "Off the question.")


def test_no_valid_verdict_is_never_a_pass(gate: Verifier) -> None:
    answer = "The Marula bursary pays R42,000 a year [S1]."
    found = join(kind=FACT, answer=answer, result=verified(gate, answer), said=None, invalid=True)
    assert (found.grounded, found.codes) == (False, ("critic_invalid",))


def test_a_refusal_is_right_only_where_nothing_can_be_known() -> None:
    assert join(kind=UNANSWERABLE, answer=DONT_KNOW, result=None, said=None).grounded
    assert join(kind=FACT, answer=DONT_KNOW, result=None, said=LENIENT).codes == ("over_refusal",)


def test_an_answer_to_the_unanswerable_is_refused(gate: Verifier) -> None:
    answer = "The Marula bursary pays R42,000 a year [S1]."
    found = join(kind=UNANSWERABLE, answer=answer, result=verified(gate, answer), said=LENIENT)
    assert found.codes == ("answered_unanswerable",)


@pytest.mark.parametrize("text", [DONT_KNOW, DONT_KNOW.replace("'", "’"), f'"{DONT_KNOW}"', DONT_KNOW[:-1]])
def test_a_refusal_is_known_in_its_common_spellings(text: str) -> None:
    assert is_refusal(text)
    assert not is_refusal(f"{text} But the fee is R5.")
