"""Which list answers, and which is of the opposite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from surefoot.core.kinds import kind_of
from surefoot.core.types import Passage
from surefoot.generate.answerer import Answerer
from surefoot.generate.answering import Weights
from surefoot.generate.lists import opposed
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
