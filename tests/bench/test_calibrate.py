"""Thresholds for a stated risk: the bound is exact, the promise is kept, and too little data promises nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

from surefoot.bench.calibrate import Labelled, as_labelled, choose, labelled_runs, read_labelled, upper_bound
from surefoot.core.errors import InputError
from surefoot.core.types import Json


def test_the_bound_is_clopper_and_pearsons() -> None:
    assert upper_bound(0, 299, 0.95) == pytest.approx(1 - 0.05 ** (1 / 299), rel=1e-6)
    assert upper_bound(5, 100, 0.975) == pytest.approx(0.1128, abs=1e-4)
    assert upper_bound(3, 3, 0.95) == 1.0


def test_a_clean_region_is_released_and_no_more() -> None:
    rows = [Labelled(score=0.1, bad=False)] * 400 + [Labelled(score=0.9, bad=True)] * 50
    choice = choose(rows, risk=0.01, confidence=0.95)
    assert choice.accept is not None
    assert 0.1 <= choice.accept < 0.9
    assert (choice.released, choice.bad_released) == (400, 0)
    assert choice.bound <= 0.01
    assert choice.refused_good == 0.0
    assert choice.reject > choice.accept


def test_too_few_rows_promise_nothing() -> None:
    choice = choose([Labelled(score=0.1, bad=False)] * 100, risk=0.01, confidence=0.95)
    assert choice.accept is None
    assert choice.released == 0


def test_the_promise_holds_in_nearly_every_repetition() -> None:
    rng = Random(7)
    broken = 0
    for _ in range(40):
        rows = [Labelled(score=score, bad=rng.random() < score / 5) for score in (rng.random() for _ in range(400))]
        choice = choose(rows, risk=0.05, confidence=0.9)
        # released up to a, the true bad share is a / 10 on average
        broken += choice.accept is not None and choice.accept / 10 > 0.05
    assert broken <= 8


def test_feedback_on_runs_is_a_label() -> None:
    run = {"measures": {"unsupported_max": 0.2}, "decision": "approved", "feedback": "wrong"}
    assert as_labelled(run) == Labelled(score=0.2, bad=True)
    assert as_labelled({**run, "feedback": "right"}) == Labelled(score=0.2, bad=False)
    assert as_labelled({**run, "decision": "fallback"}) == Labelled(score=0.2, bad=False)
    assert as_labelled({"score": 0.4, "label": 1}) == Labelled(score=0.4, bad=True)
    assert as_labelled({"answer": "x", "label": 1}) is None


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({"score": 0.1, "label": 0}) + "\nnot json\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"rows\.jsonl:2"):
        list(read_labelled(file))
    with pytest.raises(InputError, match="between 0 and 1"):
        choose([], risk=0.0, confidence=0.95)


def test_feedback_on_claims_of_runs_becomes_labelled_rows() -> None:
    claims = [{"status": "supported", "risk": 0.1}, {"status": "doubtful", "risk": 0.5}]
    run: dict[str, Json] = {"kind": "verify", "run_id": "r1", "decision": "revised", "claims": list(claims)}
    said: list[Mapping[str, Json]] = [
        run,
        {"kind": "feedback", "of": "r1", "verdict": "right"},
        {"kind": "feedback", "of": "r1", "verdict": "wrong", "claim": 2},
        {"kind": "feedback", "of": "r1", "verdict": "unsure"},
        {"kind": "feedback", "of": "gone", "verdict": "wrong"},
    ]
    assert [(row.score, row.bad) for row in labelled_runs(said)] == [(0.1, False), (0.5, True)]


def test_a_file_that_is_no_text_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read as text"):
        list(read_labelled(file))
