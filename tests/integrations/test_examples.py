"""Each framework's example is run as a user would run it; a framework that is not installed is skipped by name."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENT = {**os.environ, "SUREFOOT_DEADLINE_MS": "60000"}
"""A busy machine must not turn a verdict into a fallback."""


@pytest.mark.parametrize(
    ("example", "package"),
    [
        ("three_lines.py", "surefoot"),
        ("openai_verified.py", "openai"),
        ("fastapi_dependency.py", "fastapi"),
        ("langchain_chain.py", "langchain_core"),
        ("langchain_verifier.py", "langchain_core"),
        ("llamaindex_verifier.py", "llama_index"),
        ("haystack_verifier.py", "haystack"),
    ],
)
def test_the_example_answers_a_wrong_fee_by_its_source(example: str, package: str, tmp_path: Path) -> None:
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed; make integrations runs this one")
    command = [sys.executable, str(ROOT / "examples" / "integrations" / example)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, cwd=tmp_path, env=PATIENT)
    assert done.stdout.strip().splitlines()[-1] == "revised: The late fee for a DVD is R5 a day.", done.stderr[-500:]
    assert list(tmp_path.iterdir()) == []


def test_the_pytest_example_fails_once_with_a_diff(tmp_path: Path) -> None:
    file = tmp_path / "test_grounded.py"
    file.write_text((ROOT / "examples" / "integrations" / "test_grounded.py").read_text(encoding="utf-8"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path, env=PATIENT).stdout
    assert "1 failed, 1 passed" in said
    assert "    The desk closes at 18:00.\n  - The late fee for a DVD is R9 a day.\n  ?   high value_mismatch" in said
    assert "  + The late fee for a DVD is R5 a day." in said
