"""Two replicas of the service over one Postgres that dies and comes back. No weights: words are hashed to vectors."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from postgres_server import PostgresServer
from starlette.testclient import TestClient

from surefoot.server.app import create_app
from surefoot.settings import Settings
from surefoot.testing.embedding import HashingEmbedder
from surefoot.wiring import Surefoot

QUESTION = {"question": "What does the zebra ticket cost?"}


class LightHouse(Surefoot):
    """The real house, without models to load."""

    embedder = HashingEmbedder()  # type: ignore[assignment]


def replica(kb: Path, url: str) -> TestClient:
    settings = Settings(kb=kb, store_url=url, rate_limit_per_minute=0, rerank=False, grounder_size="none")
    app = create_app(LightHouse(settings))
    return TestClient(app, base_url="http://127.0.0.1", client=("127.0.0.1", 50000), raise_server_exceptions=False)


def eventually(check: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not check():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.1)


def code(client: TestClient) -> str:
    reply = client.post("/v1/ask", json=QUESTION)
    return reply.json()["error"]["code"] if reply.status_code == 503 else str(reply.status_code)


def found(client: TestClient) -> list[str]:
    """The passages that came with the answer; without weights nothing is chosen from them."""
    return [one["text"] for one in client.post("/v1/ask", json=QUESTION).json()["passages"]]


def test_what_one_replica_takes_in_the_other_tells_and_a_database_that_dies_is_waited_for(tmp_path: Path) -> None:
    server = PostgresServer()
    server.start()
    try:
        with ExitStack() as open_clients:
            here, there = (open_clients.enter_context(replica(tmp_path / name, server.url)) for name in "ab")
            for client in (here, there):
                eventually(lambda client=client: client.get("/readyz").status_code == 200)  # type: ignore[misc]
            here.post("/v1/documents/text", json={"source": "zebra.md", "text": "The zebra ticket costs R10."})
            listed = lambda: [one["status"] for one in there.get("/v1/documents").json()["documents"]]  # noqa: E731
            eventually(lambda: listed() == ["indexed"])
            assert [found(client) for client in (here, there)] == [["The zebra ticket costs R10."]] * 2

            server.kill()
            assert [code(client) for client in (here, there)] == ["store_unavailable"] * 2
            assert here.get("/readyz").status_code == 503
            assert here.get("/healthz").status_code == 200
            server.start()
            for client in (here, there):
                eventually(lambda client=client: code(client) == "200")  # type: ignore[misc]
                eventually(lambda client=client: client.get("/readyz").status_code == 200)  # type: ignore[misc]
            assert found(here) == ["The zebra ticket costs R10."]
        assert not list(tmp_path.rglob("*.md"))
    finally:
        server.remove()
