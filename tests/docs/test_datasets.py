"""The commands and the Python of docs/datasets.md run as written. Counts may differ: they hang on the gate."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from surefoot.cli.main import run
from surefoot.dataset.agents import ROLES
from surefoot.dataset.export import FORMS
from surefoot.dataset.pair import QuestionType

TEXT = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text("utf-8")
CAMPUS = {
    "bursary.md": "---\nlicence: CC-BY-4.0\n---\n# Bursaries\n\nThe Marula bursary pays R42,000 a year. "
    "Applications close on 30 September 2026. The bursary exists because many rural students cannot pay fees.\n",
    "library.md": "# Library\n\nThe Kopano library opens at 8 in the morning. "
    "A student may borrow 6 books for 14 days. A late book costs R2 a day.\n",
    "housing.md": "# Housing\n\nThe residence has 310 rooms. A single room costs R4,100 a month. "
    "Rooms are given by lottery in January.\n",
}


@pytest.fixture
def campus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "campus").mkdir()
    for name, text in CAMPUS.items():
        (tmp_path / "campus" / name).write_text(text, "utf-8")
    return tmp_path


def numberless(line: str) -> str:
    return re.sub(r"\d+", "N", line)


def test_the_commands_print_what_the_page_says(campus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"^```console\n(\$ .*?)^```$", TEXT, re.M | re.S)
    assert len(blocks) == 3
    for block in blocks:
        command, *expected = block.strip().splitlines()
        with pytest.raises(SystemExit) as caught:
            run(shlex.split(command.removeprefix("$ "))[1:])
        assert not caught.value.code, command
        printed = {numberless(line) for line in capsys.readouterr().out.splitlines()}
        assert {numberless(line) for line in expected} <= printed, command


def test_the_python_runs(campus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", TEXT, re.M | re.S)
    exec(compile(code, "docs/datasets.md", "exec"), {"__name__": "__main__"})
    assert re.search(r"\d+ accepted; \d+ audited", capsys.readouterr().out)


@pytest.mark.parametrize("word", [*ROLES, *FORMS, *(kind.value for kind in QuestionType)])
def test_every_role_form_and_type_is_named(word: str) -> None:
    assert word in TEXT


def test_every_option_of_build_is_explained() -> None:
    from surefoot.cli.dataset import build

    unexplained = {"corpus", "out", "as_json", "quiet"}
    for name in set(build.__annotations__) - unexplained - {"return"}:
        assert f"--{name.replace('_', '-')}" in TEXT, name
