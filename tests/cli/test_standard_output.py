"""Standard output is for the result: with `--json` it holds JSON and nothing else, whatever fails around the command.

Each command runs as a process of its own against servers on loopback: a stray line of a library is seen only there.
"""

from __future__ import annotations

import http.server
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.dataset.conftest import careless_reply

from surefoot.core.types import ModelRequest
from surefoot.testing.qdrant_double import QdrantDouble
from surefoot.testing.server import LocalModelServer, ServerPlan

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "tenancy_repair.json").read_text(encoding="utf-8"))
QUESTION = "How long does a book loan last?"
LOANS = "---\ntitle: Loans\ndate: 2019-01-01\n---\n# Loans\n\nA book loan lasts 21 days. A loan can be renewed twice.\n"
ANSWER = "A book loan lasts 21 days [S1]."
STALE = "name: town\ntitle: Town\nversion: '1.0'\nthresholds:\n  stale_after_days: 400\n"
NOWHERE = "http://127.0.0.1:9"
"""A port nobody listens on."""
RETRIED = re.compile(r"retry", re.IGNORECASE)
JUDGE = ("judge", "--context", GOLDEN["context"], "--query", GOLDEN["query"], "--json")
ASK = ("ask", QUESTION, "--json")


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What standard output says as a whole; a line beside it would be an error here."""
        return json.loads(self.out)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an ingested knowledge base and a pack whose documents are too old."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "docs").mkdir()
    (folder / "docs" / "loans.md").write_text(LOANS, encoding="utf-8")
    (folder / "packs" / "town").mkdir(parents=True)
    (folder / "packs" / "town" / "pack.yaml").write_text(STALE, encoding="utf-8")
    assert call(folder, "ingest", "docs", "--json").json["added"] == 1
    return folder


def call(folder: Path, *arguments: str, **settings: str) -> Ran:
    """`surefoot …` in the folder; nothing is remembered from one call to the next."""
    given = {"cache": "false", "fetch_curated": "false", "deadline_ms": "60000", **settings}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SUREFOOT_")}
    environment = {**kept, **{f"SUREFOOT_{name.upper()}": value for name, value in given.items()}}
    command = [sys.executable, "-m", "surefoot", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert "Traceback" not in done.stderr, done.stderr[-2000:]
    return Ran(done.returncode, done.stdout, done.stderr)


def says(request: Mapping[str, Any]) -> str:
    prompt = str(request["messages"][-1]["content"])
    return json.dumps(GOLDEN["recorded"]) if "<CONTEXT>" in prompt else ANSWER


def writes(request: Mapping[str, Any]) -> str:
    """All of a dataset's roles."""
    system, prompt = (str(message["content"]) for message in request["messages"])
    signs = {"quality gate": "critic", "You are the editor": "finalizer", "You plan": "question"}
    signs["You write the questions"] = "question"
    role = next((role for sign, role in signs.items() if sign in system), "answer")
    return careless_reply(ModelRequest(system=system, prompt=prompt, role=role))


def local(model: LocalModelServer) -> str:
    return f"openai-compatible:local@{model.base_url}"


@contextmanager
def broken(status: int) -> Iterator[tuple[str, list[str]]]:
    """A server that answers every request with one status; gives its address and the paths it was asked for."""
    asked: list[str] = []

    class Answers(http.server.BaseHTTPRequestHandler):
        def answer(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers.get("content-length") or 0))
            self.send_response(status)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_GET = do_POST = do_PUT = do_DELETE = answer

        def log_message(self, *args: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)


def test_an_answer_from_a_store_that_was_busy_twice_is_json_alone(library: Path, tmp_path: Path) -> None:
    with QdrantDouble() as store:
        call(tmp_path, "ingest", str(library / "docs"), "--json", store_url=store.url)
        store.refuse_next = 2
        ran = call(tmp_path, *ASK, store_url=store.url)
    assert (ran.code, ran.json["finalAnswer"]) == (0, ANSWER)
    assert len(RETRIED.findall(ran.err)) == 2


def test_a_dataset_over_server_errors_and_refusals_is_json_alone(library: Path, tmp_path: Path) -> None:
    plan = ServerPlan(reply=writes, fail_first=2, random_429=0.3, retry_after_s=0.05)
    order = ("build", str(library / "docs"), "--out", "d.jsonl", "--aspects", "1", "--questions", "2", "--json")
    with LocalModelServer(plan) as model:
        ran = call(tmp_path, "dataset", *order, "--models", local(model))
        assert model.counts.refused > 0
    assert ran.json["pairs"] > 0
    assert len(RETRIED.findall(ran.err)) >= 2


@pytest.mark.parametrize("failures", [0, 1])
def test_a_model_that_fails_once_is_asked_again_and_its_answer_is_json_alone(library: Path, failures: int) -> None:
    with LocalModelServer(ServerPlan(reply=says, fail_first=failures)) as model:
        asked = call(library, *ASK, "--llm", local(model))
    assert (asked.code, asked.json["finalAnswer"]) == (0, ANSWER)
    assert len(RETRIED.findall(asked.err)) == failures


def test_a_verdict_whose_model_fails_once_is_json_alone(tmp_path: Path) -> None:
    with LocalModelServer(ServerPlan(reply=says, fail_first=1)) as model:
        ran = call(tmp_path, *JUDGE, "--llm", local(model))
    assert (ran.code, ran.json["summary"]) == (0, GOLDEN["recorded"]["summary"])
    assert len(RETRIED.findall(ran.err)) == 1


