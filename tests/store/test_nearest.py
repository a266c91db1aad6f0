from __future__ import annotations

import numpy as np
import pytest

from surefoot.core.types import Passage
from surefoot.store.nearest import MARGIN, MOST, Hit, Proposed, first, scored


def passage(number: int) -> Passage:
    return Passage(id=f"{number:04}", text="")


class Engine:
    """Proposes in an order of its own and remembers how many it was asked for."""

    def __init__(self, scores: list[float]) -> None:
        self.hits: list[Hit] = sorted(
            ((passage(number), score) for number, score in enumerate(scores)),
            key=lambda hit: (-hit[1], -int(hit[0].id)),
        )
        self.asked: list[int] = []

    def __call__(self, wanted: int) -> list[Hit]:
        self.asked.append(wanted)
        return self.hits[:wanted]


def test_equal_scores_fall_by_id_whatever_the_engine_does() -> None:
    assert [hit[0].id for hit in first(Engine([0.5, 0.9, 0.5, 0.9]), limit=3)] == ["0001", "0003", "0000"]


def test_a_tie_that_reaches_past_what_was_proposed_is_asked_for_whole() -> None:
    engine = Engine([0.9, *[0.5] * 60, *[0.1] * 100])
    assert [hit[0].id for hit in first(engine, limit=5)] == ["0000", "0001", "0002", "0003", "0004"]
    assert engine.asked == [5 + MARGIN, 4 * (5 + MARGIN)]


def test_without_a_tie_the_engine_is_asked_once() -> None:
    engine = Engine([1 - at / 1000 for at in range(500)])
    assert len(first(engine, limit=20)) == 20
    assert engine.asked == [20 + MARGIN]


def test_a_tie_without_end_is_not_followed_for_ever() -> None:
    engine = Engine([0.5] * (8 * MOST))
    assert len(first(engine, limit=10)) == 10
    assert engine.asked[-1] < 4 * MOST + 1


def test_a_score_is_the_same_in_whatever_company_it_is_worked_out() -> None:
    rows = np.random.default_rng(1).standard_normal((200, 384)).astype(np.float32)
    asked = rows[7] + rows[8]
    everything = scored(asked, Proposed(passages=[passage(at) for at in range(200)], vectors=rows))
    for at in (0, 7, 99, 199):
        assert scored(asked, Proposed(passages=[passage(at)], vectors=rows[at : at + 1])) == [everything[at]]


def test_a_vector_of_nothing_scores_nothing() -> None:
    rows = np.zeros((1, 3), np.float32)
    assert scored(np.ones(3, np.float32), Proposed(passages=[passage(0)], vectors=rows))[0][1] == pytest.approx(0.0)
