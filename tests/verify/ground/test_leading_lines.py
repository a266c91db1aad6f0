"""A line that leads to others and takes them back is a claim: without it they say what their sources say."""

from __future__ import annotations

import asyncio

import pytest

from surefoot.core.types import Decision, Passage, VerifyInput
from surefoot.verify.ground.scope import turns_what_follows
from surefoot.wiring import build

SOURCE = Passage(id="clinic", text="Flu is caused by a virus. The clinic opens at nine. Bring your card.")


@pytest.mark.parametrize(
    "line",
    [
        "The following are myths:",
        "## Wrong answers",
        "**If pirates return, then:**",
        "None of this is not true:",
        "Faux :",
    ],
)
def test_a_line_that_calls_what_follows_false_or_only_possible_states_something(line: str) -> None:
    assert turns_what_follows(line)


@pytest.mark.parametrize("line", ["What to bring:", "Your plan:", "## Common mistakes", "It is a myth that it rains."])
def test_a_plain_line_and_a_sentence_of_its_own_turn_nothing(line: str) -> None:
    assert not turns_what_follows(line)


def test_true_quotes_leave_without_the_line_that_denied_them() -> None:
    draft = "The following are myths:\n- Flu is caused by a virus.\n- The clinic opens at nine."
    result = asyncio.run(build(cache=False).gate.verify(VerifyInput(draft_answer=draft, chunks=(SOURCE,))))
    assert result.decision is Decision.REVISED
    assert "myths" not in result.final_answer
    assert "Flu is caused by a virus." in result.final_answer
