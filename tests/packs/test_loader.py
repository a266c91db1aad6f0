"""A pack is a folder of data: what loading promises."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from surefoot.core.errors import PackError
from surefoot.core.types import Action, Severity
from surefoot.packs import loader

PACK = """name: clinic
title: Clinic desk
version: '1.0'
citations: {mode: attribute}
warnings:
  - id: doctor
    text: Ask a doctor before you act on this.
    patterns: ['ask (?:a|your) doctor']
keywords:
  health: [clinic, nurse]
allowed_urls: [health.gov.za]
"""
RULE = """---
id: no-doses
title: No doses
severity: high
action: fix
forbids: ['\\d+ ?mg']
fix: {drop_sentence: true}
---
A desk clerk does not prescribe.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "clinic"
    (root / "rules").mkdir(parents=True)
    (root / "entities").mkdir()
    (root / "prompts").mkdir()
    (root / "pack.yaml").write_text(PACK)
    (root / "rules" / "no-doses.md").write_text(RULE)
    (root / "entities" / "clinics.csv").write_text(
        'name,aliases,kind,attributes\n"Groote Schuur, Cape Town",GSH|Groote Schuur,clinic,beds=900;type=public\n'
    )
    (root / "sources.yaml").write_text("sources:\n  - {url: https://health.gov.za/a, title: A, domain: health}\n")
    (root / "prompts" / "answer.md").write_text("Answer briefly.")
    return root


def test_a_folder_becomes_a_pack_with_every_part(folder: Path) -> None:
    pack = loader.load(folder)
    assert (pack.name, pack.citations.mode, pack.warnings[0].id) == ("clinic", "attribute", "doctor")
    rule = pack.rules[0]
    assert (rule.id, rule.severity, rule.action) == ("no-doses", Severity.HIGH, Action.FIX)
    assert rule.reason == "A desk clerk does not prescribe."
    assert pack.entities[0].aliases == ("GSH", "Groote Schuur")
    assert pack.entities[0].attributes == {"beds": "900", "type": "public"}
    assert pack.sources[0].url == "https://health.gov.za/a"
    assert pack.prompts == {"answer": "Answer briefly."}
    assert pack.keywords == {"health": ("clinic", "nurse")}


def test_the_same_files_give_the_same_object_and_a_change_another_hash(folder: Path) -> None:
    before = loader.load(folder)
    assert loader.load(folder) is before
    (folder / "rules" / "no-doses.md").write_text(RULE.replace("high", "low"))
    after = loader.load(folder)
    assert after.hash != before.hash
    assert after.rules[0].severity is Severity.LOW


@pytest.mark.parametrize("change", ["edit", "add", "remove"])
def test_a_change_is_seen_in_a_pack_that_is_not_read_again(
    folder: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loader, "SETTLED_NS", -3_600_000_000_000)
    before = loader.load(folder)
    assert loader.load(folder) is before
    if change == "edit":
        (folder / "pack.yaml").write_text(PACK.replace("Clinic desk", "Desk of the clinic"))
    elif change == "add":
        (folder / "prompts" / "critic.md").write_text("Judge strictly.")
    else:
        (folder / "rules" / "no-doses.md").unlink()
    assert loader.load(folder).hash != before.hash


def test_a_file_changed_a_moment_ago_is_read_again_even_if_its_stamp_is_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time_ns()
    monkeypatch.setattr(loader, "_stamps", lambda place: [("pack.yaml", 1, 1, 1, now, now)])
    before = loader.load(folder)
    (folder / "pack.yaml").write_text(PACK.replace("desk", "door"))
    assert loader.load(folder).title == "Clinic door" != before.title


def test_documents_and_cases_are_not_part_of_the_hash(folder: Path) -> None:
    before = loader.load(folder).hash
    (folder / "kb").mkdir()
    (folder / "kb" / "a.md").write_text("# A\n")
    assert loader.load(folder).hash == before


def test_a_pack_of_your_own_is_found_by_name_before_the_shipped_one(folder: Path) -> None:
    mine = folder.parent / "default"
    mine.mkdir()
    (mine / "pack.yaml").write_text("name: default\ntitle: Mine\nversion: '2'\n")
    assert loader.load("default", packs_dir=folder.parent).title == "Mine"
    assert loader.load("default").title == "Knowledge base only"
    assert {"clinic", "default"} <= set(loader.names(packs_dir=folder.parent))


def test_an_unknown_name_is_an_error_that_names_the_nearest(folder: Path) -> None:
    with pytest.raises(PackError, match="did you mean 'default'"):
        loader.load("defualt")


def test_a_bad_pattern_is_an_error_with_file_and_line(folder: Path) -> None:
    (folder / "rules" / "no-doses.md").write_text(RULE.replace("\\d+ ?mg", "(?=mg)"))
    with pytest.raises(PackError) as caught:
        loader.load(folder)
    assert (caught.value.file, caught.value.line) == ("rules/no-doses.md", 6)
    assert "lookahead" in str(caught.value)


def test_extra_rules_join_the_pack_and_its_hash(folder: Path, tmp_path: Path) -> None:
    extra = tmp_path / "no-brands.md"
    extra.write_text(RULE.replace("no-doses", "no-brands"))
    pack = loader.load(folder, extra_rules=[extra])
    assert [rule.id for rule in pack.rules] == ["no-doses", "no-brands"]
    assert pack.hash != loader.load(folder).hash


def test_an_extra_rule_the_pack_already_has_changes_nothing(folder: Path) -> None:
    assert loader.load(folder, extra_rules=["rules/clinic-no-doses.md"]) is loader.load(folder)


def test_a_missing_extra_rule_is_an_error_that_names_it(folder: Path) -> None:
    with pytest.raises(PackError, match=r"rules/nowhere\.md: the rule file cannot be read"):
        loader.load(folder, extra_rules=["rules/nowhere.md"])
