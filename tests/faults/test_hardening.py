"""Poison documents, clock jumps, hung and hostile models, 20 times each: none released, no queue stalled, no record
lost."""

from __future__ import annotations

import asyncio
import socket
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.faults.poison import GOOD, POISONS
from tests.faults.test_hostile_files import ingest
from tests.llm.test_hostile_replies import Send, bomb, brotli, endless, head, huge_error, nested, serving

from faults.scenarios import DRAFT, SECRET, SOURCES
from surefoot.core.types import VerifyInput
from surefoot.observe.runlog import RunStore
from surefoot.settings import Settings
from surefoot.wiring import Surefoot

TIMES = [0, *(pytest.param(number, marks=pytest.mark.faults) for number in range(1, 21))]
NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize("number", TIMES)
def test_poison_documents_stall_no_queue(tmp_path: Path, number: int) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    names = [*POISONS, *GOOD]
    for name in names[number % len(names) :] + names[: number % len(names)]:
        (folder / name).write_bytes({**POISONS, **GOOD}[name])
    report = ingest(folder, tmp_path / "kb")
    assert report.added == len(GOOD)
    assert {skip.source for skip in report.skipped} == set(POISONS)


@pytest.mark.parametrize("number", TIMES)
def test_a_clock_that_jumps_loses_no_record(tmp_path: Path, number: int) -> None:
    clock = [NOW]
    store = RunStore(tmp_path, now=lambda: clock[0])
    written = []
    for step in range(40):
        jump = timedelta(days=365 * (number - 10) * 5) if step % 7 == number % 7 else timedelta(0)
        clock[0] = NOW + timedelta(hours=step) + jump
        written.append(store.append({"decision": "approved"}))
        store.prune()
    assert all(store.read(run) is not None for run in written)
    assert store.check().intact


def hung(connection: socket.socket) -> None:
    """Takes the request and says nothing, until the caller hangs up."""
    connection.settimeout(30)
    connection.recv(1)


def trickling(connection: socket.socket) -> None:
    """A byte now and then: each comes in time, all of it never."""
    connection.sendall(head())
    for _ in range(600):
        connection.sendall(b" ")
        time.sleep(0.05)


@pytest.mark.parametrize("send", [endless, bomb, brotli, nested, huge_error, hung, trickling])
@pytest.mark.parametrize("number", TIMES)
def test_a_hostile_critic_releases_nothing(tmp_path: Path, send: Send, number: int) -> None:
    with serving(send) as (url, _):
        settings = Settings(
            kb=tmp_path,
            llm_critic=f"openai-compatible:m@{url}",
            llm_api_key="k",
            grounder_size="none",
            cache=False,
            deadline_ms=1_000,
        )
        house = Surefoot(settings)
        result = asyncio.run(house.verify(VerifyInput(draft_answer=DRAFT, chunks=SOURCES)))
    assert SECRET not in result.final_answer
    assert house.runlog.count() == 1
    assert house.runlog.check().intact
