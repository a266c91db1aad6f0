"""The development drafts: only contexts no model is taught with, in the shape the drafts bench reads."""

from __future__ import annotations

import gzip
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from surefoot.bench.drafts import read_rows

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "drafts.py"
HELD, TAUGHT = "t:2", "t:0"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draft_rows", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def written(tmp_path: Path) -> Path:
    contexts = [
        {"id": name, "kind": "shop", "sources": ["A loaf costs R20."], "profile": "Name: Sam."}
        for name in (HELD, TAUGHT)
    ]
    sentences = [
        {"text": "Hello Sam!", "label": 0, "type": "silent", "span": None},
        {"text": "- You pay R20 for a loaf.", "label": 0, "type": None, "span": None},
        {"text": "- Rolls cost R5.", "label": 1, "type": "baseless", "span": "Rolls"},
        {"text": "Enjoy!", "label": 0, "type": "silent", "span": None},
    ]
    answers = [
        {"id": f"a-{name}", "context": name, "question": "What?", "style": "", "answer": sentences}
        for name in (HELD, TAUGHT)
    ]
    for name, rows in (("contexts", contexts), ("answers", answers)):
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return tmp_path


def test_only_contexts_kept_from_training_are_used(script: ModuleType, written: Path) -> None:
    assert [row["id"] for row in script.kept(written)] == [f"a-{HELD}"]


def test_bullets_stand_on_lines_of_their_own_and_the_bench_reads_the_rows(script: ModuleType, written: Path) -> None:
    (row,) = script.kept(written)
    assert row["answer"] == "Hello Sam!\n- You pay R20 for a loaf.\n- Rolls cost R5.\nEnjoy!"
    file = written / "drafts.jsonl"
    file.write_text(json.dumps(row), encoding="utf-8")
    (read,) = read_rows(file)
    assert [(one.label, one.silent, one.wrong) for one in read.sentences] == [
        (0, True, ""),
        (0, False, ""),
        (1, False, "Rolls"),
        (0, True, ""),
    ]
    assert read.profile == {"about": "Name: Sam."}


def test_a_tenth_of_the_contexts_is_kept(script: ModuleType) -> None:
    kept = sum(script.is_development(f"shop:{number}") for number in range(5_000))
    assert 400 < kept < 600
