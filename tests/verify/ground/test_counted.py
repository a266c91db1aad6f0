"""A day counted from one of the account by the time a rule gives."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surefoot.core.case import case_passage
from surefoot.core.types import Passage
from surefoot.verify.ground.counted import counted
from surefoot.verify.read.submission import Submission

RULES = Passage(id="1", text="A deposit must be paid back within five weeks. A claim must be made within three months.")
CASE = "I moved out on 6 February. My deposit was 950 pounds."


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("You should have had it by 13 March [1] [case].", True),
        ("He must pay you by 13 March [1] [case].", True),
        ("You may claim it until 6 May [1] [case].", True),
        ("You should have had it by 20 March [1] [case].", False),
        ("He need not pay you by 13 March [1] [case].", None),
        ("He must pay you after 13 March [1] [case].", None),
        ("You moved out by 6 February, so he must pay [1] [case].", None),
        ("He must pay you by 13 March [1].", None),
        ("He paid you by 13 March [1] [case].", None),
    ],
)
def test_a_day_by_which_something_is_due_is_counted(
    submit: Callable[..., Submission], claim: str, right: bool | None
) -> None:
    submission = submit(claim, [RULES, case_passage(CASE)], case=CASE)
    assert counted(submission.claims[0], submission) is right
