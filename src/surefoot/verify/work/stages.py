"""Runs checks against a time limit. A check that hangs, raises or returns nonsense is broken, never a pass."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from surefoot.core.taxonomy import is_known, issue_of
from surefoot.core.types import Action, CheckReport, Finding, Issue, IssueType, Proof, Severity, Span
from surefoot.verify.read.submission import Check, Submission
from surefoot.verify.work.worker import BUSY, BusyError, Quarantine, Watched, Worker

MOST_FINDINGS = 200
"""Of one check."""
READING = "reading"
"""What the reading of the draft and its sources is called where it is left alone like a check."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What a stage came to. `broken` names each check that could not run, with the reason."""

    reports: tuple[CheckReport, ...] = ()
    broken: tuple[tuple[str, str], ...] = ()


async def run_stage(
    checks: Sequence[Check], submission: Submission, *, worker: Worker, quarantine: Quarantine, limit_s: float
) -> Outcome:
    """Every check's report, or its name among the broken ones, at the latest after `limit_s` seconds."""
    work = _Work(checks, submission, quarantine)
    with _abandoning(work):
        await worker.do(work.run, limit_s=limit_s)
    return work.outcome()


async def read_and_run(
    checks: Sequence[Check],
    read: Callable[[], tuple[Submission, Outcome | None]],
    *,
    worker: Worker,
    quarantine: Quarantine,
    limit_s: Callable[[], float],
) -> tuple[Submission, Outcome]:
    """A stage with the reading before it. `read` gives the outcome too where it needs no checks.

    The limit is asked for the reading, then for the checks. Where the reading is left alone, does not end in time or
    fails, it raises BusyError, TimeoutError or RuntimeError.
    """
    if quarantine.holds(READING):
        raise BusyError(f"{READING}: {BUSY}")
    work = _ReadingAndWork(checks, read, quarantine, limit_s)
    with _abandoning(work):
        await worker.do(work.run, limit_s=limit_s(), more_s=work.more_s)
    return work.outcome()


@contextmanager
def _abandoning(work: _Work | _ReadingAndWork) -> Iterator[None]:
    """Gives work up whose time is up, or for which nobody waits any more."""
    try:
        yield
    except TimeoutError:
        work.abandon()
    except asyncio.CancelledError:
        work.abandon()
        raise


class _ReadingAndWork:
    """Both in one piece of work: to hand over to the thread a second time costs more than most checks."""

    def __init__(
        self,
        checks: Sequence[Check],
        read: Callable[[], tuple[Submission, Outcome | None]],
        quarantine: Quarantine,
        limit_s: Callable[[], float],
    ) -> None:
        self._checks, self._quarantine, self._limit_s = checks, quarantine, limit_s
        self._reading = Watched(READING, read, quarantine)
        self._lock = threading.Lock()
        self._abandoned = False
        self._submission: Submission | None = None
        self._known: Outcome | None = None
        self._work: _Work | None = None
        self._until = 0.0
        """When the checks must have ended, in seconds of the monotonic clock."""

    def run(self) -> None:
        submission, known = self._reading.run()
        work = _Work(self._checks, submission, self._quarantine) if known is None else None
        until = time.monotonic() + self._limit_s()
        with self._lock:
            if self._abandoned:
                return
            self._submission, self._known, self._work, self._until = submission, known, work, until
        if work is not None:
            work.run()

    def more_s(self) -> float:
        """What the checks have left when the time for the reading is up."""
        with self._lock:
            return self._until - time.monotonic() if self._submission is not None else 0.0

    def abandon(self) -> None:
        with self._lock:
            self._abandoned = True
        self._reading.abandon()
        if self._work is not None:
            self._work.abandon()

    def outcome(self) -> tuple[Submission, Outcome]:
        if self._submission is None:
            raise TimeoutError
        if self._work is not None:
            return self._submission, self._work.outcome()
        assert self._known is not None
        return self._submission, self._known


