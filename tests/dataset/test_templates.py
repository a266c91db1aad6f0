"""Questions without a model."""

from __future__ import annotations

from surefoot.dataset.pair import Aspect, QuestionType
from surefoot.dataset.questions import TYPES, types_for
from surefoot.dataset.templates import template_questions, topics
from surefoot.testing import passage

LIBRARY = passage(
    "# Library\n\n## Who can join the library?\n\nThe reading room has 40 seats. "
    "The children's corner opens early so that parents can work. Late fees are small.",
    source="library.md",
)
BUS = passage("# Bus\n\nThe night bus stops at the main gate. A monthly pass is cheap.", id="S2", source="bus.md")
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
        "The football club sponsors a parking radio anthem; the statue has a temperature. Brochure of the ship that."
    )
    assert template_questions(ASPECT, [known], [QuestionType.UNANSWERABLE], [])[0][0] is QuestionType.FACT


def test_topics_are_runs_of_words_that_carry_meaning() -> None:
    assert topics("The reading room has 40 seats. The reading room is warm.")[0] == "reading room"


def test_few_questions_per_session_still_cover_every_type() -> None:
    asked = {kind for session in range(1, 6) for kind in types_for(session, 1)}
    assert asked == set(TYPES)
