"""judge, graph, cache and gaps at the command line, without network and without a model."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from surefoot.cli.main import run

GOLDEN = Path(__file__).parent.parent / "golden" / "tenancy_repair.json"


@pytest.fixture(autouse=True)
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUREFOOT_FETCH_CURATED", "false")


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as done:
        run(arguments)
    code = done.value.code
    return 0 if code is None else int(code)


def test_the_judge_speaks_at_once_with_valid_citations(capsys: pytest.CaptureFixture[str]) -> None:
    case = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert call("judge", "--context", case["context"], "--query", case["query"], "--json") == 0
    verdict = json.loads(capsys.readouterr().out)
    assert set(verdict) == {"summary", "rationale", "domain", "references", "cut", "grounded"}
    assert verdict["domain"] == case["domain"]
    assert re.search(r"\[\d+\]", verdict["summary"])
    numbers = {reference["number"] for reference in verdict["references"]}
    cited = {int(n) for n in re.findall(r"\[(\d+)\]", verdict["summary"] + verdict["rationale"])}
    assert cited <= numbers


def test_a_context_outside_every_domain_gets_an_ungrounded_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("judge", "--context", "My neighbour sings.", "--query", "Is that fair?", "--json") == 0
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["domain"], verdict["grounded"], verdict["references"]) == ("default", False, [])


def test_a_judge_model_that_cannot_be_reached_is_exit_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUREFOOT_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SUREFOOT_LLM_API_KEY", "none")
    case = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert call("judge", "--context", case["context"], "--query", case["query"], "--llm", "openai:x") == 1
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_a_missing_context_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("judge", "--context", "@nowhere.txt", "--query", "x") == 2
    assert "'nowhere.txt'" in capsys.readouterr().err


def test_the_graph_is_printed_as_mermaid_or_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("graph") == 0
    assert "synthesize" in capsys.readouterr().out
    assert call("graph", "--format", "text") == 0
    assert "validate   -?-> execute | deliver" in capsys.readouterr().out
    assert call("graph", "--format", "jpeg") == 2
    assert "'jpeg'" in capsys.readouterr().err


def test_a_cached_answer_is_explained_and_an_unknown_one_is_exit_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "loans.md").write_text("# Loans\n\nA loan lasts 21 days.\n", encoding="utf-8")
    assert call("ingest", "docs") == 0
    question = "How many days does a loan last?"
    assert call("ask", question, "--json") == 0
    assert call("cache", "explain", question) == 0
    out = capsys.readouterr().out
    assert "would be used" in out
    assert "A loan lasts 21 days [S1]." in out
    assert call("cache", "explain", "Was this ever asked?") == 1
    assert call("cache", "explain", "nothing.json") == 2
    (tmp_path / "docs" / "loans.md").write_text("# Loans\n\nA loan lasts 14 days.\n", encoding="utf-8")
    assert call("ingest", "docs") == 0
    capsys.readouterr()
    assert call("cache", "explain", question) == 1
    assert call("ask", question) == 0
    assert "14 days" in capsys.readouterr().out


def test_a_refusal_is_explained_by_the_likeliest_statement_and_the_bar_it_missed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "loans.md").write_text("# Loans\n\nA loan lasts 21 days.\n", encoding="utf-8")
    assert call("ingest", "docs") == 0
    capsys.readouterr()
    assert call("ask", "How many days does a loan last?", "--explain") == 0
    assert "likeliest statement" not in capsys.readouterr().out
    assert call("ask", "How is a loan renewed by telephone?", "--explain") != 0
    out = " ".join(capsys.readouterr().out.split())
    assert "likeliest statement: A loan lasts 21 days [S1]. (0." in out
    assert "needed" in out


def test_gaps_lists_what_was_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "loans.md").write_text("# Loans\n\nA loan lasts 21 days.\n", encoding="utf-8")
    assert call("ingest", "docs") == 0
    assert call("ask", "Who painted the ceiling of the opera in Odessa?") == 4
    capsys.readouterr()
    assert call("gaps", "--json") == 0
    (gap,) = json.loads(capsys.readouterr().out)["gaps"]
    assert gap["count"] == 1
    assert gap["nearest"]


def test_gaps_since_before_all_dates_are_the_callers_mistake() -> None:
    assert call("gaps", "--days", "99999999") == 2
