"""A value of the case set against one of a reference: right, wrong, or nothing that code can say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surefoot.core.case import case_passage
from surefoot.core.types import Passage
from surefoot.verify.ground.weighing import outcome
from surefoot.verify.read.submission import Submission

GUIDE = Passage(id="1", text="A child needs 10 to 13 hours of sleep. Repairs take 14 days. A break lasts 20 minutes.")
CASE = "She sleeps about nine hours. The heating was off for three weeks. I work nine-hour shifts."


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("Three weeks is longer than the 14 days of the guide [1] [case].", True),
        ("Three weeks is shorter than the 14 days of the guide [1] [case].", False),
        ("Nine hours a night is less than the 10 to 13 hours a child of four needs [1] [case].", True),
        ("Nine hours a night is more than the 10 to 13 hours a child of four needs [1] [case].", False),
        ("Nine hours is not less than the 10 to 13 hours [1] [case].", None),
        ("A break of 20 minutes is due when the day is longer than 6 hours [1] [case].", None),
        ("Five weeks is longer than the 14 days of the guide [1] [case].", None),
    ],
)
def test_a_comparison_comes_out_or_does_not(submit: Callable[..., Submission], claim: str, right: bool | None) -> None:
    submission = submit(claim, [GUIDE, case_passage(CASE)], case=CASE)
    assert outcome(submission.claims[0], submission) is right
