"""Sentences made of whole clauses that were told, and those that only look like it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surefoot.core.case import case_passage
from surefoot.core.types import Passage
from surefoot.verify.ground.retold import retells
from surefoot.verify.read.submission import Submission

GUIDE = Passage(
    id="1",
    text="The employer must consult the staff and should give four weeks' warning. If the staff agree, the employer "
    "may change the hours. Overtime is paid double unless the contract says otherwise.",
)
CASE = (
    "They moved the depot in June and now want us there by 6. My contract says 7.30. Nobody asked us. I've written to "
    "them twice, but only by text. My boss says that the union agreed and the staff were told. If they fire me, I lose "
    "my flat. I didn't sign the new contract. I think my boss must pay me double."
)


@pytest.mark.parametrize(
    "claim",
    [
        "Your contract says 7.30 [case].",
        "According to you, your contract says 7.30 [case].",
        "You did not sign the new contract [case].",
        "Your contract says 7.30, and now they want you there by 6 [case].",
        "Nobody asked you, although the employer must consult the staff [1] [case].",
        "Although the employer must consult the staff, nobody asked you [1] [case].",
    ],
)
def test_clauses_that_were_told_are_recognised(submit: Callable[..., Submission], claim: str) -> None:
    submission = submit(claim, [GUIDE, case_passage(CASE)], case=CASE)
    assert retells(submission.claims[0], submission)


@pytest.mark.parametrize(
    "claim",
    [
        "Your contract says 6, and now they want you there by 7.30 [case].",
        "You signed the new contract [case].",
        "You have written to them twice [case].",
        "The staff were told [case].",
        "You lose your flat [case].",
        "Your boss must pay you double [case].",
        "The employer may change the hours [1] [case].",
        "Overtime is paid double [1] [case].",
        "Nobody asked you, because the employer must consult the staff [1] [case].",
        "Nobody asked you [1].",
        "They moved the depot in June and now want you there by 6 [case].",
    ],
)
def test_what_was_only_said_supposed_bounded_or_leans_is_not(submit: Callable[..., Submission], claim: str) -> None:
    submission = submit(claim, [GUIDE, case_passage(CASE)], case=CASE)
    assert not retells(submission.claims[0], submission)


@pytest.mark.parametrize(
    ("account", "claim"),
    [
        ("The teacher said boys will be boys.", "The teacher said that boys will be boys [case]."),
        ("The landlord told me it was his house.", "The landlord told you that it was his house [case]."),
        ("My boss says payslips are for office people.", "Your boss says that payslips are for office people [case]."),
    ],
)
def test_a_that_behind_who_says_so_changes_nothing(submit: Callable[..., Submission], account: str, claim: str) -> None:
    submission = submit(claim, [GUIDE, case_passage(account)], case=account)
    assert retells(submission.claims[0], submission)
    only = submit(claim.split(" that ", 1)[1], [GUIDE, case_passage(account)], case=account)
    assert not retells(only.claims[0], only)


def test_without_a_case_nothing_is_restated(submit: Callable[..., Submission]) -> None:
    submission = submit("The employer must consult the staff [1].", [GUIDE])
    assert not retells(submission.claims[0], submission)
