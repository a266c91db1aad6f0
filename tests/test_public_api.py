"""The public menu is small, complete and cheap."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

import surefoot
from surefoot import Decision, Passage, VerifyInput

MENU = {
    "AskResult",
    "Decision",
    "Issue",
    "Pack",
    "Passage",
    "Settings",
    "Surefoot",
    "SurefootError",
    "VerificationResult",
    "VerifyInput",
    "VerifyOptions",
    "ask",
    "build",
    "verify",
}
DRAFT = VerifyInput(
    draft_answer="The card costs R120 a year [S1].", chunks=(Passage(id="S1", text="The card costs R120 a year."),)
)


def test_the_menu_is_what_it_says() -> None:
    assert set(surefoot.__all__) == MENU
    assert all(getattr(surefoot, name) is not None for name in MENU)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = surefoot.nonsense


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, surefoot; print(','.join(m for m in sys.modules if m.split('.')[0] in "
        "{'numpy','onnxruntime','langgraph','openai','typer','pydantic','yaml'}))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""


def test_verify_blocks_and_answers(tmp_path: Path) -> None:
    assert surefoot.verify(DRAFT, kb=tmp_path).decision is Decision.APPROVED


def test_verify_works_inside_a_running_loop(tmp_path: Path) -> None:
    async def inside() -> Decision:
        return surefoot.verify(DRAFT, kb=tmp_path).decision

    assert asyncio.run(inside()) is Decision.APPROVED


def test_an_error_reaches_the_caller(tmp_path: Path) -> None:
    with pytest.raises(surefoot.SurefootError, match="no-such-pack"):
        surefoot.verify(DRAFT, kb=tmp_path, pack="no-such-pack")
