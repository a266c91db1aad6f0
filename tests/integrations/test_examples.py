"""Each framework's example is run as a user would run it; a framework that is not installed is skipped by name."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("example", "package", "extra"),
    [
        ("langchain_verifier.py", "langchain_core", "langchain"),
        ("llamaindex_verifier.py", "llama_index", "llamaindex"),
        ("haystack_verifier.py", "haystack", "haystack"),
    ],
)
def test_the_example_repairs_the_wrong_fee(example: str, package: str, extra: str) -> None:
    if find_spec(package) is None:
        pytest.skip(f"not installed: pip install 'surefoot[{extra}]'; make integrations runs all of them")
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "frameworks" / example)], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip().splitlines()[-1] == "revised: The late fee for a DVD is R5 a day [S1].", done.stderr[
        -500:
    ]
