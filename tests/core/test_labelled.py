"""A labelled item or a row becomes a sentence with its names and heading; a scrap becomes none."""

from __future__ import annotations

import pytest

from surefoot.core.labelled import spoken


def said(text: str) -> list[str]:
    return [one.text for one in spoken(text).values()]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("# Entry prices\n\n- Adults: £12", "Entry prices – Adults: £12."),
        ("# Rules\n\n- **Late fee:** 30p a day\n- Free coffee", "Rules – Late fee: 30p a day."),
        ("# Pool\n\nA day costs:\n\n- Adults: £12", "A day costs – Adults: £12."),
        ("Swim lessons are as follows.\n\n| Day | Room |\n|---|---|\n| Friday | Red |", "Day: Friday; Room: Red."),
        ("# Rooms\n\n| Day | Room |\n|---|---|\n| Friday | Red |", "Rooms – Day: Friday; Room: Red."),
        ("# Rooms\n\nDay | Room\n--- | ---\nFriday | Red\nAsk for a key.", "Rooms – Day: Friday; Room: Red."),
        ("Opens: 9:30\nCloses: 17:00", "Opens: 9:30."),
        ("Day | Bread\nMonday | £2\nTuesday | none\nFriday | £3", "Day: Monday; Bread: £2."),
        ("| Day | Bread |\n| Monday | £2 |\n| Friday | £3 |", "Day: Monday; Bread: £2."),
    ],
)
def test_what_has_its_names_is_a_sentence(text: str, sentence: str) -> None:
    assert said(text)[0] == sentence
    (span,) = [one.span for one in spoken(text).values() if one.text == sentence]
    assert text[slice(*span)].strip("|")


@pytest.mark.parametrize(
    "text",
    [
        "- Adults: £12",
        "Swimming is fun.\n\n- Adults: £12",
        "# They cost\n\n- Adults: £12",
        "# How much is it?\n\n- Adults: £12",
        "# Entry prices\n\n- Adults:\n- £12\n- Free parking",
        "# Prices\n\n- Question 3: Berlin\n- A: Berlin\n- Note: Berlin",
        "# Prices\n\n- See: https://example.org",
        "# Rooms\n\n| Day | Room |\n|---|---|\n| Friday |  |",
        "# Rooms\n\n| Friday | Red |",
        "Monday | £2\nTuesday | none\nFriday | £3",
        "Tuesday | none\nFriday | £3\nSunday | £4\nMonday | none",
        "Day | Bread\nMonday | rye\nFriday | wheat",
        "| Day | Bread |\n| Friday | £3 |",
        "# Prices\n\n- Adults: £12\n\n# Prices\n\n- Adults: £12",
        "# Prices",
        "passage 1: It opens in May. passage 2: It closes in June.",
        "It opens in May. Adults: £12",
        "Adults: £12\nand a long line of words that goes on from there\nand on",
    ],
)
def test_scraps_and_answers_of_a_quiz_are_none(text: str) -> None:
    assert said(text) == []


def test_the_names_over_one_table_stand_over_no_row_of_the_next() -> None:
    first = "# Rooms\n\n| Day | Room |\n|---|---|\n| Friday | Red |"
    assert said(f"{first}\n\nPet | Food\nCat | fish\nDog | meat") == ["Rooms – Day: Friday; Room: Red."]
    second = "| Pet | Food |\n|---|---|\n| Cat | fish |"
    assert said(f"{first}\n\n{second}") == ["Rooms – Day: Friday; Room: Red.", "Rooms – Pet: Cat; Food: fish."]
