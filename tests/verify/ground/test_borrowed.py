"""A value that stands in the source, but elsewhere, where the sentences with the claim's words give another."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surefoot.core.types import Passage
from surefoot.verify.ground.borrowed import borrowed
from surefoot.verify.ground.signals import moved
from surefoot.verify.read.submission import Submission

Submit = Callable[..., Submission]
PLOTS = [
    Passage(
        id="plots",
        text="You can give up your plot at any time with one month's notice in writing. The key deposit is returned "
        "within 14 days of handing back the key. A half plot costs £46 a year. Two hens may share a coop.",
    )
]


@pytest.mark.parametrize(
    "claim",
    [
        "You can give up your plot with 14 days' notice in writing.",
        "You can give up your plot with two weeks' notice in writing.",
    ],
)
def test_a_value_of_another_sentence_is_borrowed(submit: Submit, claim: str) -> None:
    submission = submit(claim, PLOTS)
    assert borrowed(submission.claims[0], submission)
    assert moved(0.03, submission.claims[0], submission) > 0.2


@pytest.mark.parametrize(
    "claim",
    [
        "You can give up your plot with one month's notice in writing.",
        "The key deposit is returned within two weeks of handing back the key.",
        "Your deposit is back within 14 days.",
        "For a half plot you pay £46 a year.",
        "The deposit and the coop have nothing to do with each other.",
    ],
)
def test_its_own_value_is_not(submit: Submit, claim: str) -> None:
    submission = submit(claim, PLOTS)
    assert not borrowed(submission.claims[0], submission)
