"""The pace of calls, against simulated providers in virtual time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from surefoot.core.errors import RateLimitedError
from surefoot.core.types import ModelReply
from surefoot.dataset.limiter import Epoch, Limiter, Pace, step
from surefoot.testing import run_in_virtual_time

REPLY = ModelReply(text="x", model="m")


@dataclass
class Provider:
    """Sixteen slots at fifty milliseconds; three more on the way there and back."""

    slots: int = 16
    latency_s: float = 0.05
    overhead_s: float = 0.003
    refuses_over_slots: bool = False
    refuses_at_random: float = 0.0
    seed: int = 5

    def __post_init__(self) -> None:
        self.free = asyncio.Semaphore(self.slots)
        self.busy_s, self.answered, self.refused = 0.0, 0, 0
        self.chance = random.Random(self.seed)

    async def call(self) -> ModelReply:
        await asyncio.sleep(self.overhead_s)
        full = self.refuses_over_slots and self.free.locked()
        if full or self.chance.random() < self.refuses_at_random:
            self.refused += 1
            raise RateLimitedError("429")
        async with self.free:
            await asyncio.sleep(self.latency_s)
            self.busy_s += self.latency_s
        self.answered += 1
        return REPLY


def drive(
    make: Callable[[], Provider], *, fixed: int | None = None, warm_up_s: float = 2.0, seconds: float = 3.0
) -> tuple[float, float]:
    """Share of the slots busy after the warm-up, and answers per second."""

    async def story() -> tuple[float, float]:
        loop, provider = asyncio.get_running_loop(), make()
        limiter = Limiter(most=fixed or 64, fixed=fixed is not None, clock=loop.time)

        async def worker() -> None:
            while loop.time() < warm_up_s + seconds:
                await limiter.run(provider.call, patience_s=600)

        workers = [asyncio.create_task(worker()) for _ in range(96)]
        await asyncio.sleep(warm_up_s)
        busy, answered = provider.busy_s, provider.answered
        await asyncio.sleep(seconds)
        found = (provider.busy_s - busy) / (seconds * provider.slots), (provider.answered - answered) / seconds
        await asyncio.gather(*workers)
        return found

    return run_in_virtual_time(story())


def test_the_slots_of_a_provider_that_queues_are_kept_busy() -> None:
    busy, _ = drive(Provider)
    assert busy >= 0.95


def test_a_provider_that_queues_is_not_flooded() -> None:
    async def story() -> float:
        loop, provider = asyncio.get_running_loop(), Provider()
        limiter = Limiter(most=256, clock=loop.time)
        await asyncio.gather(*(limiter.run(provider.call, patience_s=600) for _ in range(3000)))
        return limiter.pace.limit

    assert run_in_virtual_time(story()) < 64


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("share", "latency_s"), [(0.02, 0.05), (0.1, 0.05), (0.1, 0.4), (0.25, 0.4)])
def test_429s_at_random_cost_little_against_the_best_fixed_limit(share: float, latency_s: float, seed: int) -> None:
    def provider() -> Provider:
        return Provider(refuses_at_random=share, latency_s=latency_s, seed=seed)

    warm_up, seconds = 50 * latency_s, 60 * latency_s
    best = max(drive(provider, fixed=limit, warm_up_s=1, seconds=seconds)[1] for limit in (20, 32))
    assert drive(provider, warm_up_s=warm_up, seconds=seconds)[1] >= 0.85 * best


def test_429s_of_a_full_provider_cost_little_against_the_best_fixed_limit() -> None:
    def provider() -> Provider:
        return Provider(refuses_over_slots=True)

    best = max(drive(provider, fixed=limit)[1] for limit in (14, 16, 24))
    assert drive(provider)[1] >= 0.85 * best


def test_a_full_provider_is_not_hammered() -> None:
    async def story() -> tuple[int, int]:
        loop, provider = asyncio.get_running_loop(), Provider(refuses_over_slots=True)
        limiter = Limiter(most=64, clock=loop.time)
        await asyncio.gather(*(limiter.run(provider.call, patience_s=600) for _ in range(4000)))
        return provider.answered, provider.refused

    answered, refused = run_in_virtual_time(story())
    assert answered == 4000
    assert refused < 0.2 * answered


def test_what_the_provider_asks_to_wait_is_waited() -> None:
    async def story() -> float:
        loop = asyncio.get_running_loop()
        told = [RateLimitedError("429", retry_after_s=3.0)]

        async def call() -> ModelReply:
            if told:
                raise told.pop()
            return REPLY

        await Limiter(most=4, clock=loop.time).run(call, patience_s=60)
        return loop.time()

    assert 3.0 <= run_in_virtual_time(story()) < 4.0


def test_patience_ends() -> None:
    async def story() -> None:
        loop = asyncio.get_running_loop()

        async def call() -> ModelReply:
            raise RateLimitedError("429")

        await Limiter(most=4, clock=loop.time).run(call, patience_s=5)

    with pytest.raises(RateLimitedError):
        run_in_virtual_time(story())


def test_a_cut_that_helps_stays_and_one_that_does_not_is_taken_back() -> None:
    pace = Pace(limit=20.0, starting=False, best=10.0, last=5.0)
    cut = step(pace, Epoch(answered=50, busy_s=10.0))
    assert cut.limit == 14.0
    assert step(cut, Epoch(answered=80, busy_s=10.0)).limit == 14.0
    taken_back = step(cut, Epoch(answered=50, busy_s=10.0))
    assert (taken_back.limit, taken_back.best) == (20.0, 5.0)


def test_a_limit_that_is_not_reached_does_not_grow() -> None:
    pace = Pace(limit=8.0)
    assert step(pace, Epoch(answered=20, busy_s=1.0, full=False)).limit == 8.0
    assert step(pace, Epoch(answered=20, busy_s=1.0)).limit == 16.0


def test_one_bad_epoch_alone_is_no_reason_to_cut() -> None:
    pace = Pace(limit=20.0, starting=False, best=10.0, last=10.0)
    assert step(pace, Epoch(answered=60, busy_s=10.0)).limit > 19.0


def test_a_falling_yield_eases_off() -> None:
    pace = Pace(limit=30.0, starting=False, best=10.0, last=8.0)
    assert 29.0 < step(pace, Epoch(answered=80, busy_s=10.0)).limit < 30.0


def test_a_stopped_waiter_does_not_lose_its_turn_for_the_others() -> None:
    async def story() -> ModelReply:
        loop = asyncio.get_running_loop()
        limiter = Limiter(most=1, fixed=True, clock=loop.time)

        async def slow() -> ModelReply:
            await asyncio.sleep(1)
            return REPLY

        tasks = [asyncio.create_task(limiter.run(slow, patience_s=60)) for _ in range(3)]
        await asyncio.sleep(0.5)
        tasks[1].cancel()
        return await asyncio.wait_for(tasks[2], 10)

    assert run_in_virtual_time(story()) == REPLY
