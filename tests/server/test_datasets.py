"""Rows of datasets and their reviews."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from surefoot.core.types import Document
from surefoot.dataset.build import Built
from surefoot.dataset.corpus import make_corpus
from surefoot.dataset.files import Paths, read_audit, write_dataset
from surefoot.dataset.pair import Aspect, Critique, Pair, Question, QuestionType
from surefoot.dataset.session import Session
from surefoot.settings import Settings
from surefoot.testing import passage


@pytest.fixture(autouse=True)
def _dataset(settings: Settings) -> None:
    folder = settings.kb / "datasets"
    folder.mkdir(parents=True)
    rows = [{"question": f"q{n}", "final_answer": f"a{n}"} for n in range(5)]
    (folder / "faq.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_datasets_are_listed_with_their_counts(client: TestClient) -> None:
    assert client.get("/v1/datasets").json() == {"datasets": [{"name": "faq", "rows": 5, "reviewed": 0}]}


def test_rows_come_in_pages(client: TestClient) -> None:
    page = client.get("/v1/datasets/faq/rows", params={"offset": 3, "limit": 10}).json()
    assert page["total"] == 5
    assert [item["row"]["question"] for item in page["rows"]] == ["q3", "q4"]


def test_the_newest_review_of_a_row_is_shown_and_the_row_stays(client: TestClient) -> None:
    for verdict in ("reject", "accept"):
        url = "/v1/datasets/faq/rows/1/review"
        assert client.post(url, json={"verdict": verdict, "note": "n"}).status_code == 201
    row = client.get("/v1/datasets/faq/rows").json()["rows"][1]
    assert row["review"]["verdict"] == "accept"
    assert row["row"] == {"question": "q1", "final_answer": "a1"}
    assert client.get("/v1/datasets").json()["datasets"][0]["reviewed"] == 1


@pytest.mark.parametrize("path", ["/v1/datasets/faq/rows/99/review", "/v1/datasets/..%2Ffaq/rows/0/review"])
def test_a_row_that_is_not_there_cannot_be_reviewed(client: TestClient, path: str) -> None:
    assert client.post(path, json={"verdict": "accept"}).status_code == 404


def audited(settings: Settings) -> Path:
    """A dataset with its audit, as `surefoot dataset build` writes it."""
    out = settings.kb / "datasets" / "campus.jsonl"
    pairs = tuple(
        Pair(
            question=Question(text=f"What is fee {number}?", type=QuestionType.FACT, session=1, number=number),
            passages=(passage(f"The fee is R{number}."),),
            initial_answer="The fee is R9 [S1].",
            initial_critique=Critique(grounded=False, reasoning="wrong number", codes=("value_mismatch",)),
            final_answer=f"The fee is R{number} [S1].",
            final_critique=Critique(grounded=True, reasoning="fine"),
        )
        for number in (1, 2)
    )
    session = Session(number=1, aspect=Aspect(text="Fees"), pairs=pairs)
    document = Document(source="fees.md", text="The fee is R1.", sha256="0" * 64)
    corpus = make_corpus([document], folder="campus")
    write_dataset(Paths(out=out), Built(corpus=corpus, sessions=(session,), asked=2, duplicates=0), {})
    return out


def test_a_built_dataset_is_reviewed_pair_by_pair_with_its_four_steps(client: TestClient, settings: Settings) -> None:
    audited(settings)
    page = client.get("/v1/datasets/campus/rows").json()
    assert page["total"] == 2
    row = page["rows"][1]["row"]
    assert (row["row"], row["question"], row["initial_answer"]) == ("1.2", "What is fee 2?", "The fee is R9 [S1].")
    assert row["initial_critique"]["reasoning"] == "wrong number"
    assert row["passages"] == ["[S1] handbook.md: The fee is R2."]


def test_a_review_of_a_built_dataset_is_kept_in_its_audit_and_heeded_by_exports(
    client: TestClient, settings: Settings
) -> None:
    out = audited(settings)
    before = out.read_bytes()
    url = "/v1/datasets/campus/rows/1/review"
    assert client.post(url, json={"verdict": "reject", "note": "too curt"}).status_code == 201
    assert client.get("/v1/datasets/campus/rows").json()["rows"][1]["review"]["note"] == "too curt"
    assert [row.kept for row in read_audit(Paths(out=out)).rows] == [True, False]
    assert out.read_bytes() == before
