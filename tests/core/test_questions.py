"""Questions are taken apart where a new question begins, and nowhere else."""

from __future__ import annotations

import pytest

from surefoot.core.questions import premise, sub_questions, wants_number


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("What does it cost?", 1),
        ("What does the course cost and when must I apply?", 2),
        ("How do research and teaching differ?", 1),
        ("What is a bursary? Who may apply? When does it close?", 3),
        ("Can I study in Durban, and is there a residence?", 2),
        ("How long does a loan last and for how many days is a book kept?", 2),
        ("NSFAS fees", 1),
        ("handed my homework in 4 days late, what does that do to my grade", 1),
        ("lost my card and I leave tomorrow, how do I get a new one", 1),
        ("sitting the maths exam itself, how much is it and when must I pay", 2),
        ("Which subjects are needed, how long does it take and what does it pay?", 3),
        ("", 1),
    ],
)
def test_a_question_has_as_many_parts_as_it_asks(question: str, count: int) -> None:
    assert len(sub_questions(question)) == count


def test_background_goes_with_the_question_that_refers_to_it() -> None:
    parts = sub_questions("I want to be a nurse. How long does it take?")
    assert parts == ("I want to be a nurse. How long does it take?",)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Why does NSFAS pay for six years of study?", "NSFAS pay for six years of study."),
        ("Since the loan lasts 40 days, when is it due?", "The loan lasts 40 days."),
        ("How long does a loan last?", None),
        ("Why?", None),
    ],
)
def test_a_premise_is_what_the_question_takes_for_granted(question: str, said: str | None) -> None:
    assert premise(question) == said


def test_a_question_for_an_amount_wants_a_number() -> None:
    assert wants_number("How much is the fine?")
    assert not wants_number("Who runs the library?")
