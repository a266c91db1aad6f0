"""`surefoot serve` from the command line."""

from __future__ import annotations

import hashlib
import json
import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from surefoot.cli.main import run


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    handlers, level = logging.root.handlers, logging.root.level
    yield
    logging.root.handlers, logging.root.level = handlers, level
    structlog.reset_defaults()


def test_a_new_key_is_printed_with_the_entry_that_admits_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        run(["serve", "--new-key"])
    assert left.value.code == 0
    key, entry = (line.split(":", 1)[1].strip() for line in capsys.readouterr().out.splitlines())
    assert entry.startswith(hashlib.sha256(key.encode()).hexdigest())


def test_the_openapi_document_can_be_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        run(["serve", "--openapi"])
    assert "/v1/ask" in json.loads(capsys.readouterr().out)["paths"]


def test_a_taken_port_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(SystemExit) as left:
            run(["serve", "--port", str(taken.getsockname()[1])])
    assert left.value.code == 2
    assert "choose another with --port" in capsys.readouterr().err


def test_an_outside_address_without_keys_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        run(["serve", "--host", "0.0.0.0"])
    assert left.value.code == 2
    assert "no api_keys are set" in capsys.readouterr().err
