from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from surefoot.bench.judged import read_queries
from surefoot.bench.retrieval import interval, measure, measure_questions, ndcg, percentile, reciprocal_rank
from surefoot.core.errors import InputError
from surefoot.wiring import build


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = [
        {"_id": "d1", "title": "Rent", "text": "Rent is due on the first day of the month."},
        {"_id": "d2", "title": "Nursing", "text": "Nurses care for patients in hospitals."},
        {"_id": "d3", "title": "Pilots", "text": "Pilots fly aeroplanes between cities."},
    ]
    queries = [{"_id": "q1", "text": "When is the rent due?"}, {"_id": "q2", "text": "Who flies aeroplanes?"}]
    (tmp_path / "corpus.jsonl").write_text("\n".join(json.dumps(row) for row in corpus))
    (tmp_path / "queries.jsonl").write_text("\n".join(json.dumps(row) for row in queries))
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td3\t1\n")
    return tmp_path


def test_a_perfect_ranking_scores_one_and_a_late_hit_less() -> None:
    assert ndcg(["a", "b"], {"a": 1}, 10) == 1.0
    assert ndcg(["b", "a"], {"a": 1}, 10) == pytest.approx(0.6309, abs=1e-4)
    assert ndcg(["b", "c"], {"a": 1}, 10) == 0.0
    assert ndcg(["a", "b"], {"a": 1, "b": 2}, 10) < ndcg(["b", "a"], {"a": 1, "b": 2}, 10) == 1.0


def test_the_reciprocal_rank_is_of_the_first_hit_within_reach() -> None:
    assert reciprocal_rank(["x", "a", "b"], {"a": 1, "b": 1}, 10) == 0.5
    assert reciprocal_rank(["x", "a"], {"a": 1}, 1) == 0.0


def test_percentiles_are_values_that_occurred() -> None:
    assert percentile([3.0, 1.0, 2.0, 4.0], 0.5) == 2.0
    assert percentile([3.0, 1.0, 2.0, 4.0], 0.95) == 4.0


def test_every_search_is_measured_on_a_beir_folder(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("surefoot_models")

    async def run() -> dict[str, object]:
        house = build(kb=tmp_path / "kb", cache=False)
        try:
            return dict(await measure(house, folder))
        finally:
            await house.close()

    report = asyncio.run(run())
    for name in ("dense", "bm25", "hybrid"):
        row = report[name]
        assert isinstance(row, dict)
        assert set(row) == {"ndcg@10", "recall@100", "mrr@10", "ms_p50", "ms_p95"}
        assert row["ndcg@10"] == 1.0
    assert report["ndcg@10_95"]["hybrid"] == [1.0, 1.0]  # type: ignore[index]
    assert report["rerank_gain"]["worse"] == 0  # type: ignore[index]


def test_questions_about_pages_are_judged_by_passage_and_by_page(tmp_path: Path) -> None:
    pytest.importorskip("surefoot_models")
    pages = tmp_path / "pages"
    pages.mkdir()
    long = "\n\n".join(f"Paragraph {n} is about gardening and the weather of the season. " * 8 for n in range(6))
    (pages / "rent.md").write_text(f"# Rent\n\nRent is due on the first day of the month.\n\n{long}\n")
    (pages / "nurse.md").write_text("# Nursing\n\nNurses care for patients in hospitals.\n")
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": "q1", "question": "When is the rent due?", "answered_by": ["rent.md:3"]}\n')

    async def run() -> dict[str, object]:
        house = build(kb=tmp_path / "kb", rerank=False)
        try:
            return dict(await measure_questions(house, pages, questions))
        finally:
            await house.close()

    report = asyncio.run(run())
    assert report["questions"] == 1
    for level in ("by_passage", "by_page"):
        row = report[level]
        assert isinstance(row, dict)
        assert row["hybrid"]["mrr@10"] == 1.0
        assert row["hybrid_rerank"] is None
        assert "rerank_gain" not in row


def test_an_interval_holds_the_mean_and_narrows_with_more_questions() -> None:
    low, high = interval([0.0, 1.0] * 10)
    assert low < 0.5 < high
    closer_low, closer_high = interval([0.0, 1.0] * 1000)
    assert low < closer_low < 0.5 < closer_high < high
    assert interval([0.3]) == (0.3, 0.3)


def test_a_folder_without_judgements_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="no dev"):
        read_queries(folder, "dev")


def test_a_broken_judgement_is_named_with_its_line(folder: Path) -> None:
    (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\n")
    with pytest.raises(InputError, match="line 2"):
        read_queries(folder)
