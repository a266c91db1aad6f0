"""Two things that a sentence about a case sets beside each other, read one by one where the whole is in doubt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from surefoot.core.case import case_passage
from surefoot.core.types import ClaimText, GroundingScore, Passage, Status
from surefoot.verify.ground.risk import GroundingCheck
from surefoot.verify.ground.wording import set_beside
from surefoot.verify.read.submission import Submission

CASE = "He was standing in the hall, he had not rung or texted."
GUIDE = Passage(id="1", text="A landlord who wants to come in must ask at least 24 hours before.")
JOINED = "He came in without ringing, although he must ask 24 hours before [1] [case]."


@dataclass
class Believes:
    """Doubts whole sentences and says of each part what it is told to."""

    parts: Mapping[str, float]
    identity: str = "a"
    bands: Mapping[str, float] = field(default_factory=lambda: {"accept": 0.06, "release": 0.1, "reject": 0.5})

    def warm(self) -> None: ...

    def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
        return [GroundingScore(unsupported=self.parts.get(one.text, 0.2), silent=0.0, spans=()) for one in claims]


def status(submit: Callable[..., Submission], draft: str, first: float, second: float, until: float = 9.0) -> Status:
    parts = {"He came in without ringing.": first, "He must ask 24 hours before.": second}
    check = GroundingCheck(accurate=Believes(parts))  # type: ignore[arg-type]
    [judged] = check.run(submit(draft, [GUIDE, case_passage(CASE)], case=CASE, until=until)).judgements
    return judged.status


def test_both_parts_must_be_as_sure_as_what_is_proven(submit: Callable[..., Submission]) -> None:
    assert status(submit, JOINED, 0.03, 0.05) is Status.SUPPORTED
    assert status(submit, JOINED, 0.03, 0.08) is Status.DOUBTFUL
    assert status(submit, JOINED, 0.2, 0.01) is Status.DOUBTFUL


def test_what_is_concluded_is_not_read_apart_and_neither_is_anything_where_time_is_short(
    submit: Callable[..., Submission],
) -> None:
    assert status(submit, JOINED.replace("although", "so"), 0.01, 0.01) is Status.DOUBTFUL
    assert status(submit, JOINED, 0.01, 0.01, until=0.6) is Status.DOUBTFUL


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("They kept it, but it must be paid back.", ["They kept it.", "It must be paid back."]),
        ("You told the agent and the office.", []),
        ("He may keep it because you broke it, and that is all.", []),
        ("You left and he came and she went home.", []),
        ("You asked him if he and the agent were there.", []),
    ],
)
def test_only_two_clauses_with_a_subject_each_are_set_beside_each_other(text: str, parts: list[str]) -> None:
    assert set_beside(text) == parts
