"""Threads that do not come back: bounded, counted, and no reason to wait."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import pytest

from surefoot.core.types import CheckReport, Decision, Passage, VerificationResult, VerifyInput
from surefoot.testing import run_in_virtual_time
from surefoot.verify.gate import Gate
from surefoot.verify.read.submission import Submission
from surefoot.verify.work.stages import Outcome, read_and_run, run_stage
from surefoot.verify.work.worker import LEFT_BEHIND, BusyError, Quarantine, Worker, let_finish

MakeGate = Callable[..., Gate]
Submit = Callable[..., Submission]
REQUEST = VerifyInput(
    draft_answer="A yearly card costs R120 [S1].", chunks=(Passage(id="S1", text="A yearly card costs R120."),)
)


@dataclass
class Hanging:
    """A check that hangs until it is let go."""

    free: threading.Event = field(default_factory=threading.Event)
    started: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    asked: int = 0
    name: str = "hanging"
    version: str = "1"

    def run(self, submission: Submission) -> CheckReport:
        self.asked += 1
        self.started.release()
        assert self.free.wait(60)
        return CheckReport(name=self.name, version=self.version)


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "surefoot-checks"]


def settle(before: list[threading.Thread]) -> None:
    for thread in threads():
        if thread not in before:
            thread.join(30)
            assert not thread.is_alive()


def give_up_on(gate: Gate, check: Hanging) -> VerificationResult:
    """One verification that is cancelled once the check hangs, as a deadline would."""

    async def go() -> VerificationResult:
        asked = check.asked
        task = asyncio.create_task(gate.verify(REQUEST))
        while check.asked == asked and not task.done():
            await asyncio.sleep(0.001)
        if not task.done():
            task.cancel()
        return await task

    return asyncio.run(go())


def test_a_check_that_does_not_come_back_is_left_alone_until_it_does(gate_with: MakeGate) -> None:
    before, check = threads(), Hanging()
    gate = gate_with(rules=(check,))
    for _ in range(LEFT_BEHIND):
        with pytest.raises(asyncio.CancelledError):
            give_up_on(gate, check)

    refused = asyncio.run(gate.verify(REQUEST))

    assert check.asked == LEFT_BEHIND
    assert refused.decision is Decision.FALLBACK
    assert refused.metadata.fallback_reason == "check_broken"
    assert any("hanging: it is still busy" in issue.problem for issue in refused.metadata.issues_detected)
    check.free.set()
    settle(before)
    assert asyncio.run(gate.verify(REQUEST)).metadata.fallback_reason != "check_broken"
    assert check.asked == LEFT_BEHIND + 1


def test_a_check_that_runs_out_of_time_is_counted_until_it_ends(submit: Submit) -> None:
    before, check, quarantine = threads(), Hanging(), Quarantine()
    submission = submit(REQUEST.draft_answer, REQUEST.chunks)

    async def story() -> Outcome:
        worker = Worker()
        stage = run_stage((check,), submission, worker=worker, quarantine=quarantine, limit_s=2.0)
        task = asyncio.create_task(stage)
        await asyncio.sleep(0)
        assert check.started.acquire(timeout=30)
        return await task

    for _ in range(LEFT_BEHIND):
        outcome = run_in_virtual_time(story())
        assert outcome.broken == (("hanging", "it did not end in time"),)
    assert quarantine.holds("hanging")
    check.free.set()
    settle(before)
    assert not quarantine.holds("hanging")


def test_one_slow_draft_keeps_nobody_else_from_the_check(gate_with: MakeGate) -> None:
    before, check = threads(), Hanging()
    gate = gate_with(rules=(check,))
    with pytest.raises(asyncio.CancelledError):
        give_up_on(gate, check)
    with pytest.raises(asyncio.CancelledError):
        give_up_on(gate, check)
    assert check.asked == 2
    check.free.set()
    settle(before)


def test_a_hanging_check_costs_no_more_threads_than_allowed(gate_with: MakeGate) -> None:
    before, check = threads(), Hanging()
    gate = gate_with(rules=(check,))
    for _ in range(LEFT_BEHIND):
        with pytest.raises(asyncio.CancelledError):
            give_up_on(gate, check)
    for _ in range(20):
        asyncio.run(gate.verify(REQUEST))

    assert check.asked == LEFT_BEHIND
    assert len([thread for thread in threads() if thread not in before]) <= LEFT_BEHIND + 1
    check.free.set()
    settle(before)


def test_what_takes_longer_than_its_limit_is_left_behind_and_the_next_work_gets_a_thread() -> None:
    before, free = threads(), threading.Event()

    async def story() -> str:
        worker = Worker()
        with pytest.raises(TimeoutError):
            await worker.do(lambda: free.wait(60), limit_s=2.0)
        worker.close()
        return "went on"

    assert run_in_virtual_time(story()) == "went on"
    free.set()
    settle(before)

    async def after() -> int:
        worker = Worker()
        try:
            return await worker.do(lambda: 7, limit_s=30.0)
        finally:
            worker.close()

    assert asyncio.run(after()) == 7
    settle(before)


def test_no_time_left_means_no_work_at_all() -> None:
    done: list[int] = []

    async def go() -> None:
        with pytest.raises(TimeoutError):
            await Worker().do(lambda: done.append(1), limit_s=0.0)

    asyncio.run(go())
    assert done == []


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(0), KeyboardInterrupt(), MemoryError()])
def test_whatever_work_raises_reaches_the_one_who_waits(error: BaseException) -> None:
    def fail() -> None:
        raise error

    async def go() -> None:
        worker = Worker()
        try:
            with pytest.raises(RuntimeError, match=type(error).__name__):
                await worker.do(fail, limit_s=30.0)
        finally:
            worker.close()

    asyncio.run(go())


def test_reading_that_does_not_end_is_counted_until_it_does(submit: Submit) -> None:
    before, free, check, quarantine = threads(), threading.Event(), Hanging(), Quarantine()
    started = threading.Semaphore(0)

    def read() -> tuple[Submission, Outcome | None]:
        started.release()
        assert free.wait(60)
        return submit(REQUEST.draft_answer, REQUEST.chunks), None

    def stage() -> Coroutine[Any, Any, object]:
        return read_and_run((check,), read, worker=Worker(), quarantine=quarantine, limit_s=lambda: 2.0)

    async def story() -> None:
        task = asyncio.create_task(stage())
        await asyncio.sleep(0)
        assert started.acquire(timeout=30)
        await task

    for _ in range(LEFT_BEHIND):
        with pytest.raises(TimeoutError):
            run_in_virtual_time(story())
    with pytest.raises(BusyError, match="reading: it is still busy"):
        asyncio.run(stage())
    free.set()
    settle(before)
    assert not quarantine.holds("reading")
    assert check.asked == 0


def test_checks_behind_the_reading_have_time_of_their_own(submit: Submit) -> None:
    before, check, quarantine = threads(), Hanging(), Quarantine()
    submission = submit(REQUEST.draft_answer, REQUEST.chunks)
    waited: list[float] = []

    async def story() -> tuple[Submission, Outcome]:
        loop = asyncio.get_running_loop()
        limits = iter((2.0, 1_000.0))
        stage = read_and_run(
            (check,),
            lambda: (submission, None),
            worker=Worker(),
            quarantine=quarantine,
            limit_s=lambda: next(limits),
        )
        task = asyncio.create_task(stage)
        await asyncio.sleep(0)
        assert check.started.acquire(timeout=30)
        began = loop.time()
        outcome = await task
        waited.append(loop.time() - began)
        return outcome

    read, outcome = run_in_virtual_time(story())

    assert read is submission
    assert outcome.broken == (("hanging", "it did not end in time"),)
    assert 900.0 < waited[0] < 1_100.0
    check.free.set()
    settle(before)


def test_what_is_known_from_the_reading_needs_no_check(submit: Submit) -> None:
    check, known = Hanging(), Outcome(broken=(("gate", "too long"),))
    submission = submit(REQUEST.draft_answer, REQUEST.chunks)

    async def story() -> tuple[Submission, Outcome]:
        worker = Worker()
        try:
            return await read_and_run(
                (check,),
                lambda: (submission, known),
                worker=worker,
                quarantine=Quarantine(),
                limit_s=lambda: 30.0,
            )
        finally:
            worker.close()

    assert asyncio.run(story()) == (submission, known)
    assert check.asked == 0


def test_a_draft_lost_to_a_busy_check_is_not_shown_to_the_later_ones(gate_with: MakeGate) -> None:
    before, check, later = threads(), Hanging(), Hanging(name="later")
    gate = gate_with(rules=(check, later))
    for _ in range(LEFT_BEHIND):
        with pytest.raises(asyncio.CancelledError):
            give_up_on(gate, check)

    result = asyncio.run(gate.verify(REQUEST))

    assert result.metadata.fallback_reason == "check_broken"
    assert later.asked == 0
    check.free.set()
    later.free.set()
    settle(before)


def test_a_quarantine_is_for_one_check_only() -> None:
    quarantine = Quarantine()
    for _ in range(LEFT_BEHIND):
        quarantine.enter("values")

    assert quarantine.holds("values")
    assert not quarantine.holds("urls")
    quarantine.leave("values")
    assert not quarantine.holds("values")


def test_the_next_verification_gets_the_thread_of_the_last_one() -> None:
    async def ident() -> int | None:
        worker = Worker()
        try:
            return await worker.do(lambda: threading.current_thread().ident, limit_s=30.0)
        finally:
            worker.close()

    async def story() -> tuple[int | None, int | None]:
        return await ident(), await ident()

    first, second = asyncio.run(story())

    assert first == second


def test_a_thread_that_is_still_at_work_is_given_to_nobody() -> None:
    before, free, started = threads(), threading.Event(), threading.Event()

    def hang() -> bool:
        started.set()
        return free.wait(60)

    async def cancelled() -> None:
        worker = Worker()
        task = asyncio.create_task(worker.do(hang, limit_s=60.0))
        while not started.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        worker.close()

    async def next_one() -> int:
        worker = Worker()
        try:
            return await worker.do(lambda: 7, limit_s=30.0)
        finally:
            worker.close()

    asyncio.run(cancelled())

    assert asyncio.run(next_one()) == 7
    free.set()
    settle(before)


def left_at_work(free: threading.Event, ended: threading.Event) -> None:
    """A worker's thread that is given up on while it waits to be let go."""

    def work() -> None:
        assert free.wait(60)
        ended.set()

    async def go() -> None:
        with pytest.raises(TimeoutError):
            await Worker().do(work, limit_s=0.01)

    asyncio.run(go())


def test_the_end_of_the_process_waits_for_work_that_nobody_waits_for() -> None:
    free, ended = threading.Event(), threading.Event()
    left_at_work(free, ended)
    threading.Timer(0.05, free.set).start()
    let_finish(60)
    assert ended.is_set()


def test_the_end_of_the_process_does_not_wait_for_ever() -> None:
    before = threads()
    free, ended = threading.Event(), threading.Event()
    left_at_work(free, ended)
    let_finish(0.01)
    assert not ended.is_set()
    free.set()
    settle(before)
