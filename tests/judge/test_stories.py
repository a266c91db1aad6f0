"""The example tells both stories, run as a user runs it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "self_correction.py"


def test_the_example_corrects_an_answer_from_the_web_and_judges_a_case(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    answer, verdict = done.stdout.split("\n\n")
    assert re.search(r"^round 1: score [\d.]+, outdated source$", answer, re.MULTILINE)
    assert re.search(r"^round 2: score [\d.]+, accepted$", answer, re.MULTILINE)
    assert re.search(r"^searched \(searxng\): .* -> http://127\.0\.0\.1:\d+/loans$", answer, re.MULTILINE)
    assert "revised: From this year on, a book loan lasts 28 days [S1]." in answer
    assert re.search(r"^from the web: http://127\.0\.0\.1:\d+/loans, fetched \d{4}-\d\d-\d\d$", answer, re.MULTILINE)
    assert re.search(r"^cut \(\w+\): The library was founded in 1850 by a baker \[S1\]\. -> ", answer, re.MULTILINE)
    assert "round 1: invalid_citation\nround 2: accepted" in verdict
    assert "revised: In England a landlord must keep in repair the heating and hot water [1].\n" in verdict
    longer = "Three weeks without heating is longer than the 14 days the guide allows [1] [case]."
    assert f"Your heating has been off for three weeks [case]. {longer}" in verdict
    cut = r"^cut \(\w+\): You sent the landlord a registered letter \[case\]\. -> nothing"
    assert re.search(cut, verdict, re.MULTILINE)
    assert list(tmp_path.iterdir()) == []
