"""What is said of each of two things compared."""

from __future__ import annotations

from surefoot.core.types import Passage
from surefoot.generate.answering import Weights, of_a_sibling, sides
from surefoot.generate.comparison import other_of_two
from surefoot.generate.quotable import quotables

BACKUPS = Passage(
    id="backups#0",
    text="## Backups\n\n| Backup | Kept for |\n|---|---|\n| Full nightly copy | 35 days |\n"
    "| Monthly snapshot | 12 months |\n| Hourly changes | 7 days |\n",
)
WARDS = Passage(
    id="wards#0",
    text="| Ward | Complaints |\n|---|---|\n| Ash Ward | 22 |\n| Day surgery | 8 |\n| Outpatients | 31 |\n",
)
WEIGHTS = Weights(bias=0.0, weights={}, least=0.35)
QUESTION = "How long is the full nightly copy kept compared with the monthly snapshot?"


def test_the_row_of_the_other_thing_comes_along() -> None:
    nightly, monthly, hourly = quotables([BACKUPS], style="[n]", rows=True)
    chances = {nightly.order: 0.9, monthly.order: 0.5, hourly.order: 0.6}
    assert other_of_two(QUESTION, [nightly, hourly, monthly], chances, WEIGHTS) == monthly


def test_a_row_that_is_no_likely_answer_does_not() -> None:
    nightly, monthly, hourly = quotables([BACKUPS], style="[n]", rows=True)
    chances = {nightly.order: 0.9, monthly.order: 0.1, hourly.order: 0.05}
    assert other_of_two(QUESTION, [nightly, monthly, hourly], chances, WEIGHTS) is None


def test_a_row_of_another_of_the_same_kind_is_no_answer() -> None:
    ash, day, out = quotables([WARDS], style="[n]", rows=True)
    asked = "how many complaints did Cedar Ward get?"
    assert [of_a_sibling(asked, one) for one in (ash, day, out)] == [True, False, False]
    assert not of_a_sibling("How many did Ash Ward get?", ash)
    assert not of_a_sibling("Did Ash Ward get more than Cedar Ward?", ash)
    assert not of_a_sibling("How many complaints does the Ward get?", ash)


def test_one_stands_for_a_thing_and_names_none_unless_it_is_a_number() -> None:
    willow, _ = sides("Is the willow one lighter than the wool coffin?")
    assert (willow.own, willow.others) == ({"willow"}, {"wool", "coffin"})
    first, second = sides("Is lane one faster than lane two?")
    assert (first.own, second.own) == ({"one"}, {"two"})
