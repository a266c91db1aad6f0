"""What kind of answer is asked for, and whether a text holds one."""

from __future__ import annotations

import pytest

from surefoot.core.kinds import Kind, holds, kind_of, measured


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who is in charge of the nurses?", Kind.PERSON),
        ("When is payday?", Kind.TIME),
        ("On which day is the clinic closed?", Kind.TIME),
        ("How long does a loan last?", Kind.DURATION),
        ("How many days may I work abroad?", Kind.DURATION),
        ("How many offices does the company have?", Kind.COUNT),
        ("What does a consultation cost?", Kind.MONEY),
        ("Salary of the chief executive?", Kind.MONEY),
        ("How much iron is in spinach?", Kind.QUANTITY),
        ("How heavy is it?", Kind.QUANTITY),
        ("Why is salary paid on the 1st?", Kind.REASON),
        ("Where do we meet?", Kind.PLACE),
        ("How do I apply for working from home?", Kind.STEPS),
        ("What should I do after the operation?", Kind.STEPS),
        ("What does the plan include?", Kind.LIST),
        ("Which office has the most staff?", Kind.SUPERLATIVE),
        ("Which pump is heavier, the A1 or the A2?", Kind.COMPARISON),
        ("How many machines are on the price list?", Kind.COUNT),
        ("How many people get the discount?", Kind.COUNT),
        ("What does the fee cover?", Kind.LIST),
        ("What is included in the rent?", Kind.LIST),
        ("What is the fee if meals are included?", Kind.MONEY),
        ("What does it cost to cover a pool?", Kind.MONEY),
        ("Do you treat horses?", Kind.YES_NO),
        ("Tell me about pumps.", Kind.OTHER),
    ],
)
def test_a_question_asks_for_a_kind(question: str, kind: Kind) -> None:
    assert kind_of(question) is kind


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How long was the wall?", "The wall was proposed by the council."),
        ("What is the salary of Helen Strand?", "Helen Strand is the chief executive."),
        ("How old is Joanna Field?", "Joanna Field leads a team of five."),
        ("When did Daniel Roe become director?", "Daniel Roe meets the board four times a year."),
        ("On which day is Dr Raman away?", "Dr Raman joined us at noon."),
        ("Why is the office closed?", "The office is closed today."),
        ("How many litres does the CX250 move?", "The CX250 is blue."),
    ],
)
def test_a_text_without_what_was_asked_for_is_known_by_its_looks(question: str, text: str) -> None:
    assert holds(kind_of(question), text, question=question) is False


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What does a consultation cost?", "A consultation costs £48."),
        ("How much is it?", "It is free of charge."),
        ("Who chairs the council?", "Its chair is Lucy Brennan."),
        ("When is payday?", "Salaries are paid on the 25th of each month."),
        ("How many cages are there?", "The ward has four cages."),
        ("How heavy is it?", "It weighs 21 kg."),
        ("Why is it closed?", "It is closed because of the flood."),
        ("How long does probation last?", "Probation lasts six months."),
    ],
)
def test_a_text_with_what_was_asked_for_holds_it(question: str, text: str) -> None:
    assert holds(kind_of(question), text, question=question) is True


@pytest.mark.parametrize("name", ["Bus A", "Out", "Line 3 dep", "Departure"])
def test_a_time_under_a_short_column_name_is_a_time(name: str) -> None:
    text = f"Stop: Mill Lane; {name}: 7.05; Fare zone: 2."
    assert holds(Kind.TIME, text, question="What time does it leave?") is True
    assert holds(Kind.TIME, f"Stop: Mill Lane; {name}: 7.05.", question="What time does it leave?") is True


@pytest.mark.parametrize("name", ["Weight t", "Price (GBP)", "Length m"])
def test_an_amount_under_its_unit_is_no_time(name: str) -> None:
    assert holds(Kind.TIME, f"Boat: Grebe; {name}: 7.05.", question="What time does it leave?") is False


