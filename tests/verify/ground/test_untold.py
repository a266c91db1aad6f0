"""Deeds that only the rule beside the account knows of, and those that were told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surefoot.core.case import case_passage
from surefoot.core.types import Passage
from surefoot.verify.ground.untold import untold
from surefoot.verify.read.submission import Submission

RULES = Passage(
    id="1",
    text="There must be at least eleven hours of rest. Notice is two months. Where vermin come because of rubbish that "
    "a tenant leaves lying about, the tenant pays. Repairs take 14 days. A new rule takes one to two weeks.",
)
CASE = (
    "On Friday they had me till 1 in the morning and on Saturday I started at 8. We have had mice since September. She "
    "told me on the stairs on 20 May. I rang on 3 May and nobody came by 17 May. I tried it for two days."
)


def is_untold(submit: Callable[..., Submission], claim: str) -> bool:
    submission = submit(claim, [RULES, case_passage(CASE)], case=CASE)
    return untold(submission.claims[0], submission)


@pytest.mark.parametrize(
    "claim",
    [
        "You had your eleven hours of rest [1] [case].",
        "You left rubbish about, so you have to pay [1] [case].",
        "She gave you the two months [1] [case].",
    ],
)
def test_a_deed_in_the_rules_words_alone_is_seen(submit: Callable[..., Submission], claim: str) -> None:
    assert is_untold(submit, claim)


@pytest.mark.parametrize(
    "claim",
    [
        "You had mice since September, so the landlord must deal with them [1] [case].",
        "She told you on the stairs, and notice is two months [1] [case].",
        "You did not have your eleven hours of rest [1] [case].",
        "He had 14 days for the repair [1] [case].",
        "You waited for 14 days [1] [case].",
        "You should have had eleven hours of rest [1] [case].",
        "You tried it for two days, which is short of the two weeks it takes [1] [case].",
        "You left rubbish about [case].",
        "You left rubbish about [1].",
    ],
)
def test_what_was_told_denied_granted_or_set_against_a_rule_is_not(
    submit: Callable[..., Submission], claim: str
) -> None:
    assert not is_untold(submit, claim)
