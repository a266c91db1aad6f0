"""The OpenAI-compatible face, through the official client over a real socket."""

from __future__ import annotations

import openai
import pytest
from starlette.testclient import TestClient
from tests.server.small_house import SmallHouse, events_of

from surefoot.core.types import Turn

BODY = {"model": "surefoot", "messages": [{"role": "user", "content": "How much does the bursary pay?"}]}


def test_a_completion_carries_the_answer_and_the_verdict(client: TestClient) -> None:
    completion = client.post("/v1/chat/completions", json=BODY).json()
    assert "R35 000" in completion["choices"][0]["message"]["content"]
    assert completion["surefoot"]["decision"] == "approved"
    assert completion["surefoot"]["metadata"]["certificate"]["seal"]


def test_a_streamed_completion_says_the_same(client: TestClient) -> None:
    plain = client.post("/v1/chat/completions", json=BODY).json()
    response = client.post("/v1/chat/completions", json={**BODY, "stream": True})
    assert response.text.endswith("data: [DONE]\n\n")
    chunks = [data for _, data in events_of(response.text)]
    text = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)
    assert text == plain["choices"][0]["message"]["content"]
    assert chunks[-1]["surefoot"]["decision"] == "approved"


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"model": "gpt-4"}, 404),
        ({"model": "surefoot:nope"}, 404),
        ({"messages": [{"role": "system", "content": "x"}]}, 400),
        ({"messages": [{"role": "user", "content": " "}]}, 400),
        ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]}, 400),
        ({"messages": []}, 400),
    ],
)
def test_what_cannot_be_answered_is_refused(client: TestClient, change: dict[str, object], status: int) -> None:
    response = client.post("/v1/chat/completions", json={**BODY, **change})
    assert response.status_code == status
    assert response.json()["error"]["remedy"]


def test_models_lists_one_per_pack(client: TestClient) -> None:
    names = [model["id"] for model in client.get("/v1/models").json()["data"]]
    assert "surefoot" in names
    assert "surefoot:default" in names


def test_text_parts_are_joined(client: TestClient) -> None:
    content = [{"type": "text", "text": "How much does"}, {"type": "text", "text": "the bursary pay?"}]
    body = {**BODY, "messages": [{"role": "user", "content": content}]}
    assert "R35 000" in client.post("/v1/chat/completions", json=body).json()["choices"][0]["message"]["content"]


def test_the_official_client_asks_lists_and_streams(live_url: str) -> None:
    client = openai.OpenAI(base_url=f"{live_url}/v1", api_key="anything")
    assert "surefoot" in [model.id for model in client.models.list()]
    messages = [{"role": "user", "content": "How much does the bursary pay?"}]
    plain = client.chat.completions.create(model="surefoot", messages=messages)
    assert plain.model_extra is not None
    assert plain.model_extra["surefoot"]["decision"] == "approved"
    stream = client.chat.completions.create(model="surefoot", messages=messages, stream=True)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
    assert text == plain.choices[0].message.content


def test_the_official_client_sees_our_errors(live_url: str) -> None:
    client = openai.OpenAI(base_url=f"{live_url}/v1", api_key="anything", max_retries=0)
    with pytest.raises(openai.NotFoundError, match="there is no such model here"):
        client.chat.completions.create(model="gpt-4", messages=[{"role": "user", "content": "x"}])


def test_earlier_messages_are_the_history_of_the_question(client: TestClient, house: SmallHouse) -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What is the bursary?"},
        {"role": "assistant", "content": "It is money."},
        *BODY["messages"],
    ]
    client.post("/v1/chat/completions", json={**BODY, "messages": messages})
    assert house.heard == (Turn(question="What is the bursary?", answer="It is money."),)


def test_an_earlier_message_in_parts_is_history_too_and_one_without_text_is_nobodys(
    client: TestClient, house: SmallHouse
) -> None:
    messages = [
        {"role": "user", "content": "What is the bursary?"},
        {"role": "assistant", "content": [{"type": "text", "text": "It is money."}]},
        {"role": "user", "content": [{"type": "text", "text": "When does the library open?"}]},
        {"role": "assistant", "content": "At 08:00."},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "assistant", "content": "A picture of a cat."},
        *BODY["messages"],
    ]
    client.post("/v1/chat/completions", json={**BODY, "messages": messages})
    assert house.heard == (
        Turn(question="What is the bursary?", answer="It is money."),
        Turn(question="When does the library open?", answer="At 08:00."),
    )
