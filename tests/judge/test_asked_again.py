"""A verdict that was refused is asked for again: over HTTP, with the house's own cache and a model on loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from surefoot.observe.metrics import PrometheusMeter
from surefoot.server.app import create_app
from surefoot.testing.server import LocalModelServer, ServerPlan
from surefoot.wiring import build

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "tenancy_repair.json").read_text(encoding="utf-8"))
ASKED = {"context": GOLDEN["context"], "query": GOLDEN["query"]}
UNKNOWN = {**GOLDEN["recorded"], "summary": "The landlord must repair the heating [9]."}


@pytest.fixture
def model() -> Iterator[LocalModelServer]:
    """Cites a reference that is not there, twice, and then no more."""
    said = iter([UNKNOWN, UNKNOWN])

    def reply(_: Mapping[str, Any]) -> str:
        return json.dumps(next(said, GOLDEN["recorded"]))

    with LocalModelServer(ServerPlan(reply=reply)) as server:
        yield server


@pytest.fixture
def client(tmp_path: Path, model: LocalModelServer) -> Iterator[TestClient]:
    spec = f"openai-compatible:local@{model.base_url}"
    house = build(kb=tmp_path, llm_judge=spec, fetch_curated=False, deadline_ms=60_000, meter=PrometheusMeter())
    with TestClient(create_app(house), client=("127.0.0.1", 50_000), base_url="http://127.0.0.1") as client:
        yield client


def test_a_refused_verdict_is_502_once_and_an_accepted_one_is_remembered(
    client: TestClient, model: LocalModelServer
) -> None:
    refused = client.post("/v1/judge", json=ASKED)
    assert (refused.status_code, model.counts.answered) == (502, 2)
    assert "[9] is no reference" in refused.text
    accepted = client.post("/v1/judge", json=ASKED)
    assert (accepted.status_code, accepted.json()["summary"]) == (200, GOLDEN["recorded"]["summary"])
    again = client.post("/v1/judge", json=ASKED)
    assert (again.json()["rationale"], model.counts.answered) == (accepted.json()["rationale"], 3)


def test_what_was_refused_and_what_was_remembered_is_counted(client: TestClient) -> None:
    for _ in range(3):
        client.post("/v1/judge", json=ASKED)
    page = client.get("/metrics").text
    assert re.search(r'surefoot_rejected_replies_total\{reason="invalid_citation",role="judge"\} 2\.0', page)
    assert re.search(r'surefoot_cache_requests_total\{outcome="hit",tier="llm"\} 1\.0', page)
