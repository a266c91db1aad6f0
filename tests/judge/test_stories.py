"""The example tells both stories, run as a user runs it; its world is one in which every tier of the cache serves."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

from starlette.testclient import TestClient

from surefoot.observe.metrics import PrometheusMeter
from surefoot.server.app import create_app
from surefoot.wiring import build

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


def test_a_page_that_was_fetched_once_is_counted_as_a_hit_of_its_tier(tmp_path: Path) -> None:
    story = runpy.run_path(str(EXAMPLE))
    with story["world"](tmp_path) as settings:
        app = create_app(build(meter=PrometheusMeter(), **settings))
        with TestClient(app, client=("127.0.0.1", 50_000), base_url="http://127.0.0.1") as client:
            for query in (story["QUERY"], "Is the landlord right?", "Who pays for the heating?"):
                judged = client.post("/v1/judge", json={"context": story["CONTEXT"], "query": query})
                assert judged.json()["references"][0]["title"] == "Repairs in rented homes"
            page = client.get("/metrics").text
    assert 'surefoot_cache_requests_total{outcome="miss",tier="snippet"} 1.0' in page
    assert 'surefoot_cache_requests_total{outcome="hit",tier="snippet"} 2.0' in page
