"""The tutorial of docs/packs.md works as it is written: its files are written, its commands run, its outputs seen."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from surefoot.cli.main import run

DOCS = Path(__file__).parents[2] / "docs" / "packs.md"
BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def tutorial() -> list[tuple[str, str]]:
    text = DOCS.read_text("utf-8")
    part = text[text.index("## Your first pack in ten minutes") : text.index("## pack.yaml, key by key")]
    return [(match["info"], match["body"]) for match in BLOCK.finditer(part)]


def steps(body: str) -> list[tuple[str, list[str]]]:
    """Commands with the lines they must print."""
    found: list[tuple[str, list[str]]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.strip() and line.strip() != "...":
            found[-1][1].append(line)
    return found


def test_the_tutorial_works_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = 0
    for info, body in tutorial():
        if "file=" in info:
            path = Path(info.split("file=", 1)[1])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body, "utf-8")
            continue
        for command, expected in steps(body):
            program, *arguments = shlex.split(command)
            if program == "rm":
                Path(arguments[0]).unlink()
                continue
            with pytest.raises(SystemExit):
                run(arguments)
            printed = capsys.readouterr().out.splitlines()
            assert [line for line in expected if line not in printed] == [], command
            commands += 1
    assert commands == 4


def test_every_key_of_the_format_is_explained() -> None:
    from surefoot.packs.cases import EXPECT_KEYS
    from surefoot.packs.conditions import OPERATORS
    from surefoot.packs.manifest import KEYS
    from surefoot.packs.rules import FIX_KEYS
    from surefoot.packs.rules import KEYS as RULE_KEYS

    text = DOCS.read_text("utf-8")
    missing = [key for key in (*KEYS, *RULE_KEYS, *FIX_KEYS, *OPERATORS, *EXPECT_KEYS) if f"`{key}" not in text]
    assert missing == []
