"""Two grounders on one claim: the mean of what they say of a judged case, only where there is time for both; a slow one
with the accurate one beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from surefoot.core.case import case_passage
from surefoot.core.types import ClaimText, GroundingScore, Passage, Status
from surefoot.encoders.files import find_adapter
from surefoot.encoders.grounder import OnnxGrounder
from surefoot.settings import Settings
from surefoot.verify.ground.risk import GroundingCheck
from surefoot.verify.ground.together import BANDS, Beside, Together, Weights
from surefoot.verify.read.submission import Submission
from surefoot.wiring import encoders

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


@dataclass
class Slow(Says):
    silent: float = 0.0

    def needs_s(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> float:
        return 3.0 * len(claims)

    def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
        return [GroundingScore(unsupported=self.unsupported, silent=self.silent, spans=()) for _ in claims]


@dataclass
class Points(Says):
    """Says which words lack support."""

    def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
        return [GroundingScore(unsupported=self.unsupported, silent=0.7, spans=((0, 1, 0.9),)) for _ in claims]


def beside(slow: float, accurate: float, silent: float = 0.0) -> Beside:
    return Beside(
        slow=Slow(slow, "slow", silent=silent),  # type: ignore[arg-type]
        accurate=Points(accurate, "accurate"),  # type: ignore[arg-type]
        weights=Weights(slow=0.8, accurate=0.4, shift=0.1),
        bands={"accept": 0.05, "release": 0.1, "reject": 0.4},
    )


@pytest.mark.parametrize(
    ("slow", "accurate", "risk"),
    [(0.5, 0.5, 0.525), (0.05, 0.05, 0.0313), (0.05, 0.9, 0.2015), (1.0, 0.01, 1.0), (0.01, 1.0, 1.0)],
)
def test_a_slow_one_and_the_accurate_one_are_weighed(slow: float, accurate: float, risk: float) -> None:
    (score,) = beside(slow, accurate, silent=0.2).judge([ClaimText(text="x")], ["y"])
    assert score.unsupported == pytest.approx(risk, abs=1e-3)
    assert score.silent == 0.2
    assert score.spans == ((0, 1, 0.9),)


def test_both_need_their_time() -> None:
    both = beside(0.1, 0.1)
    assert both.needs_s([], ["y"]) == 0.0
    assert both.needs_s([ClaimText(text="x")] * 2, ["y"]) > 6.0
    assert both.identity != beside(0.1, 0.1).slow.identity


def test_what_ships_was_weighed_against_what_ships() -> None:
    """A new accurate grounder needs new weights: until they are there, the thorough one is heard alone."""
    pytest.importorskip("surefoot_models")
    said = find_adapter("grounder_thorough").card["beside"]
    accurate = OnnxGrounder("grounder_accurate")
    assert said["grounder"] == accurate.identity
    assert 0.0 < said["bands"]["accept"] < said["bands"]["release"] < said["bands"]["reject"] < 1.0
    weights = Weights(**said["weights"])
    assert weights.slow > weights.accurate > 0.0


@pytest.mark.parametrize("known", [True, False])
def test_the_two_are_joined_where_they_were_weighed(known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {
        "grounder": "accurate" if known else "another",
        "weights": {"slow": 0.9, "accurate": 0.4, "shift": 0.2},
        "bands": {"accept": 0.01, "release": 0.02, "reject": 0.3},
    }
    monkeypatch.setattr(encoders.ThoroughGrounder, "warm", lambda self: None)
    monkeypatch.setattr(encoders.ThoroughGrounder, "beside", said)
    settings = Settings(grounder_size="thorough")
    found = encoders.build_thorough(settings, Points(0.1, "accurate"))  # type: ignore[arg-type]
    assert isinstance(found, Beside) is known
    assert isinstance(encoders.build_thorough(settings, None), encoders.ThoroughGrounder)
    assert encoders.build_thorough(Settings(grounder_size="auto"), None) is None
