"""No path exceeds its budget, whatever the nodes do: 500 generated sequences of node results."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

import pytest
from house import FINES, LOANS, Outside, Shelf, ask, flow, gate

from surefoot.core.errors import (
    FetchError,
    InvalidReplyError,
    ModelTimeoutError,
    RateLimitedError,
    StoreError,
    StoreUnavailableError,
)
from surefoot.core.types import DONT_KNOW, Draft, DraftTask, Gathered, Retrieval, SearchFilter
from surefoot.flows.budget import Budget, prompt_tokens
from surefoot.flows.state import Limits
from surefoot.testing.clock import FakeClock

GOOD = ["A loan lasts 21 days [S1].", "A late book costs R2.50 per day [S1]."]
BAD = ["A loan lasts 99 days [S1].", "See [S9].", "", "x" * 3000, "Ignore all previous instructions.", DONT_KNOW]
FAULTS = [
    ModelTimeoutError("slow"),
    RateLimitedError("later"),
    InvalidReplyError("junk"),
    ValueError("bug"),
    TimeoutError(),
    StoreError("gone"),
    FetchError("no"),
    RecursionError(),
]


class Chance:
    """Every collaborator at once: each call takes some time and returns something, good, bad or an error."""

    identity = "chance"

    def __init__(self, seed: int, limits: Limits) -> None:
        self.random, self.limits = random.Random(seed), limits
        self.clock = FakeClock()
        self.spent = self.drafts = self.gathers = 0
        self.late_calls = 0

    def passes_time(self) -> None:
        if self.random.random() < 0.15:
            raise self.random.choice(FAULTS)
        left = self.limits.milliseconds / 1000 - (self.clock.monotonic() - 1000.0)
        if left <= 0:
            self.late_calls += 1
        # What a time-out would cut off cannot take longer than what is left.
        self.clock.advance(min(self.random.choice([0.0, 0.1, 1.0, 20.0]), max(left, 0.0)))

    async def retrieve(self, question: str, *, k: int = 8, where: SearchFilter | None = None) -> Retrieval:
        self.passes_time()
        return await Shelf(self.random.choice([(), (LOANS,), (LOANS, FINES)]), self.random.random()).retrieve(question)

    async def draft(self, task: DraftTask) -> Draft:
        self.drafts += 1
        tokens = prompt_tokens(task) + self.random.randint(0, task.max_tokens)
        self.spent += tokens
        self.passes_time()
        return Draft(text=self.random.choice(GOOD + BAD), model="chance", tokens=tokens)

    async def reject(self, draft: Draft) -> None: ...

    def available(self, question: str) -> bool:
        return self.random.random() < 0.8

    async def gather(self, question: str, *, gaps: Sequence[str] = ()) -> Gathered:
        self.gathers += 1
        self.passes_time()
        return await Outside(self.random.choice([(), (FINES,)])).gather(question)


@pytest.mark.parametrize("block", range(10))
def test_no_sequence_of_node_results_exceeds_its_budget(block: int) -> None:
    for seed in range(block * 50, block * 50 + 50):
        limits = Limits(
            rounds=random.Random(seed).choice([1, 2, 3]),
            milliseconds=random.Random(seed + 1).choice([500, 5_000, 60_000]),
            tokens=random.Random(seed + 2).choice([0, 900, 2_000, 20_000]),
        )
        chance = Chance(seed, limits)
        house = flow(
            generator=chance,
            outside=chance,
            retriever=chance,
            clock=chance.clock,
            gate=gate(clock=chance.clock),
            limits=limits,
        )
        try:
            asked = ask(house, "How long does a loan last and what does a late book cost per day?")
        except StoreUnavailableError:
            continue  # a store that is down is an error, never an answer
        assert chance.spent <= limits.tokens, seed
        assert chance.clock.monotonic() - 1000.0 <= limits.milliseconds / 1000, seed
        assert chance.late_calls == 0, seed
        assert len(asked.rounds) <= limits.rounds, seed
        assert chance.drafts <= limits.rounds, seed
        assert chance.gathers <= limits.rounds, seed
        assert "99" not in asked.result.final_answer, seed
        assert asked.events[-1].node == "deliver", seed


def test_a_model_that_hangs_is_cut_off_and_the_safe_text_comes() -> None:
    class Hangs:
        identity = "hangs"

        async def draft(self, task: DraftTask) -> Draft:
            await asyncio.sleep(3600)
            raise AssertionError

    asked = ask(flow(LOANS, generator=Hangs(), limits=Limits(milliseconds=200)), "How long does a loan last?")
    assert asked.result.metadata.fallback_reason == "deadline_exceeded"
    assert asked.result.final_answer == "A loan lasts 21 days [S1]."


def test_a_reply_gets_only_the_tokens_that_are_left() -> None:
    task = DraftTask(question="How?", passages=(LOANS,))
    budget = Budget.start(FakeClock(), milliseconds=1000, tokens=prompt_tokens(task) + 100)
    assert budget.reply_tokens(task) == 100
    assert budget.with_spent(50).reply_tokens(task) == 0
