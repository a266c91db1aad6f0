"""The command line as people and scripts use it: exit codes, one-line errors, JSON that does not change by itself."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from surefoot.cli.doctor import EXTRAS
from surefoot.cli.main import COMMANDS, run

LIBRARY = {
    "fees.md": "# Fees\n\nAn adult card costs R120 a year. The late fee for a DVD is R5 a day.\n",
    "hours.md": "# Hours\n\nThe reading room opens at 09:00 on weekdays. It is closed on Sundays.\n",
}
GOOD = {"draftAnswer": "An adult card costs R120 a year [S1].", "ragChunks": [LIBRARY["fees.md"]]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for name, text in LIBRARY.items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    return tmp_path


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as leave:
        run(list(arguments))
    said = capsys.readouterr()
    code = leave.value.code
    return (code if isinstance(code, int) else 0), said.out, said.err


def untimed(text: str) -> Any:
    value = json.loads(text)
    value["metadata"].pop("processingTime")
    value["metadata"].pop("stageTimes")
    value["metadata"].pop("nodes")  # the steps with their times; a remembered answer has one
    return value


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "--help")
    assert code == 0
    assert all(f"  {name} " in out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, name, "--help")
    assert code == 0, err
    assert "Usage" in out


def test_the_package_starts_as_a_program() -> None:
    ran = subprocess.run([sys.executable, "-m", "surefoot", "verify", "--help"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "Usage" in ran.stdout


def test_a_misspelt_command_gets_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capsys, "verfy")
    assert (code, "did you mean 'verify'?" in err) == (2, True)


def test_ingest_ask_and_refuse(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "ingest", "docs")[0] == 0
    code, out, _ = call(capsys, "ask", "What is the late fee for a DVD?")
    assert (code, "R5 a day" in out) == (0, True)
    code, out, _ = call(capsys, "ask", "Who painted the ceiling of the Sistine Chapel?")
    assert (code, "I don't know based on the provided documents." in out) == (4, True)


def test_asking_twice_gives_the_same_json_but_for_timings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(capsys, "ingest", "docs")
    first, second = (call(capsys, "ask", "What is the late fee for a DVD?", "--json")[1] for _ in range(2))
    assert untimed(first) == untimed(second)


@pytest.mark.parametrize(
    ("change", "code", "decision"),
    [
        ({}, 0, "approved"),
        ({"draftAnswer": "An adult card costs R120 a year [S4]."}, 0, "revised"),
        ({"draftAnswer": "Penguins own the library [S1]."}, 3, "fallback"),
        ({"ragChunks": []}, 4, "rejected"),
    ],
)
def test_verify_exits_by_decision(
    folder: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any], code: int, decision: str
) -> None:
    Path("in.json").write_text(json.dumps({**GOOD, **change}), encoding="utf-8")
    found, out, _ = call(capsys, "verify", "in.json", "--json")
    assert (found, json.loads(out)["decision"]) == (code, decision)


def test_a_jsonl_file_is_verified_line_by_line_and_exits_with_the_worst(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [GOOD, {**GOOD, "ragChunks": []}, GOOD]
    Path("in.jsonl").write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    code, out, _ = call(capsys, "verify", "in.jsonl")
    assert code == 4
    assert [json.loads(line)["decision"] for line in out.splitlines()] == ["approved", "rejected", "approved"]


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("{", "in.json: not valid JSON"),
        ("# A handbook", 'give an object such as {"draft_answer": "'),
        ("[]", "must be a JSON object"),
        ("{}", "'draft_answer' is missing; give an object such as {"),
        ('{"draftAnswer": 3}', "'draft_answer'"),
        ('{"draftAnswer": "x", "pack": "nope"}', "there is no pack 'nope'"),
        ('{"draftAnswer": "x", "answr": 1}', "unknown key 'answr'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    folder: Path, capsys: pytest.CaptureFixture[str], content: str, names: str
) -> None:
    Path("in.json").write_text(content, encoding="utf-8")
    code, out, err = call(capsys, "verify", "in.json")
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert names in err


def test_a_missing_file_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capsys, "verify", "nowhere.json")
    assert (code, len(err.strip().splitlines())) == (2, 1)


def test_a_changed_certificate_exits_5(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.json").write_text(json.dumps(GOOD), encoding="utf-8")
    _, out, _ = call(capsys, "verify", "in.json", "--json")
    Path("result.json").write_text(out, encoding="utf-8")
    assert call(capsys, "certificate", "verify", "result.json")[0] == 0
    Path("result.json").write_text(out.replace("R120", "R121", 1), encoding="utf-8")
    assert call(capsys, "certificate", "verify", "result.json")[0] == 5


def test_doctor_finds_the_house_in_order(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "doctor")
    assert (code, "pack 'default'" in out) == (0, True)


def test_doctor_names_a_bad_setting(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUREFOOT_LLM", "nobody:model")
    code, out, _ = call(capsys, "doctor")
    assert (code, "unknown model provider 'nobody'" in out) == (1, True)


def test_a_run_can_be_replayed_and_judged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.json").write_text(json.dumps(GOOD), encoding="utf-8")
    _, _, err = call(capsys, "verify", "in.json", "--json")
    identity = err.split()[1]
    code, out, _ = call(capsys, "replay", identity)
    assert (code, out.strip()) == (0, "reproduced: approved -> approved")
    for word, noted in (("right", "was right"), ("down", "was wrong"), ("unsure", "unsure about")):
        code, out, _ = call(capsys, "feedback", identity, word)
        assert code == 0, word
        assert noted in out, word
    code, out, err = call(capsys, "feedback", identity, "maybe")
    assert code == 2
    assert "say right, wrong or unsure" in err
    code, _, err = call(capsys, "feedback", "abc", "right")
    assert (code, "list them with: surefoot runs list" in err) == (2, True)
    assert "1 runs replayed, 0 would flip" in call(capsys, "replay")[1]
    assert "1 runs replayed, 0 would flip" in call(capsys, "replay", "--since", "2020")[1]
    assert "0 runs replayed, 0 would flip" in call(capsys, "replay", "--since", "9000-01-01")[1]


@pytest.mark.parametrize("written", ["yesterday", "2020-13-45"])
def test_a_date_that_is_none_is_one_line_and_exit_code_2(
    folder: Path, capsys: pytest.CaptureFixture[str], written: str
) -> None:
    code, out, err = call(capsys, "replay", "--since", written)
    assert (code, out, len(err.strip().splitlines())) == (2, "", 1)
    assert f"--since: '{written}' is no date; write it as" in err


def test_a_benchmark_of_retrieval_indexes_once_beside_the_knowledge_base_and_never_on_a_server(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUREFOOT_STORE_URL", "http://127.0.0.1:9")  # nobody listens there
    (folder / "questions.jsonl").write_text(
        '{"id": "q1", "question": "When is the reading room open?", "answered_by": ["hours.md:3"]}\n', encoding="utf-8"
    )
    command = ("bench", "retrieval", "docs", "--questions", "questions.jsonl", "--no-rerank", "--json")
    code, out, err = call(capsys, *command)
    assert code == 0, err
    assert json.loads(out)["by_passage"]["hybrid"]["mrr@10"] == 1.0
    (place,) = (folder / ".surefoot" / "bench").iterdir()
    store = (place / "store" / "identity").read_text(encoding="utf-8")
    code, _, err = call(capsys, *command)
    assert code == 0, err
    assert (place / "store" / "identity").read_text(encoding="utf-8") == store


def test_questions_of_ones_own_and_a_split_exclude_each_other(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capsys, "bench", "retrieval", "docs", "--questions", "q.jsonl", "--split", "train")
    assert code == 2
    assert "--questions" in err


def test_the_doctor_looks_for_what_the_extras_install() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: " ".join(wanted) for name, wanted in project["optional-dependencies"].items()}
    for name, packages in EXTRAS.items():
        assert all(package in extras[name] for package in packages), name


@pytest.mark.parametrize(
    ("answer", "code"), [("An adult card costs R120 a year.", 0), ("Unable to answer based on the documents.", 1)]
)
def test_calibrate_promises_nothing_from_answers_that_are_never_released(
    folder: Path, capsys: pytest.CaptureFixture[str], answer: str, code: int
) -> None:
    rows = [{"answer": answer, "sources": [LIBRARY["fees.md"]], "label": 0}] * 60
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert call(capsys, "calibrate", "rows.jsonl", "--risk", "0.05")[0] == code
