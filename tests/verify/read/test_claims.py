from __future__ import annotations

import pytest

from surefoot.core.types import Passage
from surefoot.packs.loader import load
from surefoot.verify.read.claims import claims_of, leans, points_back, resolve

SOURCES = (
    Passage(
        id="fees",
        text="A yearly card costs R120. Speak to the desk staff at Riverbend.",
        metadata={"title": "Fees and cards"},
    ),
    Passage(id="S9", text="Rooms can be booked."),
)


def factual(text: str) -> bool:
    return any(claim.factual for claim in claims_of(text, SOURCES, load("default")))


@pytest.mark.parametrize(
    "text",
    [
        "Hello!",
        "Hello there,",
        "Good luck with your application!",
        "I hope this helps.",
        "Thank you for your question.",
        "Please let me know if you have any questions.",
        "Any questions? Let me know if you need more help.",
        "Would you like to hear more?",
        "**Next steps**",
        "The documents do not mention a deposit.",
        "# Fees and cards",
        "# Summary",
        "Here is what the documents say:",
        "I don't know based on the provided documents.",
        "I don't know based on the provided document.",
    ],
)
def test_forms_that_are_certain_state_no_fact(text: str) -> None:
    assert not factual(text)


@pytest.mark.parametrize(
    "text",
    [
        "The card is free.",
        "Hello, the card is free for everyone.",
        "Did you know that cards are free?",
        "Will you join although cards are free?",
        "Did you know the fee is R900?",
        "# Guaranteed admission to every student without any test",
        "# Free cards forever",
        "Consider applying because admission is guaranteed.",
        "Consider Harvard.",
        "Talk to the desk, which is open daily.",
        "Good luck, you will get in.",
        "I don't know based on the provided documents. But cards are free.",
        "See https://example.org.",
        "Stop taking your medicine.",
        "Fees: waived for all students who apply early and smile",
        "| Free cards | yes |",
        "| yearly card | R120 |",
        "# Yearly card free",
        "# Desk staff at Riverbend cost R120",
        "Yearly card without a fee:",
        "Why is the yearly card free?",
        "Is the golden card cheaper?",
        "Important: take more paracetamol:",
        "The landlord pays rent before the tenant?",
        "Consider mixing paracetamol with whisky.",
        "Consider a visit.",
    ],
)
def test_whatever_might_state_a_fact_is_a_claim(text: str) -> None:
    assert factual(text)


def test_a_cited_sentence_is_a_claim_whatever_it_looks_like() -> None:
    assert factual("Consider a visit [S1].")


@pytest.mark.parametrize(
    ("target", "identity"),
    [
        ("S1", "fees"),
        ("1", "fees"),
        ("2", "S9"),
        ("S9", "S9"),
        ("s9", "S9"),
        ("fees", "fees"),
        ("S3", None),
        ("0", None),
    ],
)
def test_a_marker_means_the_passage_of_that_id_else_the_one_at_that_place(target: str, identity: str | None) -> None:
    assert resolve(target, SOURCES) == identity


def test_claims_carry_exact_spans_and_what_they_cite() -> None:
    draft = "Hello! Cards cost R120 [S1]. Rooms too [S9, S4]."
    claims = claims_of(draft, SOURCES, load("default"))
    assert [draft[claim.span[0] : claim.span[1]] for claim in claims] == [claim.text for claim in claims]
    assert [claim.cited for claim in claims] == [(), ("fees",), ("S9",)]


@pytest.mark.parametrize(
    ("draft", "factual"),
    [
        ("Sure! Here is a summary of the text:", False),
        ("Sure! Here are the opening hours:", False),
        ("Sure!", True),
        ("Sure! The bank is open.", True),
        ("The bank is open. Sure! Here is a summary:", True),
        ("Sure [S1]! Here is a summary:", True),
        ("Sure! Here is why.", True),
        ("Sure it is free! Here is a summary:", True),
    ],
)
def test_sure_is_an_opening_only_before_an_announcement(draft: str, factual: bool) -> None:
    claims = claims_of(draft, (Passage(id="S1", text="The bank is open. Opening hours."),), load("default"))
    assert next(claim for claim in claims if claim.text.startswith("Sure")).factual is factual


def test_what_opened_a_draft_answers_a_question_further_on() -> None:
    draft = "Sure! Here are the opening hours: Is the bank open? Sure!"
    claims = claims_of(draft, (Passage(id="S1", text="The bank is open. Opening hours."),), load("default"))
    assert claims[-1].text == "Sure!"
    assert claims[-1].factual


@pytest.mark.parametrize(
    ("text", "factual"),
    [
        ("Here is a summary of the article in 132 words:", False),
        ("Here is the summary you requested within 65 words:", False),
        ("Here's my answer based on the given passages:", False),
        ("Sure, I can help you with that!", False),
        ("Sure, I can help you with that because it is free.", True),
        ("Sure! Here's the summary within 62 words:", False),
        ("Here is a summary of the article in 132 words: the bank pays R500.", True),
        ("Here is the answer in 5 days.", True),
    ],
)
def test_an_answer_speaking_of_its_own_length_states_nothing(text: str, factual: bool) -> None:
    claims = claims_of(text, (Passage(id="S1", text="The bank is open."),), load("default"))
    assert claims[-1].factual is factual


@pytest.mark.parametrize(
    "text", ["Hello Mr van Wyk,", "Dear Dr. de la Rey,", "Good morning Mrs Botha!", "**What can you do?**"]
)
def test_a_greeting_by_title_and_a_question_as_heading_state_no_fact(text: str) -> None:
    assert not factual(text)


@pytest.mark.parametrize("text", ["Hello Mr van Wyk owes rent.", "**Did you know that cards are free?**"])
def test_what_a_greeting_or_a_question_says_besides_is_a_claim(text: str) -> None:
    assert factual(text)


@pytest.mark.parametrize(
    ("text", "leaning"),
    [
        ("Those who pass the test get a certificate.", False),
        ("Those with a permit may park here.", False),
        ("This year's fair is on 14 May.", False),
        ("Those are free.", True),
        ("This costs R5.", True),
        ("This card costs R5.", True),
    ],
)
def test_those_who_and_this_year_mean_what_stands_beside_them(text: str, leaning: bool) -> None:
    assert leans(text) is leaning
    assert points_back(text) is leaning


@pytest.mark.parametrize(
    "text",
    [
        "Guides say that the bell was cast in Riga.",
        "Surveys found that pupils read less in 2020.",
        "Dogs that bite must be muzzled.",
        "The firms that make cork pay no levy.",
        "Note that the gate closes at six.",
    ],
)
def test_a_sentence_with_a_clause_behind_that_stands_alone(text: str) -> None:
    assert not leans(text)


@pytest.mark.parametrize(
    "text",
    [
        "After that the gate closes.",
        "In that case the fee is due.",
        "Later than that, the full price is due.",
        "Only for that reason is it free.",
        "If that fails, ring the porter.",
        "Under these rules dogs are banned.",
        "That is wrong.",
    ],
)
def test_a_sentence_that_points_at_another_leans(text: str) -> None:
    assert leans(text)
