"""Documents say what the code does: their Python is run, their links lead somewhere, the README stays short."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PATIENT = {**os.environ, "SUREFOOT_DEADLINE_MS": "60000"}
"""A busy machine must not turn a verdict into a fallback."""
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
EXAMPLES = sorted(path for path in (ROOT / "examples").glob("*.py") if not path.name.startswith("_"))


def test_the_readmes_python_runs_and_says_what_its_comments_say(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=PATIENT)
    assert ran.returncode == 0, ran.stderr
    promised = [said for line in re.findall(r"print\(.*\)  # (.*)", code)[:-1] for said in line.split(", ")]
    assert ran.stdout.splitlines()[: len(promised)] == promised
    assert list(tmp_path.iterdir()) == []


def test_the_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_files_that_exist(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        if "://" not in target and not target.startswith("mailto:"):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert ran.returncode == 0, ran.stderr


def test_the_taxonomy_in_the_document_is_the_one_in_the_code() -> None:
    from surefoot.core.taxonomy import CODES

    text = (ROOT / "docs" / "verification.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \| (.*) \|$", text, re.M)
    assert rows == [(code, kind.value, severity.value, said) for code, (kind, severity, said) in CODES.items()]


def test_the_comparison_says_of_others_what_was_measured() -> None:
    found = json.loads((ROOT / "benchmarks" / "results" / "peers.json").read_text(encoding="utf-8"))
    text = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    for name, one in found.items():
        row = f"{one['version']} | {one['packages']} | {'yes' if one['torch'] else 'no'} |"
        assert len(re.findall(rf"^\| .* \| {re.escape(row)}", text, re.M)) == 1, name
    given = {
        name: [case for case, end in one["cases"].items() if end["given"]]
        for name, one in found.items()
        if "cases" in one
    }
    assert given == {"nemoguardrails": ["no evidence", "judge says nonsense"], "ragas": [], "surefoot": []}
    assert text.count("**gives out the draft**") == 2
