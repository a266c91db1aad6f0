"""`surefoot dataset` from the outside."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.dataset.conftest import TEXTS as CAMPUS
from tests.dataset.conftest import careless_reply

from surefoot.cli.dataset_words import prices_of, seconds_of, specs_of
from surefoot.cli.main import run
from surefoot.core.errors import InputError
from surefoot.core.types import ModelRequest
from surefoot.dataset.schema import read_lines
from surefoot.testing.server import Body, LocalModelServer, ServerPlan

TEXTS = {
    "bursary.md": "# Bursaries\n\nThe Marula bursary pays R42,000 a year. Applications close on 30 September 2026. "
    "The bursary exists because many rural students cannot pay fees.\n",
    "library.md": "# Library\n\nThe Kopano library opens at 8 in the morning. "
    "A student may borrow 6 books for 14 days. A late book costs R2 a day.\n",
    "housing.md": "# Housing\n\nThe residence has 310 rooms. A single room costs R4,100 a month. "
    "Rooms are given by lottery in January.\n",
}


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        run(["dataset", *arguments])
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset built without a model, for several tests; each gets a copy."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "campus").mkdir()
    for name, text in TEXTS.items():
        (folder / "campus" / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("SUREFOOT_LLM", "OPENAI_API_KEY"):
            patch.delenv(name, raising=False)
        with pytest.raises(SystemExit) as caught:
            run(["dataset", "build", "campus", "--out", "d.jsonl", "--aspects", "3", "--questions", "2"])
    assert int(caught.value.code or 0) == 0
    return folder


@pytest.fixture
def built(built_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("SUREFOOT_LLM", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(shutil.copytree(built_once, tmp_path, dirs_exist_ok=True))
    return tmp_path


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    code, out, err = call(capsys, *arguments, "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def test_a_build_without_a_model_can_be_shown_explained_exported_and_carded(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = read_lines(Path("d.jsonl"))
    pairs = sum(len(line.quality_metrics.pairs) for line in lines)
    assert pairs >= 4
    state = as_json(capsys, "status", "d.jsonl")
    assert (state["state"], state["pairs"]) == ("done", pairs)
    assert as_json(capsys, "explain", "d.jsonl", "1.1")["row"] == "1.1"
    code, out, _ = call(capsys, "explain", "d.jsonl", "1.1")
    assert code == 0
    assert "4 critique" in out
    exported = as_json(capsys, "export", "d.jsonl", "--to", "openai", "--out", "chat")
    assert exported["train"] + exported["validation"] >= 2
    card = as_json(capsys, "card", "d.jsonl", "--planted", "3")
    assert Path("d.card.md") in [Path(name) for name in card["files"]]
    assert [one["judge"] for one in card["critic"]] == ["gate"]


def test_the_same_command_again_gives_the_same_bytes(
    built_once: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(built_once)
    before = Path("d.jsonl").read_bytes(), Path("d.audit.jsonl").read_bytes()
    call(capsys, "build", "campus", "--out", "d.jsonl", "--aspects", "3", "--questions", "2")
    assert (Path("d.jsonl").read_bytes(), Path("d.audit.jsonl").read_bytes()) == before


def test_a_terminal_gets_a_bar_with_the_last_count(
    built: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "140")
    code, out, err = call(capsys, "build", "campus", "--out", "e.jsonl", "--aspects", "1", "--questions", "2")
    assert (code, out.startswith("wrote e.jsonl: ")) == (0, True), err
    assert "2/2" in err
    assert "/min" in err


def test_a_token_budget_is_kept_and_a_larger_one_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Against a server that counts what it was asked, so that nobody's own books are believed."""
    billed: list[int] = []

    def reply(body: Body) -> str:
        system, prompt = (message["content"] for message in body["messages"])
        signs = {"quality gate": "critic", "You are the editor": "finalizer", "You plan": "question"}
        signs["You write the questions"] = "question"
        role = next((role for sign, role in signs.items() if sign in system), "answer")
        text = careless_reply(ModelRequest(system=system, prompt=prompt, role=role))
        billed.append(sum(len(part.split()) for part in (system, prompt, text)))
        return text

    (tmp_path / "campus").mkdir()
    for name, text in CAMPUS.items():
        (tmp_path / "campus" / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    with LocalModelServer(ServerPlan(reply=reply)) as server:
        monkeypatch.setenv("SUREFOOT_LLM_BASE_URL", server.base_url)
        order = ["build", "campus", "--out", "d.jsonl", "--aspects", "2", "--questions", "3", "--quiet"]
        order += ["--models", "openai-compatible:m"]
        code, out, _ = call(capsys, *order, "--budget-tokens", "7000")
        assert (code, "--budget-tokens" in out) == (1, True), out
        assert 4_000 < sum(billed) <= 7_000
        first = as_json(capsys, "status", "d.jsonl")
        assert first["state"] == "tokens"
        assert 0 < first["pairs"] < first["questions"]
        code, out, _ = call(capsys, *order, "--budget-tokens", "200000")
        assert code == 0, out
        assert max(server.counts.by_request.values()) == 1
    last = as_json(capsys, "status", "d.jsonl")
    assert (last["state"], last["pairs"]) == ("done", last["questions"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("build", "absent", "--out", "d.jsonl"), "absent"),
        (("build", ".", "--out", "d.json"), ".jsonl"),
        (("build", ".", "--out", "d.jsonl", "--deadline", "soon"), "'soon'"),
        (("build", ".", "--out", "d.jsonl", "--models", "poet=openai:x"), "'poet'"),
        (("build", ".", "--out", "d.jsonl", "--runner", "slurm"), "'slurm'"),
        (("export", "d.jsonl", "--to", "openai", "--out", "x"), "d.audit.jsonl"),
        (("explain", "d.jsonl", "1.1"), "d.audit.jsonl"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = call(capsys, *arguments)
    assert code == 2
    assert said in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("15m", 900), ("2h", 7200), ("1h30m", 5400), ("45", 45)])
def test_durations(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "h", "2d", "soon", "-3s"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="duration"):
        seconds_of(text)


def test_models_by_role() -> None:
    assert specs_of(["openai:a", "critic=groq:b"]) == {"*": "openai:a", "critic": "groq:b"}
    assert specs_of(["answer=ollama:a,critic=ollama:b"]) == {"answer": "ollama:a", "critic": "ollama:b"}


def test_prices_by_role() -> None:
    found = prices_of(["0.15:0.6", "critic=1"])
    assert (found["*"].prompt, found["*"].completion, found["critic"].completion) == (0.15, 0.6, 1.0)
    with pytest.raises(InputError, match="'cheap'"):
        prices_of(["cheap"])
