"""The pages for people: their blocks run, their lines fit a screen, the site is whole and needs no network."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
import yaml
from tests.server.small_house import SmallHouse

from surefoot.server import examples
from surefoot.server.app import create_app
from surefoot.server.process import bound, configured
from surefoot.settings import Settings

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if page.parent.name != "decisions"]
PAGES += [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
INSIDE = re.compile(r"\b(houses?|rooms?|way of a question|evidence at rest|seeds?)\b", re.I)
"""Our own words for our own code; they stay in decisions and in the pages for those who change it."""
FOR_BUILDERS = {"architecture.md", "CONTRIBUTING.md"}
RUN_ELSEWHERE = {"README.md": "test_documents.py", "datasets.md": "test_datasets.py", "http-api.md": "below"}
"""Pages whose Python is run by another test; every other page's is run here. Signatures in api.md are no program."""
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.M | re.S)


def _blocks(page: Path, language: str) -> list[str]:
    return [code for kind, code in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


def _with_python() -> list[Path]:
    return [page for page in PAGES if _blocks(page, "python") and page.name not in {*RUN_ELSEWHERE, "api.md"}]


@pytest.mark.parametrize("page", _with_python(), ids=lambda page: page.stem)
def test_the_python_of_a_page_prints_what_its_comments_say(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUREFOOT_DEADLINE_MS", "60000")  # a busy machine must not turn a verdict into a fallback
    for code in _blocks(page, "python"):
        exec(compile(code, str(page), "exec"), {"__name__": "__main__"})
        assert capsys.readouterr().out.splitlines() == re.findall(r"print\(.*\)  # (.*)", code)
    assert list(tmp_path.iterdir()) == [], "nothing is written"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_short_in_its_lines_and_free_of_our_own_words(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    records = [line for line in text.splitlines() if line.startswith('{"id": ')]  # JSONL: a record is a line
    assert [line for line in text.splitlines() if len(line) > 100 and line not in records] == []
    if page.name not in FOR_BUILDERS:
        assert INSIDE.findall(re.sub(r"`[^`\n]*`", "", BLOCK.sub("", text))) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_setting_a_page_names_is_one(page: Path) -> None:
    known = {f"SUREFOOT_{name.upper()}" for name in Settings.__dataclass_fields__}
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"SUREFOOT_[A-Z_]+[A-Z]", text)) <= known
    for block in _blocks(page, "toml"):
        assert {f"SUREFOOT_{name.upper()}" for name in re.findall(r"^(\w+) =", block, re.M)} <= known


def test_every_page_of_the_navigation_is_there_or_made_by_the_code() -> None:
    made = set(re.findall(r'"((?:reference|decisions)/\w+\.md)"', (ROOT / "scripts" / "site.py").read_text()))
    for page in _pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]):
        assert (DOCS / page).exists() or page in made, page


def test_the_changelog_is_short_and_names_this_version() -> None:
    import surefoot

    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60
    assert f"## {surefoot.__version__}\n" in text
    assert f'version = "{surefoot.__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_the_site_builds_with_strict_links_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="the docs group is not installed: make setup")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1", "COLUMNS": "96"}
    built = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env, timeout=290)
    assert built.returncode == 0, built.stdout + built.stderr
    for page in (tmp_path / "site").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert re.findall(r'<(?:script|img|iframe)[^>]+src="(?:https?:)?//[^"]+', text) == [], page
        assert re.findall(r'<link[^>]+rel="(?:stylesheet|preconnect)"[^>]+href="(?:https?:)?//[^"]+', text) == [], page
    shutil.rmtree(tmp_path / "site")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """A service on loopback, and a client that knows its address."""
    kb = tmp_path_factory.mktemp("http") / "kb"
    (kb / "datasets").mkdir(parents=True)
    (kb / "datasets" / "library.jsonl").write_text('{"question": "When does it open?"}\n', encoding="utf-8")
    house = SmallHouse(Settings(kb=kb, rate_limit_per_minute=0))
    listener = bound("127.0.0.1", 0)
    server = uvicorn.Server(configured(create_app(house)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    with httpx2.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=60) as client:
        yield client
    server.should_exit = True
    thread.join(timeout=20)


def test_the_calls_of_the_http_page_are_answered(client: httpx2.Client) -> None:
    sent = [block for block in _blocks(DOCS / "http-api.md", "console") if block.startswith("curl ")]
    assert sent
    for script in sent:
        here = script.replace("http://127.0.0.1:8808", str(client.base_url).rstrip("/"))
        answered = subprocess.run(["bash", "-c", here], capture_output=True, text=True, timeout=60)
        assert "decision" in json.loads(answered.stdout), answered.stdout


def test_the_openai_client_of_the_http_page_is_answered(client: httpx2.Client) -> None:
    (code,) = _blocks(DOCS / "http-api.md", "python")
    code = code.replace("http://127.0.0.1:8808", str(client.base_url).rstrip("/"))
    lines = [f"print({line.split('  # ')[0]})" if line.startswith("reply.") else line for line in code.splitlines()]
    heard: list[object] = []
    exec(compile("\n".join(lines), "http-api.md", "exec"), {"print": heard.append})
    assert "The library opens at 08:00" in str(heard[0])
    assert heard[1] == "approved"


def test_every_call_of_the_interface_has_an_example_and_is_answered_as_it_says(client: httpx2.Client) -> None:
    run = client.post("/v1/verify", json=examples.VERIFY).json()["metadata"]["runId"]
    stored = client.post("/v1/documents/text", json={"source": "hours.md", "text": "It opens at 08:00."}).json()
    real = {"{document_id}": stored["id"], "{run_id}": run}
    for path, operations in client.get("/openapi.json").json()["paths"].items():
        for method, operation in operations.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            shown = examples.ANSWERS.get(f"{method} {path}")
            assert shown is not None or body.get("examples") or method == "delete", (method, path)
            assert all("example" in given for given in operation.get("parameters", [])), path
            if method != "get":
                continue  # what is sent is sent by tests/server/test_answers.py
            where = path.replace("{name}", "library" if "datasets" in path else "default")
            for name, value in real.items():
                where = where.replace(name, value)
            answered = client.get(where)
            assert answered.status_code == 200, (path, answered.text)
            if isinstance(shown, dict):
                assert _unlike(shown, answered.json(), path.rpartition("/")[2]) == [], path


def _unlike(shown: Any, real: Any, name: str) -> list[str]:
    """Where two answers have other keys, down to the first of each list; some are shortened in the example."""
    if isinstance(shown, list) and isinstance(real, list):
        return _unlike(shown[0], real[0], name) if shown and real else []
    if not isinstance(shown, dict) or not isinstance(real, dict) or name in ("record", "metadata", "row"):
        return []
    if name in ("certificate", "thresholds"):
        return sorted(shown.keys() - real.keys())
    deeper = [one for key in shown.keys() & real.keys() for one in _unlike(shown[key], real[key], key)]
    return sorted(shown.keys() ^ real.keys()) + deeper


def _pages(nav: list[Any]) -> list[str]:
    found: list[str] = []
    for entry in nav:
        ((_, target),) = entry.items()
        found += _pages(target) if isinstance(target, list) else [target]
    return found
