"""Levels, lengths and point scores mean what the registries and scales say."""

from __future__ import annotations

import pytest
from packcase import codes, edited, findings

from surefoot.core.types import IssueType
from surefoot.packs.loader import load
from surefoot.verify.checks.terms import TermCheck

CHECK = TermCheck()
MARKS = {
    "English Home Language": 72,
    "isiZulu First Additional Language": "65%",
    "Mathematics": 55,
    "Life Sciences": 61,
    "Physical Sciences": 58,
    "Geography": 70,
    "Life Orientation": 80,
}


def test_a_four_year_diploma_at_nqf_9_is_wrong_twice() -> None:
    found = findings(CHECK, "It is a 4-year diploma at NQF 9.")
    assert [finding.issue.location for finding in found] == ["NQF 9", "4-year"]
    assert {finding.issue.type for finding in found} == {IssueType.INACCURACY}


@pytest.mark.parametrize(
    "draft",
    [
        "A Bachelor of Commerce is at NQF level 7.",
        "The BEd is a four-year degree at NQF 7.",
        "A three-year Diploma in Nursing is at NQF level 6.",
        "The Higher Certificate is at NQF level 5, then an Advanced Diploma at NQF level 7.",
        "Get a Bachelor of Commerce after 5 years of work.",
        "An LLB takes four years.",
    ],
)
def test_right_levels_and_lengths_pass(draft: str) -> None:
    assert not findings(CHECK, draft)


@pytest.mark.parametrize(
    ("draft", "place"),
    [
        ("NQF level 12 is the top.", "NQF level 12"),
        ("Take NATED N7 next.", "NATED N7"),
        ("A doctorate at NQF level 8 is rare.", "NQF level 8"),
        ("A six-year Bachelor of Commerce exists.", "six-year"),
        ("The Higher Certificate takes three years.", "takes three years"),
        ("You need an APS of 75.", "APS of 75"),
    ],
)
def test_wrong_levels_and_lengths_are_issues(draft: str, place: str) -> None:
    found = findings(CHECK, draft)
    assert codes(found)[:1] == ["value_mismatch"]
    assert place in [finding.issue.location for finding in found]


def test_a_source_that_states_the_exception_beats_the_registry() -> None:
    source = "The extended programme is a five-year Bachelor of Commerce with extra support."
    assert not findings(CHECK, "There is a five-year Bachelor of Commerce.", sources=(source,))
    assert findings(CHECK, "There is a five-year Bachelor of Commerce.", sources=("Commerce is popular.",))


def test_a_mark_beside_the_wrong_level_is_corrected() -> None:
    draft = "A mark of 65% is level 6."
    found = findings(CHECK, draft)
    assert edited(draft, found[0].edits) == "A mark of 65% is level 5."


@pytest.mark.parametrize(
    "draft", ["65% is level 5.", "Level 7 (80% and up) is the top.", "With 65% enter an NQF level 7 degree."]
)
def test_right_pairs_and_nqf_levels_are_left_alone(draft: str) -> None:
    assert not findings(CHECK, draft)


def test_an_aps_that_the_marks_do_not_add_up_to_is_corrected() -> None:
    draft = "Your APS is 34. The course asks for an APS of 28."
    found = findings(CHECK, draft, profile={"marks": MARKS})
    assert codes(found) == ["value_mismatch"]
    assert edited(draft, found[0].edits).startswith("Your APS is 30.")


def test_the_right_aps_and_an_unknown_one_pass() -> None:
    assert not findings(CHECK, "Your APS is 30.", profile={"marks": MARKS})
    assert not findings(CHECK, "Your APS is 34.", profile={})
    assert not findings(CHECK, "Your APS is 34.", profile={"marks": {"Mathematics": 55}})
    assert not findings(CHECK, "Your APS is 34.", profile={"marks": {**MARKS, "Geography": "unknown"}})


def test_an_addition_written_out_must_be_right() -> None:
    draft = "Your levels are 6 + 5 + 4 + 5 + 4 + 6 = 31."
    found = findings(CHECK, draft)
    assert edited(draft, found[0].edits).endswith("= 30.")
    assert not findings(CHECK, "5 + 5 = 10")


def test_a_pack_without_terms_checks_none() -> None:
    assert not findings(CHECK, "A 4-year diploma at NQF 99. 1 + 1 = 3", pack=load("default"))
