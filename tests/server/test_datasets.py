"""Rows of datasets and their reviews."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from surefoot.settings import Settings


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
