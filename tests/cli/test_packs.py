"""`surefoot packs` and `surefoot regress` as a person calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from surefoot.cli.main import run


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*args: str) -> int:
    with pytest.raises(SystemExit) as ended:
        run(args)
    return int(ended.value.code or 0)


def test_a_new_pack_is_made_checked_run_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("packs", "new", "my-desk") == 0
    assert call("packs", "lint", "my-desk") == 0
    assert call("regress", "my-desk", "--coverage", "--junit", "out.xml") == 0
    assert call("packs", "show", "my-desk") == 0
    told = capsys.readouterr().out
    assert "no mistakes" in told
    assert "coverage of my-desk: 7 of 7 (100 %)" in told
    assert "Only the branch manager may waive a fine." in told
    assert Path("out.xml").read_text().count("<testcase") == 7


def test_a_mistake_is_exit_code_1_and_a_line_that_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    call("packs", "new", "my-desk")
    rule = Path("my-desk/rules/no-fines-waived.md")
    rule.write_text(rule.read_text().replace("severity", "severty"))
    assert call("packs", "lint", "my-desk") == 1
    assert "rules/no-fines-waived.md:4: severty: unknown key; did you mean 'severity'?" in capsys.readouterr().out


def test_a_failed_case_is_exit_code_1_and_a_row_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    call("packs", "new", "my-desk")
    cases = Path("my-desk/cases/cases.jsonl")
    cases.write_text(cases.read_text().replace('"decision": "approved"', '"decision": "rejected"', 1))
    assert call("regress", "my-desk") == 1
    assert "plain-fact" in capsys.readouterr().out


def test_a_pack_without_cases_and_an_unknown_pack_are_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    call("packs", "new", "my-desk")
    assert call("regress", "my-desk", "--only", "nothing-like-it") == 2
    assert call("regress", "thandy") == 2
    told = capsys.readouterr().err
    assert "no case of 'my-desk' holds 'nothing-like-it'" in told
    assert "did you mean 'thandi'" in told


def test_packs_are_listed_and_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("packs", "list", "--json") == 0
    names = [pack["name"] for pack in json.loads(capsys.readouterr().out)["packs"]]
    assert {"default", "judge", "thandi"} <= set(names)
    assert call("packs", "diff", "default", "default") == 0
    assert call("packs", "diff", "default", "judge") == 1
    assert "+ rule stay-neutral" in capsys.readouterr().out


def test_rules_are_suggested_from_results_and_from_the_run_log(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    call("packs", "new", "my-desk")
    draft = {"draft": "Members fly to the moon for free [S1].", "chunks": ["A card is free."], "pack": "my-desk"}
    (here / "in.jsonl").write_text("\n".join([json.dumps(draft)] * 3))
    capsys.readouterr()
    call("verify", "in.jsonl")
    (here / "runs.jsonl").write_text(capsys.readouterr().out)
    assert call("packs", "suggest", "runs.jsonl", "--into", "drafts") == 0
    assert list(Path("drafts").glob("seen-*.md"))
    assert call("packs", "suggest", ".surefoot") == 0
    assert "moon" in capsys.readouterr().out


def test_a_run_log_that_is_not_there_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("packs", "suggest", "nowhere") == 2
    assert "there is no run log" in capsys.readouterr().err
