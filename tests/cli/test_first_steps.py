"""The first hour with the command line: what is printed works as printed, and what is missing is said in one line."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest

from surefoot.cli import completion, demo, init
from surefoot.cli.main import COMMANDS, EXIT_CODES, run
from surefoot.cli.show import EXIT_CODES as DECISIONS

ROOT = Path(__file__).parents[2]
PROGRAM = Path(sys.executable).parent / "surefoot"
FEES = "# Fees\n\nAn adult card costs R120 a year. The late fee for a DVD is R5 a day.\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        run(list(arguments))
    said = capsys.readouterr()
    return int(left.value.code or 0), said.out, said.err


def test_init_makes_a_folder_whose_printed_commands_work(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "init", "my tools")
    assert code == 0
    printed = [line.strip() for line in out.partition("next:")[2].splitlines() if line.strip()]
    assert printed == init.next_steps(Path("my tools"))
    assert printed.pop() == "surefoot serve"
    environment = {**os.environ, "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-ec", "\n".join(printed)], capture_output=True, text=True, env=environment, timeout=200
    )
    assert done.returncode == 0, done.stderr
    assert "The late fee for a tool is R5 a day" in done.stdout


def test_init_leaves_what_is_there(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("surefoot.toml").write_text('pack = "thandi"\n', encoding="utf-8")
    code, _, err = call(capsys, "init")
    assert (code, err.count("\n")) == (2, 1)
    assert Path("surefoot.toml").read_text(encoding="utf-8") == 'pack = "thandi"\n'
    assert [path.name for path in here.iterdir()] == ["surefoot.toml"]


@pytest.mark.parametrize(
    "command",
    [
        ("ask", "What is the late fee?"),
        ("ask", "What is the late fee?", "--kb", "typo"),
        ("cache", "explain", "What is the late fee?", "--kb", "typo"),
        ("store", "rebuild", "--kb", "typo"),
        ("runs", "verify", "--kb", "typo"),
    ],
)
def test_a_knowledge_base_that_is_not_there_is_said_and_not_made(
    here: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    code, out, err = call(capsys, *command)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert command[0] == "runs" or "run: surefoot ingest FOLDER" in err
    assert list(here.iterdir()) == []


def test_a_knowledge_base_without_documents_says_what_to_run(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    code, out, err = call(capsys, "ingest", "broken.pdf")
    assert (code, "broken.pdf: a broken PDF" in out, "1 of the files could not be read" in err) == (1, True, True)
    code, _, err = call(capsys, "ask", "What is the late fee?")
    assert (code, err) == (
        2,
        "surefoot: the knowledge base '.surefoot' is empty; fill it, run: surefoot ingest FOLDER\n",
    )


def test_ingesting_nothing_is_exit_code_1_and_makes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    for nothing in ("empty", "*.pdf"):
        code, _, err = call(capsys, "ingest", nothing)
        assert (code, "nothing to ingest" in err) == (1, True)
    assert call(capsys, "ingest", "nowhere")[0] == 2
    assert [path.name for path in here.iterdir()] == ["empty"]


def test_a_file_of_another_kind_beside_the_documents_is_no_failure(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("docs").mkdir()
    Path("docs/fees.md").write_text(FEES, encoding="utf-8")
    Path("docs/photo.png").write_bytes(b"\x89PNG")
    assert call(capsys, "ingest", "docs")[0] == 0
    Path("docs/broken.docx").write_bytes(b"PK")
    assert call(capsys, "ingest", "docs")[0] == 1


def test_a_pack_is_found_by_its_path_from_anywhere(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call(capsys, "packs", "new", "desk")[0] == 0
    Path("in.json").write_text(json.dumps({"answer": "Cards cost R120.", "sources": ["Cards cost R120."]}))
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    monkeypatch.setenv("HOME", str(here))
    for path in ("../desk", str(here / "desk"), "../desk/pack.yaml", "~/desk"):
        code, out, _ = call(capsys, "verify", "../in.json", "--pack", path, "--json")
        assert code in (0, 3, 4), path
        assert json.loads(out)["metadata"]["certificate"]["pack"]["name"] == "desk"
    assert call(capsys, "verify", "../in.json", "--pack", "../dusk")[0] == 2


def test_doctor_names_what_cannot_be_reached(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    monkeypatch.setenv("SUREFOOT_REDIS_URL", f"redis://:secret@127.0.0.1:{free}/0")
    monkeypatch.setenv("SUREFOOT_LLM", f"openai-compatible:m@http://127.0.0.1:{free}/v1")
    monkeypatch.setenv("SUREFOOT_EMBEDDER", "no-such-folder")
    code, out, _ = call(capsys, "doctor", "--json")
    found = json.loads(out)
    bad = {
        finding["what"].split(" ")[0]: finding["remedy"] for finding in found["findings"] if finding["level"] == "bad"
    }
    assert (code, found["ok"], set(bad)) == (1, False, {"model", "Redis", "answer"})
    assert "is the server running?" in bad["answer"]
    assert "start it, or unset redis_url" in bad["Redis"]
    assert "secret" not in out
    absent = [finding for finding in found["findings"] if finding["what"].startswith("knowledge base")]
    assert [(one["level"], "surefoot ingest FOLDER" in one["remedy"]) for one in absent] == [("absent", True)]
    assert list(here.iterdir()) == []


def test_doctor_counts_the_passages_and_finds_a_lost_one(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("fees.md").write_text(FEES, encoding="utf-8")
    assert call(capsys, "ingest", "fees.md")[0] == 0
    code, out, _ = call(capsys, "doctor")
    assert (code, "knowledge base '.surefoot': 1 passages" in out) == (0, True)
    import sqlite3

    with sqlite3.connect(".surefoot/manifest.sqlite") as ledger:
        ledger.execute("INSERT INTO chunks SELECT path, 'lost', digest, 1 FROM chunks")
    code, out, _ = call(capsys, "doctor")
    assert (code, "surefoot store rebuild" in out) == (1, True)


def test_a_question_goes_through_the_service_that_holds_the_store(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUREFOOT_GROUNDER_SIZE", "none")
    Path("fees.md").write_text(FEES, encoding="utf-8")
    assert call(capsys, "ingest", "fees.md")[0] == 0
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    service = subprocess.Popen([PROGRAM, "serve", "--port", str(port)], stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            try:
                if httpx2.get(f"http://127.0.0.1:{port}/readyz").status_code == 200:
                    break
            except httpx2.HTTPError:
                time.sleep(0.1)
        code, out, err = call(capsys, "ask", "What is the late fee for a DVD?")
        assert (code, "R5 a day" in out, "answered by the service" in err) == (0, True, True)
        code, out, _ = call(capsys, "ask", "What is the late fee for a DVD?", "--json")
        assert (code, "R5 a day" in json.loads(out)["finalAnswer"]) == (0, True)
        code, _, err = call(capsys, "ask", "What is the late fee for a DVD?", "--llm", "ollama:any")
        assert (code, err.count("\n"), f"held by process {service.pid}" in err) == (1, 1, True)
        note = Path(".surefoot/service.json")
        note.write_text(json.dumps({**json.loads(note.read_text()), "pid": 1}))  # left by another process
        code, _, err = call(capsys, "ask", "What is the late fee for a DVD?")
        assert (code, err.count("\n"), "is held by process" in err) == (1, 1, True)
    finally:
        service.kill()
        service.wait()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["surefoot", "in"], ["init", "ingest"]),
        (["surefoot", "packs", "s"], ["show", "suggest"]),
        (["surefoot", "ask", "Why?", "--ex"], ["--explain"]),
        (["surefoot", "store", "copy", "--k"], ["--kb"]),
    ],
)
def test_the_shell_completes_commands_and_options(
    capsys: pytest.CaptureFixture[str], typed: list[str], offered: list[str]
) -> None:
    code, script, _ = call(capsys, "completion", "bash")
    assert code == 0
    words = " ".join(f"'{word}'" for word in typed)
    ask = f'COMP_WORDS=({words}); COMP_CWORD={len(typed) - 1}; _surefoot; echo "${{COMPREPLY[@]}}"'
    said = subprocess.run(["bash", "-ec", f"{script}\n{ask}"], capture_output=True, text=True, check=True)
    assert said.stdout.split() == offered


def test_every_command_is_completed_in_every_shell(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(COMMANDS) < set(completion.completions()[""])
    for shell in completion.Shell:
        code, script, _ = call(capsys, "completion", shell.value)
        assert (code, "dataset" in script, "--explain" in script) == (0, True, True)
    assert call(capsys, "completion", "zsh")[1].startswith("#compdef surefoot\n")


def test_exit_codes_are_said_by_the_help_and_by_the_documents(capsys: pytest.CaptureFixture[str]) -> None:
    said = call(capsys, "--help")[1]
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for code, meaning in EXIT_CODES.items():
        assert f"{code:<12} {meaning}" in said
        assert f"| {code} | {meaning} |" in page
    assert set(DECISIONS.values()) <= set(EXIT_CODES)
    for name in COMMANDS:
        assert f"`surefoot {name}" in page, name


def test_the_demo_prints_commands_that_a_shell_finds(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    asked, *_, helped = demo.next_steps(PROGRAM)
    assert asked.split()[0] == os.path.relpath(PROGRAM)
    assert subprocess.run(["sh", "-c", helped], capture_output=True).returncode == 0
    monkeypatch.setenv("PATH", str(PROGRAM.parent))
    assert demo.next_steps(PROGRAM)[0].startswith("surefoot ask ")
