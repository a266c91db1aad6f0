"""The shipped packs keep their word: every case green, every part exercised, every rule needed."""

from __future__ import annotations

import asyncio
import shutil
from functools import partial
from pathlib import Path

import pytest
import yaml

from surefoot.flows.coverage import coverage
from surefoot.flows.regress import CaseResult, run_cases
from surefoot.packs import loader
from surefoot.packs.cases import Case, read_cases
from surefoot.settings import Settings
from surefoot.wiring import build

CASES = {"thandi": 150, "judge": 60, "default": 10}
RULES = [(name, rule.id) for name in ("thandi", "judge") for rule in loader.load(name).rules]


def run(folder: Path, cases: list[Case]) -> list[CaseResult]:
    house = build(Settings(kb=Path("nowhere"), packs_dir=None))
    return asyncio.run(run_cases(cases, partial(house.rehearsal, str(folder))))


@pytest.mark.parametrize("name", CASES)
def test_every_case_of_a_shipped_pack_gets_its_verdict(name: str) -> None:
    folder = loader.BUILTIN / name
    cases, mistakes = read_cases(folder)
    assert not mistakes
    assert len(cases) >= CASES[name]
    results = run(folder, cases)
    assert {result.case.id: result.problems for result in results if not result.passed} == {}
    assert [item.name for item in coverage(loader.load(name), results) if not item.covered] == []


@pytest.mark.parametrize(("name", "rule"), RULES)
def test_without_a_rule_at_least_one_case_fails(name: str, rule: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    shutil.copytree(loader.BUILTIN / name, folder, ignore=shutil.ignore_patterns("kb"))
    cases, _ = read_cases(folder)
    about = [case for case in cases if f"policy:{rule}" in case.expect.codes]
    assert len(about) >= 3
    (folder / "rules" / f"{rule}.md").unlink()
    assert any(not result.passed for result in run(folder, about))


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
    assert any(not result.passed for result in run(folder, about))
