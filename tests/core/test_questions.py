"""Questions are taken apart where a new question begins, and nowhere else."""

from __future__ import annotations

import pytest

from surefoot.core.followup import whole_parts
from surefoot.core.kinds import Kind, kind_of
from surefoot.core.questions import asking, premise, sub_questions, wants_number


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
        ("worried about how somebody in my class is treated, who do I have a word with", 1),
        ("I get my letters muddled when I read, who could test me for it?", 1),
        ("had to stop because I was poorly, when does my voucher run out", 1),
        ("I need to know what it costs and when I must pay", 2),
        ("For the CX250 what is the price and how heavy is it?", 2),
        ("", 1),
    ],
)
def test_a_question_has_as_many_parts_as_it_asks(question: str, count: int) -> None:
    assert len(sub_questions(question)) == count


def test_background_goes_with_the_question_that_refers_to_it() -> None:
    parts = sub_questions("I want to be a nurse. How long does it take?")
    assert parts == ("I want to be a nurse. How long does it take?",)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("One of my radiators stays cold. What should I try?", "One of my radiators stays cold. What should I try?"),
        ("What should I try? One of my radiators stays cold.", "One of my radiators stays cold. What should I try?"),
        ("Hello there! What does a key cost? Thanks for your help.", "What does a key cost?"),
    ],
)
def test_a_statement_goes_with_the_question_and_a_greeting_does_not(question: str, asked: str) -> None:
    assert sub_questions(question) == (asked,)


@pytest.mark.parametrize(
    ("question", "asks", "kind"),
    [
        ("Somebody dropped out. How long have I got?", "How long have I got?", Kind.DURATION),
        ("My landlord gives me no record. Who makes him?", "Who makes him?", Kind.PERSON),
        ("My oven broke, who pays for it", "who pays for it", Kind.PERSON),
        ("can't pay at once - how do you split it up?", "how do you split it up?", Kind.STEPS),
        ("What does a key cost?", "What does a key cost?", Kind.MONEY),
    ],
)
def test_the_kind_is_that_of_what_asks(question: str, asks: str, kind: Kind) -> None:
    assert (asking(question), kind_of(question)) == (asks, kind)


def test_a_part_without_a_word_of_its_own_is_asked_about_what_stands_before() -> None:
    assert whole_parts("When did Brigid's Day become a day off, and when is it?")[1] == "When is Brigid's Day?"


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


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("my op is on the morning list, can I have milk at 6?", 1),
        ("When could we come and have a look round the centre?", 1),
        ("How long does it stay in my notes, where the doctors can read it?", 1),
        ("We'd come in February, which day and what time is the calm session?", 1),
        ("Where do I get a week pass and till what time are they open?", 2),
        ("What does it cost and have the prices changed?", 2),
        ("When does it open, and where do I park?", 2),
    ],
)
def test_a_question_is_cut_only_where_another_begins(question: str, parts: int) -> None:
    assert len(sub_questions(question)) == parts


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "i am 68, can i use the lift? do I have to show a card",
            ("i am 68, can i use the lift?", "do I have to show a card?"),
        ),
        ("where do we meet? what do I bring for lunch?", ("where do we meet?", "what do I bring for lunch?")),
        ("when do we meet? would like to come", ("when do we meet? would like to come?",)),
        ("is the lift free? how much more?", ("is the lift free? how much more?",)),
        ("i get half back, right? how do i get it?", ("i get half back, right? how do i get it?",)),
        ("is there a lift? asking for my mum", ("is there a lift? asking for my mum?",)),
        ('what does "who pays?" is answered by mean', ('what does "who pays?" is answered by mean?',)),
    ],
)
def test_a_question_in_small_letters_behind_another_is_one_of_its_own(question: str, parts: tuple[str, ...]) -> None:
    assert sub_questions(question) == parts
