"""A Yes or No before something true: no grounder tells one from the other, so it leaves only where it is settled."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from surefoot.core.ports import LanguageModel
from surefoot.core.types import Decision, ModelRequest, Passage, VerificationResult
from surefoot.settings import Settings
from surefoot.testing import ScriptedModel, verify_input
from surefoot.verify.read.derived import behind_verdict
from surefoot.verify.read.submission import Submission
from surefoot.wiring import Surefoot, build

SHOP = "The shop closes at one on Wednesday. Dogs may ride in the box. Fees are due by the fifth of the month."
ASKED = "Can I go there on Wednesday afternoon?"


@pytest.mark.parametrize(
    ("said", "rest"),
    [
        ("No, on Wednesday it closes at one [1].", "On Wednesday it closes at one [1]."),
        ("Yes: on Wednesday it closes at one.", "On Wednesday it closes at one."),
        ("**Yes**, it closes at one.", "It closes at one."),
        ("Yes, of course, it closes at one.", "It closes at one."),
        ("Absolutely, it closes at one.", "It closes at one."),
        ("Absolutely not – it closes at one.", "It closes at one."),
        ("Oui, il ferme à une heure.", "Il ferme à une heure."),
        ("That's right, it closes at one.", "It closes at one."),
        ("No more than two come.", None),
        ("No. 5 goes there.", None),
        ("Nonetheless, it closes at one.", None),
        ("Yesterday, it closed at one.", None),
        ("Right-handed players come first.", None),
        ("It closes at one.", None),
    ],
)
def test_what_stands_behind_a_verdict(submit: Callable[..., Submission], said: str, rest: str | None) -> None:
    submission = submit(said, [Passage(id="1", text=SHOP)], question=ASKED)
    led = behind_verdict(submission.claims[0], submission)
    assert (led.rest if led else None) == rest


@pytest.mark.parametrize(
    ("question", "said", "settled"),
    [
        ("May dogs ride in the box?", "Yes, dogs may ride in the box [1].", True),
        ("May dogs ride in the box?", "No, dogs may ride in the box.", False),
        (None, "Yes, dogs may ride in the box.", None),
    ],
)
def test_a_statement_that_says_what_is_asked_settles_it(
    submit: Callable[..., Submission], question: str | None, said: str, settled: bool | None
) -> None:
    submission = submit(said, [Passage(id="1", text=SHOP)], question=question)
    led = behind_verdict(submission.claims[0], submission)
    assert (led.settled if led else None) is settled


@pytest.mark.parametrize("said", ["Right, so it closes at one.", "Sure, it closes at one.", "Yeah, sure, at one."])
def test_an_opener_is_a_verdict_only_where_yes_or_no_is_an_answer(submit: Callable[..., Submission], said: str) -> None:
    def led(question: str) -> bool:
        submission = submit(said, [Passage(id="1", text=SHOP)], question=question)
        return behind_verdict(submission.claims[0], submission) is not None

    assert not led("How long is it open and when does it close on Wednesday?")
    assert not led("i've just moved here. what's the shop's closing time")
    for question in (ASKED, "When does it close and can I come at two?", "When does it close, at one?", "And Sundays?"):
        assert led(question)


@pytest.mark.parametrize("said", ["No, it closes at one.", "Correct, it closes at one.", "Indeed, it closes at one."])
def test_a_denial_and_an_agreement_are_about_what_any_question_takes_for_granted(
    submit: Callable[..., Submission], said: str
) -> None:
    submission = submit(said, [Passage(id="1", text=SHOP)], question="Why does it close at one?")
    assert behind_verdict(submission.claims[0], submission) is not None


@pytest.fixture(scope="module")
def house() -> Surefoot:
    return build(Settings(kb=Path("nowhere"), packs_dir=None, deadline_ms=60_000))


def sent(house: Surefoot, draft: str, question: str, critics: Sequence[LanguageModel] = ()) -> VerificationResult:
    gate = house.rehearsal("default", "2026-01-15", critics)
    return asyncio.run(gate.verify(verify_input(draft, SHOP, question=question, skip_llm_verification=not critics)))


@pytest.mark.parametrize("verdict", ["Yes", "No", "Certainly", "**No**"])
def test_an_unsettled_verdict_goes_and_the_rest_stays(house: Surefoot, verdict: str) -> None:
    result = sent(house, f"{verdict}, the shop closes at one on Wednesday [S1].", ASKED)
    assert (result.decision, result.final_answer) == (
        Decision.REVISED,
        "The shop closes at one on Wednesday [S1].",
    )


def test_a_settled_one_stays(house: Surefoot) -> None:
    draft = "Yes, dogs may ride in the box [S1]."
    assert sent(house, draft, "May dogs ride in the box?").final_answer == draft


@pytest.mark.parametrize("supported", [True, False])
def test_a_critic_settles_it(house: Surefoot, supported: bool) -> None:
    def says(request: ModelRequest) -> str:
        doubtful: list[dict[str, Any]] = [{"number": 1, "supported": supported}]
        return json.dumps({"approved": True, "issues": [], "doubtful": doubtful, "recommendation": "approve"})

    draft = "No, the shop closes at one on Wednesday [S1]."
    result = sent(house, draft, ASKED, [ScriptedModel(says)])
    assert (result.final_answer == draft) is supported
    assert supported or "No, " not in result.final_answer
