"""Scripted models and the clock."""

from __future__ import annotations

import asyncio

import pytest

from surefoot.testing import FailingModel, FakeClock, RoleModel, ScriptedModel, passage, request, verify_input


def test_a_script_that_has_run_out_is_noticed() -> None:
    model = ScriptedModel(["one"])
    asyncio.run(model.complete(request("a")))
    with pytest.raises(AssertionError, match="call 2 came"):
        asyncio.run(model.complete(request("b")))


def test_each_role_gets_its_own_model() -> None:
    model = RoleModel({"answer": ScriptedModel(["yes"]), "critic": ScriptedModel(["no"])})
    assert asyncio.run(model.complete(request("x", role="critic"))).text == "no"
    with pytest.raises(AssertionError, match="'judge'"):
        asyncio.run(model.complete(request("x", role="judge")))


def test_a_failing_model_counts_its_calls() -> None:
    model = FailingModel()
    with pytest.raises(Exception, match="always fails"):
        asyncio.run(model.complete(request("x")))
    assert model.calls == 1


def test_the_clock_moves_only_when_told() -> None:
    clock = FakeClock(now=5, today="2026-01-02")
    assert (clock.monotonic(), clock.monotonic(), clock.today()) == (5, 5, "2026-01-02")
    clock.advance(2)
    assert clock.monotonic() == 7
    with pytest.raises(ValueError, match="go back"):
        clock.advance(-1)


def test_plain_texts_become_numbered_passages() -> None:
    built = verify_input("R5 [S2].", "R4.", passage("R5.", id="x"), question="how much?", strict_mode=True)
    assert [chunk.id for chunk in built.chunks] == ["S1", "x"]
    assert built.options.strict_mode is True
