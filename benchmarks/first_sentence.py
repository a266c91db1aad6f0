"""How long a reader waits for the first sentence of a streamed answer, and how long for the last, with a slow critic.

A service of its own over two passages, a local model that writes a fixed draft and, as the critic, takes a second: the
real workflow, gate, models and HTTP. Prints and keeps the medians.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx2
import uvicorn

from surefoot.server.app import create_app
from surefoot.server.process import bound, configured
from surefoot.settings import Settings
from surefoot.testing.server import Body, LocalModelServer, ServerPlan
from surefoot.wiring import Surefoot

TEXT = (
    "The bursary pays R35 000 per year. Applications close on 30 September 2026. "
    "The money is meant for students whose families cannot pay the fees."
)
DRAFT = (
    "The bursary pays R35 000 per year [S1]. Applications close on 30 September 2026 [S1]. "
    "The money supports learners whose parents cannot afford tuition [S1]."
)
"""Two sentences that are quotes and one in other words."""
PACK = """\
name: careful
title: Knowledge base only, the critic reads what is not all but certain
version: '1.0'
citations: {mode: required, style: '[S#]'}
thresholds: {accept: 0.0001, reject: 0.95}
"""
"""Leaves the third sentence in doubt whatever model is shipped: for that one the critic is asked."""
OUT = Path(__file__).parent / "results" / "first_sentence.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=10)
    parser.add_argument("--answer-ms", type=float, default=200.0, help="what the model takes to write")
    parser.add_argument("--critic-ms", type=float, default=1000.0, help="what the critic takes to read")
    options = parser.parse_args()

    def reply(body: Body) -> str:
        critic = "response_format" in body
        time.sleep((options.critic_ms if critic else options.answer_ms) / 1000)
        return json.dumps({"approved": True, "issues": [], "recommendation": "approve"}) if critic else DRAFT

    with tempfile.TemporaryDirectory() as folder, LocalModelServer(ServerPlan(reply=reply)) as model:
        house = _house(Path(folder), model.base_url)
        times = _measured(house, options.questions)
    first, last = (round(statistics.median(column) * 1000, 1) for column in zip(*times, strict=True))
    report = {
        "answer_ms": options.answer_ms,
        "critic_ms": options.critic_ms,
        "questions": len(times),
        "first_sentence_p50_ms": first,
        "decision_p50_ms": last,
        "earlier_by_ms": round(last - first, 1),
    }
    print(json.dumps(report, indent=1))
    OUT.write_text(json.dumps(report, indent=1) + "\n")


def _house(folder: Path, base_url: str) -> Surefoot:
    (folder / "docs").mkdir()
    (folder / "docs" / "bursary.md").write_text(TEXT, encoding="utf-8")
    (folder / "packs" / "careful").mkdir(parents=True)
    (folder / "packs" / "careful" / "pack.yaml").write_text(PACK, encoding="utf-8")
    settings = Settings(
        kb=folder / "kb",
        packs_dir=folder / "packs",
        pack="careful",
        rate_limit_per_minute=0,
        cache=False,
        llm="openai:local",
        llm_critic="openai:local",
        llm_base_url=base_url,
        llm_api_key="none",
    )
    house = Surefoot(settings)
    asyncio.run(house.ingest([folder / "docs"]))
    asyncio.run(house.close())
    return Surefoot(settings)


def _measured(house: Surefoot, questions: int) -> list[tuple[float, float]]:
    listener = bound("127.0.0.1", 0)
    server = uvicorn.Server(configured(create_app(house)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        with httpx2.Client(base_url=url, timeout=30) as client:
            while client.get("/readyz").status_code != 200:
                time.sleep(0.1)
            return [_timed(client) for _ in range(questions + 1)][1:]
    finally:
        server.should_exit = True
        thread.join(timeout=20)


def _timed(client: httpx2.Client) -> tuple[float, float]:
    """Seconds to the first sentence and to the decision."""
    body: dict[str, Any] = {"question": "What does the bursary pay, and for whom?", "stream": True}
    began, first = time.perf_counter(), 0.0
    with client.stream("POST", "/v1/ask", json=body) as response:
        for line in response.iter_lines():
            if line == "event: sentence" and not first:
                first = time.perf_counter() - began
            elif line == "event: decision":
                return first, time.perf_counter() - began
    raise SystemExit("the stream ended without a decision")


if __name__ == "__main__":
    main()
