"""The fit of the weights by which a statement is judged an answer: with a reader and without."""

from __future__ import annotations

import json
import math
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surefoot.generate.answering import FEATURES, READER_FEATURES, Weights

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "answers" / "fit.py"
COLUMNS = (*FEATURES, *READER_FEATURES)
FORMER = {"bias": -1.0, "weights": dict.fromkeys(FEATURES, 0.5), "least": 0.3, "stands": 0.5}


@pytest.fixture(scope="module")
def fit() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


def rows(fit: dict[str, Any], *, read: bool = True) -> list[Any]:
    """Forty questions of three statements; half are answered, and only the reader sees by which."""
    dice = np.random.default_rng(1)
    found = []
    for number in range(40):
        table = np.zeros((3, len(COLUMNS)))
        table[:, COLUMNS.index("words")] = dice.random(3)
        labels = np.zeros(3, bool)
        if number % 2:
            labels[number % 3] = True
        table[:, COLUMNS.index("answers")] = np.where(labels, 1.0, -1.0) if read else 0.0
        row = fit["Row"](
            group="g", question="?", answerable=bool(labels.any()), statements=table, labels=labels, read=read
        )
        found.append(row)
    return found


def test_with_a_reader_the_same_bar_parts_answers_from_the_rest(fit: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "answering.json"
    file.write_text(json.dumps(FORMER), encoding="utf-8")
    made = rows(fit)
    fit["fit_statements"](made, grounder="taught:1", only=True, file=file)
    out = json.loads(file.read_text(encoding="utf-8"))
    assert {**out, "stands": 0.5, "reader": None} == {**FORMER, "reader": None}
    assert 0.0 < out["stands"] < 1.0
    assert out["reader"]["grounder"] == "taught:1"
    weights = Weights(bias=out["reader"]["bias"], weights=out["reader"]["weights"], least=out["least"])
    for row in made:
        for line, answers in zip(row.statements, row.labels, strict=True):
            assert (weights.chance(dict(zip(COLUMNS, line, strict=True))) >= weights.least) == answers


def test_both_sets_are_fitted_and_what_nobody_read_gives_one(fit: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "answering.json"
    file.write_text(json.dumps({**FORMER, "reader": {"grounder": "before"}}), encoding="utf-8")
    fit["fit_statements"](rows(fit), grounder="taught:1", only=False, file=file)
    out = json.loads(file.read_text(encoding="utf-8"))
    assert set(out["weights"]) == set(FEATURES)
    assert set(out["reader"]["weights"]) == set(COLUMNS)
    fit["fit_statements"](rows(fit, read=False), grounder=None, only=False, file=file)
    assert "reader" not in json.loads(file.read_text(encoding="utf-8"))
    with pytest.raises(SystemExit, match="no reader"):
        fit["fit_statements"](rows(fit, read=False), grounder=None, only=True, file=file)


def test_rows_are_kept_while_the_models_stay(fit: dict[str, Any], tmp_path: Path) -> None:
    file, made_of = tmp_path / "rows.json", {"grounder": "taught:1"}
    assert fit["load"](file, made_of) is None
    fit["save"](file, made_of, rows(fit))
    kept = fit["load"](file, made_of)
    assert np.array_equal(kept[1].statements, rows(fit)[1].statements)
    assert math.isclose(kept[1].labels.sum(), 1)
    assert kept[1].read
    assert fit["load"](file, {"grounder": "taught:2"}) is None
