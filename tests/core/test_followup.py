"""A follow-up is made whole by what came before it."""

from __future__ import annotations

import pytest

from surefoot.core.followup import leans_back, resolved, rests, whole_parts
from surefoot.core.types import Turn


@pytest.mark.parametrize(
    ("earlier", "answer", "question", "whole"),
    [
        ("What is the CX250?", "", "And how heavy is it?", "How heavy is the CX250?"),
        ("When are you open on Saturdays?", "", "And on Sundays?", "When are you open on Sundays?"),
        ("How heavy is the CX250?", "", "What about the CX100?", "How heavy is the CX100?"),
        ("How much is the plan for a large dog?", "", "And for a rabbit?", "How much is the plan for a rabbit?"),
        ("Who manages the office in Leeds?", "", "And Hull?", "Who manages the office in Hull?"),
        ("How long does a consultation last?", "", "How much does it cost?", "How much does the consultation cost?"),
        ("What does the Heron cost for a week?", "", "And the Bittern?", "What does the Bittern cost for a week?"),
        ("When must I return the boat?", "", "And how long is it?", "How long is the boat?"),
        ("Is the shop open on Sunday?", "", "How many people work there?", "How many people work at the shop?"),
        ("Is Corvale open on Sundays?", "", "How many people work there?", "How many people work at Corvale?"),
        ("what does corvale make?", "", "who runs it?", "Who runs it (corvale make)?"),
        ("I lost my key, what now?", "", "What does it cost?", "What does it cost (lost key now)?"),
        ("Who looks after rabbits?", "Dr Pike does [S1].", "Where did he study?", "Where did Dr Pike study?"),
    ],
)
def test_a_follow_up_takes_its_subject_from_the_turn_before(
    earlier: str, answer: str, question: str, whole: str
) -> None:
    assert resolved(question, [Turn(question=earlier, answer=answer)]) == whole


def test_a_question_that_stands_alone_is_left_as_it_is() -> None:
    history = [Turn(question="What is the CX250?")]
    assert resolved("When is payday?", history) == "When is payday?"
    assert not leans_back("When is payday?")


def test_without_history_nothing_is_put_in() -> None:
    assert resolved("And how heavy is it?", []) == "And how heavy is it?"


def test_a_part_of_a_question_keeps_its_subject() -> None:
    parts = whole_parts("Where is the head office and how many people work there?")
    assert parts == ("Where is the head office?", "How many people work at the head office?")


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("Is there any help with the bill and which form?", "which form (help bill)?"),
        ("Can my dog travel with me and what do I pay?", "what do I pay (dog travel)?"),
        ("What does a permit cost and which form?", "which form (permit)?"),
    ],
)
def test_a_part_that_says_hardly_anything_is_about_what_the_first_one_is(question: str, second: str) -> None:
    assert whole_parts(question)[1] == second


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("What does the CX250 cost and when is payday?", "when is payday?"),
        ("Where is the bus stop and what does a day ticket cost?", "what does a day ticket cost?"),
        ("Which form?", None),
    ],
)
def test_a_part_that_names_its_own_thing_stays_as_it_is(question: str, second: str | None) -> None:
    assert whole_parts(question)[1:] == (() if second is None else (second,))


def test_only_a_part_without_a_thing_of_its_own_rests_on_another() -> None:
    assert rests("which form?")
    assert rests("and what do I pay?")
    assert not rests("when is payday?")
    assert not rests("how long is the lunch break?")