def test_a_column_that_ends_with_its_unit_lends_it_to_the_number() -> None:
    assert holds(Kind.QUANTITY, "Boat: Grebe; Weight t: 7.05.", question="How heavy is the Grebe?") is True
    assert measured("Is the Grebe heavier than the Teal?", "Boat: Grebe; Weight t: 7.05.") is True


@pytest.mark.parametrize("text", ["It closes at 17.", "It is open from nine to five.", "Come by 6."])
def test_an_hour_without_minutes_may_be_a_time(text: str) -> None:
    assert holds(Kind.TIME, text, question="When does it close?") is None
    assert holds(Kind.TIME, "It has 17 lockers.", question="When does it close?") is False


def test_looks_do_not_tell_whether_a_plain_what_is_answered() -> None:
    assert holds(Kind.OTHER, "Anything at all.") is None


def test_a_comparison_is_answered_by_its_measure() -> None:
    assert measured("Which is heavier, A or B?", "A weighs 9 kg.") is True
    assert measured("Which is heavier, A or B?", "A costs 9 pounds and 4 pence a piece, 3 m long") is not None
    assert measured("Is A cheaper than B?", "A is 4 m long.") is False


@pytest.mark.parametrize(
    ("question", "text", "held"),
    [
        ("When can I arrive?", "Arrive between 14.00 and 19.30.", True),
        ("what time do we eat", "Lunch is served from 11.30 to 12.30.", True),
        ("What time is it long?", "The board is 2.40 m long.", False),
        ("which day is the course", "Course D: Shark; Thu 16:30; 150.", True),
        ("when did we learn of it", "Only in the 1890s was it shown.", True),
        ("how long to charge the bike", "Model: Esker; 400 Wh; charge 3.0 h.", True),
        ("how long can my letter be", "Write no more than two pages.", None),
        ("how long is the lease", "The rent is 40 euros.", False),
        ("how old must I be to join", "You may join the brigade at 16.", True),
        ("how far back can I claim", "Claims reach back one month at most.", True),
        ("how old is the tower", "The tower is open on Sunday.", False),
    ],
)
def test_times_and_ages_are_seen_as_documents_write_them(question: str, text: str, held: bool | None) -> None:
    assert holds(kind_of(question), text, question=question) is held


@pytest.mark.parametrize(
    ("question", "text", "held"),
    [
        ("How heavy is Fury?", "No: 8; Name: Fury; Weight t: 78; Status: stored.", True),
        ("How heavy is Fury?", "No: 8; Name: Fury; Built: 1938; Status: stored.", False),
        ("How long is the wait?", "Clinic: Pain; Wait (weeks): 31.", True),
        ("How many docks are there?", "Station: Mill; Docks: 12.", True),
    ],
)
def test_a_column_that_ends_with_its_unit_gives_the_measure(question: str, text: str, held: bool) -> None:
    assert holds(kind_of(question), text, question=question) is held


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("what's the damage for leaving the car?", Kind.MONEY),
        ("Who pays for the damage to my car?", Kind.PERSON),
        ("How far ahead must we ask for the originals?", Kind.DURATION),
        ("How far is it to the station?", Kind.QUANTITY),
        ("What do I try, one thing after the other?", Kind.STEPS),
        ("how does getting it go from start to finish?", Kind.STEPS),
        ("What is the last thing on the list?", Kind.OTHER),
        ("What did the committee decide?", Kind.LIST),
        ("What was agreed on 6 May?", Kind.LIST),
        ("What did the committee decide about the bins?", Kind.OTHER),
        ("what stuff are boarders not supposed to bring along?", Kind.LIST),
        ("what should i bring", Kind.LIST),
        ("What do visitors have to take along?", Kind.LIST),
        ("What do I need for a claim?", Kind.LIST),
        ("What do I need to know?", Kind.OTHER),
        ("How long is the nightly copy kept compared with the monthly one?", Kind.COMPARISON),
    ],
)
def test_everyday_words_for_a_kind(question: str, kind: Kind) -> None:
    assert kind_of(question) is kind
