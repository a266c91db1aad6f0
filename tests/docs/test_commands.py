"""Every command a page shows is run, or stands below with the reason why it is not; its options exist either way."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from tests.docs.shell import bash

from surefoot.cli.main import run

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if page.parent.name != "decisions"]
NOT_RUN = {
    "make ": "sets up and runs what this suite runs in",
    "docker ": "needs a container engine",
    "kubectl ": "needs a cluster",
    "export SUREFOOT_LLM": "needs a language model, or a key to one",
    "surefoot dataset build campus --out campus.jsonl --models": "needs a key to a language model",
    "surefoot serve": "does not end; the team-service page starts it, tests/browser starts the page",
    "curl ": "needs a service; test_site.py starts one and sends it",
    "surefoot store copy http": "needs a Qdrant server; tests/store copies to the double of one",
    "surefoot bench retrieval scifact": "needs a public corpus, and hours",
    "pip install ": "needs a package index, and Postgres or a bucket; tests/scale and tests/ingest have such",
    "surefoot ingest s3://": "needs a bucket and a Ray cluster; tests/ingest has a double, tests/dataset starts one",
    "pg_dump ": "needs a Postgres server; tests/scale runs it",
}
"""How a `console` block begins that is not run, and why. A block of `sh` is always run."""
SHOWN = {"packs.md": "test_packs_tutorial.py", "datasets.md": "test_datasets.py"}
"""Pages whose `console` blocks show `$ command` with its output; the test that compares them."""
FILES = {
    "README.md": {"my-documents/fees.md": "A torn page costs R20.\n"},
    "retrieval.md": {
        "docs/cx250.md": "# CX250\n\nThe CX250 is a mower. The CX250 is 40 kg heavy.\n",
        "more/fees.md": "# Fees\n\nThe rent for a mower is R90 a day.\n",
        "questions.jsonl": '{"id": "q1", "kind": "how much", "question": "How heavy is the CX250?", '
        '"answered_by": ["cx250.md:3"], "requires": ["40 kg"]}\n',
    },
}
"""What a page takes for granted."""
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.M | re.S)


def blocks(page: Path, *kinds: str) -> list[str]:
    return [body for kind, body in BLOCK.findall(page.read_text(encoding="utf-8")) if kind in kinds]


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "sh")], ids=lambda page: page.stem)
def test_the_commands_of_a_page_run_one_after_the_other(page: Path, tmp_path: Path) -> None:
    for name, text in FILES.get(page.name, {}).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    printed = loose(bash("\n".join(blocks(page, "sh")), tmp_path))
    for line in "".join(blocks(page, "text")).splitlines():
        assert loose(line) in printed, line


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "console")], ids=lambda page: page.stem)
def test_what_is_not_run_has_a_reason(page: Path) -> None:
    for block in blocks(page, "console"):
        reasons = [reason for start, reason in NOT_RUN.items() if block.startswith(start)]
        assert reasons or (block.startswith("$ ") and page.name in SHOWN), block


def test_every_reason_is_needed_and_no_block_goes_by_another_name() -> None:
    shown = [block for page in PAGES for block in blocks(page, "console")]
    assert [start for start in NOT_RUN if not any(block.startswith(start) for block in shown)] == []
    for page in PAGES:
        assert blocks(page, "bash", "shell", "zsh") == [], page
        assert [block for block in blocks(page, "") if re.search(r"^(surefoot|make|pip) ", block, re.M)] == [], page


def test_every_command_and_option_shown_exists(capsys: pytest.CaptureFixture[str]) -> None:
    wanted: dict[tuple[str, ...], set[str]] = {}
    for page in PAGES:
        for block in blocks(page, "sh", "console"):
            for line in re.findall(r"^(?:\$ )?surefoot (.*)$", block.replace("\\\n", " "), re.M):
                words = shlex.split(line, comments=True)
                name = tuple(words[: 2 if words[0] in GROUPS else 1])
                wanted.setdefault(name, set()).update(word for word in words if word.startswith("--"))
    for name, options in wanted.items():
        with pytest.raises(SystemExit) as ended:
            run([*name, "--help"])
        assert not ended.value.code, name
        told = capsys.readouterr().out
        assert [option for option in options if option not in told] == [], name


GROUPS = {"packs", "dataset", "store", "cache", "runs", "bench", "keys", "certificate"}
"""Commands that have commands of their own."""


def loose(text: str) -> str:
    """Identities differ from run to run, and a page may shorten them."""
    return re.sub(r"\b[0-9a-f]{4,}(…|\b)", "ID", text)
