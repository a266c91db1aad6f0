"""The object, blocking and asynchronous, and the types a checker sees."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import surefoot
from surefoot.core.wire import ask_from_wire, ask_to_wire

FEES = "# Fees\n\nAn adult card costs R120 a year. The late fee for a DVD is R5 a day.\n"
QUESTION = "What is the late fee for a DVD?"


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    (tmp_path / "fees.md").write_text(FEES, encoding="utf-8")
    return tmp_path / "fees.md"


def test_blocking_it_ingests_asks_searches_and_verifies(documents: Path, tmp_path: Path) -> None:
    with surefoot.Surefoot(kb=str(tmp_path / "kb")) as sf:
        assert sf.ingest(str(documents)).added == 1
        asked = sf.ask(QUESTION)
        assert asked.decision is surefoot.Decision.APPROVED
        assert "R5 a day" in asked.text
        assert asked.text in str(asked)
        assert ask_to_wire(ask_from_wire(ask_to_wire(asked))) == ask_to_wire(asked)
        assert "R5 a day" in asked._repr_html_()
        assert "R5 a day" in sf.search(QUESTION, k=1).passages[0].passage.text
        assert sf.verify("The late fee is R5 a day.", sf.search(QUESTION).passages).accepted
        assert [document.state for document in sf.documents()] == ["done"]
    with surefoot.Surefoot(kb=tmp_path / "kb") as again:
        assert again.ask(QUESTION).accepted
    assert surefoot.ask(QUESTION, kb=str(tmp_path / "kb")).accepted


def test_asynchronous_it_does_the_same(documents: Path, tmp_path: Path) -> None:
    async def go() -> str:
        async with surefoot.Surefoot(kb=tmp_path / "kb") as sf:
            await sf.ingest([documents])
            assert (await sf.verify("An adult card costs R120 a year.", FEES)).accepted
            return (await sf.ask(QUESTION)).text

    assert "R5 a day" in asyncio.run(go())


def test_blocking_calls_work_inside_a_running_loop_and_from_many_threads(tmp_path: Path) -> None:
    found: list[bool] = []
    with surefoot.Surefoot(kb=tmp_path) as sf:

        async def inside() -> bool:
            return sf.verify("An adult card costs R120 a year.", FEES).accepted

        assert asyncio.run(inside())
        work = [
            threading.Thread(target=lambda: found.append(sf.verify("An adult card costs R120 a year.", FEES).accepted))
            for _ in range(4)
        ]
        for thread in work:
            thread.start()
        for thread in work:
            thread.join()
    assert found == [True] * 4


def test_an_unknown_setting_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(surefoot.ConfigError, match="unknown setting 'kbb'; did you mean 'kb'"):
        surefoot.build(kbb=3)  # type: ignore[call-arg]


PROGRAM = """
import surefoot
reveal_type(surefoot.verify("a", ["b"]))
reveal_type(surefoot.verify("a", [{"text": "b"}], citations="auto", question="q").claims)
reveal_type(surefoot.ask("q", kb="x").text)
with surefoot.Surefoot(kb="x") as sf:
    reveal_type(sf.ask("q"))
    reveal_type(sf.judge("c", "q"))
async def go() -> None:
    async with surefoot.Surefoot(kb="x") as sf:
        reveal_type(await sf.verify("a", "b"))
        reveal_type(await sf.ingest("x"))
surefoot.build(kbb=3)
surefoot.Surefoot(kbb=3)
surefoot.verify("a", ["b"], citatons="auto")
surefoot.verify("a", ["b"], citations="never")
surefoot.verify("a")
"""
REVEALED = [
    "surefoot.core.types.VerificationResult",
    "tuple[surefoot.core.types.ClaimResult, ...]",
    "str",
    "surefoot.core.types.AskResult",
    "surefoot.core.types.JudgeResult",
    "surefoot.core.types.VerificationResult",
    "surefoot.core.types.IngestReport",
]


def test_a_checker_sees_exact_types_and_every_mistake(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    root = Path(__file__).parents[1]
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(root / "pyproject.toml"), str(file)]
    said = subprocess.run(command, capture_output=True, text=True, cwd=root, timeout=300).stdout
    notes = [line.split('"')[1] for line in said.splitlines() if "Revealed type" in line]
    wrong = sorted({int(line.split(":")[1]) for line in said.splitlines() if ": error:" in line})
    first = PROGRAM.splitlines().index("surefoot.build(kbb=3)") + 1
    assert notes == REVEALED
    assert wrong == list(range(first, first + 5))
