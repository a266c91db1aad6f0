"""`surefoot runs`: past decisions, and the proof that none was changed."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from tests.cli.test_commands import call

from surefoot.observe.runbook import FILE
from surefoot.observe.runlog import RunStore
from surefoot.settings import Settings
from surefoot.wiring import Surefoot


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunStore:
    monkeypatch.chdir(tmp_path)
    return Surefoot(Settings(kb=tmp_path / ".surefoot")).runlog


def test_runs_are_listed_and_shown(log: RunStore, capsys: pytest.CaptureFixture[str]) -> None:
    run = log.append({"decision": "approved", "pack": "thandi"})
    code, out, _ = call(capsys, "runs", "list", "--json")
    assert code == 0
    assert [item["run_id"] for item in json.loads(out)["runs"]] == [run]
    code, out, _ = call(capsys, "runs", "show", run)
    assert json.loads(out)["decision"] == "approved"
    code, _, err = call(capsys, "runs", "show", "nope")
    assert (code, "surefoot runs list" in err) == (2, True)


def test_a_changed_record_is_named_with_its_row(log: RunStore, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [log.append({"decision": "approved"}) for _ in range(3)]
    log.close()
    assert call(capsys, "runs", "verify")[0] == 0
    with sqlite3.connect(Path(".surefoot") / FILE) as db:
        db.execute("UPDATE runs SET decision = 'rejected' WHERE seq = 2")
    code, out, _ = call(capsys, "runs", "verify")
    assert code == 1
    assert "row 2" in out
    code, out, _ = call(capsys, "runs", "verify", "--json")
    assert json.loads(out)["findings"][0]["run_id"] == runs[1]


def test_pruning_says_how_many_went(log: RunStore, capsys: pytest.CaptureFixture[str]) -> None:
    log.append({"decision": "approved"})
    log.close()
    assert call(capsys, "runs", "prune", "--all")[1].strip() == "removed 0 records"
