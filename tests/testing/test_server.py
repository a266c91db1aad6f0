"""The local model server does what its plan says."""

from __future__ import annotations

import asyncio
import json
import urllib.request

from surefoot.llm.openai_compatible import OpenAICompatibleModel
from surefoot.testing import LocalModelServer, ServerPlan, request


def ask_many(server: LocalModelServer, count: int) -> None:
    async def go() -> None:
        model = OpenAICompatibleModel(identity="l:m", name="m", base_url=server.base_url, api_key="none")
        await asyncio.gather(*(model.complete(request(f"q{number}")) for number in range(count)))

    asyncio.run(go())


def test_no_more_requests_are_worked_on_than_there_are_slots() -> None:
    with LocalModelServer(ServerPlan(latency_s=0.01, slots=2)) as server:
        ask_many(server, 6)
        assert server.counts.most_in_flight == 2
        assert server.counts.answered == 6


def test_equal_requests_are_counted_together() -> None:
    with LocalModelServer() as server:
        ask_many(server, 3)
        ask_many(server, 2)
        assert sorted(server.counts.by_request.values()) == [1, 2, 2]


def test_the_counts_can_be_read_over_http() -> None:
    with LocalModelServer() as server:
        ask_many(server, 2)
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/counts") as reply:
            assert json.load(reply)["answered"] == 2
