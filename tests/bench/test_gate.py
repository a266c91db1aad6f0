"""The speed bench: the contract's keys, and drafts that are new each time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

from surefoot.bench.gate import _known, _request, run
from surefoot.wiring import build


def test_the_report_has_the_contracts_keys(tmp_path: Path) -> None:
    numbers = asyncio.run(run(build(kb=tmp_path / "kb").gate, runs=2, curve=False)).to_json()
    stages = {"rules", "rules_known", "grounding", "total", "fallback"}
    assert set(numbers) == {*stages, "per_second_8_callers", "curve"}
    for name in ("rules", "rules_known", "grounding", "total", "fallback"):
        assert set(numbers[name]) == {"p50_ms", "p95_ms", "p99_ms"}  # type: ignore[arg-type]


def test_a_draft_has_the_size_that_was_asked_for() -> None:
    request = _request(Random(1), 5, 8)
    assert len(request.chunks) == 8
    assert request.draft_answer.count("[S") == 5
    assert all(90 <= len(chunk.text.split()) <= 150 for chunk in request.chunks)
    assert request != _request(Random(2), 5, 8)


def test_a_known_draft_is_a_new_one_over_passages_seen_before() -> None:
    first, again = _request(Random("one 3"), 5, 8), _known(3)
    assert again.chunks == first.chunks
    assert again.draft_answer != first.draft_answer
