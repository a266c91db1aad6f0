"""A person at the page sees how an answer was corrected from the web and how a case was judged."""

from __future__ import annotations

import asyncio
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from tests.browser.conftest import Stage, served, staged

from surefoot.observe.metrics import PrometheusMeter
from surefoot.settings import Settings
from surefoot.ui import words
from surefoot.wiring import build

pytestmark = pytest.mark.browser
ENTER = "\ue007"
EXAMPLE = Path(__file__).parents[2] / "examples" / "self_correction.py"


def load_example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("self_correction", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


STORY = load_example()


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The example's world behind the service and the page."""
    folder = tmp_path_factory.mktemp("stories")
    with staged(folder) as (behind, stage), STORY.world(folder) as settings:
        house = build(Settings(rate_limit_per_minute=0), meter=PrometheusMeter(), **settings)
        asyncio.run(house.ingest([folder / "documents"]))
        with served(house, behind, stage.page):
            stage.browser.resize(1280, 900)
            yield stage


@pytest.fixture(scope="module")
def answered(stories: Stage) -> str:
    """What the page says once the question was asked for the first time, its steps opened."""
    _asked(stories)
    stories.browser.click("summary", containing="What was changed or cut")
    stories.browser.wait_for("founded in 1850")
    stories.browser.click("summary", containing="How it was made")
    stories.browser.wait_for("✓ looked for passages")
    stories.browser.screenshot(stories.shots / "loop-ask-1280.png")
    return stories.browser.text()


def test_an_answer_corrected_from_the_web_shows_its_rounds_its_search_and_its_cut(answered: str) -> None:
    said = answered
    rounds = _between(said, "Rounds", "Searched")
    assert re.search(r"1\s+0\.\d\d.*→ went on: the source is out of date", rounds, re.DOTALL)
    assert re.search(r"2\s+0\.\d\d.*✓ accepted", rounds, re.DOTALL)
    assert "for round 2, searxng: “How long does a book loan last?” — 1 page(s) read" in said
    assert re.search(r"S1 ⇱ from the web .*http://127\.0\.0\.1:\d+/loans, fetched on \d{4}-\d\d-\d\d", said)
    cut = _between(said, "What was changed or cut", "What was found in the draft")
    assert "The library was founded in 1850 by a baker [S1]." in cut
    assert "supports nothing in its sentence" in cut, "the reason of the cut"
    assert "Revised" in said
    assert "Approved" not in said


def test_the_steps_show_time_score_and_reason(answered: str) -> None:
    steps = answered.split("How it was made", 1)[1]
    for said in words.DONE.values():
        assert re.search(rf"✓ {said}\s+[12]\s+[\d.]+ ms", steps)
    assert re.search(r"✓ checked every sentence\s+1\s+[\d.]+ ms\s+0\.\d\d\s+the source is out of date", steps)


def test_a_remembered_answer_is_a_hit_among_the_runs_which_show_their_question(stories: Stage, answered: str) -> None:
    assert "A remembered answer, proven again." not in answered
    assert "A remembered answer, proven again." in _asked(stories)
    stories.browser.open(f"{stories.page}/runs")
    stories.browser.wait_for("Look at one run")
    rows = [line for line in stories.browser.text().splitlines() if STORY.QUESTION in line]
    assert any("remembered" in row for row in rows)
    assert any("remembered" not in row for row in rows)


def test_a_judged_case_shows_its_rounds_its_references_and_its_cut(stories: Stage) -> None:
    browser = stories.browser
    browser.open(f"{stories.page}/judge")
    browser.wait_for("What happened")
    browser.type("textarea", STORY.CONTEXT)
    browser.type('input[aria-label="What you want to know"]', STORY.QUERY)
    browser.click('[data-testid="stFormSubmitButton"] button', containing="Judge")
    browser.wait_for("Rounds")
    browser.click("summary", containing="What was changed or cut")
    browser.wait_for("registered letter [case]")
    browser.click("summary", containing="When the boiler breaks down")
    browser.wait_for("A summary in our own words")
    said = browser.text()
    assert "In England a landlord must keep in repair the heating and hot water [1]." in said
    assert "longer than the 14 days the guide allows [1] [case]." in said
    rounds = _between(said, "outcome", "What was changed or cut")
    assert "→ went on: it cited a reference that is not there, or none" in rounds
    assert re.search(r"2\s+0\.\d\d.*✓ accepted", rounds, re.DOTALL)
    assert re.search(r"\[1\] ⇱ from the web Repairs in rented homes http://127\.0\.0\.1:\d+/repairs, fetched on", said)
    cut = _between(said, "What was changed or cut", "What was found in the draft")
    assert "You sent the landlord a registered letter [case]." in cut
    assert "supports nothing in its sentence" in cut, "the reason of the cut"
    browser.screenshot(stories.shots / "loop-judge-1280.png")


def _asked(stories: Stage) -> str:
    """Asks on a fresh page, as a person does, and gives back what it says then."""
    browser = stories.browser
    browser.open(stories.page)
    browser.wait_for("begin with one of these")
    browser.type("textarea", STORY.QUESTION + ENTER)
    browser.wait_for("Rounds")
    browser.wait_for("Download the certificate")
    return browser.text()


def _between(text: str, start: str, end: str) -> str:
    return text.split(start, 1)[1].split(end, 1)[0]
