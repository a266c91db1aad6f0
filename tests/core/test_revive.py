"""What `plain` makes of a value, `revive` makes the value of again; a wrong shape is refused."""

from __future__ import annotations

import json

import pytest

from surefoot.core.hashing import plain
from surefoot.core.revive import ShapeError, revive
from surefoot.core.types import AskResult, Issue, IssueType, Passage, Retrieval, ScoredPassage, Severity

FOUND = ScoredPassage(passage=Passage(id="a", text="T", metadata={"n": [1, {"x": None}]}), score=1.0, dense_rank=2)


def test_a_value_survives_the_way_through_json() -> None:
    value = Retrieval(question="q", passages=(FOUND,), relevance=0.5, relevant=True)
    assert revive(Retrieval, json.loads(json.dumps(plain(value)))) == value


def test_enums_spans_and_missing_values_survive() -> None:
    issue = Issue(type=IssueType.TONE, severity=Severity.LOW, code="tone", location="x", span=(1, 2), problem="p")
    assert revive(Issue, json.loads(json.dumps(plain(issue)))) == issue


@pytest.mark.parametrize(
    "change",
    [
        {"relevance": "high"},
        {"relevant": 1},
        {"passages": "none"},
        {"passages": [{"passage": {"id": 7, "text": "T"}, "score": 1.0}]},
        {"extra": 1},
        {"question": None},
    ],
)
def test_a_wrong_shape_is_refused(change: dict[str, object]) -> None:
    data = {**plain(Retrieval(question="q", passages=(FOUND,), relevance=0.5, relevant=True)), **change}
    with pytest.raises(ShapeError):
        revive(Retrieval, data)


def test_a_missing_field_is_refused() -> None:
    with pytest.raises(ShapeError, match="AskResult"):
        revive(AskResult, {"question": "q"})
