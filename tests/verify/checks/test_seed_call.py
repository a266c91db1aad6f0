"""The career guidance design calls the gate without a question: what the person said stands in the profile."""

from __future__ import annotations

from typing import Any

import pytest
from packcase import codes, findings

from surefoot.core.types import Json
from surefoot.verify.checks.policy import PolicyCheck
from surefoot.verify.checks.tone import ToneCheck

PLAIN = "UCT has six faculties."


def policy(draft: str, profile: dict[str, Json], **more: Any) -> list[str]:
    return codes(findings(PolicyCheck(), draft, profile=profile, **more))


@pytest.mark.parametrize(
    "profile",
    [{"query": "I want to kill myself"}, {"notes": ["My marks are bad.", "I do not want to live anymore."]}],
)
def test_danger_is_seen_in_the_profiles_free_text(profile: dict[str, Json]) -> None:
    assert policy(PLAIN, profile) == ["policy:dangerous-queries"]


def test_danger_in_the_draft_is_seen_where_there_is_no_question() -> None:
    assert "policy:dangerous-queries" in policy("I want to kill myself. UCT has six faculties.", {})
    assert policy(PLAIN, {"grade": 11, "interests": ["biology", "art"]}) == []


@pytest.mark.parametrize(("income", "fires"), [("R180 000", True), (90_000, True), ("R900 000 a year", False)])
def test_the_household_income_counts_as_need(income: Json, fires: bool) -> None:
    assert ("policy:nsfas-prioritization" in policy(PLAIN, {"householdIncome": income})) is fires


@pytest.mark.parametrize("field", ["study medicine", "a degree in nursing"])
def test_a_career_is_recognised_by_its_field_of_study(field: str) -> None:
    found = policy(f"You could look at {field}.", {"dislikes": ["maths"]})
    assert ("policy:math-hate-healthcare" in found) is ("medicine" in field)  # nursing asks for no Mathematics


def test_a_promise_to_get_into_a_place_is_softened() -> None:
    (found,) = findings(ToneCheck(), "You will definitely get into UCT.")
    assert found.edits[0].replacement == "You may get into"
