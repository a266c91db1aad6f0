"""Recorded cases: what passes, what fails, and what the report says."""

from __future__ import annotations

import asyncio
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.remembering import Remembering
from surefoot.core.ports import LanguageModel, Verifier
from surefoot.core.types import VerificationResult, VerifyInput
from surefoot.flows.coverage import coverage
from surefoot.flows.regress import CaseResult, junit, run_cases
from surefoot.packs import loader, starter
from surefoot.packs.cases import read_cases
from surefoot.settings import Settings
from surefoot.wiring import build


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return starter.create(tmp_path / "desk")


def run(folder: Path) -> list[CaseResult]:
    cases, mistakes = read_cases(folder)
    assert not mistakes
    house = build(Settings(kb=folder / "kb"))

    def rehearsal(today: str, critics: Sequence[LanguageModel]) -> Verifier:
        known = KNOWN.setdefault(f"{today} {critics}", {})
        return Remembering(house.rehearsal(str(folder), today, critics), known)

    return asyncio.run(run_cases(cases, rehearsal))


KNOWN: dict[str, dict[str, VerificationResult]] = {}
"""What the gate said of the cases: each test has the same pack and changes what it expects of them."""


def change(folder: Path, old: str, new: str) -> None:
    path = folder / "cases" / "cases.jsonl"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))


def test_the_cases_of_a_new_pack_pass_and_exercise_all_of_it(folder: Path) -> None:
    results = run(folder)
    assert [result.problems for result in results if not result.passed] == []
    assert [item.name for item in coverage(loader.load(folder), results) if not item.covered] == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"decision": "approved"', '"decision": "rejected"', "decision is approved (None), not rejected"),
        ('"codes": ["policy:no-fines-waived"]', '"codes": ["tone"]', "tone was not found"),
        ('"absent": ["unknown_entity"]', '"absent": ["citation_missing"]', "citation_missing was found"),
        ('"reason": "retrieval_miss"', '"reason": "evidence_miss"', "reason is 'retrieval_miss', not 'evidence_miss'"),
        ('"final_contains": ["R30"]', '"final_contains": ["R31"]', "the answer lacks 'R31'"),
        ('"final_lacks": ["waive"]', '"final_lacks": ["R30"]', "the answer holds 'R30'"),
        (
            '{"unknown_entity": "Castle Branch"}',
            '{"unknown_entity": "Castle"}',
            "does not point at 'Castle'",
        ),
    ],
)
def test_every_kind_of_expectation_can_fail(folder: Path, old: str, new: str, problem: str) -> None:
    if "citation_missing" in new:
        change(folder, "Please ask at the Harbor Branch.", "The Harbor Branch holds 9 000 books.")
    change(folder, old, new)
    problems = [text for result in run(folder) for text in result.problems]
    assert any(problem in text for text in problems)


def test_a_case_that_raises_fails_and_the_run_goes_on(folder: Path) -> None:
    class Broken:
        async def verify(self, request: VerifyInput) -> VerificationResult:
            raise RuntimeError("no gate today")

    def broken(today: str, critics: object) -> Broken:
        return Broken()

    cases, _ = read_cases(folder)
    results = asyncio.run(run_cases(cases, broken))
    assert len(results) == len(cases)
    assert results[0].problems == ("raised RuntimeError: no gate today",)


def test_a_recorded_critic_is_heard(folder: Path) -> None:
    asked: list[int] = []
    house = build(Settings(kb=folder / "kb"))

    def counting(today: str, critics: list[LanguageModel]) -> object:
        asked.append(len(critics))
        return house.rehearsal(str(folder), today, critics)

    change(
        folder, '"expect": {"decision": "approved"', '"critic": {"approved": true}, "expect": {"decision": "approved"'
    )
    cases, mistakes = read_cases(folder)
    assert not mistakes
    asyncio.run(run_cases(cases[:2], counting))  # type: ignore[arg-type]
    assert asked == [1, 0]


def test_the_junit_file_counts_and_names_every_case(folder: Path) -> None:
    change(folder, '"decision": "approved"', '"decision": "rejected"')
    root = ElementTree.fromstring(junit([("desk", run(folder))]))
    suite = root.find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures")) == ("7", "1")
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert "not rejected" in (failure.get("message") or "")


def test_a_hole_in_the_coverage_is_named(folder: Path) -> None:
    path = folder / "cases" / "cases.jsonl"
    lines = [line for line in path.read_text().splitlines() if '"promise"' not in line and '"fine-waived"' not in line]
    path.write_text("\n".join(lines))
    missing = [item.name for item in coverage(loader.load(folder), run(folder)) if not item.covered]
    assert "rule no-fines-waived fires" in missing
    assert "fix no-fines-waived drop" in missing
    assert any(name.startswith("prescription 1 caught") for name in missing)
