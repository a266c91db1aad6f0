"""A condition put as a question, both ways round: with what holds under it, it leaves whole or gives way as a whole."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest

from surefoot.core.types import ClaimText, Decision, GroundingScore, Passage, Status, VerificationResult, VerifyInput
from surefoot.generate.extractive import Extractive
from surefoot.testing import verify_input
from surefoot.verify.checks.values import ValueCheck
from surefoot.verify.gate import Gate
from surefoot.verify.ground.risk import GroundingCheck
from surefoot.verify.read.submission import Submission
from surefoot.wiring import Surefoot, build

PLAIN = str(Path(__file__).parents[1] / "support" / "plain")
BUS = "Passengers over 65 travel free on all buses of the town. Everybody else pays £3 a ride."
CLASS = "If you are expecting, please have a word with Sister Abara before you take part. The class meets on Mondays."
DESK = "Visitors show an ID at the desk. Visitors who have no ID with them may bring a utility bill instead."
DOSE = "Patients under 12 get half the dose. Everybody else gets the full dose of two tablets."
CARD = "Readers who have lost their card should report it at the desk at once. A new card costs £5."
SAUNA = "Guests who are pregnant need a doctor's note. Guests under 16 may enter only with a parent."
HALL = "The season ticket costs £48. There is a car park behind the hall. There is no fee for members."


class Example(NamedTuple):
    source: str
    true: str
    """Its condition."""
    false: str
    """Another one, under which the advice does not hold."""
    advice: str
    tells: str
    """Words of the source without which the true form has not been told."""


EXAMPLES = [
    Example(CLASS, "Expecting?", "Over 50?", "Have a word with Sister Abara first.", "xpecting"),
    Example(CLASS, "Are you expecting?", "Are you new here?", "Have a word with Sister Abara first.", "xpecting"),
    Example(BUS, "Over 65?", "Over 60?", "You travel free.", "ver 65"),
    Example(BUS, "Over 65?", "Under 18?", "You travel free on all buses of the town.", "ver 65"),
    Example(BUS, "Are you over 65?", "Are you over 60?", "You travel free on all buses.", "ver 65"),
    Example(DESK, "No ID with you?", "No ticket bought in advance?", "Bring a utility bill instead.", "no id"),
    Example(DESK, "You have no ID?", "You have no ticket?", "A utility bill will do instead.", "no id"),
    Example(DOSE, "Under 12?", "Under 15?", "Take half the dose.", "nder 12"),
    Example(DOSE, "Is your child under 12?", "Is your child under 16?", "Give half the dose.", "nder 12"),
    Example(CARD, "Lost your card?", "Lost your umbrella?", "Report it at the desk at once.", "lost"),
    Example(CARD, "What if you have lost your card?", "What if you have lost your umbrella?",
            "Report it at the desk at once.", "lost"),
    Example(CARD, "Have you lost your card?", "Have you lost your umbrella?", "Report it at the desk.", "lost"),
    Example(SAUNA, "Pregnant?", "Over 60?", "You need a doctor's note.", "pregnant"),
    Example(SAUNA, "Under 16?", "Under 18?", "Come with a parent.", "nder 16"),
]  # fmt: skip


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Surefoot:
    return build(kb=tmp_path_factory.mktemp("kb"))


def judge(house: Surefoot, draft: str, source: str) -> VerificationResult:
    request = verify_input(draft, source, skip_llm_verification=True, deadline_ms=60_000)
    return asyncio.run(house.rehearsal(PLAIN, "2026-01-15", ()).verify(request))


def names(examples: Sequence[Example]) -> list[str]:
    return [f"{example.true} {example.advice}" for example in examples]


@pytest.mark.parametrize("example", EXAMPLES, ids=names(EXAMPLES))
def test_a_true_one_leaves_with_its_condition_or_as_its_source(example: Example, house: Surefoot) -> None:
    final = judge(house, f"{example.true} {example.advice}", example.source).final_answer
    assert example.tells in final.lower()
    assert example.advice not in final.replace(f"{example.true} {example.advice}", "")


@pytest.mark.parametrize("example", EXAMPLES, ids=names(EXAMPLES))
@pytest.mark.parametrize("between", [" ", "\n", "\n\n", "\n- "])
def test_nothing_of_a_false_one_leaves_without_its_condition(example: Example, between: str, house: Surefoot) -> None:
    draft = f"{example.false}{between}{example.advice}"
    final = judge(house, draft, example.source).final_answer
    assert example.advice not in final or draft in final
    assert between not in " \n" or example.false not in final


@pytest.mark.parametrize("draft", ["What does it cost? It costs £48.", "Is parking possible? Yes, behind the hall."])
def test_a_question_that_only_asks_leaves_as_before(draft: str, house: Surefoot) -> None:
    result = judge(house, draft, HALL)
    assert (result.decision, result.final_answer) == (Decision.APPROVED, draft)


def test_a_question_that_goes_takes_along_what_hangs_on_it(house: Surefoot) -> None:
    assert judge(house, "Is the patient under 15? Give half the dose.", DOSE).final_answer == DOSE.split(" Every")[0]


def test_the_answer_in_the_source_s_own_words_stays(house: Surefoot) -> None:
    answer = "There is a car park behind the hall."
    assert judge(house, f"Is there a car park? {answer}", HALL).final_answer.endswith(answer)


def test_a_source_s_condition_is_quoted_with_what_holds_under_it(house: Surefoot) -> None:
    quote = "Over 65? You travel free on all town buses."
    final = judge(house, "Everybody travels free on all town buses.", f"{quote} Not yet 65? You pay £3.").final_answer
    assert final == quote


@pytest.mark.parametrize(("draft", "proven"), [("You travel free.", False), ("Over 65? You travel free.", True)])
def test_words_without_their_condition_are_no_quote(
    draft: str, proven: bool, submit: Callable[..., Submission]
) -> None:
    source = Passage(id="bus", text="Over 65? You travel free. Not yet 65? You pay £3.")
    found = GroundingCheck().run(submit(draft, [source])).judgements
    assert [one.status is Status.PROVEN for one in found] == [proven]


def test_an_answer_made_of_quotes_keeps_the_condition() -> None:
    passage = Passage(id="bus", text="Over 65? You travel free on all town buses. The depot is in Hill Street.")
    written = Extractive().write("Who travels free on the town buses?", [passage], style="[n]")
    assert written.startswith("Over 65? You travel free on all town buses")


@dataclass
class Reads:
    """A grounder that finds everything supported but what holds certain words, and writes down what it reads."""

    against: str = "nothing"
    identity: str = "reads"
    bands: dict[str, float] = field(default_factory=lambda: {"accept": 0.1, "release": 0.3, "reject": 0.7})
    read: list[str] = field(default_factory=list)

    def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
        self.read += [claim.text for claim in claims]
        return [GroundingScore(unsupported=0.9 if self.against in claim.text else 0.01) for claim in claims]

    def warm(self) -> None:
        pass


def through(gate_with: Callable[..., Gate], grounder: Reads, draft: str) -> VerificationResult:
    gate = gate_with(rules=(ValueCheck(),), grounding=(GroundingCheck(accurate=grounder),))
    return asyncio.run(gate.verify(VerifyInput(draft_answer=draft, chunks=(Passage(id="bus", text=BUS),))))


def test_the_grounder_reads_the_condition_with_what_holds_under_it(gate_with: Callable[..., Gate]) -> None:
    grounder, draft = Reads(), "Over 65? You travel free. Everybody else? They pay £3."
    assert through(gate_with, grounder, draft).final_answer == draft
    assert grounder.read == ["If Over 65, You travel free.", "If Everybody else, They pay £3."]


def test_they_are_dropped_together(gate_with: Callable[..., Gate]) -> None:
    draft = "Over 65? You travel free. A cook? Jam keeps for a year. Everybody else pays £3 a ride."
    final = through(gate_with, Reads(against="cook"), draft).final_answer
    assert final == "Over 65? You travel free. Everybody else pays £3 a ride."
