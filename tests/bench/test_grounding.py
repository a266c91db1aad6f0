"""The grounding bench: rows are read strictly, judged as the gate does, and reported under the contract's keys."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from surefoot.bench.grounding import plot, read_rows, report, run
from surefoot.core.errors import InputError
from surefoot.wiring import build

SOURCE = "The museum opens at 09:00 on weekdays. A yearly card costs R120. Children join free of charge."
ROWS = [
    {"answer": "A yearly card costs R120.", "label": 0},
    {"answer": "The museum opens at 09:00 on weekdays.", "label": 0},
    {"answer": "A yearly card costs R450.", "label": 1},
    {"answer": "Penguins guard the submarine violins.", "label": 1},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    lines = [
        json.dumps({"id": str(at), "task": "t", "sources": [SOURCE], "spans": [], **row}) for at, row in enumerate(ROWS)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_rows_are_judged_and_reported_under_the_contracts_keys(file: Path, tmp_path: Path) -> None:
    judged = asyncio.run(run(file, build(kb=tmp_path / "kb").gate))
    assert [item.flagged for item in judged] == [False, False, True, True]
    numbers = report(judged)
    assert set(numbers) == {
        "rows",
        "f1",
        "precision",
        "recall",
        "balanced_accuracy",
        "balanced_accuracy_at_best_threshold",
        "auroc",
        "span_f1",
        "per_task",
        "ms_per_row",
    }
    assert (numbers["rows"], numbers["balanced_accuracy"], numbers["auroc"]) == (4, 1.0, 1.0)
    assert plot(judged, "rows").startswith("<svg")


def test_words_are_located_although_the_markers_are_missing(tmp_path: Path) -> None:
    answer = "A yearly card costs R120. Penguins guard the submarine violins."
    wrong = [answer.index("Penguins"), len(answer)]
    path = tmp_path / "rows.jsonl"
    row = {"answer": answer, "sources": [SOURCE], "label": 1, "spans": [wrong]}
    path.write_text(json.dumps(row), encoding="utf-8")
    judged = asyncio.run(run(path, build(kb=tmp_path / "kb").gate))
    assert judged[0].spans
    assert all(wrong[0] <= start < end <= wrong[1] for start, end in judged[0].spans)


def test_what_claims_nothing_is_scored_low(tmp_path: Path) -> None:
    """A refusal is not released and has no part in thresholds; a statement of silence is, and has no risk."""
    answers = ["Unable to answer based on the given documents.", "The documents do not mention penguins."]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps({"answer": a, "sources": [SOURCE], "label": 0}) for a in answers))
    judged = asyncio.run(run(path, build(kb=tmp_path / "kb").gate))
    assert [item.score for item in judged] == [0.0, 0.0]
    assert [item.worst for item in judged] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("line", "word"),
    [("{}", "'answer'"), ("[]", "object"), ("{", "JSON"), ('{"answer": "", "sources": [], "label": 2}', "label")],
)
def test_a_bad_row_is_named_with_its_line(tmp_path: Path, line: str, word: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match=word) as error:
        list(read_rows(path))
    assert "bad.jsonl:1" in str(error.value)