def test_a_verdict_that_was_rejected_once_is_json_alone(tmp_path: Path) -> None:
    def unsure(request: Mapping[str, Any]) -> str:
        return says(request) if "was not accepted" in str(request["messages"][-1]["content"]) else "no JSON"

    with LocalModelServer(ServerPlan(reply=unsure)) as model:
        ran = call(tmp_path, *JUDGE, "--llm", local(model))
    assert (ran.code, ran.json["summary"]) == (0, GOLDEN["recorded"]["summary"])
    assert "a reply was rejected (invalid_json)" in ran.err


@pytest.mark.parametrize("plan", [ServerPlan(fail_first=99), ServerPlan(random_429=1.0)], ids=["500", "429"])
def test_a_model_that_fails_for_good_leaves_json_with_the_safe_text_or_nothing(library: Path, plan: ServerPlan) -> None:
    with LocalModelServer(plan) as model:
        asked = call(library, *ASK, "--llm", local(model))
        judged = call(library, *JUDGE, "--llm", local(model))
    assert (asked.code, asked.json["metadata"]["fallbackReason"]) == (3, "llm_unavailable")
    assert (judged.code, judged.out) == (1, "")
    assert "surefoot: " in judged.err


@pytest.mark.parametrize("plan", [ServerPlan(fail_first=99), ServerPlan(random_429=1.0)], ids=["500", "429"])
def test_a_draft_whose_critic_fails_is_verified_with_json_alone(tmp_path: Path, plan: ServerPlan) -> None:
    draft = {"draftAnswer": f"{ANSWER} Readers like long loans [S1].", "ragChunks": [LOANS]}
    (tmp_path / "in.json").write_text(json.dumps(draft), encoding="utf-8")
    with LocalModelServer(plan) as model:
        more = {"llm_critic": local(model), "skip_llm_if_rule_confidence": "1.1"}
        more |= {"deadline_ms": "60000", "critic_timeout_ms": "30000"}  # its first start may take long
        ran = call(tmp_path, "verify", "in.json", "--json", **more)
        assert model.counts.started > 0
    assert ran.json["decision"] in ("revised", "fallback")


def test_a_search_that_is_down_leaves_json_alone(library: Path) -> None:
    more = {"pack": "town", "packs_dir": "packs", "search_provider": "searxng"}
    with broken(500) as (search, asked):
        failing = call(library, *ASK, search_url=search, **more)
    assert asked
    absent = call(library, *ASK, search_url=NOWHERE, **more)
    assert failing.json["finalAnswer"] == absent.json["finalAnswer"]


@pytest.mark.parametrize("status", [500, 503, None])
def test_a_store_that_is_down_is_told_on_standard_error_and_nothing_is_answered(
    library: Path, status: int | None
) -> None:
    if status is None:
        ran = call(library, *ASK, store_url=NOWHERE)
    else:
        with broken(status) as (store, _):
            ran = call(library, *ASK, store_url=store)
    assert (ran.code, ran.out) == (1, "")
    assert "surefoot: the store at " in ran.err


def test_an_embedded_store_that_cannot_be_read_is_one_line_on_standard_error(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "loans.md").write_text(LOANS, encoding="utf-8")
    call(tmp_path, "ingest", "docs", "--json")
    for file in (tmp_path / ".surefoot").rglob("*"):
        if file.is_file() and "sqlite" not in file.name:
            file.write_bytes(b"\0" * 64)
    ran = call(tmp_path, *ASK)
    assert ran.code in (1, 2)
    assert ran.out == ""
    assert "surefoot: " in ran.err


def test_a_cache_that_is_down_leaves_json_alone(library: Path) -> None:
    ran = call(library, *ASK, cache="true", redis_url="redis://127.0.0.1:9/0")
    assert ran.json["finalAnswer"] == ANSWER


@pytest.mark.parametrize("command", [ASK, JUDGE], ids=["ask", "judge"])
def test_a_request_that_was_not_recorded_is_an_error_that_names_the_missing_file(
    library: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    ran = call(library, *command, "--llm", f"recorded:{tmp_path}")
    assert (ran.code, ran.out) == (1, "")
    assert re.search(rf"surefoot: there is no file '{re.escape(str(tmp_path))}/[0-9a-f]{{32}}\.json'", ran.err)


def test_a_critic_that_was_not_recorded_is_told_by_file_beside_the_result(tmp_path: Path) -> None:
    draft = {"draftAnswer": f"{ANSWER} Readers like long loans [S1].", "ragChunks": [LOANS]}
    (tmp_path / "in.json").write_text(json.dumps(draft), encoding="utf-8")
    (tmp_path / "kept").mkdir()
    ran = call(tmp_path, "verify", "in.json", "--json", llm_critic="recorded:kept", skip_llm_if_rule_confidence="1.1")
    assert ran.json["decision"] != "approved"
    assert re.search(r"there is no recording kept/[0-9a-f]{32}\.json", ran.err)


def test_what_was_recorded_is_replayed_without_the_model(library: Path, tmp_path: Path) -> None:
    with LocalModelServer(ServerPlan(reply=says)) as model:
        first = call(library, *ASK, "--llm", local(model), record_dir=str(tmp_path))
    again = call(library, *ASK, "--llm", f"recorded:{tmp_path}")
    assert again.json["finalAnswer"] == first.json["finalAnswer"] == ANSWER
