"""The failures people met when they asked, each as a question over a small knowledge base, with the real models."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from surefoot.core.types import DONT_KNOW, AskResult, Decision, Turn
from surefoot.wiring import Surefoot, build

PAGES = {
    "prices.md": "# Prices\n\nA consultation costs £48. A missed appointment is charged at £20.\n",
    "wall.md": "# The sea wall\n\nThe sea wall was proposed in 2011. It was built by Harker and Sons.\n",
    "people.md": "# People\n\nHelen Strand is the chief executive of Corvale Pumps. She took over in 2017.\n\n"
    "## Pay\n\nSalaries are paid on the 25th of each month. If the 25th is a weekend, pay arrives on the "
    "working day before.\n",
    "history.md": "# History\n\nCorvale Pumps was founded in 2004 in Sheffield.\n",
    "offices.csv": "Office,City,Staff\nHead office,Sheffield,112\nSouth works,Bristol,87\nDesign studio,Leeds,23\n",
    "incident.md": "# Incident guide\n\n## What to do in an incident\n\n1. Write down the time.\n"
    "2. Call the duty engineer on extension 4040.\n3. Do not switch the machine off. Warning: switching it off "
    "destroys the evidence.\n4. Take the machine off the network.\n5. Post a note every 30 minutes.\n",
    "pumps.md": "# Pumps\n\n## CX250\n\nThe CX250 moves 120 litres a minute. It weighs 21 kg.\n\n"
    "## CX100\n\nThe CX100 moves 40 litres a minute. It weighs 9 kg.\n",
    "terms_2021.txt": "Terms of hire\nValid from 1 February 2021\n\nThe deposit for a boat is £150.\n",
    "terms_2024.txt": "Terms of hire\nValid from 1 March 2024. These terms replace the terms of 1 February 2021.\n\n"
    "The deposit for a boat is £250.\n",
    "neutering.md": "# Neutering\n\n| Animal | Earliest age | Price |\n|---|---|---|\n| Male cat | 4 months | £75 |\n"
    "| Rabbit | 5 months | £130 |\n",
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surefoot]:
    place = tmp_path_factory.mktemp("answers")
    for name, text in PAGES.items():
        (place / "docs").mkdir(exist_ok=True)
        (place / "docs" / name).write_text(text, encoding="utf-8")
    house = build(kb=place / "kb", cache=False, deadline_ms=20_000)
    asyncio.run(house.ingest([place / "docs"]))
    yield house
    asyncio.run(house.close())


def ask(house: Surefoot, question: str, *history: Turn) -> AskResult:
    return asyncio.run(house.ask(question, history=history))


def said(house: Surefoot, question: str) -> str:
    return ask(house, question).result.final_answer


def test_half_a_character_in_a_question_costs_no_answer(house: Surefoot) -> None:
    """From a terminal of another coding, or a program that cut a text in the middle of one."""
    turn = Turn(question="What is \udcff?", answer="\ud800")
    assert "£48" in ask(house, "What does a consultation \ud83d cost?", turn).result.final_answer


def test_a_plain_price_is_found(house: Surefoot) -> None:
    assert "A consultation costs £48" in said(house, "What does a consultation cost?")


@pytest.mark.parametrize(
    "question",
    [
        "How long was the sea wall in metres?",
        "What is the salary of Helen Strand?",
        "How many litres does the CX900 move?",
        "What is the capital of Portugal?",
    ],
)
def test_what_is_beside_the_question_is_refused_with_the_nearest_passages(house: Surefoot, question: str) -> None:
    asked = ask(house, question)
    assert asked.result.final_answer == DONT_KNOW
    assert asked.result.decision is Decision.REJECTED
    assert asked.passages


def test_how_many_offices_is_not_answered_with_a_year(house: Surefoot) -> None:
    answer = said(house, "How many offices does Corvale Pumps have?")
    assert "2004" not in answer
    assert answer == DONT_KNOW or "3 offices" in answer


def test_the_most_is_looked_for_in_all_rows(house: Surefoot) -> None:
    answer = said(house, "Which office has the most staff?")
    assert "Office: Head office; City: Sheffield; Staff: 112" in answer
    assert "Design studio" not in answer


def test_an_exception_is_not_given_for_the_rule(house: Surefoot) -> None:
    answer = said(house, "On which day of the month are salaries paid?")
    assert "25th of each month" in answer


def test_all_steps_come_with_their_warning(house: Surefoot) -> None:
    answer = said(house, "What do I do in an incident?")
    for step in ("Write down the time", "4040", "Do not switch", "destroys the evidence", "off the network", "30 min"):
        assert step in answer


def test_a_sentence_that_leans_comes_with_its_antecedent(house: Surefoot) -> None:
    answer = said(house, "How much does the CX250 weigh?")
    assert answer.index("The CX250 moves 120 litres a minute") < answer.index("It weighs 21 kg")
    assert "9 kg" not in answer


def test_a_comparison_has_both_sides(house: Surefoot) -> None:
    answer = said(house, "Which pump is heavier, the CX100 or the CX250?")
    assert "9 kg" in answer
    assert "21 kg" in answer


def test_the_newer_document_wins_and_the_older_is_named(house: Surefoot) -> None:
    asked = ask(house, "How high is the deposit for a boat?")
    assert "£250" in asked.result.final_answer
    assert "£150" not in asked.result.final_answer
    assert asked.replaced == ("terms_2021.txt is replaced by terms_2024.txt",)


def test_a_row_comes_under_its_column_names(house: Surefoot) -> None:
    answer = said(house, "How much is neutering a rabbit?")
    names, rule, row = "| Animal | Earliest age | Price |", "|---|---|---|", "| Rabbit | 5 months | £130 [S1] |"
    assert answer == f"{names}\n{rule}\n{row}"


def test_a_follow_up_is_resolved_and_shown(house: Surefoot) -> None:
    asked = ask(house, "And how heavy is it?", Turn(question="How many litres does the CX100 move?"))
    assert asked.resolved == "How heavy is the CX100?"
    assert asked.question == "And how heavy is it?"
    assert "9 kg" in asked.result.final_answer


def test_a_question_in_another_language_is_said_to_be_so(house: Surefoot) -> None:
    asked = ask(house, "Wie viel kostet eine Beratung für die Katze?")
    assert asked.result.final_answer.startswith("The question seems to be in German and the documents are in English.")
    assert asked.result.decision is Decision.REJECTED
