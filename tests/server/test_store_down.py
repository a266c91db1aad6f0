"""A store that is down: 503 with a reason, never an answer, and not ready."""

from __future__ import annotations

import time

from starlette.testclient import TestClient
from tests.server.small_house import SmallHouse

from surefoot.core.errors import StoreUnavailableError


async def down() -> None:
    raise StoreUnavailableError("the store at 'http://db' does not answer; start it")


def ready(client: TestClient) -> int:
    """The status once the service has started."""
    for _ in range(100):
        reply = client.get("/readyz")
        if reply.status_code == 200 or reply.json()["error"]["code"] != "not_ready":
            break
        time.sleep(0.02)
    return reply.status_code


def test_a_question_gets_503_and_no_text_while_the_store_is_down(client: TestClient, house: SmallHouse) -> None:
    house.before_ask = down
    reply = client.post("/v1/ask", json={"question": "When does the library open?"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (503, "store_unavailable")
    assert "finalAnswer" not in reply.text
    house.before_ask = None
    assert client.post("/v1/ask", json={"question": "When does the library open?"}).status_code == 200


def test_readyz_follows_the_store(client: TestClient, house: SmallHouse) -> None:
    assert ready(client) == 200
    house.reach_store = down  # type: ignore[method-assign]
    reply = client.get("/readyz")
    assert (reply.status_code, reply.json()["error"]["code"]) == (503, "store_unavailable")
    assert client.get("/healthz").status_code == 200
    del house.reach_store
    assert ready(client) == 200
