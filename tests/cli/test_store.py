from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from surefoot.cli.main import run
from surefoot.testing.qdrant_double import QdrantDouble

pytest.importorskip("surefoot_models")


@pytest.fixture
def double() -> Iterator[QdrantDouble]:
    with QdrantDouble() as double:
        yield double


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "rent.md").write_text("# Rent\n\nRent is due on the first day of the month.\n")
    (folder / "fees.md").write_text("# Fees\n\nNursing costs R30 000 a year.\n")
    (tmp_path / "questions.txt").write_text("When is the rent due?\nWhat does nursing cost?\n")
    return folder


def call(*arguments: str) -> int:
    try:
        run(arguments)
    except SystemExit as done:
        return int(done.code or 0)
    return 0


def test_ingest_prints_counts_and_reasons(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (docs / "photo.png").write_bytes(b"\x89PNG")
    assert call("ingest", "docs", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["added"], report["chunks"]) == (2, 2)
    assert report["skipped"] == [{"source": "photo.png", "reason": "files of type '.png' are not read"}]
    assert call("ingest", "docs") == 0
    assert "unchanged 2" in capsys.readouterr().out


def test_a_tag_must_be_a_key_and_a_value(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("ingest", "docs", "--tag", "pack") == 2
    assert "'pack' is not key=value" in capsys.readouterr().err
    assert call("ingest", "docs", "--tag", "pack=thandi", "--json") == 0
    assert json.loads(capsys.readouterr().out)["added"] == 2
    assert call("ingest", "docs", "--json") == 0
    assert json.loads(capsys.readouterr().out)["updated"] == 2


def test_a_path_that_is_not_there_is_exit_code_two_and_one_line(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("ingest", "nowhere") == 2
    error = capsys.readouterr().err
    assert "nowhere" in error
    assert error.count("\n") == 1


def test_a_copy_on_a_server_answers_as_the_laptop_does(
    docs: Path, double: QdrantDouble, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call("ingest", "docs") == 0
    assert call("store", "copy", double.url) == 0
    assert "copied 2 passages" in capsys.readouterr().out
    assert call("store", "parity", "questions.txt", "--with", double.url) == 0
    assert "2 of 2 questions have the same top 10" in capsys.readouterr().out
    monkeypatch.setenv("SUREFOOT_STORE_URL", double.url)
    assert call("ingest", "docs", "--json") == 0
    assert json.loads(capsys.readouterr().out)["unchanged"] == 2


def test_stores_that_differ_are_exit_code_one(
    docs: Path, double: QdrantDouble, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("ingest", "docs") == 0
    assert call("store", "copy", double.url) == 0
    (docs / "more.md").write_text("# Rent in winter\n\nIn winter the rent is due on the second day.\n")
    assert call("ingest", "docs") == 0
    capsys.readouterr()
    assert call("store", "parity", "questions.txt", "--with", double.url, "--json") == 1
    report = json.loads(capsys.readouterr().out)
    assert report["same"] == 0
    assert len(report["differences"][0]["here"]) == 3


def test_a_copy_follows_removals(docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("ingest", "docs") == 0
    assert call("store", "copy", str(tmp_path / "other")) == 0
    (docs / "fees.md").unlink()
    assert call("ingest", "docs") == 0
    assert call("store", "copy", str(tmp_path / "other")) == 0
    assert call("ingest", "docs", "--kb", "other", "--json") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["unchanged"] == 1


def test_a_snapshot_restores_to_the_same_knowledge_base(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("ingest", "docs") == 0
    assert call("store", "snapshot", "kb.tar.gz") == 0
    assert call("store", "restore", "kb.tar.gz") == 2
    assert call("store", "restore", "kb.tar.gz", "--kb", "again") == 0
    capsys.readouterr()
    assert call("ingest", "docs", "--kb", "again", "--json") == 0
    assert json.loads(capsys.readouterr().out)["unchanged"] == 2


def test_what_is_no_snapshot_is_refused(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("fake.tar.gz").write_bytes(b"not a tar")
    assert call("store", "restore", "fake.tar.gz") == 2
    assert "cannot be read as a snapshot" in capsys.readouterr().err
