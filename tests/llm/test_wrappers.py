"""One behaviour per wrapper."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from surefoot.core.errors import ModelTimeoutError, ModelUnavailableError, RateLimitedError
from surefoot.core.types import VerificationResult
from surefoot.llm.wrappers import Cached, Metered, Redacting, Retrying
from surefoot.testing import FakeClock, ScriptedModel, request


class DictCache:
    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    async def get(self, key: str) -> bytes | None:
        return self.kept.get(key)

    async def set(self, key: str, value: bytes, *, ttl_s: int, tags: Sequence[str] = ()) -> None:
        self.kept[key] = value

    async def drop(self, keys: Sequence[str]) -> None:
        for key in keys:
            self.kept.pop(key, None)

    async def drop_tagged(self, tags: Sequence[str]) -> list[str]:
        return []

    async def close(self) -> None: ...


class ListMeter:
    def __init__(self) -> None:
        self.counted: list[tuple[str, str]] = []
        self.observed: list[float] = []

    def decided(self, result: VerificationResult) -> None: ...

    def count(self, name: str, **labels: str) -> None:
        self.counted.append((name, labels.get("code", labels["role"])))

    def observe(self, name: str, milliseconds: float, **labels: str) -> None:
        self.observed.append(milliseconds)


def retrying(model: ScriptedModel) -> Retrying:
    return Retrying(model=model, wait_initial_s=0.0, wait_max_s=0.0)


@pytest.mark.parametrize("error", [ModelUnavailableError("gone"), ModelTimeoutError("slow")])
def test_a_passing_failure_is_tried_again(error: Exception) -> None:
    model = ScriptedModel([error, error, "here"])
    assert asyncio.run(retrying(model).complete(request("x"))).text == "here"


def test_a_lasting_failure_is_raised_as_it_is() -> None:
    model = ScriptedModel([ModelUnavailableError("gone")] * 3)
    with pytest.raises(ModelUnavailableError, match="gone"):
        asyncio.run(retrying(model).complete(request("x")))


def test_what_another_try_cannot_change_is_not_tried_again() -> None:
    model = ScriptedModel([ModelUnavailableError("check the API key", passing=False), "here"])
    with pytest.raises(ModelUnavailableError, match="key"):
        asyncio.run(retrying(model).complete(request("x")))
    assert len(model.requests) == 1


def test_a_429_is_never_hidden_by_a_retry() -> None:
    model = ScriptedModel([RateLimitedError("slow down", retry_after_s=2)])
    with pytest.raises(RateLimitedError):
        asyncio.run(retrying(model).complete(request("x")))
    assert len(model.requests) == 1


def test_a_retry_may_only_use_the_time_that_is_left() -> None:
    model = ScriptedModel([ModelUnavailableError("gone"), "here"])
    asyncio.run(retrying(model).complete(replace(request("x"), timeout_ms=1000)))
    assert 0 < model.requests[1].timeout_ms <= model.requests[0].timeout_ms <= 1000


def test_an_equal_request_is_paid_for_once() -> None:
    model = ScriptedModel(["one", "two"])
    cached = Cached(model=model, cache=DictCache())
    assert asyncio.run(cached.complete(request("x"))) == asyncio.run(cached.complete(request("x")))
    assert asyncio.run(cached.complete(request("y"))).text == "two"


def test_models_do_not_share_cached_replies() -> None:
    cache = DictCache()
    one = Cached(model=ScriptedModel(["one"], identity="a:1"), cache=cache)
    two = Cached(model=ScriptedModel(["two"], identity="b:2"), cache=cache)
    assert asyncio.run(one.complete(request("x"))).text == "one"
    assert asyncio.run(two.complete(request("x"))).text == "two"


def test_a_warm_request_is_not_cached_and_a_broken_entry_is_replaced() -> None:
    cache = DictCache()
    cached = Cached(model=ScriptedModel(["one", "two", "three", "four"]), cache=cache)
    warm = replace(request("x"), temperature=0.8)
    assert [asyncio.run(cached.complete(warm)).text for _ in range(2)] == ["one", "two"]
    asyncio.run(cached.complete(request("x")))
    cache.kept = dict.fromkeys(cache.kept, b"{broken")
    assert asyncio.run(cached.complete(request("x"))).text == "four"


def test_calls_and_failures_are_counted_and_timed() -> None:
    meter, clock = ListMeter(), FakeClock()

    def slow(_: object) -> str:
        clock.advance(0.25)
        return "done"

    asyncio.run(Metered(model=ScriptedModel(slow), meter=meter, clock=clock.monotonic).complete(request("x")))
    failing = Metered(model=ScriptedModel([RateLimitedError("429")]), meter=meter)
    with pytest.raises(RateLimitedError):
        asyncio.run(failing.complete(request("x")))
    assert meter.counted == [("llm_calls", "answer"), ("llm_failures", "llm_rate_limited")]
    assert meter.observed == [250.0]


def test_personal_data_is_taken_out_before_the_call_and_put_back_after_it() -> None:
    model = ScriptedModel(["Dear <NAME_A>, your number is <PHONE_A>."])
    asked = request("My name is Nomsa Dube, call 082 555 0199.", system="s")
    reply = asyncio.run(Redacting(model=model).complete(asked))
    assert "Nomsa" not in model.requests[0].prompt
    assert "0199" not in model.requests[0].prompt
    assert reply.text == "Dear Nomsa Dube, your number is 082 555 0199."
