"""Concurrent callers of one key share one making."""

from __future__ import annotations

import asyncio

import pytest

from surefoot.core.flight import SingleFlight


def test_many_callers_make_it_once() -> None:
    made = 0

    async def make() -> int:
        nonlocal made
        made += 1
        await asyncio.sleep(0.01)
        return made

    async def run() -> list[int]:
        flight: SingleFlight[int] = SingleFlight()
        return await asyncio.gather(*(flight.do("k", make) for _ in range(50)))

    assert asyncio.run(run()) == [1] * 50


def test_an_error_reaches_everyone_and_the_next_caller_tries_again() -> None:
    outcomes: list[object] = [ValueError("x"), 7]

    async def make() -> object:
        await asyncio.sleep(0)
        said = outcomes.pop(0)
        if isinstance(said, Exception):
            raise said
        return said

    async def run() -> None:
        flight: SingleFlight[object] = SingleFlight()
        both = await asyncio.gather(flight.do("k", make), flight.do("k", make), return_exceptions=True)
        assert [type(one) for one in both] == [ValueError, ValueError]
        assert await flight.do("k", make) == 7

    asyncio.run(run())


def test_a_caller_that_goes_away_does_not_stop_the_others() -> None:
    async def run() -> None:
        flight: SingleFlight[int] = SingleFlight()

        async def make() -> int:
            await asyncio.sleep(0.02)
            return 1

        first = asyncio.create_task(flight.do("k", make))
        await asyncio.sleep(0)
        second = asyncio.create_task(flight.do("k", make))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert await second == 1

    asyncio.run(run())


@pytest.mark.parametrize("finishes", [True, False])
def test_a_flight_that_nobody_waits_for_ends_where_it_should(finishes: bool) -> None:
    made: list[str] = []

    async def make() -> int:
        made.append("begun")
        await asyncio.sleep(0.01)
        made.append("done")
        return 1

    async def run() -> None:
        flight: SingleFlight[int] = SingleFlight(finishes=finishes)
        callers = [asyncio.create_task(flight.do("k", make)) for _ in range(2)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        for caller in callers:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)
        assert await flight.do("k", make) == 1  # who comes at once is not given what was broken off

    asyncio.run(run())
    assert made == (["begun", "done"] if finishes else ["begun", "begun", "done"])
