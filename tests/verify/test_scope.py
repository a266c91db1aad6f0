"""A claim that leaves out what limits its source is not proven; one that keeps it, in whatever words, may be."""

from __future__ import annotations

import pytest

from surefoot.core.types import CheckReport, Passage
from surefoot.packs.schema import Pack
from surefoot.verify.checks.grounding import GroundingCheck
from surefoot.verify.checks.polarity import PolarityCheck
from surefoot.verify.claims import claims_of
from surefoot.verify.reading import read, read_claim
from surefoot.verify.roles import gathered
from surefoot.verify.scope import widened
from surefoot.verify.submission import Check, Submission

PACK = Pack(name="test", title="Test", version="1", hash="0")


def run(check: Check, draft: str, source: str) -> CheckReport:
    passages = (Passage(id="S1", text=source),)
    claims = claims_of(draft, passages, PACK)
    return check.run(Submission(draft=draft, claims=claims, passages=passages, pack=PACK, today="2026-01-01"))


def proven(draft: str, source: str) -> bool:
    return bool(run(GroundingCheck(), f"{draft} [S1].", source).proofs)


@pytest.mark.parametrize(
    ("draft", "source"),
    [
        ("Fees are refunded", "Fees are refunded if the course is cancelled."),
        ("Fees are refunded", "Fees are refunded unless you cancel late."),
        ("The test is free", "If you are over 60, the test is free."),
        ("The offer is valid", "The offer is valid only on Mondays."),
        ("Students pass the exam", "Most students pass the exam."),
        ("The fee rises in May", "The fee may rise in May."),
        ("The test is free", "The test is free for pensioners."),
    ],
)
def test_a_claim_without_its_limit_is_not_proven_and_no_issue(draft: str, source: str) -> None:
    report = run(GroundingCheck(), f"{draft} [S1].", source)
    assert report.proofs == ()
    assert report.findings == ()


@pytest.mark.parametrize(
    ("draft", "source"),
    [
        ("When the course is cancelled, fees are refunded", "Fees are refunded if the course is cancelled."),
        ("Fees are refunded if you do not cancel late", "Fees are refunded unless you cancel late."),
        (
            "The office is in Upper Street",
            "The office is in Upper Street; fees are refunded if the course is cancelled.",
        ),
        ("Members may enter the library", "Only members may enter the library."),
        ("Most of the students pass the exam", "Most students pass the exam."),
        ("The fee might rise in May", "The fee may rise in May."),
        ("You can apply online", "You may apply online."),
        ("The bridge was opened in May", "The bridge was opened in May 1998."),
        ("Pensioners take the test for free", "The test is free for pensioners."),
        ("It works on the most recent phones", "It works on the most recent phones and on most tablets."),
    ],
)
def test_a_claim_that_keeps_the_limit_is_proven(draft: str, source: str) -> None:
    assert proven(draft, source)


@pytest.mark.parametrize(
    ("draft", "source"),
    [
        ("Fees are refunded if you cancel late", "Fees are refunded unless you cancel late."),
        ("Fees are refunded unless the course is cancelled", "Fees are refunded if the course is cancelled."),
    ],
)
def test_if_for_unless_is_a_contradiction(draft: str, source: str) -> None:
    assert [finding.issue.code for finding in run(PolarityCheck(), f"{draft} [S1].", source).findings] == [
        "contradicted"
    ]


def test_if_not_is_unless() -> None:
    report = run(
        PolarityCheck(), "Fees are refunded if you do not cancel [S1].", "Fees are refunded unless you cancel."
    )
    assert report.findings == ()


@pytest.mark.parametrize(
    ("draft", "source"),
    [
        ("Wits offers medicine", "Wits offers law and Rhodes offers medicine."),
        ("Rhodes offers law", "Wits offers law and Rhodes offers medicine."),
        ("Wits offers medicine", "Wits offers law and Rhodes medicine."),
        ("Results are due in May", "Fees are due in May and results are published in June."),
    ],
)
def test_words_gathered_from_two_subjects_are_not_proven(draft: str, source: str) -> None:
    report = run(GroundingCheck(), f"{draft} [S1].", source)
    assert report.proofs == ()
    assert report.findings == ()


@pytest.mark.parametrize(
    ("draft", "source"),
    [
        ("Rhodes offers medicine", "Wits offers law and Rhodes offers medicine."),
        ("Wits offers medicine", "Wits offers law and medicine."),
        ("Wits offers medicine", "Wits and Rhodes offer medicine."),
        ("Wits employs lecturers", "Wits offers law and employs lecturers."),
        ("The court will decide if you can't agree", "If you can't agree on the terms, the court will decide."),
        ("Rhodes offered medicine in 2020", "In 2020, Wits offered law and Rhodes offered medicine."),
    ],
)
def test_words_of_one_subject_are_proven(draft: str, source: str) -> None:
    assert proven(draft, source)


def test_a_sentence_of_conditions_proves_nothing_but_itself() -> None:
    source = read(" ".join(f"if it is {number} degrees" for number in range(200)) + " the pool opens.").lines[0]
    assert widened(read_claim("The pool opens if it is 20 degrees."), source) is not None


def test_a_long_list_of_clauses_has_no_parts() -> None:
    source = read(", ".join(f"Wits{number} offers law" for number in range(200)) + ".").lines[0]
    assert not gathered(read_claim("Wits1 offers law."), source)
