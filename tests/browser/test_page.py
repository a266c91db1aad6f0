"""A person at the page: asks, looks at a source, verifies a bad draft, takes the proof home."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.browser.conftest import Stage

from surefoot.wiring import recheck_script

pytestmark = pytest.mark.browser
QUESTION = "What is the late fee for a DVD?"


@pytest.fixture(scope="session")
def asked(stage: Stage) -> Stage:
    """The page at 1280 px with an answer on it."""
    stage.browser.resize(1280, 900)
    _ask(stage)
    return stage


def test_an_answer_shows_its_verdicts_in_words_and_its_source_on_a_click(asked: Stage) -> None:
    browser = asked.browser
    assert "✓ proven" in browser.text()
    browser.click('[class*="st-key-cite-0-0"] button')
    browser.wait_until(lambda: bool(browser.find(".sf-passage mark")), "the marked quote")
    quote = browser.script("return document.querySelector('.sf-passage mark').innerText")
    assert "late fee for a DVD" in quote
    browser.screenshot(asked.shots / "ask-1280.png")


def test_the_steps_are_shown_with_their_times(asked: Stage) -> None:
    asked.browser.click("summary", containing="How it was made")
    asked.browser.wait_for("✓ retrieve")
    assert " ms" in asked.browser.text()


def test_the_downloaded_certificate_is_confirmed_without_surefoot(asked: Stage) -> None:
    asked.browser.click("button", containing="Download the certificate")
    file = asked.downloads / "certificate.json"
    asked.browser.wait_until(file.exists, "the certificate")
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(recheck_script()), str(file)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    file.write_text(file.read_text().replace("R5", "R6"))
    spoilt = subprocess.run([sys.executable, "-I", "-S", str(recheck_script()), str(file)], capture_output=True)
    assert spoilt.returncode == 5


def test_a_bad_draft_shows_its_issue_and_the_difference(asked: Stage) -> None:
    browser = asked.browser
    browser.open(f"{asked.page}/verify")
    browser.wait_for("Draft answer")
    browser.click("button", containing="Verify")
    browser.wait_for("What is delivered")
    assert "value_mismatch" in browser.text()
    assert "R53" in browser.script("return document.querySelector('.sf-diff del').innerText")
    assert "R35" in browser.script("return document.querySelector('.sf-diff ins').innerText")
    browser.screenshot(asked.shots / "verify-1280.png")


@pytest.mark.parametrize(
    ("view", "words"),
    [("packs", "thandi"), ("runs", "Look at one run"), ("metrics", "Rule pass rate"), ("datasets", "4 Critique")],
)
def test_each_view_opens_without_an_error(asked: Stage, view: str, words: str) -> None:
    asked.browser.open(f"{asked.page}/{view}")
    asked.browser.wait_for(words)
    assert not asked.browser.find('[data-testid="stException"], [data-testid="stAlertContentError"]')
    asked.browser.screenshot(asked.shots / f"{view}-1280.png")


def test_a_row_can_be_accepted(asked: Stage) -> None:
    asked.browser.open(f"{asked.page}/datasets")
    asked.browser.click("button", containing="Accept")
    asked.browser.wait_for("✓ accepted")


def test_on_a_phone_nothing_is_wider_than_the_screen_and_the_quote_is_found(asked: Stage) -> None:
    browser = asked.browser
    browser.resize(390, 844)
    _ask(asked)
    browser.click('[class*="st-key-cite-0-0"] button')
    browser.wait_until(lambda: bool(browser.find(".sf-passage mark")), "the marked quote")
    assert browser.script("return document.documentElement.scrollWidth") <= 390
    browser.screenshot(asked.shots / "ask-390.png")
    views = (
        ("verify", "Draft answer"),
        ("runs", "Look at one run"),
        ("metrics", "Rule pass rate"),
        ("packs", "thandi"),
        ("datasets", "4 Critique"),
    )
    for view, words in views:
        browser.open(f"{asked.page}/{view}")
        browser.wait_for(words)
        if view == "verify":
            browser.click("button", containing="Verify")
            browser.wait_for("What is delivered")
        assert browser.script("return document.documentElement.scrollWidth") <= 390
        browser.screenshot(asked.shots / f"{view}-390.png")


def test_the_page_can_be_used_by_keyboard_alone(asked: Stage) -> None:
    browser = asked.browser
    browser.resize(1280, 900)
    browser.open(asked.page)
    browser.wait_for("Question")
    browser.type("textarea", QUESTION)
    browser.type("textarea", "\ue009\ue007\ue000")  # Control and Enter submit the form
    browser.wait_for("Approved")


def _ask(stage: Stage) -> None:
    stage.browser.open(stage.page)
    stage.browser.wait_for("Question")
    stage.browser.type("textarea", QUESTION)
    stage.browser.click("button", containing="Ask")
    stage.browser.wait_for("Approved")
