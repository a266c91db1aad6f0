"""Two grounders on a judged case: the mean of what they say, and only where there is a case and time for both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from surefoot.core.case import case_passage
from surefoot.core.types import ClaimText, GroundingScore, Passage, Status
from surefoot.verify.ground.risk import GroundingCheck
from surefoot.verify.ground.together import BANDS, Together
from surefoot.verify.read.submission import Submission

CASE = "HR said no after three months."
GUIDE = Passage(id="1", text="The employer must talk with the employee before refusing.")


@dataclass
class Says:
    unsupported: float
    identity: str
    bands: Mapping[str, float] = field(default_factory=lambda: {"accept": 0.06, "release": 0.1, "reject": 0.5})
    asked: int = 0

    def warm(self) -> None: ...

    def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
        self.asked += len(claims)
        return [GroundingScore(unsupported=self.unsupported, silent=0.0, spans=()) for _ in claims]


@pytest.mark.parametrize(
    ("first", "second", "mean"), [(0.5, 0.5, 0.5), (0.2, 0.8, 0.5), (0.07, 0.72, 0.3055), (0.0, 0.0, 0.0)]
)
def test_the_risk_is_the_mean_of_both_log_odds(first: float, second: float, mean: float) -> None:
    both = Together(accurate=Says(first, "a"), fast=Says(second, "f"))  # type: ignore[arg-type]
    scores = both.judge([ClaimText(text="x")], ["y"])
    assert [score.unsupported for score in scores] == [pytest.approx(mean, abs=1e-3)]


def test_what_one_of_them_believes_is_doubted_in_a_case(submit: Callable[..., Submission]) -> None:
    accurate, fast = Says(0.07, "a"), Says(0.72, "f")
    check = GroundingCheck(accurate=accurate, fast=fast)  # type: ignore[arg-type]
    sources = [GUIDE, case_passage(CASE)]
    judged = submit("HR met you twice about it [case].", sources, case=CASE)
    assert [one.status for one in check.run(judged).judgements] == [Status.DOUBTFUL]
    assert BANDS["release"] < 0.3
    other = submit("HR met you twice about it [1].", [GUIDE])
    assert [one.status for one in check.run(other).judgements] == [Status.SUPPORTED]
    assert (accurate.asked, fast.asked) == (2, 1)


def test_without_time_for_both_the_accurate_one_speaks_alone(submit: Callable[..., Submission]) -> None:
    accurate, fast = Says(0.07, "a"), Says(0.72, "f")
    check = GroundingCheck(accurate=accurate, fast=fast)  # type: ignore[arg-type]
    draft = "HR met you twice about it [case]."
    for until in (0.6, 0.5):
        check.run(submit(draft, [GUIDE, case_passage(CASE)], case=CASE, until=until))
    assert (accurate.asked, fast.asked) == (1, 1)
