"""A person at the page: brings a document, asks, looks at a source, verifies a bad draft, takes the proof home.

One visit for all of it, as a person makes one; each screen is looked at with something on it, see `look`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.browser.conftest import Stage

from surefoot.wiring import recheck_script

pytestmark = pytest.mark.browser
QUESTION = "What does a torn page cost?"
ANSWER = "A torn page costs R20"
ENTER = "\ue007"


@pytest.fixture(scope="session")
def asked(stage: Stage) -> Stage:
    """The page at 1280 px with an answer on it."""
    stage.browser.resize(1280, 900)
    stage.browser.dark(False)
    stage.browser.open(stage.page)
    stage.browser.wait_for("begin with one of these")
    look(stage, "first")
    stage.browser.type("textarea", QUESTION + ENTER)
    stage.browser.wait_for(ANSWER)
    stage.browser.wait_for("Download the certificate")
    stage.browser.wait_until(lambda: bool(stage.browser.find(".sf-legend")), "the lasting view")
    return stage


def look(stage: Stage, name: str) -> None:
    """The screen as it stands, bright on a desk and dark on a phone: nothing broken, all of it fits, all can use it."""
    browser = stage.browser
    for width, dark in ((1280, False), (390, True)):
        browser.resize(width, 900)
        browser.dark(dark)
        browser.wait_until(lambda dark=dark: browser.is_dark() == dark, "the colours")  # type: ignore[misc]
        assert not browser.find('[data-testid="stException"], [data-testid="stAlertContentError"]')
        assert browser.script("return document.documentElement.scrollWidth") <= width
        assert not browser.serious()
        browser.screenshot(stage.shots / f"{name}-{width}.png")
    browser.resize(1280, 900)
    browser.dark(False)


def go(stage: Stage, title: str, words: str) -> None:
    """To another screen by its link, until these words stand on it."""
    stage.browser.click('[data-testid="stTopNavLink"]', containing=title)
    stage.browser.wait_for(words)


def test_an_answer_shows_what_it_rests_on_and_opens_its_source(asked: Stage) -> None:
    browser = asked.browser
    assert "❝ quoted" in browser.text()
    assert "word for word in a source" in browser.text(), "the legend"
    assert "A torn page costs R20." in str(browser.script("return document.querySelector('.sf-tip mark').textContent"))
    browser.script("document.querySelector('.sf-claim summary').focus()")
    browser.type(".sf-claim summary", ENTER)  # by keyboard alone
    browser.wait_until(lambda: bool(browser.find(".sf-claim[open]")), "the opened source")
    browser.click(".sf-claim summary")
    browser.wait_until(lambda: not browser.find(".sf-claim[open]"), "the closed source")
    browser.click(".sf-claim summary")  # by mouse, or a tap on a phone
    assert browser.script("return document.querySelector('.sf-passage mark').innerText") == "A torn page costs R20."
    look(asked, "ask")
    assert browser.find(".sf-claim[open] .sf-passage mark"), "the marked quote, on a phone too"


def test_the_steps_are_shown_with_their_times_and_the_answer_can_be_called_right(asked: Stage) -> None:
    asked.browser.click("summary", containing="How it was made")
    asked.browser.wait_for("✓ looked for passages")
    assert asked.browser.find('[title="retrieve"]'), "the step's own name on hover"
    assert " ms" in asked.browser.text()
    asked.browser.click_for("Written down. Thank you.", "button", containing="Right")


def test_the_document_opens_at_the_place(asked: Stage) -> None:
    browser = asked.browser
    address = browser.script("return document.querySelector('.sf-where a').href")
    assert browser.script("return document.querySelector('.sf-where a').target") == "_blank", "the talk must stay"
    with browser.tab(address):
        browser.wait_for("Go to the marked place")
        assert browser.script("return document.querySelector('#place mark').innerText") == "A torn page costs R20."
        assert "Amnesty" in browser.text(), "the whole document, not the passage alone"
        look(asked, "document")


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


def test_a_conversation_goes_on_and_says_what_the_documents_do_not(asked: Stage) -> None:
    browser = asked.browser
    browser.type("textarea", "Who can become a member?" + ENTER)
    browser.wait_for("Anyone who lives, works or studies")
    browser.wait_for("Download the certificate")
    browser.type("textarea", "Who invented the steam engine?" + ENTER)
    browser.wait_for("Nothing in the documents answers this.")
    browser.wait_for("Download the certificate")
    assert ANSWER in browser.text(), "the first answer stays"
    assert "no claim" not in browser.text(), "a refusal needs no legend"
    browser.click("button", containing="Begin anew")
    browser.wait_for("begin with one of these")


def test_a_bad_draft_is_marked_up_and_its_difference_shown(asked: Stage) -> None:
    browser = asked.browser
    go(asked, "Verify", "Draft answer")
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
    look(asked, "verify")


def test_a_case_is_judged_with_its_references(asked: Stage) -> None:
    browser = asked.browser
    go(asked, "Judge", "What happened")
    browser.type("textarea", "The landlord keeps the whole deposit because of one scratched tile.")
    browser.type('input[aria-label="What you want to know"]', "May the landlord keep all of it?")
    browser.click("button", containing="Judge")
    browser.wait_for("Verdict")
    browser.wait_for("[1]")
    look(asked, "judge")


def test_the_cases_of_a_pack_run_from_the_page(asked: Stage) -> None:
    browser = asked.browser
    go(asked, "Packs", "Run the cases")
    browser.click("button", containing="Run the cases")
    browser.wait_for("As expected")
    browser.wait_for(" of 16")
    look(asked, "packs")


def test_runs_are_found_by_their_question_and_counted_as_plots(asked: Stage) -> None:
    browser = asked.browser
    go(asked, "Runs", "Look at one run")
    browser.wait_for(QUESTION)
    look(asked, "runs")
    browser.type('input[aria-label="Words in the question"]', "no such words" + ENTER)
    browser.wait_for("0 of 0 shown")
    go(asked, "Metrics", "Passed every rule")
    look(asked, "metrics")


def test_a_row_can_be_accepted(asked: Stage) -> None:
    go(asked, "Datasets", "4 Critique")
    asked.browser.click("button", containing="Accept")
    asked.browser.wait_for("✓ accepted")
    look(asked, "datasets")


def test_the_first_answer_over_an_own_document_takes_three_clicks(asked: Stage, tmp_path: Path) -> None:
    browser = asked.browser
    good, bad = tmp_path / "boats.md", tmp_path / "broken.pdf"
    good.write_text("# Boats\n\nThe rent for a rowing boat is R45 an hour. Boats are rented from April to October.\n")
    bad.write_bytes(b"this is no PDF")
    browser.open(asked.page)
    browser.drop('input[type="file"]', good, bad)  # one click: choose, or drop
    browser.wait_for("1 of 2 documents can be asked about now")
    assert "broken.pdf" in browser.text(), "what was skipped is named"
    assert "✕ skipped" in browser.text()
    assert "50MB per file" in browser.text(), "what the service takes, no more"
    browser.screenshot(asked.shots / "uploaded-1280.png")
    browser.click("button", containing="What is the rent for a rowing boat?")  # the second: an example
    browser.wait_for("The rent for a rowing boat is R45 an hour")
    browser.wait_for("Download the certificate")
    go(asked, "Documents", "membership.md")
    look(asked, "documents")
