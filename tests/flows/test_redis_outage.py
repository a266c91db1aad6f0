"""A real Redis server dies and returns in the middle of 200 concurrent asks: every ask is answered, none wrongly."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from house import PACK, Shelf, flow

from surefoot.core.types import AskResult, Passage, Retrieval, SearchFilter
from surefoot.flows.answers import AnswerCache
from surefoot.flows.ask import AskFlow
from surefoot.flows.state import AskRequest, Limits
from surefoot.store.cache.checked import CheckedCache
from surefoot.store.cache.redis import RedisCache

sys.path.insert(0, str(Path(__file__).parent.parent / "store"))
from redis_server import RedisServer

ASKS, TOPICS = 200, 40
BUDGET_MS = 20_000
WARES = {f"ware{n}": Passage(id=f"ware{n}", text=f"The ware{n} costs R{n + 100}.", metadata={}) for n in range(TOPICS)}


@dataclass
class Shop:
    """Finds the one passage about a ware, after a little while."""

    async def retrieve(self, question: str, *, k: int = 8, where: SearchFilter | None = None) -> Retrieval:
        await asyncio.sleep(0.02)
        name = question.removeprefix("What does the ").removesuffix(" cost?")
        return await Shelf([WARES[name]]).retrieve(question)

    async def get(self, ids: Sequence[str]) -> list[Passage]:
        return [WARES[identity] for identity in ids if identity in WARES]


@dataclass
class Outcome:
    answers: list[tuple[int, AskResult, float]] = field(default_factory=list)

    @property
    def slowest_s(self) -> float:
        return max(seconds for _, _, seconds in self.answers)

    @property
    def hits(self) -> int:
        return sum(asked.cached for _, asked, _ in self.answers)


async def outage(server: RedisServer) -> Outcome:
    shop = Shop()
    cache = AnswerCache(
        cache=CheckedCache(RedisCache(server.url, call_s=1.0, retry_s=0.1), secret=b"s"),
        knowledge_base="shop",
        gate="g",
        secret=b"s",
        passages=shop.get,
    )
    from surefoot.wiring import SystemClock

    house: AskFlow = flow(retriever=shop, answers=cache, clock=SystemClock(), limits=Limits(milliseconds=BUDGET_MS))
    outcome = Outcome()

    async def ask(number: int) -> None:
        await asyncio.sleep(number * 0.02)
        topic = number % TOPICS
        began = time.monotonic()
        asked = await house.ask(AskRequest(question=f"What does the ware{topic} cost?", pack=PACK))
        outcome.answers.append((topic, asked, time.monotonic() - began))

    async def trouble() -> None:
        while len(outcome.answers) < ASKS // 3:
            await asyncio.sleep(0.01)
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(0.5)
        await asyncio.to_thread(server.start)

    await ask(0)
    await ask(1)
    await asyncio.gather(trouble(), *(ask(number) for number in range(2, ASKS)))
    return outcome


def run(tmp_path: Path) -> Outcome:
    server = RedisServer(tmp_path)
    server.start()
    try:
        return asyncio.run(outage(server))
    finally:
        server.kill()


def test_every_ask_is_answered_and_none_wrongly(tmp_path: Path) -> None:
    outcome = run(tmp_path)
    assert len(outcome.answers) == ASKS
    for topic, asked, _ in outcome.answers:
        assert asked.result.final_answer == f"The ware{topic} costs R{topic + 100} [S1]."
    assert outcome.hits > 0


@pytest.mark.faults
def test_no_ask_is_slower_than_its_budget(tmp_path: Path) -> None:
    outcome = run(tmp_path)
    print(f"\n{ASKS} asks, {outcome.hits} from the cache, slowest {outcome.slowest_s:.2f} s of {BUDGET_MS / 1000} s")
    assert outcome.slowest_s < BUDGET_MS / 1000
