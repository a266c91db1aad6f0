"""Which list answers, and which is of the opposite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from surefoot.core.kinds import kind_of
from surefoot.core.types import Passage
from surefoot.generate.answerer import Answerer
from surefoot.generate.answering import Weights
from surefoot.generate.lists import is_way, list_for, opposed
from surefoot.generate.quotable import Quotable, quotables

HOSTEL = Passage(
    id="hostel#0",
    text="## What to bring\n\n- two towels\n- a padlock for the cupboard\n\n"
    "## What to leave at home\n\n- kettles and heaters\n- pets of any kind\n\n"
    "## Deductions\n\nHe may not deduct for:\n\n- repainting\n- his own time\n\n"
    "## What reasons may he give for saying no?\n\n- the rules forbid it\n- the home is small\n\n"
    "## Rules\n\n- no alcohol\n- no fireworks\n",
)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        (
            "What things may boarders not bring?",
            {"kettles and heaters", "repainting", "the rules forbid it", "no alcohol"},
        ),
        (
            "What things should boarders bring?",
            {"two towels", "kettles and heaters", "the rules forbid it", "no alcohol"},
        ),
    ],
)
def test_a_list_of_the_opposite_is_no_answer(question: str, left: set[str]) -> None:
    items = list(quotables([HOSTEL], style="[n]", rows=True))
    against = opposed(question, kind_of(question), items)
    firsts = {"two towels", "kettles and heaters", "repainting", "the rules forbid it", "no alcohol"}
    assert {one.text for one in items if one.order not in against} & firsts == left


@dataclass
class Reads:
    """Finds whole lists with a word as likely as said, and one sentence."""

    whole: float
    sentence: float
    weights: Weights = field(default_factory=lambda: Weights(bias=0.0, weights={}, least=0.35))

    def chances(self, question: str, candidates: Sequence[Quotable]) -> list[float]:
        return [self._of(one.text) for one in candidates]

    def _of(self, text: str) -> float:
        if "Open the invoice" in text and "Copy the link" in text:
            return self.whole
        return self.sentence if "Every failed" in text else 0.0


BOUNCED = Passage(
    id="help#0",
    text="## The client says the invoice never arrived\n\n1. Open the invoice.\n2. Look in the spam folder.\n"
    "3. Copy the link.\n\n## Payments\n\nEvery failed attempt sends an email to the owner.\n",
)


@pytest.mark.parametrize(
    ("question", "whole", "sentence", "steps"),
    [
        ("He never got my bill. What do I try, one thing after the other?", 0.3, 0.8, True),
        ("He never got my bill. What do I try, one thing after the other?", 0.05, 0.2, False),
        ("He never got my bill. What do I try, one thing after the other?", 0.2, 0.9, False),
        ("Who gets an email?", 0.3, 0.8, False),
    ],
)
def test_a_way_is_given_whole_where_one_is_asked_for(question: str, whole: float, sentence: float, steps: bool) -> None:
    said = Answerer(answering=Reads(whole, sentence)).write(question, [BOUNCED])  # type: ignore[arg-type]
    assert ("spam folder" in said) is steps


def numbered(*items: str, over: str = "") -> list[Quotable]:
    text = over + "".join(f"{n}. {item}\n" for n, item in enumerate(items, 1))
    return [one for one in quotables([Passage(id="a", text=text)], style="[n]", rows=True) if one.step]


@pytest.mark.parametrize(
    "items",
    [
        (
            "Turn off the stopcock. The handle is red.",
            "If water is near a lamp, switch off at the fuse box.",
            "Ring us.",
        ),
        ("Mast. Step the mast and fasten the shrouds.", "Boom. Fit the boom to the mast."),
        ("You fill in form A.", "We send you a number.", "Make sure the lock is empty."),
        ("Check that the lid is closed.", "Once doors are open, wait until seats are free."),
    ],
)
def test_what_says_what_to_do_one_thing_after_the_other_is_a_way(items: tuple[str, ...]) -> None:
    assert is_way(numbered(*items))


@pytest.mark.parametrize(
    "items",
    [
        (
            "Water. Usage rose by 12%. The charge will not rise.",
            "Rent. The rent will rise to £92.",
            "Dogs may not run.",
        ),
        ("Quiet. Quiet hours are from 10 pm.", "Animals. Each flat may keep one dog.", "Ball games are allowed."),
        ("Bins: Mr Otto puts the bins out.", "Trailers: Trailers may not be left in the yard."),
        ("Never feed the ducks.", "Do not park before the gate.", "Keep dogs on a lead."),
    ],
)
def test_decisions_and_rules_are_no_way_for_all_their_numbers(items: tuple[str, ...]) -> None:
    assert not is_way(numbered(*items))


def test_statements_under_a_heading_that_tells_how_are_a_way() -> None:
    said = ("The caller talks to an adviser.", "The adviser writes the form.", "The Fund pays.")
    assert is_way(numbered(*said, over="## How to apply\n\n"))
    assert not is_way(numbered(*said, over="## The Fund\n\n"))


LATE = Passage(
    id="camp#0",
    text="## If you leave late\n\n- You pay half a night at noon.\n- You pay a full night at 4 pm.\n",
)


@pytest.mark.parametrize(
    ("question", "answered"), [("What happens if I leave late?", True), ("What happens if I pay late?", False)]
)
def test_a_list_for_another_case_is_no_answer(question: str, answered: bool) -> None:
    items = [one for one in quotables([LATE], style="[n]", rows=True) if one.kind == "item"]
    chances = {one.order: 0.3 for one in items}
    assert bool(list_for(Half(), question, kind_of(question), items, chances)) is answered  # type: ignore[arg-type]


class Half(Reads):
    def __init__(self) -> None:
        super().__init__(0.5, 0.5)

    def _of(self, text: str) -> float:
        return 0.5
