"""Questions without a model."""

from __future__ import annotations

import pytest

from surefoot.dataset.pair import Aspect, QuestionType
from surefoot.dataset.questions import TYPES, types_for
from surefoot.dataset.templates import asked_of, template_questions, topics
from surefoot.testing import passage

LIBRARY = passage(
    "# Library\n\n## Who can join the library?\n\nThe reading room has 40 seats. "
    "The children's corner opens early so that parents can work. Late fees are small.\n\n## The Attic\n\nMaps.\n\n"
    "## The Cellar\n\nPapers.",
    source="library.md",
)
BUS = passage("# Night bus\n\nThe night bus stops at the main gate. A monthly pass is cheap.", id="S2", source="bus.md")
ASPECT = Aspect(text="Campus services")


def test_a_question_the_document_asks_itself_comes_first() -> None:
    assert template_questions(ASPECT, [LIBRARY], [QuestionType.FACT], []) == [
        (QuestionType.FACT, "Who can join the library?")
    ]


def test_every_type_can_be_made_from_two_documents() -> None:
    found = template_questions(ASPECT, [LIBRARY, BUS], TYPES, [])
    assert [kind for kind, _ in found] == list(TYPES)
    assert len({text for _, text in found}) == len(TYPES)


def test_a_type_without_material_becomes_a_plain_question() -> None:
    found = template_questions(ASPECT, [BUS], [QuestionType.WHY, QuestionType.MULTI_DOCUMENT], [])
    assert [kind for kind, _ in found] == [QuestionType.FACT, QuestionType.FACT]


def test_known_questions_are_not_asked_again() -> None:
    (first,) = template_questions(ASPECT, [LIBRARY, BUS], [QuestionType.UNANSWERABLE], [])
    (second,) = template_questions(ASPECT, [LIBRARY, BUS], [QuestionType.UNANSWERABLE], [first[1]])
    assert first != second


def test_an_unanswerable_question_asks_for_something_no_passage_mentions() -> None:
    known = passage(
        "The design of the hall is by its own people; a company insures it. Introduced in colour, it has a phone."
    )
    assert template_questions(ASPECT, [known], [QuestionType.UNANSWERABLE], [])[0][0] is QuestionType.FACT


def test_topics_are_runs_of_words_that_carry_meaning() -> None:
    assert topics("The reading room has 40 seats. The reading room is warm.")[0] == "reading room"
    assert topics("Bring the bike back within a day. These terms replace all others.") == []


@pytest.mark.parametrize(
    ("statement", "question"),
    [
        ("A lost key costs 35 euros.", "What does a lost key cost?"),
        ("Helmets cost 9 euros a day.", "What do helmets cost?"),
        ("A full service takes two days.", "How long does a full service take?"),
        ("The reading room opens at 9.", "When does the reading room open?"),
        ("The workshop was founded by Marta Lind in 2009.", "Who was the workshop founded by?"),
        ("The reading room has 40 seats.", "How many seats does the reading room have?"),
        ("The Bittern is an electric cargo bike.", "What is the Bittern?"),
        ("Children under 14 must wear a helmet.", "Must children under 14 wear a helmet?"),
        ("Dogs may not ride in the box.", "May dogs ride in the box?"),
        ("A full service takes two days and costs 85 euros.", "How long does a full service take?"),
        ("It weighs 11 kg.", None),
        ("Because turbines matter, tidal lagoons pay.", None),
        ("Late fees are small.", None),
    ],
)
def test_a_statement_is_asked_for_as_a_person_would(statement: str, question: str | None) -> None:
    assert asked_of(statement) == question


def test_things_are_compared_only_where_they_are_called_alike() -> None:
    asked = template_questions(ASPECT, [LIBRARY], [QuestionType.COMPARE], [])
    assert asked == [(QuestionType.COMPARE, "What is the difference between the Attic and the Cellar?")]


def test_few_questions_per_session_still_cover_every_type() -> None:
    asked = {kind for session in range(1, 6) for kind in types_for(session, 1)}
    assert asked == set(TYPES)
