"""The shipped packs keep their word: every case green, every part exercised, every rule needed."""

from __future__ import annotations

import asyncio
import shutil
from functools import partial
from pathlib import Path

import pytest
import yaml

from support.not_yet import CASES as NOT_YET
from support.not_yet import REPORTS as REPORTS_NOT_YET
from support.not_yet import expected_to_fail
from surefoot.flows.coverage import coverage
from surefoot.flows.regress import CaseResult, run_cases
from surefoot.packs import loader
from surefoot.packs.cases import Case, read_cases
from surefoot.settings import Settings
from surefoot.wiring import build

CASES = {"thandi": 150, "judge": 60, "default": 10}
REPORTS = "cases/reports.jsonl"
"""Friendly personal reports; their verdicts are the specification's, some of which the gate does not reach yet."""
RULES = [(name, rule.id) for name in ("thandi", "judge") for rule in loader.load(name).rules]


def run(folder: Path, cases: list[Case]) -> list[CaseResult]:
    house = build(Settings(kb=Path("nowhere"), packs_dir=None))
    return asyncio.run(run_cases(cases, partial(house.rehearsal, str(folder))))


def some_case_fails(folder: Path, cases: list[Case]) -> bool:
    """Whether one of them fails that passes with the pack as it is shipped; the first one answers."""
    known = NOT_YET.keys() | REPORTS_NOT_YET.keys()
    return any(not run(folder, [case])[0].passed for case in cases if case.id not in known)


def results_of(name: str) -> dict[str, CaseResult]:
    cases, mistakes = read_cases(loader.BUILTIN / name)
    assert not mistakes
    assert len(cases) >= CASES[name]
    return {result.case.id: result for result in run(loader.BUILTIN / name, cases)}


@pytest.fixture(scope="module")
def shipped() -> dict[str, dict[str, CaseResult]]:
    return {name: results_of(name) for name in CASES}


def ids_of(name: str) -> list[tuple[str, str]]:
    return [(case.id, case.file) for case in read_cases(loader.BUILTIN / name)[0]]


@pytest.mark.parametrize("name", CASES)
def test_every_case_of_a_shipped_pack_gets_its_verdict(name: str, shipped: dict[str, dict[str, CaseResult]]) -> None:
    known = NOT_YET.keys() | REPORTS_NOT_YET.keys()
    results = {id: result for id, result in shipped[name].items() if result.case.file != REPORTS}
    assert {id: result.problems for id, result in results.items() if not result.passed and id not in known} == {}
    assert [item.name for item in coverage(loader.load(name), list(results.values())) if not item.covered] == []


@pytest.mark.parametrize(
    ("name", "case"),
    [
        pytest.param(name, id, id=id, marks=expected_to_fail(id, NOT_YET | REPORTS_NOT_YET))
        for name in CASES
        for id, file in ids_of(name)
        if id in NOT_YET or file == REPORTS
    ],
)
def test_every_personal_report_and_every_hard_case_gets_its_verdict(
    name: str, case: str, shipped: dict[str, dict[str, CaseResult]]
) -> None:
    assert shipped[name][case].problems == ()


def test_every_case_that_is_expected_to_fail_is_one_of_a_pack() -> None:
    assert NOT_YET.keys() | REPORTS_NOT_YET.keys() <= {id for name in CASES for id, _ in ids_of(name)}


def test_there_are_sixty_personal_reports_half_of_them_with_something_wrong() -> None:
    reports = [case for case in read_cases(loader.BUILTIN / "thandi")[0] if case.file == REPORTS]
    wrong = [case for case in reports if case.expect.final_lacks]
    assert len(reports) >= 60
    assert len(wrong) >= 30
    assert all(text in case.request.draft_answer for case in wrong for text in case.expect.final_lacks)


@pytest.mark.parametrize(("name", "rule"), RULES)
def test_without_a_rule_at_least_one_case_fails(name: str, rule: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    shutil.copytree(loader.BUILTIN / name, folder, ignore=shutil.ignore_patterns("kb"))
    cases, _ = read_cases(folder)
    about = [case for case in cases if f"policy:{rule}" in case.expect.codes]
    assert len(about) >= 3
    (folder / "rules" / f"{rule}.md").unlink()
    assert some_case_fails(folder, about)


@pytest.mark.parametrize(("name", "rule"), RULES)
def test_every_rule_has_six_cases_that_speak_of_it(name: str, rule: str) -> None:
    cases, _ = read_cases(loader.BUILTIN / name)
    code = f"policy:{rule}"
    fires = [case for case in cases if code in case.expect.codes]
    silent = [case for case in cases if code in case.expect.absent]
    assert len(fires) + len(silent) >= 6
    assert silent, f"{rule} has no case in which it keeps silent"


PARTS = {
    "sections": "section_missing",
    "warnings": "warning_missing",
    "prescriptions": "definitive_prescription",
    "tone": "tone",
    "terms": "value_mismatch",
    "attributes": "value_mismatch",
    "scales": "value_mismatch",
    "entity_kinds": "unknown_entity",
    "currency": "currency_format",
    "date_format": "date_format",
}


@pytest.mark.parametrize(
    ("name", "part"),
    [(name, part) for name in ("thandi", "judge") for part in PARTS if getattr(loader.load(name), part)],
)
def test_without_a_part_of_the_manifest_at_least_one_case_fails(name: str, part: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    shutil.copytree(loader.BUILTIN / name, folder, ignore=shutil.ignore_patterns("kb"))
    manifest = yaml.safe_load((folder / "pack.yaml").read_text("utf-8"))
    del manifest[part]
    (folder / "pack.yaml").write_text(yaml.safe_dump(manifest, allow_unicode=True), "utf-8")
    cases, _ = read_cases(folder)
    about = [case for case in cases if PARTS[part] in case.expect.codes]
    # short ones, and those about terms, cost least and are likeliest to need the part
    about.sort(key=lambda case: (case.file != "cases/terms.jsonl", len(case.request.draft_answer)))
    assert some_case_fails(folder, about)
