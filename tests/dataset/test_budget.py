"""A token budget is never exceeded, is used up before it ends, and ends with whole pairs."""

from __future__ import annotations

import asyncio

import pytest

from surefoot.core.types import ModelReply, ModelRequest
from surefoot.dataset.budget import Budget, Budgeted, BudgetEnded, worst_case_tokens

ANSWER = ModelRequest(system="s" * 300, prompt="p" * 300, max_tokens=800, role="answer")
CRITIC = ModelRequest(system="s" * 300, prompt="p" * 300, max_tokens=800, role="critic")
MOST, USED = worst_case_tokens(ANSWER), 300


class Model:
    """Costs 300 tokens a call; every call waits until it is let go."""

    identity = "test:m"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.go = asyncio.Semaphore(0)

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.asked.append(request.role)
        await self.go.acquire()
        return ModelReply(text="x", model="m", prompt_tokens=200, completion_tokens=100)


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_a_call_waits_for_the_room_that_calls_under_way_may_not_need() -> None:
    async def story() -> tuple[int, int, str | None]:
        budget, model = Budget(tokens=MOST + 3 * USED), Model()
        calls = [asyncio.create_task(Budgeted(model, budget).complete(ANSWER)) for _ in range(4)]
        await settled()
        at_first = len(model.asked)
        for _ in range(4):
            model.go.release()
            await settled()
        await asyncio.gather(*calls)
        return at_first, budget.spent, budget.ended

    at_first, spent, ended = asyncio.run(story())
    assert at_first < 4
    assert (spent, ended) == (4 * USED, None)


def test_it_ends_when_nothing_is_under_way_and_there_is_no_room() -> None:
    async def story() -> tuple[list[bool], int]:
        budget, model = Budget(tokens=MOST + USED), Model()
        calls = [asyncio.create_task(Budgeted(model, budget).complete(ANSWER)) for _ in range(5)]
        for _ in range(5):
            await settled()
            model.go.release()
        done = await asyncio.gather(*calls, return_exceptions=True)
        assert budget.ended == "tokens"
        return [isinstance(one, BudgetEnded) for one in done], budget.spent

    refused, spent = asyncio.run(story())
    assert refused == [False, False, True, True, True]
    assert spent <= MOST + USED


def test_who_goes_on_with_a_pair_comes_before_who_begins_one() -> None:
    async def story() -> list[str]:
        budget, model = Budget(tokens=MOST + 2 * USED), Model()
        calls = [asyncio.create_task(Budgeted(model, budget).complete(one)) for one in (ANSWER, ANSWER, CRITIC)]
        for _ in range(3):
            await settled()
            model.go.release()
        await asyncio.gather(*calls)
        return model.asked

    assert asyncio.run(story()) == ["answer", "critic", "answer"]


def test_a_stop_wakes_who_waits() -> None:
    async def story() -> object:
        budget, model = Budget(tokens=MOST), Model()
        calls = [asyncio.create_task(Budgeted(model, budget).complete(ANSWER)) for _ in range(2)]
        await settled()
        budget.stop("interrupted")
        with pytest.raises(BudgetEnded, match="interrupted"):
            await calls[1]
        model.go.release()
        return (await calls[0]).text

    assert asyncio.run(story()) == "x"


def test_a_waiter_that_is_cancelled_takes_no_room_along() -> None:
    async def story() -> int:
        budget, model = Budget(tokens=MOST + USED), Model()
        calls = [asyncio.create_task(Budgeted(model, budget).complete(ANSWER)) for _ in range(2)]
        await settled()
        calls[1].cancel()
        model.go.release()
        await calls[0]
        model.go.release()
        await Budgeted(model, budget).complete(ANSWER)
        return budget.spent

    assert asyncio.run(story()) == 2 * USED


def test_pairs_are_begun_only_while_the_rest_could_pay_for_them() -> None:
    async def story() -> tuple[int, int]:
        budget = Budget(tokens=20_000)
        under_way = most = 0

        async def one() -> None:
            nonlocal under_way, most
            async with budget.pair():
                under_way += 1
                most = max(most, under_way)
                await settled()
                under_way -= 1

        await asyncio.gather(*(one() for _ in range(10)))
        free = Budget()
        async with free.pair(), free.pair(), free.pair():
            pass
        return most, budget.spent

    assert asyncio.run(story()) == (3, 0)
