"""Lessons from questions: what a sentence is said to answer, and beside which passage."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

pytest.importorskip("sklearn")

from training.lessons import UNDECIDED, crossed_rows, is_development

POOLS = [
    "@ pool-{n}\nS: The pool of town {n} opens at {n}. Children swim with an adult.\n"
    "? when does the pool of town {n} open\n= The pool of town {n} opens at {n}.\n"
]


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    shared, own = tmp_path / "shared", tmp_path / "own"
    (own / "pools").mkdir(parents=True)
    (own / "asked").mkdir()
    shared.mkdir()
    for name in ("contexts", "questions"):
        gzip.open(shared / f"{name}.jsonl.gz", "wt").close()
    page = "\n".join(POOLS[0].format(n=n) for n in range(40))
    (own / "pools" / "page01.txt").write_text(page, "utf-8")
    return shared, own


def test_a_question_is_read_beside_passages_of_other_contexts_and_nobody_labels_it(folders: tuple[Path, Path]) -> None:
    lessons = list(crossed_rows(*folders))
    assert sum(len(each.statements) for each in lessons) >= 20
    for each in lessons:
        town = each.passages[0][0].split(" opens")[0].rpartition(" ")[2]
        for statement in each.statements:
            assert statement.label == UNDECIDED
            assert f"town {town} open" not in statement.text.partition('":')[0] + "."


def test_no_development_question_and_no_development_passage_is_among_them(folders: tuple[Path, Path]) -> None:
    kept = {str(n) for n in range(40) if is_development(f"pools:pool-{n}")}
    assert kept
    for each in crossed_rows(*folders):
        town = each.passages[0][0].split(" opens")[0].rpartition(" ")[2]
        asked = {statement.text.partition("town ")[2].split()[0] for statement in each.statements}
        assert not kept & {town, *asked}
