"""Two statements of one section that answer together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from surefoot.core.types import Passage
from surefoot.generate.answerer import Answerer
from surefoot.generate.answering import Weights
from surefoot.generate.quotable import Quotable, quotables
from surefoot.generate.together import joined, pairs, side_by_side

SLEEP = Passage(
    id="billing#0",
    text="## Hibernation\n\nFirms with a quiet season can put the account to sleep.\n\n"
    "Hibernation costs £2 a month for the whole account.\n\nWaking up is free and takes effect at once.\n\n"
    "## Refunds\n\nAfter six months nothing is refunded by us.\n",
)
QUESTION = "We want to put it to sleep over winter, what is that a month?"


@dataclass
class Reads:
    """Finds each statement as likely as the sum of the words in it."""

    likely: dict[str, float]
    together: float = 0.0
    """For what holds two of the words."""
    weights: Weights = field(default_factory=lambda: Weights(bias=0.0, weights={}, least=0.35))

    def chances(self, question: str, candidates: Sequence[Quotable]) -> list[float]:
        found = [[chance for word, chance in self.likely.items() if word in one.text] for one in candidates]
        return [self.together if len(ones) > 1 else sum(ones) for ones in found]


def answer(likely: dict[str, float], together: float, question: str = QUESTION) -> str:
    return Answerer(answering=Reads(likely, together)).write(question, [SLEEP])  # type: ignore[arg-type]


def test_two_halves_of_an_answer_are_given_together_in_the_order_of_the_page() -> None:
    assert answer({"£2": 0.19, "quiet season": 0.16}, 0.7) == (
        "Firms with a quiet season can put the account to sleep [S1]. "
        "Hibernation costs £2 a month for the whole account [S1]."
    )


def test_two_statements_that_are_no_answer_together_are_none() -> None:
    assert answer({"£2": 0.19, "quiet season": 0.16}, 0.3) == ""


def test_what_is_beside_the_question_is_no_half_of_an_answer() -> None:
    assert answer({"£2": 0.34, "quiet season": 0.01}, 0.7) == ""


def test_two_statements_of_another_year_than_was_asked_about_are_no_answer() -> None:
    halves = {"£2": 0.19, "quiet season": 0.16}
    assert answer(halves, 0.7, "What is it a month in 2027?") == ""
    assert answer(halves, 0.7, "What is it a month for 20 of us?") != ""


def test_statements_under_two_headings_are_no_pair() -> None:
    assert answer({"£2": 0.19, "six months": 0.16}, 0.7) == ""


def test_what_a_likelier_statement_lies_beside_stays_silent() -> None:
    assert answer({"£2": 0.3, "quiet season": 0.2, "six months": 0.34}, 0.4) == ""


def test_an_answer_brings_the_half_that_makes_it_a_likelier_one_and_no_other() -> None:
    assert "quiet season" in answer({"£2": 0.5, "quiet season": 0.2}, 0.6)
    assert "quiet season" not in answer({"£2": 0.5, "quiet season": 0.2}, 0.4)


def test_two_rows_of_a_table_are_of_two_things() -> None:
    rows = Passage(
        id="fees#0", text="## Fees\n\n| Grade | Month |\n|---|---|\n| Grade 8 | R1 350 |\n| Grade 9 | R1 500 |\n"
    )
    reads = Reads({"1 350": 0.2, "1 500": 0.2}, 0.7)
    assert Answerer(answering=reads).write("What is it a month?", [rows]) == ""  # type: ignore[arg-type]


def test_quotes_of_one_section_are_read_together_in_a_finished_text() -> None:
    said = list(quotables([SLEEP], style="[n]"))
    found = [joined(pair, 9).text for pair in side_by_side(said)]
    assert len(found) == 2
    assert all("refunded" not in text for text in found)
    assert [len(pairs(said, [0.2, 0.1, 0.1, 0.9])), len(pairs(said, [0.2, 0.001, 0.0, 0.9]))] == [1, 0]
