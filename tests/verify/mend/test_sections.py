"""A sentence from under one heading never takes the place of what is said of another one's subject."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surefoot.core.types import Passage
from surefoot.verify.mend.quotes import Quoter
from surefoot.verify.mend.sections import Sections
from surefoot.verify.read.submission import Submission

Submit = Callable[..., Submission]
DEBTS = (
    "# Ways out of debt\n\nAdvice on the phone is free.\n\n"
    "## Debt relief order\n\nThere is no fee any more. It lasts a year. You may keep a car. Homeowners cannot have "
    "one.\n\n## Bankruptcy (going bankrupt)\n\nApplying costs 680 pounds. A debt relief order costs less than that. It "
    "lasts three years. You can lose your car.\n\n"
    "### Your home\n\nYou can lose your house."
)
APPLYING = "Applying costs 680 pounds."


def elsewhere(sentence: str, *spoken: str, text: str = DEBTS) -> bool:
    sections = Sections(passages=[Passage(id="one", text=text)], said=spoken[0], before=spoken[1:])
    return sections.is_elsewhere(sentence, text.index(sentence), "one")


@pytest.mark.parametrize(
    ("spoken", "so"),
    [
        (["A relief order costs 680 pounds to apply for."], True),
        (["Applying is 680 pounds.", "A relief order is made for a year."], True),
        (["Applying is 680 pounds.", "", "What does a debt relief order cost?"], True),
        (["A bankruptcy costs 680 pounds to apply for."], False),
        (["If you go bankrupt you pay 680 pounds."], False),
        (["Neither a bankruptcy nor a relief order is for nothing."], False),
        (["Applying is 680 pounds.", "A bankruptcy lasts a year.", "What about a relief order?"], False),
        (["Applying is 680 pounds.", "There are ways.", "A relief order is made for a year."], True),
        (["Applying is 680 pounds.", "You get an order for a year."], False),
        (["Applying is 680 pounds.", "You are in debt."], False),
        (["Applying is 680 pounds."], False),
    ],
)
def test_the_nearest_text_that_names_a_section_says_which_is_meant(spoken: list[str], so: bool) -> None:
    assert elsewhere(APPLYING, *spoken) is so


@pytest.mark.parametrize(
    ("sentence", "spoken", "so"),
    [
        ("Advice on the phone is free.", "A relief order", False),
        ("A debt relief order costs less than that.", "A relief order", False),
        ("You can lose your house.", "A relief order", True),
        ("You can lose your house.", "A bankruptcy", False),
        (APPLYING, "Your home", False),
        ("There is no fee any more.", "Your home", True),
    ],
)
def test_what_stands_over_several_sections_is_of_all_of_them(sentence: str, spoken: str, so: bool) -> None:
    assert elsewhere(sentence, spoken) is so


@pytest.mark.parametrize(
    "text",
    [
        DEBTS.replace("## Debt relief order\n\n", ""),
        DEBTS.replace("## Bankruptcy (going bankrupt)\n\n", ""),
        DEBTS.replace("## Bankruptcy", "### Bankruptcy"),
        DEBTS.replace("# Ways", "Ways").replace("## Debt relief order", "There are two:"),
    ],
)
def test_nothing_is_elsewhere_where_no_other_section_stands_beside(text: str) -> None:
    assert not elsewhere(APPLYING, "A relief order", text=text)


def test_an_unmarked_line_at_the_beginning_is_the_title_of_all() -> None:
    text = "If a bailiff comes\nYou need not open the door.\nFees\nThe first visit adds 235 pounds."
    assert not elsewhere("The first visit adds 235 pounds.", "The bailiff adds 235 pounds.", text=text)


@pytest.mark.parametrize(("document", "so"), [("debts.md", True), ("courts.md", False)])
def test_the_headings_written_beside_the_passages_of_one_document_count(document: str, so: bool) -> None:
    passages = [
        Passage(id="a", text=APPLYING, metadata={"source": "debts.md", "headings": ["Debts", "Bankruptcy"]}),
        Passage(id="b", text="There is no fee.", metadata={"source": document, "headings": ["Debts", "Relief order"]}),
    ]
    sections = Sections(passages=passages, said="The relief order costs 680 pounds.")
    assert sections.is_elsewhere(APPLYING, 0, "a") is so


CARDS = (
    "## Cards\n\nA card costs 5 euros a year. Bring proof of your address. Children get one free of charge.\n\n"
    "## Borrowing\n\nYou may take twelve items at a time. Books go back after four weeks. You can renew twice."
)


@pytest.mark.parametrize(("said", "so"), [("You may take ten items at a time.", False), ("A card is for ten.", True)])
def test_what_only_leads_to_a_claim_does_not_bind_it_to_one_part_of_a_matter(said: str, so: bool) -> None:
    assert elsewhere("You may take twelve items at a time.", said, "How do I get a card?", text=CARDS) is so


@pytest.mark.parametrize(("heading", "so"), [("Borrowing", False), ("Cards for children", True)])
def test_headings_that_share_a_word_are_of_things_of_a_kind(heading: str, so: bool) -> None:
    text = CARDS.replace("## Cards", "## Cards for adults").replace("Borrowing", heading)
    sentence = "You may take twelve items at a time."
    assert elsewhere(sentence, "You may take ten.", "Which cards do adults get?", text=text) is so


HALLS = (
    "# Halls\n\n## Hill branch\n\nA room costs £15 an hour. It opens at noon and closes at ten.\n\n"
    "## Harbour branch\n\nA room costs £8 an hour. It opens at ten and closes at six."
)


@pytest.mark.parametrize(
    ("draft", "question", "quotes"),
    [
        ("A room at Hill costs £8 an hour.", "", ["A room costs £15 an hour."]),
        (
            "The Harbour branch has two floors. A room is £15 per hour.",
            "",
            ["A room costs £8 an hour."],
        ),
        ("A room is £12 per hour.", "What is a room at the Hill branch?", ["A room costs £15 an hour."]),
    ],
)
def test_the_quote_is_from_the_section_that_is_spoken_of(
    submit: Submit, draft: str, question: str, quotes: list[str]
) -> None:
    submission = submit(draft, [Passage(id="one", text=HALLS)], question=question)
    found = Quoter().choose(submission.claims[-1:], submission)
    assert [one.text for some in found.values() for one in some] == quotes
