"""The promise of the career guidance design: its own JSON in, the right verdict out, five issues with their places."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from surefoot.server.app import create_app
from surefoot.settings import Settings
from surefoot.wiring import build

DRAFT = (
    "You can study at the University of Atlantis. Graduates earn $50,000 a year. "
    "Apply at https://www.atlantis-apply.example.com today."
)
SAFE = "UCT has six faculties. Please check with the university."
REQUEST = {
    "draftAnswer": DRAFT,
    "ragChunks": [
        {
            "id": "chunk-1",
            "chunk_text": "The University of Cape Town, known as UCT, has six faculties. The website is uct.ac.za.",
            "chunk_metadata": {"source": "uct.md", "category": "institution", "institution": "University of Cape Town"},
            "similarity": 0.82,
        },
        {
            "id": "chunk-2",
            "chunk_text": "NSFAS pays tuition fees at public universities. Applications are free.",
            "chunk_metadata": {"source": "nsfas.md", "category": "funding"},
            "similarity": 0.78,
        },
    ],
    "studentProfile": {"grade": 12, "subjects": ["Mathematics"], "financialNeed": True, "province": "Limpopo"},
    "ragDraft": SAFE,
    "pack": "thandi",
    "options": {"deadlineMs": 60_000},  # a cold service on a busy machine is another test's matter
}


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    house = build(Settings(kb=tmp_path_factory.mktemp("kb")))
    with TestClient(create_app(house), client=("127.0.0.1", 50_000), base_url="http://127.0.0.1") as client:
        response = client.post("/v1/verify", json=REQUEST)
    assert response.status_code == 200, response.text
    return dict(response.json())


def test_the_five_faults_of_the_draft_are_five_issues_with_type_and_place(answer: dict[str, object]) -> None:
    metadata = answer["metadata"]
    assert isinstance(metadata, dict)
    found = {
        issue["code"]: (issue["type"], issue["severity"], DRAFT[issue["span"][0] : issue["span"][1]])
        for issue in metadata["issuesDetected"]
        if issue["severity"] != "low"
    }
    assert found == {
        "unknown_entity": ("hallucination", "high", "University of Atlantis"),
        "currency_format": ("inaccuracy", "medium", "$50,000"),
        "policy:nsfas-prioritization": ("policy", "high", ""),
        "warning_missing": ("structure", "medium", ""),
        "url_not_in_sources": ("hallucination", "high", "https://www.atlantis-apply.example.com"),
    }
    spans = {issue["code"]: issue["span"] for issue in metadata["issuesDetected"]}
    assert spans["warning_missing"] == [len(DRAFT), len(DRAFT)]


def test_such_a_draft_is_not_repaired_and_the_safe_text_comes_out(answer: dict[str, object]) -> None:
    assert answer["success"] is True
    assert answer["decision"] == "fallback"
    assert answer["finalAnswer"] == SAFE
