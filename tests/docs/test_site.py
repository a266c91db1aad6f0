"""The pages for people: their blocks run, their lines fit a screen, the site is whole and needs no network."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.testclient import TestClient
from tests.server.small_house import SmallHouse, local_client

from surefoot.settings import Settings

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
PEOPLE = sorted(
    [
        *(DOCS / name for name in ("index.md", "faq.md", "comparison.md")),
        *DOCS.glob("tutorials/*.md"),
        *DOCS.glob("how-to/*.md"),
        *DOCS.glob("explanation/*.md"),
    ]
)
INSIDE = re.compile(r"\b(the house|rooms?|way of a question|evidence at rest|seeds?)\b", re.I)
"""Our own words for our own code; they stay in architecture and decisions."""
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def _blocks(page: Path, language: str) -> list[str]:
    return [code for kind, code in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


@pytest.mark.parametrize("page", [p for p in PEOPLE if _blocks(p, "python")], ids=lambda page: page.stem)
def test_the_python_of_a_page_prints_what_its_comments_say(page: Path, tmp_path: Path) -> None:
    for code in _blocks(page, "python"):
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=280)
        wanted = re.findall(r"print\(.*\)  # (.*)", code)
        assert ran.stdout.splitlines()[: len(wanted)] == wanted, ran.stderr


@pytest.mark.parametrize("page", PEOPLE, ids=lambda page: page.stem)
def test_a_page_for_people_is_short_in_its_lines_and_free_of_our_own_words(page: Path) -> None:
    prose = BLOCK.sub("", page.read_text(encoding="utf-8"))
    assert [line for line in prose.splitlines() if len(line) > 100] == []
    assert INSIDE.findall(prose) == []


@pytest.mark.parametrize("page", PEOPLE, ids=lambda page: page.stem)
def test_every_setting_a_page_names_is_one(page: Path) -> None:
    known = {f"SUREFOOT_{name.upper()}" for name in Settings.__dataclass_fields__}
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"SUREFOOT_[A-Z_]+", text)) <= known
    for block in _blocks(page, "toml"):
        assert {f"SUREFOOT_{name.upper()}" for name in re.findall(r"^(\w+) =", block, re.M)} <= known


def test_every_page_of_the_navigation_is_there_or_made_by_the_code() -> None:
    made = set(re.findall(r'"((?:reference|decisions)/\w+\.md)"', (ROOT / "scripts" / "site.py").read_text()))
    awaited = {"scale.md", "cli.md"}
    for page in _pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]):
        assert (DOCS / page).exists() or page in made | awaited, page


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
def client(tmp_path_factory: pytest.TempPathFactory) -> Any:
    house = SmallHouse(Settings(kb=tmp_path_factory.mktemp("http") / "kb", rate_limit_per_minute=0))
    with local_client(house) as client:
        yield client


def test_every_body_of_the_http_page_is_taken(client: TestClient) -> None:
    text = (DOCS / "http-api.md").read_text(encoding="utf-8")
    sent = re.findall(r"curl [^\n]*127\.0\.0\.1:\d+(/v1/[\w/]+)[^\n]*-d '(.*?)'\n", text, re.S)
    assert sent
    for path, body in sent:
        answered = client.post(path, json=json.loads(body))
        assert answered.status_code == 200, (path, answered.text)


def test_every_example_of_the_interface_is_taken(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    taken = 0
    for path, operations in document["paths"].items():
        if "{" in path or "post" not in operations:
            continue
        content = operations["post"].get("requestBody", {}).get("content", {}).get("application/json", {})
        for example in content.get("examples", {}).values():
            answered = client.post(path, json=example["value"])
            assert answered.status_code < 300, (path, answered.text)
            taken += 1
    assert taken > 5


def _pages(nav: list[Any]) -> list[str]:
    found: list[str] = []
    for entry in nav:
        ((_, target),) = entry.items()
        found += _pages(target) if isinstance(target, list) else [target]
    return found
