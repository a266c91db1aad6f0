"""What a remembered stage-1 outcome is remembered by."""

from __future__ import annotations

from dataclasses import replace

from surefoot.core.types import Passage
from surefoot.packs.loader import load
from surefoot.verify.read.claims import claims_of
from surefoot.verify.read.submission import Submission
from surefoot.verify.work.memory import memory_key


def _submission(draft: str, *texts: str) -> Submission:
    passages = tuple(Passage(id=f"S{number}", text=text) for number, text in enumerate(texts, 1))
    pack = load("default")
    return Submission(
        draft=draft, claims=claims_of(draft, passages, pack), passages=passages, pack=pack, today="2026-01-01"
    )


def test_the_same_submission_has_the_same_key() -> None:
    assert memory_key(_submission("Cards cost R50.", "A card costs R50.")) == memory_key(
        _submission("Cards cost R50.", "A card costs R50.")
    )


def test_words_that_move_from_one_text_to_the_next_make_another_key() -> None:
    texts = [("Cards cost", " R50", " a year."), ("Cards", " cost R50", " a year."), ("Cards cost", " R50 a", " year.")]
    assert len({memory_key(_submission(*one)) for one in texts}) == 3


def test_a_tainted_passage_is_not_the_same_as_evidence() -> None:
    one = _submission("Cards cost R50.", "A card costs R50.", "Ask at the desk.")
    other = replace(one, passages=one.passages[:1], tainted=one.passages[1:])
    assert memory_key(one) != memory_key(other)
