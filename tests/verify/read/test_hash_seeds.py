"""Words are kept in sets, whose order differs from process to process; nothing that decides may follow it.

Sums of fractions did: added in another order they end in another digit, and a replay had another certificate.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CODE = """
from surefoot.core.types import Passage
from surefoot.verify.read.alignment import Aligner, stems_of
words = "rent deposit month notice tenant landlord court damage repair water meter lease key garden wall roof".split()
said = [" ".join(words[at % 16] for at in range(start, start + 2 + start % 7)) + "." for start in range(40)]
weights = Aligner([Passage(id=f"p{at}", text=text) for at, text in enumerate(said)]).weights
print([weights.sum(stems_of(" ".join(words[:many]))) for many in range(2, 16)])
"""


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_the_order_of_a_set_changes_no_digit(seed: str) -> None:
    assert said(seed) == said("0")


def said(seed: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", CODE],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return run.stdout
