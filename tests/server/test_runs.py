"""Past decisions over HTTP."""

from __future__ import annotations

import sqlite3

import pytest
from starlette.testclient import TestClient
from tests.server.small_house import SmallHouse

from surefoot.server import examples
from surefoot.verify.prove.recheck import problems_of


@pytest.fixture
def run_id(client: TestClient) -> str:
    return client.post("/v1/verify", json=examples.VERIFY).json()["metadata"]["runId"]


def test_a_run_is_listed_read_and_certified(client: TestClient, run_id: str) -> None:
    assert client.get("/v1/runs").json()["runs"][0]["runId"] == run_id
    whole = client.get(f"/v1/runs/{run_id}").json()
    assert whole["record"]["request"]["draft_answer"] == examples.VERIFY["draftAnswer"]
    assert problems_of(client.get(f"/v1/runs/{run_id}/certificate").json()) == []


def test_runs_come_in_pages_and_by_decision(client: TestClient, run_id: str) -> None:
    client.post("/v1/ask", json={"question": "zebra"})
    first = client.get("/v1/runs", params={"limit": 1}).json()
    second = client.get("/v1/runs", params={"limit": 1, "before": first["next"]}).json()
    assert second["runs"][0]["runId"] == run_id
    assert [r["decision"] for r in client.get("/v1/runs", params={"decision": "rejected"}).json()["runs"]] == [
        "rejected"
    ]


def test_feedback_stands_beside_the_run(client: TestClient, run_id: str) -> None:
    assert client.post(f"/v1/runs/{run_id}/feedback", json={"verdict": "wrong", "note": "no"}).status_code == 201
    assert client.get(f"/v1/runs/{run_id}").json()["feedback"][0]["verdict"] == "wrong"
    assert client.post("/v1/runs/nope/feedback", json={"verdict": "wrong"}).status_code == 404


def test_a_run_can_be_forgotten(client: TestClient, run_id: str) -> None:
    assert client.delete(f"/v1/runs/{run_id}").status_code == 204
    assert client.get(f"/v1/runs/{run_id}").status_code == 404
    listed = client.get("/v1/runs").json()["runs"]
    assert [item["kind"] for item in listed] == ["forgotten", "verify"]  # that it was erased is on record
    assert listed[1]["runId"] == run_id


def test_a_run_can_be_replayed(client: TestClient, run_id: str) -> None:
    again = client.post(f"/v1/runs/{run_id}/replay", json={"pack": "default"}).json()
    assert again["runId"] == run_id
    assert again["flipped"] is False
    assert again["result"]["decision"] == again["before"]


def test_packs_show_their_rules(client: TestClient) -> None:
    names = [pack["name"] for pack in client.get("/v1/packs").json()["packs"]]
    assert "default" in names
    assert "thresholds" in client.get("/v1/packs/default").json()


def test_readiness_liveness_and_metrics(client: TestClient, run_id: str) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    page = client.get("/metrics").text
    assert "surefoot_decisions_total" in page
    assert 'surefoot_http_requests_total{method="POST",route="/v1/verify",status="200"} 1.0' in page
    client.app.state.service.draining = True
    assert client.get("/readyz").status_code == 503


def test_the_audit_says_what_is_wrong_and_where(client: TestClient, house: SmallHouse) -> None:
    for _ in range(2):
        client.post("/v1/verify", json=examples.VERIFY)
    assert client.get("/v1/audit").json() == {"rows": 2, "intact": True, "findings": []}
    with sqlite3.connect(house.settings.kb / "runs.sqlite") as db:
        db.execute("UPDATE runs SET body = 'no json' WHERE seq = 2")
    report = client.get("/v1/audit").json()
    assert not report["intact"]
    assert report["findings"][0]["seq"] == 2
    assert client.get("/v1/runs").status_code == 200
    assert client.get(f"/v1/runs/{report['findings'][0]['runId']}").status_code in (200, 404)
