from __future__ import annotations

import time

import pytest

from surefoot.core.asked import asks_whether, is_condition
from surefoot.core.questions import sub_questions
from surefoot.core.text import pieces, sentences

CONDITIONS = [
    "Expecting? Have a word with Sister Abara first.",
    "Over 65? You travel free.",
    "No ID with you? Bring a bill instead.",
    "Lost your card? Report it at the desk.",
    "Can't come? Ring us by noon.",
    "Won't start? Check the battery.",
    "Have a dog? Keep it on a lead.",
    "Not a member? You pay £5.",
    "In pain? See a doctor.",
    "Are you over 65? You travel free.",
    "Don't you have a card? Ask at the desk.",
    "Is your child under five? Admission is free.",
    "Has anyone in your house been ill? Stay at home.",
    "You have no ID with you? A bill will do.",
    "What if you lose your card? Report it at once.",
    "And if it rains? The fair moves indoors.",
    "What about children? Admission is free.",
    "Good news: over 65? You travel free.",
    "Over 65? Disabled? You travel free.",
    "Over 65? What does it cost you? Nothing.",
    "Over 65? [S1] You travel free. [S2]",
    "(Over 65?) You travel free.",
    "Over 65?\nYou travel free.",
    "Over 65, right? You travel free.",
    "You are already over 65, yeah? You travel free.",
    "A bass, are you? Come along.",
    "Not a member of the club yet, right? You pay £5.",
    "Did you buy a block? Because then it is free.",
    "Has your van got a sign on it? If it has, it goes to the yard.",
]
REAL = [
    "What does it cost? It costs £48.",
    "Why? Because the roof leaks.",
    "How long does it take? Two days.",
    "By when? The third of May.",
    "At what age? From six.",
    "So, where do I go? To the desk.",
    "Who pays? The tenant pays the rent.",
    "Visitor: How much is it? Clerk: Nothing.",
    "Is there a car park? There is one behind the hall.",
    "Do students pay? They pay half.",
    "Have they moved? The office is in Hill Street.",
    "Isn't it free? Members pay nothing.",
    "Should I wait? Yes.",
    "Did you know that it is free? It opens at nine.",
    "Could you move your plan? We meet on Monday.",
    "Perhaps a row of stones would please you? They cost £3.",
    "And leave that bandage alone for four hours, yeah? No smoking for two hours.",
    "Read the contract before you sign, will you? It costs £9.",
    "The driver first, then the cable: easy, isn't it? It takes an hour.",
    "Keep two weekends free in February, okay? [S1] The fair is in May.",
]


@pytest.mark.parametrize("text", CONDITIONS)
def test_a_condition_put_as_a_question_is_one_sentence_with_what_it_is_a_condition_of(text: str) -> None:
    assert [one.text for one in sentences(f"It is here. {text} Come in.")] == ["It is here.", text, "Come in."]


@pytest.mark.parametrize("text", REAL)
def test_a_question_that_only_asks_is_a_sentence_of_its_own(text: str) -> None:
    question, _, answer = text.partition("? [S1] " if "[S1]" in text else "? ")
    assert [one.text.removesuffix(" [S1]") for one in sentences(text)] == [f"{question}?", answer]


@pytest.mark.parametrize("text", ["- Over 65?\n- You travel free.", "# Over 65?\nYou travel free.", "Over 65?"])
def test_a_condition_on_a_line_of_its_own_stays_there(text: str) -> None:
    assert len(sentences(text)) == len(text.splitlines())


def test_what_a_person_asks_is_no_condition() -> None:
    asked = "Do you sell tickets? Do you have a car park? I am 66."
    assert [one.text for one in pieces(asked)] == ["Do you sell tickets?", "Do you have a car park?", "I am 66."]
    assert len(sub_questions(asked)) == 2


def test_yes_or_no_answers_more_than_conditions() -> None:
    assert [
        (asks_whether(text), is_condition(text)) for text in ("Is it free?", "Over 65?", "Who pays?", "It is.")
    ] == [
        (True, False),
        (True, True),
        (False, False),
        (False, False),
    ]


@pytest.mark.parametrize(
    "odd", ["?" * 50_000 + "x", "?" + "[]" * 25_000 + "x", "and " * 12_000 + "?", ":" * 50_000 + "?"]
)
def test_an_odd_text_is_read_in_time(odd: str) -> None:
    began = time.perf_counter()
    asks_whether(odd)
    is_condition(odd)
    assert time.perf_counter() - began < 1.0
