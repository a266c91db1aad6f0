"""`assert_grounded`, as a user's test suite sees it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = ["The late fee for a DVD is R5 a day. The library opens at 08:00."]


def test_a_grounded_answer_passes_with_and_without_markers(assert_grounded) -> None:  # type: ignore[no-untyped-def]
    assert assert_grounded("The late fee for a DVD is R5 a day [S1].", SOURCES).accepted
    assert assert_grounded("The late fee for a DVD is R5 a day.", SOURCES).accepted


@pytest.mark.parametrize(
    ("answer", "sources"),
    [
        ("The late fee for a DVD is R9 a day.", SOURCES),
        ("Every member receives a free bicycle.", SOURCES),
        ("The late fee for a DVD is R5 a day.", []),
    ],
)
def test_an_ungrounded_answer_fails_and_says_why(assert_grounded, answer: str, sources: list[str]) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(pytest.fail.Exception, match="not grounded in its sources"):
        assert_grounded(answer, sources)


def test_the_plugin_is_there_in_any_project_and_costs_nothing_until_used(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(
        "import sys\n"
        "def test_light():\n    assert 'surefoot.wiring' not in sys.modules\n"
        "def test_bad(assert_grounded):\n    assert_grounded('The fee is R9.', ['The fee is R5.'])\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert "1 failed, 1 passed" in done.stdout
    assert "value_mismatch" in done.stdout
