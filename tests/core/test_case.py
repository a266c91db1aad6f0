"""A person's account: what happened is told from what they take for the law, and said back to them."""

from __future__ import annotations

import pytest

from surefoot.core.case import (
    case_passage,
    happened,
    happenings,
    is_case,
    reckoned,
    retold,
    speaks_of_no_deed,
    states_rule,
    tells,
)
from surefoot.core.errors import InputError
from surefoot.core.text import markers, sentences
from surefoot.core.types import Passage
from surefoot.core.wire import parse_verify_input


@pytest.mark.parametrize(
    "text",
    [
        "The landlord must repair it.",
        "You are entitled to a break.",
        "The guide allows 14 days.",
        "A worker can complain.",
    ],
)
def test_a_rule_is_known_by_its_words(text: str) -> None:
    assert states_rule(text)
    assert not tells(text)


@pytest.mark.parametrize(
    "text", ["You phoned on the first day.", "The landlord came in yesterday.", "Your heating has been off for a week."]
)
def test_what_happened_is_no_rule(text: str) -> None:
    assert tells(text)
    assert not states_rule(text)


@pytest.mark.parametrize(
    "text",
    [
        "You complained on 2 May, and HR is silent.",
        "You moved out at the end of May.",
        "You moved out in may.",
        "Your mother-in-law minds him on Mondays.",
        "You found a permit on the fence.",
    ],
)
def test_a_month_a_relative_and_a_paper_are_no_rules(text: str) -> None:
    assert tells(text)


@pytest.mark.parametrize(
    "text",
    ["You may leave.", "A tenant MAY leave.", "Those over 18 may agree.", "May not be let.", "Pets are permitted."],
)
def test_what_may_be_done_is_a_rule(text: str) -> None:
    assert states_rule(text)


@pytest.mark.parametrize("text", ["You paid it.", "Nobody has come.", "He has no record.", "You were told."])
def test_the_past_is_known_by_its_verb(text: str) -> None:
    assert happened(text)


@pytest.mark.parametrize("text", ["You get one uninterrupted break.", "You are protected.", "You have 14 days."])
def test_what_is_so_has_not_happened(text: str) -> None:
    assert not happened(text)


def test_who_says_so_is_told_and_no_rule() -> None:
    assert not states_rule("You say that he must pay.")
    assert states_rule("He must pay.")


def test_a_comparison_is_more_than_telling() -> None:
    assert not tells("Your three weeks are longer than 14 days.")


def test_happenings_leave_out_questions_and_opinions_on_the_law() -> None:
    assert happenings("The boiler broke. By law he must pay R500. Is that fair?") == "The boiler broke."


def test_an_account_is_said_back_to_the_person() -> None:
    assert retold("I was ill and my boss called me.") == "You were ill and your boss called you."
    assert retold("The mice in our house scare us.") == "The mice in your house scare you."


def test_the_case_marker_belongs_to_the_sentence_before_it() -> None:
    cut = sentences("You phoned. [case] The duty is his. [1]")
    assert [one.text for one in cut] == ["You phoned. [case]", "The duty is his. [1]"]
    assert [one.target for one in markers("So it is [1, case].")] == ["1", "case"]
    assert markers("A [case](http://x.example) and a [basket].") == []


def test_a_chunk_may_not_take_the_name_of_the_case() -> None:
    data = {"draft": "x", "chunks": [{"id": "case", "text": "y"}]}
    assert parse_verify_input(data).case is None
    with pytest.raises(InputError, match="another id"):
        parse_verify_input({**data, "case": "It happened."})
    assert not is_case(Passage(id="case", text="y"))
    assert is_case(case_passage("y"))


@pytest.mark.parametrize(
    ("account", "left"),
    [
        ("My shifts are nine hours long and my boss says I can eat at the till.", "My shifts are nine hours long."),
        (
            "I booked two weeks in Spain, and his father says I need his permission, but I told him in March.",
            "I booked two weeks in Spain; I told him in March.",
        ),
        ("The landlord and the agent must pay me 500 pounds.", ""),
        ("500 pounds and the deposit must be paid back.", ""),
        ("I think he broke the law, and the flat is worth 900.", ""),
    ],
)
def test_of_a_sentence_that_says_both_what_happened_is_left(account: str, left: str) -> None:
    assert happenings(account) == left


@pytest.mark.parametrize("told", ["I gave notice on 2 May.", "I wrote on the 3rd May and nobody came."])
def test_a_day_of_may_stays_in_the_account(told: str) -> None:
    assert happenings(f"{told} He must pay.") == told


@pytest.mark.parametrize(
    ("account", "days"),
    [
        ("I wrote on 2 September. He came on 20 September.", "From 2 September to 20 September are 18 days."),
        ("I wrote on 20 December and he came on 5 January.", "From 20 December to 5 January are 16 days."),
        ("From 1 May 2023 to 1 May 2024 I paid.", "From 1 May 2023 to 1 May 2024 are 366 days."),
        ("I wrote on 2 May, on 5 May and on 9 May.", ""),
        ("I moved in in May and out in June.", ""),
        ("I wrote on 31 June and on 2 July.", ""),
        ("I wrote on 2 May. On 2 May he called.", ""),
    ],
)
def test_the_days_between_two_dates_are_counted_where_there_are_two(account: str, days: str) -> None:
    assert reckoned(account) == days


@pytest.mark.parametrize(
    ("account", "hours"),
    [
        ("I finished at 11pm and they had me back at 6am.", "From 11pm to 6am are 7 hours."),
        ("He leaves her alone, usually 7 till 11.", "From 7 to 11 are 4 hours."),
        ("She stays up till 10.30 and is up at 6.45.", "From 10.30 to 6.45 are 8.25 hours."),
        ("My shifts are 9am to 5.30pm.", "From 9am to 5.30pm are 8.5 hours."),
        ("I wrote on 2 May at 9am. He came on 20 May.", "From 2 May to 20 May are 18 days."),
        ("Open 7 till 11 and 1 till 3.", ""),
        ("I was there at 9am, at 11am and at 2pm.", ""),
        ("I waited 2 to 3 weeks.", ""),
        ("I paid by 3.20 to 4.50 pounds.", ""),
        ("At 9.50 an hour I came to 6.30.", ""),
    ],
)
def test_the_hours_between_two_times_are_counted_where_there_are_two(account: str, hours: str) -> None:
    assert reckoned(account) == hours


@pytest.mark.parametrize(
    "sentence",
    [
        "Put your complaint in writing.",
        "So ask your landlord for a date.",
        "Leaving it at your door does not count as delivery.",
        "If your Sundays are free, the hours bring a supplement.",
        "A smoke alarm is your landlord's affair.",
        "No fee is due from you.",
    ],
)
def test_advice_conditions_and_what_anybody_may_do_are_no_deeds(sentence: str) -> None:
    assert speaks_of_no_deed(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "You keep a copy of your report.",
        "Your landlord uses the prescribed form.",
        "No, your landlord gives you notice.",
        "When you called, he hung up.",
        "Leaving your house he took the key.",
        "Nothing in your flat works.",
        "The agency ignores you.",
    ],
)
def test_what_somebody_does_or_did_is_a_deed(sentence: str) -> None:
    assert not speaks_of_no_deed(sentence)


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("You are under 18.", True),
        ("You are still under the age of 18.", True),
        ("You are over 48 hours a week.", False),
        ("You are under the limit.", False),
        ("You were over 50 % of the time alone.", False),
    ],
)
def test_how_old_somebody_is_is_told_and_set_against_nothing(sentence: str, told: bool) -> None:
    assert tells(sentence) is told
