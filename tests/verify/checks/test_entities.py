"""Names are registered, or stand in a source, or are an issue."""

from __future__ import annotations

import pytest
from packcase import codes, edited, findings

from surefoot.core.types import IssueType, Severity
from surefoot.packs.loader import load
from surefoot.verify.checks.entities import EntityCheck

CHECK = EntityCheck()


@pytest.mark.parametrize(
    "draft",
    [
        "Study at the University of Cape Town.",
        "Study at UCT, Wits or Tuks.",
        "The University of the Western Cape and North West University teach nursing.",
        "Boland TVET College and the College of Cape Town train artisans.",
        "Consider Rhodes University.",
        "Sefako Makgatho Health Sciences University trains doctors.",
        "The Bachelor of Commerce takes three years.",
        "You could work as an experienced civil engineer.",
        "The Absa Bursary and MICT SETA help.",
        "isiZulu Home Language is a subject.",
        "Any University of Technology will do; so will a TVET College.",
        "Universiteit Stellenbosch is in the Western Cape.",
    ],
)
def test_names_that_a_source_says_pass(draft: str) -> None:
    assert not findings(CHECK, draft, sources=(f"In short: {draft}",))


def test_a_registered_name_may_stand_in_the_source_under_another_alias() -> None:
    assert not findings(CHECK, "Study at the University of Cape Town.", sources=("UCT teaches law.",))
    assert codes(findings(CHECK, "Study at the University of Pretoria.", sources=("UCT teaches law.",)))


def test_an_occupation_is_no_proper_name() -> None:
    assert not findings(CHECK, "You could work as an experienced civil engineer.")


@pytest.mark.parametrize(
    ("draft", "name"),
    [
        ("The University of Atlantis teaches law.", "University of Atlantis"),
        ("Try Stellenbosch University of Magic.", "Stellenbosch University of Magic"),
        ("Ask Mapungubwe TVET College.", "Mapungubwe TVET College"),
        ("A Bachelor of Wizardry is needed.", "Bachelor of Wizardry"),
        ("You could become a quantum healing engineer.", "quantum healing engineer"),
        ("Apply for the Moonlight Bursary.", "Moonlight Bursary"),
        ("Ask the XYZSETA.", "XYZSETA"),
        ("Klingon Home Language is offered.", "Klingon Home Language"),
    ],
)
def test_invented_names_of_every_kind_are_issues_at_their_span(draft: str, name: str) -> None:
    found = findings(CHECK, draft)
    assert codes(found) == ["unknown_entity"]
    assert found[0].issue.location == name
    assert (found[0].issue.type, found[0].issue.severity) == (IssueType.HALLUCINATION, Severity.HIGH)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("University of Capetown", "University of Cape Town"),
        ("University of Johanesburg", "University of Johannesburg"),
        ("Stelenbosch University", "Stellenbosch University"),
        ("Bolland TVET College", "Boland TVET College"),
        ("Bachelor of Comerce", "Bachelor of Commerce"),
        ("University of KwaZulu Nataal", "University of KwaZulu-Natal"),
    ],
)
def test_a_slip_of_spelling_names_the_nearest_and_is_replaced(wrong: str, right: str) -> None:
    draft = f"Look at the {wrong} today."
    found = findings(CHECK, draft, sources=(f"The {right} is known.",))
    assert right in found[0].issue.problem
    assert edited(draft, found[0].edits) == f"Look at the {right} today."
    assert findings(CHECK, draft)[0].edits == ()  # no source says the right name either


def test_a_name_a_source_holds_is_no_issue_although_no_registry_knows_it() -> None:
    source = "The University of Namibia takes South African students."
    draft = "The University of Namibia takes students."
    assert not findings(CHECK, draft, sources=(source,))
    assert findings(CHECK, draft, sources=("Namibia has a university.",))


def test_an_invented_name_used_twice_is_one_issue() -> None:
    draft = "The University of Atlantis is new. The University of Atlantis is far."
    assert codes(findings(CHECK, draft)) == ["unknown_entity"]


def test_an_invented_name_has_no_nearest_where_none_is_near() -> None:
    found = findings(CHECK, "The University of Soweto is new.")
    assert found[0].issue.correction is None
    assert not found[0].edits


def test_a_pack_without_kinds_checks_no_names() -> None:
    assert not findings(CHECK, "The University of Atlantis.", pack=load("default"))