class _Work:
    """The checks of one stage, one after the other, in one thread."""

    def __init__(self, checks: Sequence[Check], submission: Submission, quarantine: Quarantine) -> None:
        self._checks, self._submission, self._quarantine = tuple(checks), submission, quarantine
        self._lock = threading.Lock()
        self._reports: dict[int, CheckReport] = {}
        self._broken: dict[int, str] = {}
        self._abandoned = False
        self._now: str | None = None
        """The name of the check that runs at the moment."""

    def run(self) -> None:
        for number, check in enumerate(self._checks):
            if self._quarantine.holds(check.name):
                # the draft is lost to this check: the later ones need not keep a thread busy with it too
                with self._lock:
                    self._broken.update(dict.fromkeys(range(number, len(self._checks)), "it was not asked"))
                    self._broken[number] = BUSY
                return
            with self._lock:
                if self._abandoned:
                    return
                self._now = check.name
            report, flaw = self._examine(check)
            with self._lock:
                self._now = None
                if self._abandoned:
                    self._quarantine.leave(check.name)
                    return
                if report is not None:
                    self._reports[number] = report
                else:
                    self._broken[number] = flaw

    def _examine(self, check: Check) -> tuple[CheckReport | None, str]:
        """The check's report, or None and what is wrong with it."""
        try:
            report = check.run(self._submission)
            flaw = flaw_of(report, self._submission)
        except BaseException as error:  # a check may not take the gate down, whatever it raises
            return None, f"it raised {type(error).__name__}"
        return (_worst_of(report), "") if flaw is None else (None, flaw)

    def abandon(self) -> None:
        with self._lock:
            self._abandoned = True
            if self._now is not None:
                self._quarantine.enter(self._now)

    def outcome(self) -> Outcome:
        with self._lock:
            broken = [
                (check.name, self._broken.get(number, "it did not end in time"))
                for number, check in enumerate(self._checks)
                if number not in self._reports
            ]
            return Outcome(reports=tuple(self._reports[key] for key in sorted(self._reports)), broken=tuple(broken))


def _worst_of(report: CheckReport) -> CheckReport:
    """The report with no more findings than anyone reads, the worst of them in their order.

    What is made of them is made on the clock of the answer; a draft of five thousand wrong links must not delay it. A
    text that is repaired is examined anew, so nothing that is left out here can get out.
    """
    if len(report.findings) <= MOST_FINDINGS:
        return report
    grave = list(Severity)

    def weight(numbered: tuple[int, Finding]) -> tuple[bool, bool, int]:
        issue = numbered[1].issue
        return issue.action is not Action.REJECT, not issue.blocking, grave.index(issue.severity)

    kept = sorted(sorted(enumerate(report.findings), key=weight)[:MOST_FINDINGS], key=lambda numbered: numbered[0])
    return replace(report, findings=tuple(finding for _, finding in kept))


def flaw_of(report: object, submission: Submission) -> str | None:
    """What makes a report nonsense; None for a sound one."""
    if not isinstance(report, CheckReport):
        return f"it returned {type(report).__name__} instead of a report"
    if not isinstance(report.findings, tuple) or not isinstance(report.proofs, tuple):
        return "its findings and proofs are not tuples"
    if not isinstance(report.unsupported, tuple) or not _inside(report.unsupported, len(submission.draft)):
        return "it located words outside the draft"
    flaws = [_finding_flaw(finding, len(submission.draft)) for finding in report.findings]
    if report.proofs:
        lengths = {passage.id: len(passage.text) for passage in submission.passages}
        flaws += [_proof_flaw(proof, submission, lengths) for proof in report.proofs]
    return next((flaw for flaw in flaws if flaw is not None), None)


def _finding_flaw(finding: object, length: int) -> str | None:
    if not isinstance(finding, Finding) or not isinstance(finding.issue, Issue):
        return "it returned a finding that is none"
    issue = finding.issue
    if not is_known(issue.code) or not isinstance(issue.severity, Severity) or not isinstance(issue.type, IssueType):
        return f"it reported the unknown code {issue.code!r}"
    spans = [issue.span, *(edit.span for edit in finding.edits)]
    return None if _inside(spans, length) else "it reported a place outside the draft"


def _proof_flaw(proof: object, submission: Submission, lengths: dict[str, int]) -> str | None:
    if not isinstance(proof, Proof):
        return "it returned a proof that is none"
    if not 0 <= proof.claim < len(submission.claims):
        return f"it proved claim {proof.claim!r}, which does not exist"
    if proof.passage not in lengths:
        return f"it quoted {proof.passage!r}, which is no evidence"
    if not _within(proof.span, lengths[proof.passage]) or proof.span[0] == proof.span[1]:
        return "it quoted a place outside the passage"
    if not math.isfinite(proof.score) or not 0 <= proof.score <= 1:
        return f"it gave the score {proof.score!r}"
    return None


def _inside(spans: Sequence[Span], length: int) -> bool:
    return all(_within(span, length) for span in spans)


def _within(span: Span, length: int) -> bool:
    if len(span) != 2:
        return False
    start, end = span
    return isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= length


def broken_finding(name: str, problem: str, draft: str, *, code: str = "check_broken") -> Finding:
    """A fault of the gate itself as an issue, so that it is counted and shown."""
    return Finding(issue=issue_of(code, (0, len(draft)), "", f"{name}: {problem}"))
