"""Ask, verify and judge over HTTP."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from dataclasses import replace
from types import MappingProxyType

import pytest
from starlette.responses import JSONResponse
from starlette.testclient import TestClient
from tests.server.small_house import SmallHouse, events_of, local_client

from surefoot.core.types import VerificationResult, VerifyInput
from surefoot.core.waiting import after_waiting, waited_s
from surefoot.core.wire import result_to_wire
from surefoot.server import examples
from surefoot.settings import Settings
from surefoot.verify.prove.recheck import problems_of

QUESTION = {"question": "How much does the bursary pay?"}


def test_an_answer_comes_with_its_decision_passages_and_a_certificate_that_holds(client: TestClient) -> None:
    answer = client.post("/v1/ask", json=QUESTION).json()
    assert answer["decision"] in ("approved", "revised")
    assert "R35 000" in answer["finalAnswer"]
    assert answer["passages"][0]["id"] == "S1"
    assert problems_of(answer["metadata"]["certificate"]) == []
    assert answer["metadata"]["runId"]


def test_a_question_nothing_answers_is_refused(client: TestClient) -> None:
    answer = client.post("/v1/ask", json={"question": "zebra?"}).json()
    assert answer["decision"] == "rejected"
    assert answer["finalAnswer"] == "I don't know based on the provided documents."


@pytest.mark.parametrize(
    ("body", "headers"),
    [({**QUESTION, "stream": True}, {}), (QUESTION, {"Accept": "text/event-stream"})],
)
def test_a_stream_is_steps_then_sentences_in_order_then_the_decision(
    client: TestClient, body: dict[str, object], headers: dict[str, str]
) -> None:
    response = client.post("/v1/ask", json=body, headers=headers)
    assert response.headers["content-type"].startswith("text/event-stream")
    events = events_of(response.text)
    names = [name for name, _ in events]
    assert names[0] == "step"
    assert names[-1] == "decision"
    assert names == sorted(names, key=["step", "sentence", "decision"].index)
    said = [data for name, data in events if name == "sentence"]
    assert "".join(data["text"] for data in said) == events[-1][1]["finalAnswer"]
    assert [data["index"] for data in said] == list(range(len(said)))
    assert all(data["verdict"] == "proven" for data in said)


def test_a_stream_that_fails_ends_in_an_error_event_without_words_of_the_fault(
    client: TestClient, house: SmallHouse
) -> None:
    async def fail() -> None:
        raise ValueError("Zola Nkosi")

    house.before_ask = fail
    response = client.post("/v1/ask", json={**QUESTION, "stream": True})
    assert events_of(response.text)[-1][0] == "error"
    assert "Zola" not in response.text


@pytest.mark.parametrize("where", [{"since": "soon"}, {"until": "2026-13-01"}, {"equals": {"category": []}}, {"x": 1}])
def test_a_filter_that_cannot_be_read_is_refused(client: TestClient, where: dict[str, object]) -> None:
    response = client.post("/v1/ask", json={**QUESTION, "where": where})
    assert response.status_code == 400
    assert response.json()["error"]["message"].startswith("where.")


def test_verify_takes_and_returns_the_designs_names(client: TestClient) -> None:
    result = client.post("/v1/verify", json=examples.VERIFY).json()
    assert set(result) == {"success", "decision", "finalAnswer", "metadata"}
    assert result["decision"] in ("approved", "revised")
    names = {"processingTime", "stagesCompleted", "issuesDetected", "revisionsApplied", "sourcesUsed", "llmModel"}
    assert names <= set(result["metadata"])


@pytest.mark.parametrize("draft", [examples.VERIFY, examples.BAD_VERIFY, {"draftAnswer": "Zoë earns R9 [S1]."}])
def test_verify_writes_what_the_wire_says(
    client: TestClient, house: SmallHouse, monkeypatch: pytest.MonkeyPatch, draft: dict[str, object]
) -> None:
    results: list[VerificationResult] = []
    verify = house.verify

    async def kept(request: VerifyInput) -> VerificationResult:
        found = await verify(request)
        metadata = replace(found.metadata, certificate=MappingProxyType({**found.metadata.certificate, "zoë": "≤ 3"}))
        results.append(replace(found, metadata=metadata))
        return results[-1]

    monkeypatch.setattr(house, "verify", kept)
    response = client.post("/v1/verify", json=draft)
    assert response.content == JSONResponse(result_to_wire(results[0])).body
    assert response.headers["Content-Type"] == "application/json"


def test_verify_takes_snake_case_too(client: TestClient) -> None:
    body = {
        "draft_answer": "The library opens at 08:00 [S2].",
        "chunks": [{"id": "S2", "text": "The library opens at 08:00."}],
    }
    assert client.post("/v1/verify", json=body).json()["success"] is True


def test_an_unknown_key_is_named_with_a_remedy(client: TestClient) -> None:
    response = client.post("/v1/verify", json={"draftAnswr": "x"})
    assert response.status_code == 400
    error = response.json()["error"]
    assert "draftAnswr" in error["message"]
    assert error["remedy"].startswith("known keys are")
    assert error["request_id"] == response.headers["x-request-id"]


@pytest.mark.parametrize(
    "extra",
    [
        {"rules": ["/etc/passwd"]},
        {"pack": "/etc"},
        {"pack": "../../packs/x"},
        {"options": {"llmModel": "recorded:/tmp"}},
    ],
)
def test_a_caller_cannot_name_files_or_models_of_the_machine(client: TestClient, extra: dict[str, object]) -> None:
    response = client.post("/v1/verify", json={**examples.VERIFY, **extra})
    assert response.status_code in (400, 404)
    assert "/etc" not in response.text


def test_a_batch_answers_each_item_on_its_own(client: TestClient) -> None:
    unknown = {**examples.VERIFY, "draftAnswer": "The bursary pays R35 000 per year [S9]."}
    items = [examples.VERIFY, {"draftAnswer": 7}, unknown]
    results = client.post("/v1/verify/batch", json={"items": items}).json()["results"]
    assert results[0]["success"] is True
    assert results[1]["error"]["code"] == "bad_input"
    assert results[2]["decision"] != "approved"


def test_every_example_of_the_document_is_answered(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    tried = 0
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            where = path.replace("/packs/{name}", "/packs/default")
            for example in content.get("examples", {}).values() if "{" not in where else ():
                response = client.request(method, where, json=example["value"])
                assert response.status_code in (200, 201, 202), (path, response.text)
                tried += 1
    assert tried >= 7


def test_equal_input_gives_an_equal_result_over_http(client: TestClient) -> None:
    results = [client.post("/v1/verify", json=examples.VERIFY).json() for _ in range(6)]
    for result in results:
        for name in ("processingTime", "stageTimes", "runId"):
            result["metadata"].pop(name)
    # a request that waited has less time left, and its certificate says so
    waited = Counter(result["metadata"]["certificate"]["configuration"]["deadline_ms"] for result in results)
    least, count = waited.most_common(1)[0]
    alike = [result for result in results if result["metadata"]["certificate"]["configuration"]["deadline_ms"] == least]
    assert count >= 2
    assert len({json.dumps(result) for result in alike}) == 1


def test_an_answer_given_before_does_not_wait_behind_those_being_made(settings: Settings) -> None:
    house = SmallHouse(replace(settings, workers=1))
    making, go_on = threading.Event(), threading.Event()

    async def hold() -> None:
        making.set()
        await asyncio.to_thread(go_on.wait, 60)

    replies: list[dict[str, object]] = []
    with local_client(house) as client:
        assert client.post("/v1/ask", json=QUESTION).status_code == 200
        house.kept = replace(asyncio.run(house.ask(QUESTION["question"])), cached=True)
        house.before_ask = hold
        other = {"question": "When does the library open?"}
        slow = threading.Thread(target=lambda: replies.append(client.post("/v1/ask", json=other).json()))
        slow.start()
        assert making.wait(60)
        held = client.post("/v1/ask", json=QUESTION).json()
        assert not replies, "the other answer was done before: there was no line"
        go_on.set()
        slow.join()
    assert held["cached"] is True
    assert "08:00" in str(replies[0]["finalAnswer"])


def test_the_line_is_part_of_the_deadline_and_of_the_time_told(settings: Settings) -> None:
    """Eight callers, one worker, half a second each: who waits is told more; the last run out of time in the line."""
    house = SlowGate(replace(settings, workers=1, deadline_ms=1_500, grounder_size="none"))
    told: list[tuple[float, str]] = []
    with local_client(house) as client:
        client.post("/v1/verify", json=examples.VERIFY)  # what is loaded once is no part of a deadline

        def call() -> None:
            body = client.post("/v1/verify", json=examples.VERIFY).json()
            told.append((body["metadata"]["processingTime"], body["decision"]))

        threads = [threading.Thread(target=call) for _ in range(8)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    assert len(told) == 8
    least, most = min(told)[0], max(told)[0]
    assert least >= 500
    assert most > 1.2 * least, told
    assert any(decision == "fallback" for _, decision in told)


class SlowGate(SmallHouse):
    async def verify(self, request: VerifyInput) -> VerificationResult:
        await asyncio.sleep(0.5)
        with after_waiting(waited_s() + 0.5):
            return await super().verify(request)
