"""What the page needs beside answers: a document as it was read, questions to begin with, a pack's cases."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient
from tests.server.small_house import local_client

from surefoot.core.types import Passage
from surefoot.flows.examples import questions_of
from surefoot.settings import Settings
from surefoot.wiring import Surefoot

TEXT = "# Boats\n\nThe rent for a rowing boat is R45 an hour.\n\nBoats are rented from April to October.\n"


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The service over a real knowledge base of one document."""
    house = Surefoot(Settings(kb=tmp_path_factory.mktemp("boats") / "kb", rate_limit_per_minute=0))
    with local_client(house) as client:
        sent = client.post("/v1/documents/text", json={"source": "boats.md", "text": TEXT}).json()
        deadline = time.monotonic() + 120
        while client.get(f"/v1/documents/{sent['id']}").json()["status"] == "queued":
            assert time.monotonic() < deadline, "the document was not read"
            time.sleep(0.1)
        yield client


def test_a_document_is_read_back_passage_by_passage_with_its_places(real: TestClient) -> None:
    (document,) = real.get("/v1/documents").json()["documents"]
    found = real.get(f"/v1/documents/{document['id']}/passages").json()
    assert found["source"] == "boats.md"
    for passage in found["passages"]:
        assert TEXT[passage["metadata"]["start"] : passage["metadata"]["end"]] == passage["text"]
    assert "R45 an hour" in "".join(passage["text"] for passage in found["passages"])


def test_a_document_that_is_not_there_has_no_passages(real: TestClient) -> None:
    assert real.get("/v1/documents/nothing/passages").status_code == 404


def test_the_questions_to_begin_with_are_those_the_documents_answer(real: TestClient) -> None:
    assert real.get("/v1/questions").json()["questions"][0] == "What is the rent for a rowing boat?"


def test_a_packs_cases_are_listed_and_run(real: TestClient) -> None:
    cases = real.get("/v1/packs/default/cases").json()["cases"]
    ran = real.post("/v1/packs/default/cases", json={"offset": 1, "limit": 2}).json()
    assert ran["total"] == len(cases)
    assert [one["id"] for one in ran["results"]] == [case["id"] for case in cases[1:3]]
    assert real.get("/v1/packs/nothing/cases").status_code == 404


def test_runs_are_listed_with_their_questions(real: TestClient) -> None:
    real.post("/v1/ask", json={"question": "What is the rent for a rowing boat?"})
    (run, *_) = real.get("/v1/runs").json()["runs"]
    assert run["question"] == "What is the rent for a rowing boat?"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("- An adult card, from 18 years, costs R120 a year.", ["What does an adult card cost?"]),
        ("## How do I renew a loan?\n\nOnline.", ["How do I renew a loan?"]),
        ("The grace period for books is 2 days.", ["What is the grace period for books?"]),
        ("The start is 3 May. It is late.", []),
        ("# Opening hours\n\nWe open early.", ["What do the documents say about opening hours?"]),
    ],
)
def test_questions_are_read_off_sentences_that_answer_them(text: str, asked: list[str]) -> None:
    assert list(questions_of([Passage(id="S1", text=text)])) == asked
