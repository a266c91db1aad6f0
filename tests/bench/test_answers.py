"""An answer is judged by what the reader reads."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from surefoot.bench.answers import Asked, judge, measure, read
from surefoot.core.errors import InputError
from surefoot.core.types import DONT_KNOW
from surefoot.wiring import build

KNOWLEDGE_BASES = Path(__file__).parents[2] / "benchmarks" / "answers"


def asked(*requires: str, answerable: bool = True, forbids: tuple[str, ...] = (), verdict: str | None = None) -> Asked:
    return Asked(
        id="1", question="?", kind="", answerable=answerable, requires=requires, forbids=forbids, verdict=verdict
    )


@pytest.mark.parametrize(
    ("row", "text", "outcome"),
    [
        (asked("£48"), "It costs £48 [S1].", "right"),
        (asked("5|five"), "There are five [S1].", "right"),
        (asked("5"), "There are 15 [S1].", "wrong"),
        (asked("£48", "15 minutes"), "It costs £48 [S1].", "partly"),
        (asked("£48"), "It is far [S1].", "wrong"),
        (asked("£250", forbids=("£150",)), "It is £250, or £150.", "wrong"),
        (asked("horses", verdict="no"), "Yes. We treat horses.", "wrong"),
        (asked("licence", verdict="yes"), "No licence is needed.", "right"),
        (asked("£48"), DONT_KNOW, "wrongly_refused"),
        (asked(answerable=False), DONT_KNOW, "rightly_refused"),
        (asked(answerable=False), "It is far.", "wrong"),
        (asked("free", answerable=False), "Parking is free.", "corrected"),
        (asked("free", answerable=False), "Parking is wide.", "wrong"),
    ],
)
def test_what_an_answer_counts_as(row: Asked, text: str, outcome: str) -> None:
    assert judge(row, text) == outcome


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('{"id": 1}', "question"),
        ('{"id": 1, "question": "?"}', "requires"),
        ('{"id": 1, "question": "?", "requires": "x"}', "requires"),
        ('{"id": 1, "question": "?", "requires": ["x"], "verdict": "maybe"}', "verdict"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, line: str, word: str) -> None:
    (tmp_path / "q.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match=word):
        read(tmp_path / "q.jsonl")


@pytest.mark.parametrize("name", ["vets", "staff", "boats"])
def test_our_questions_can_be_read_and_a_third_has_no_answer(name: str) -> None:
    questions = read(KNOWLEDGE_BASES / name / "questions.jsonl")
    assert len(questions) == len({one.id for one in questions}) == 60
    assert sum(not one.answerable for one in questions) == 20


def test_questions_that_lie_among_the_documents_are_refused(tmp_path: Path) -> None:
    """They would be answered from themselves."""
    (tmp_path / "fees.md").write_text("A card costs R120.")
    questions = tmp_path / "more" / "questions.jsonl"
    questions.parent.mkdir()
    questions.write_text('{"id": "a", "question": "What does a card cost?", "requires": ["R120"]}\n')
    with pytest.raises(InputError, match="answered from themselves"):
        asyncio.run(measure(build(kb=tmp_path / "kb", grounder_size="none", rerank=False), tmp_path, questions))
