"""Paid once, kept before use, found again."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from surefoot.core.errors import ModelUnavailableError, StoreError, StoreLockedError
from surefoot.core.types import ModelReply, ModelRequest
from surefoot.dataset.journal import Journal, Journaled, is_locked, read_journal
from surefoot.testing import ScriptedModel, request


def test_an_equal_request_is_asked_once_over_two_runs(tmp_path: Path) -> None:
    model = ScriptedModel(["one"])
    for _ in range(2):
        journal = Journal(tmp_path / "j.sqlite")
        assert asyncio.run(Journaled(model, journal).complete(request("x"))).text == "one"
        journal.close()
    assert len(model.requests) == 1


def test_equal_requests_at_the_same_time_are_one_call(tmp_path: Path) -> None:
    model = ScriptedModel(["one"])
    journal = Journal(tmp_path / "j.sqlite")

    async def both() -> list[ModelReply]:
        journaled = Journaled(model, journal)
        return await asyncio.gather(*(journaled.complete(request("x")) for _ in range(5)))

    assert {reply.text for reply in asyncio.run(both())} == {"one"}
    journal.close()


def test_another_model_is_another_call(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    first = Journaled(ScriptedModel(["one"], identity="a:1"), journal)
    second = Journaled(ScriptedModel(["two"], identity="b:2"), journal)
    assert asyncio.run(first.complete(request("x"))).text == "one"
    assert asyncio.run(second.complete(request("x"))).text == "two"
    journal.close()


def test_a_reply_is_on_disk_before_it_is_used(tmp_path: Path) -> None:
    file = tmp_path / "j.sqlite"
    journal = Journal(file)

    async def look() -> int:
        await Journaled(ScriptedModel(["one"]), journal).complete(request("x"))
        with sqlite3.connect(file) as other:
            return int(other.execute("SELECT COUNT(*) FROM calls").fetchone()[0])

    assert asyncio.run(look()) == 1
    journal.close()


def test_a_call_under_way_is_kept_although_its_caller_is_stopped(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    gate = asyncio.Event()

    class Slow:
        identity = "slow:1"

        async def complete(self, asked: ModelRequest) -> ModelReply:
            await gate.wait()
            return ModelReply(text="late", model="slow:1")

    async def stop_the_caller() -> None:
        journaled = Journaled(Slow(), journal)
        caller = asyncio.create_task(journaled.complete(request("x")))
        await asyncio.sleep(0)
        caller.cancel()
        await asyncio.gather(caller, return_exceptions=True)
        gate.set()
        await journaled.settle()
        assert (await journaled.complete(request("x"))).text == "late"

    asyncio.run(stop_the_caller())
    assert journal.uses()[0].calls == 1
    journal.close()


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    model = Journaled(ScriptedModel([ModelUnavailableError("gone"), "here"]), journal)
    with pytest.raises(ModelUnavailableError):
        asyncio.run(model.complete(request("x")))
    assert asyncio.run(model.complete(request("x"))).text == "here"
    journal.close()


def test_use_is_counted_by_role(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    model = Journaled(ScriptedModel(["one two", "three"]), journal)
    asyncio.run(model.complete(request("a b c", role="answer")))
    asyncio.run(model.complete(request("d", role="critic")))
    uses = {use.role: (use.calls, use.prompt_tokens, use.completion_tokens) for use in journal.uses()}
    assert uses == {"answer": (1, 3, 2), "critic": (1, 1, 1)}
    assert journal.tokens() == 7
    journal.close()


def test_a_second_build_on_the_same_journal_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "j.sqlite"
    journal = Journal(file)
    assert is_locked(file)
    with pytest.raises(StoreLockedError, match="another build"):
        Journal(file)
    journal.close()
    assert not is_locked(file)


def test_others_may_read_while_a_build_runs(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    asyncio.run(journal.note("state", {"pairs": 3}))
    with read_journal(tmp_path / "j.sqlite") as connection:
        assert connection.execute("SELECT value FROM notes WHERE name = 'state'").fetchone() == ('{"pairs":3}',)
    journal.close()


def test_a_file_that_is_no_journal_is_named(tmp_path: Path) -> None:
    (tmp_path / "j.sqlite").write_text("not a database, certainly not one" * 50)
    with pytest.raises(StoreError, match=r"j\.sqlite"):
        Journal(tmp_path / "j.sqlite")
