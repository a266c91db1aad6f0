"""The judge over HTTP."""

from __future__ import annotations

from starlette.testclient import TestClient


def test_judge_gives_summary_rationale_domain_and_references(client: TestClient) -> None:
    judged = client.post("/v1/judge", json={"context": "a dispute", "query": "who is right?"}).json()
    assert {"summary", "rationale", "domain", "references"} <= set(judged)
