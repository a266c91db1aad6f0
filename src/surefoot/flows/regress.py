"""Runs a pack's recorded cases through the gate and says which verdicts are not the expected ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from surefoot.core.ports import LanguageModel, Verifier
from surefoot.core.text import squash
from surefoot.core.types import ModelReply, ModelRequest, VerificationResult
from surefoot.packs.cases import Case, Expectation

Rehearsal = Callable[[str, Sequence[LanguageModel]], Verifier]
"""A gate for a date (ISO) and critics whose words are known."""


@dataclass(frozen=True, kw_only=True)
class CaseResult:
    case: Case
    problems: tuple[str, ...]
    """What is not as expected; empty: the case passes."""
    result: VerificationResult | None
    seconds: float

    @property
    def passed(self) -> bool:
        return not self.problems

    @property
    def codes(self) -> tuple[str, ...]:
        issues = self.result.metadata.issues_detected if self.result else ()
        return tuple(dict.fromkeys(issue.code for issue in issues))


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A language model that says what was recorded, whatever it is asked. Implements core.ports.LanguageModel."""

    reply: str
    identity: str = "recorded:case"

    async def complete(self, request: ModelRequest) -> ModelReply:
        return ModelReply(text=self.reply, model=self.identity)


async def run_cases(cases: Sequence[Case], rehearsal: Rehearsal) -> list[CaseResult]:
    """Every case in order; one that raises is a failed case, not a failed run."""
    return [await _run(case, rehearsal) for case in cases]


async def _run(case: Case, rehearsal: Rehearsal) -> CaseResult:
    began = time.monotonic()
    critics = [Recorded(reply=case.critic)] if case.critic is not None else []
    try:
        result = await rehearsal(case.today, critics).verify(case.request)
    except Exception as error:
        problem = f"raised {type(error).__name__}: {error}"
        return CaseResult(case=case, problems=(problem,), result=None, seconds=time.monotonic() - began)
    problems = tuple(differences(case.expect, result))
    return CaseResult(case=case, problems=problems, result=result, seconds=time.monotonic() - began)


def differences(expect: Expectation, result: VerificationResult) -> Iterator[str]:
    """What an outcome lacks or has too much of, in words."""
    issues = result.metadata.issues_detected
    codes = {issue.code for issue in issues}
    if result.decision not in expect.decision:
        wanted = " or ".join(expect.decision)
        yield f"decision is {result.decision} ({result.metadata.fallback_reason}), not {wanted}"
    if expect.reason is not None and result.metadata.fallback_reason != expect.reason:
        yield f"reason is {result.metadata.fallback_reason!r}, not {expect.reason!r}"
    yield from (f"{code} was not found" for code in expect.codes if code not in codes)
    yield from (f"{code} was found" for code in expect.absent if code in codes)
    if expect.only:
        extra = sorted({issue.code for issue in issues if issue.blocking} - set(expect.codes))
        yield from (f"{code} was found besides" for code in extra)
    for code, text in expect.locations.items():
        if not any(issue.code == code and issue.location == text for issue in issues):
            yield f"{code} does not point at {text!r}"
    for code, text in expect.corrections.items():
        if not any(issue.code == code and issue.correction == text for issue in issues):
            yield f"{code} does not offer {text!r}"
    for code, text in expect.says.items():
        if not any(issue.code == code and text in issue.problem for issue in issues):
            yield f"{code} does not say {text!r}"
    final = squash(result.final_answer)
    yield from (f"the answer lacks {text!r}" for text in expect.final_contains if squash(text) not in final)
    yield from (f"the answer holds {text!r}" for text in expect.final_lacks if squash(text) in final)


def junit(suites: Sequence[tuple[str, Sequence[CaseResult]]]) -> str:
    """The results as a JUnit file: one suite per pack, one test case per case."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<testsuites>"]
    for name, results in suites:
        failed = sum(not result.passed for result in results)
        seconds = sum(result.seconds for result in results)
        lines.append(
            f'  <testsuite name={quoteattr(name)} tests="{len(results)}" failures="{failed}" time="{seconds:.3f}">'
        )
        for result in results:
            case = result.case
            opening = f"    <testcase classname={quoteattr(f'{name}.{case.file}')} name={quoteattr(case.id)}"
            opening += f' time="{result.seconds:.3f}"'
            if result.passed:
                lines.append(f"{opening}/>")
            else:
                text = "; ".join(result.problems)
                failure = f"<failure message={quoteattr(text)}>{escape(text)}</failure>"
                lines.append(f"{opening}>{failure}</testcase>")
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])
