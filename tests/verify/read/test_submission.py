"""Which sources speak about a claim where a person tells a case."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surefoot.core.case import case_passage
from surefoot.core.types import Passage
from surefoot.verify.read.submission import Submission

Submit = Callable[..., Submission]
CASE = "I work three days a week in a shop. My boss gives me 10 days off a year."
GUIDE = Passage(id="1", text="Almost every worker gets 5.6 weeks of holiday. Three days a week give 16.8 days.")


def read_for(submit: Submit, draft: str) -> tuple[list[str], bool]:
    """The ids of a claim's evidence, and whether what happened is read beside it."""
    submission = submit(draft, [GUIDE, case_passage(CASE)], case=CASE)
    (claim,) = submission.claims
    return [passage.id for passage in submission.evidence_for(claim)], bool(submission.joined(claim))


@pytest.mark.parametrize("draft", ["You get 16.8 days of paid holiday [1].", "Your leave is 5.6 weeks a year [1]."])
def test_a_rule_said_to_the_person_is_the_references_to_show(submit: Submit, draft: str) -> None:
    assert read_for(submit, draft) == (["1"], True)


@pytest.mark.parametrize(
    "draft",
    [
        "You took 16.8 days of holiday [1].",
        "Your boss has promised you 16.8 days [1].",
        "You get 10 days off a year [1].",
        "You work in a shop [1].",
        "You get 20 days of holiday [1].",
    ],
)
def test_a_deed_and_what_no_reference_has_are_the_cases_to_show(submit: Submit, draft: str) -> None:
    assert read_for(submit, draft) == (["case"], False)


def test_a_rule_under_the_cases_marker_has_no_source(submit: Submit) -> None:
    assert read_for(submit, "Your boss must give you 16.8 days [case].") == ([], False)


@pytest.mark.parametrize(
    "draft",
    [
        "Put your request in writing [1].",
        "If you work three days, your holiday is in proportion [1].",
        "Working in a shop gives you the same holiday [1].",
    ],
)
def test_what_tells_of_no_deed_is_the_references_to_show(submit: Submit, draft: str) -> None:
    assert read_for(submit, draft) == (["1"], True)


def test_a_bound_is_a_rule_where_the_account_speaks_of_one(submit: Submit) -> None:
    case = "I think my landlord must give me at least a week."
    submission = submit("You have at least a week [case].", [GUIDE, case_passage(case)], case=case)
    assert submission.evidence_for(submission.claims[0]) == ()
