"""A person at the page: brings a document, asks, looks at a source, verifies a bad draft, takes the proof home."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.browser.conftest import Stage

from surefoot.wiring import recheck_script

pytestmark = pytest.mark.browser
QUESTION = "What does a torn page cost?"
ANSWER = "A torn page costs R20"
SCREENS = (
    ("", "begin with one of these"),
    ("verify", "Draft answer"),
    ("judge", "What happened"),
    ("documents", "membership.md"),
    ("packs", "Run the cases"),
    ("runs", "Look at one run"),
    ("metrics", "Rule pass rate"),
    ("datasets", "4 Critique"),
)
"""Each screen with words that stand on it once it is drawn."""
ENTER = "\ue007"


@pytest.fixture(scope="session")
def asked(stage: Stage) -> Stage:
    """The page at 1280 px with an answer on it."""
    stage.browser.resize(1280, 900)
    stage.browser.dark(False)
    _ask(stage)
    return stage


def test_an_answer_shows_what_it_rests_on_and_opens_its_source(asked: Stage) -> None:
    browser = asked.browser
    assert "❝ quoted" in browser.text()
    assert "word for word in a source" in browser.text(), "the legend"
    assert "A torn page costs R20." in str(browser.script("return document.querySelector('.sf-tip mark').textContent"))
    browser.click(".sf-claim summary")
    assert browser.script("return document.querySelector('.sf-passage mark').innerText") == "A torn page costs R20."
    assert not browser.serious()
    browser.screenshot(asked.shots / "ask-1280.png")


def test_the_steps_are_shown_with_their_times(asked: Stage) -> None:
    asked.browser.click("summary", containing="How it was made")
    asked.browser.wait_for("✓ retrieve")
    assert " ms" in asked.browser.text()


def test_the_document_opens_at_the_place(asked: Stage) -> None:
    browser = asked.browser
    address = browser.script("return document.querySelector('.sf-where a').href")
    assert browser.script("return document.querySelector('.sf-where a').target") == "_blank", "the talk must stay"
    browser.open(address)
    browser.wait_for("Go to the marked place")
    assert browser.script("return document.querySelector('#place mark').innerText") == "A torn page costs R20."
    assert "Amnesty" in browser.text(), "the whole document, not the passage alone"
    assert not browser.serious()
    browser.screenshot(asked.shots / "document-1280.png")
    _ask(asked)


def test_the_downloaded_certificate_is_confirmed_without_surefoot(asked: Stage) -> None:
    asked.browser.click("button", containing="Download the certificate")
    file = asked.downloads / "certificate.json"
    asked.browser.wait_until(file.exists, "the certificate")
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(recheck_script()), str(file)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    file.write_text(file.read_text().replace("R20", "R30"))
    spoilt = subprocess.run([sys.executable, "-I", "-S", str(recheck_script()), str(file)], capture_output=True)
    assert spoilt.returncode == 5


def test_a_conversation_goes_on(asked: Stage) -> None:
    browser = asked.browser
    browser.type("textarea", "Who can become a member?" + ENTER)
    browser.wait_for("Anyone who lives, works or studies")
    assert ANSWER in browser.text(), "the first answer stays"
    browser.click("button", containing="Begin anew")
    browser.wait_for("begin with one of these")


def test_a_bad_draft_is_marked_up_and_its_difference_shown(asked: Stage) -> None:
    browser = asked.browser
    browser.open(f"{asked.page}/verify")
    browser.click("button", containing="Fill in an example")
    browser.wait_until(
        lambda: "R26 a day" in str(browser.script("return document.querySelector('textarea').value")), "the example"
    )
    browser.click("button", containing="Verify")
    browser.wait_for("What is delivered")
    assert "✕ not supported" in browser.text()
    assert "The source gives another figure." in browser.text()
    assert "value_mismatch" not in browser.text(), "codes are for hovering"
    assert browser.find('[title="value_mismatch"]')
    assert "R26" in browser.script("return document.querySelector('.sf-diff del').innerText")
    assert "R15" in browser.script("return document.querySelector('.sf-diff ins').innerText")
    assert not browser.serious()
    browser.screenshot(asked.shots / "verify-1280.png")


def test_a_case_is_judged_with_its_references(asked: Stage) -> None:
    browser = asked.browser
    browser.open(f"{asked.page}/judge")
    browser.type("textarea", "The landlord keeps the whole deposit because of one scratched tile.")
    browser.type('input[aria-label="What you want to know"]', "May the landlord keep all of it?")
    browser.click("button", containing="Judge")
    browser.wait_for("Verdict")
    browser.wait_for("[1]")
    browser.screenshot(asked.shots / "judge-1280.png")


def test_the_cases_of_a_pack_run_from_the_page(asked: Stage) -> None:
    browser = asked.browser
    browser.open(f"{asked.page}/packs")
    browser.click("button", containing="Run the cases")
    browser.wait_for("As expected")
    browser.wait_for(" of 16")
    browser.screenshot(asked.shots / "packs-1280.png")


def test_runs_are_found_by_their_question(asked: Stage) -> None:
    browser = asked.browser
    browser.open(f"{asked.page}/runs")
    browser.wait_for(QUESTION)
    browser.type('input[aria-label="Question holds"]', "no such words" + ENTER)
    browser.wait_for("0 of 0 shown")


def test_a_row_can_be_accepted(asked: Stage) -> None:
    asked.browser.open(f"{asked.page}/datasets")
    asked.browser.click("button", containing="Accept")
    asked.browser.wait_for("✓ accepted")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(("view", "words"), SCREENS)
def test_every_screen_fits_and_has_no_serious_finding(asked: Stage, view: str, words: str, width: int) -> None:
    browser = asked.browser
    browser.resize(width, 900)
    browser.dark(width == 390)
    browser.open(f"{asked.page}/{view}")
    browser.wait_for(words)
    assert not browser.find('[data-testid="stException"], [data-testid="stAlertContentError"]')
    assert browser.script("return document.documentElement.scrollWidth") <= width
    assert not browser.serious()
    browser.screenshot(asked.shots / f"{view or 'first'}-{width}.png")


def test_on_a_phone_the_quote_is_a_tap_away(asked: Stage) -> None:
    browser = asked.browser
    browser.resize(390, 844)
    browser.dark(True)
    _ask(asked)
    browser.click(".sf-claim summary")
    browser.wait_until(lambda: bool(browser.find(".sf-claim[open] .sf-passage mark")), "the marked quote")
    assert browser.script("return document.documentElement.scrollWidth") <= 390
    assert not browser.serious()
    browser.screenshot(asked.shots / "ask-390.png")


def test_the_page_can_be_used_by_keyboard_alone(asked: Stage) -> None:
    browser = asked.browser
    browser.resize(1280, 900)
    browser.dark(False)
    _ask(asked)
    browser.script("document.querySelector('.sf-claim summary').focus()")
    browser.type(".sf-claim summary", ENTER)
    browser.wait_until(lambda: bool(browser.find(".sf-claim[open]")), "the opened source")


def test_the_first_answer_over_an_own_document_takes_three_clicks(asked: Stage, tmp_path: Path) -> None:
    browser = asked.browser
    browser.resize(1280, 900)
    browser.dark(False)
    good, bad = tmp_path / "boats.md", tmp_path / "broken.pdf"
    good.write_text("# Boats\n\nThe rent for a rowing boat is R45 an hour. Boats are rented from April to October.\n")
    bad.write_bytes(b"this is no PDF")
    browser.open(asked.page)
    browser.drop('input[type="file"]', good, bad)  # one click: choose, or drop
    browser.wait_for("1 of 2 documents can be asked about now")
    assert "broken.pdf" in browser.text(), "what was skipped is named"
    assert "✕ skipped" in browser.text()
    browser.screenshot(asked.shots / "uploaded-1280.png")
    browser.click("button", containing="What is the rent for a rowing boat?")  # the second: an example
    browser.wait_for("The rent for a rowing boat is R45 an hour")
    browser.wait_for("Download the certificate")


def _ask(stage: Stage) -> None:
    stage.browser.open(stage.page)
    stage.browser.wait_for("begin with one of these")
    stage.browser.type("textarea", QUESTION + ENTER)
    stage.browser.wait_for(ANSWER)
    stage.browser.wait_for("Download the certificate")
    time.sleep(0.3)  # the lasting view replaces the streamed one
