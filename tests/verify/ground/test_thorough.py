"""When the thorough grounder is asked, and that it reads nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from surefoot.core.types import ClaimText, GroundingScore, Passage, Status
from surefoot.verify.ground.risk import GroundingCheck
from surefoot.verify.read.submission import Submission

LIBRARY = [Passage(id="fees", text="A yearly card costs R120. Children under 12 join free of charge.")]
DRAFT = "You pay R120 for a card that lasts a year. Kids up to eleven get it for nothing."
Submit = Callable[..., Submission]


@dataclass
class Slow:
    risk: float = 0.01
    silent: float = 0.0
    each_s: float = 1.0
    identity: str = "slow"
    bands: dict[str, float] = field(default_factory=lambda: {"accept": 0.1, "release": 0.3, "reject": 0.7})
    asked: list[str] = field(default_factory=list)

    def warm(self) -> None: ...

    def needs_s(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> float:
        return self.each_s * len(claims)

    def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
        self.asked += [claim.text for claim in claims]
        return [GroundingScore(unsupported=self.risk, silent=self.silent) for _ in claims]


@pytest.mark.parametrize(
    ("seconds", "asked"), [(60.0, "thorough"), (4.1, "thorough"), (3.9, "accurate"), (1.0, "accurate")]
)
def test_it_is_asked_where_half_of_the_time_is_enough(submit: Submit, seconds: float, asked: str) -> None:
    thorough, accurate = Slow(identity="thorough"), Slow(identity="accurate", risk=0.99)
    check = GroundingCheck(thorough=thorough, accurate=accurate, now=lambda: 100.0)
    report = check.run(replace(submit(DRAFT, LIBRARY), until=100.0 + seconds))
    assert (len(thorough.asked), len(accurate.asked)) == ((2, 0) if asked == "thorough" else (0, 2))
    fell = [one.status is Status.UNSUPPORTED for one in report.judgements]
    assert fell == [asked == "accurate"] * 2


@pytest.mark.parametrize(("seconds", "read"), [(60.0, "all"), (14.0, "part"), (0.2, "none")])
def test_of_long_sources_it_reads_as_much_as_there_is_time_for(submit: Submit, seconds: float, read: str) -> None:
    class ByLength(Slow):
        def needs_s(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> float:
            return sum(map(len, sources)) / 500

        def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
            heard.append(" ".join(sources))
            return super().judge(claims, sources)

    heard: list[str] = []
    halls = " ".join(f"Hall {number} has a green door and a bell that rings." for number in range(100))
    long = [Passage(id="hall", text=halls), *LIBRARY]
    check = GroundingCheck(thorough=ByLength(identity="thorough"), accurate=Slow(), now=lambda: 100.0)
    check.run(replace(submit(DRAFT, long), until=100.0 + seconds))
    assert len(heard) == (read != "none")
    if heard:
        assert "A yearly card costs R120." in heard[0]
        assert (heard[0].count("green door") == 100) is (read == "all")


def test_what_it_has_read_costs_no_time_in_the_next_round(submit: Submit) -> None:
    thorough, accurate = Slow(identity="thorough"), Slow(identity="accurate", risk=0.99)
    check = GroundingCheck(thorough=thorough, accurate=accurate, now=lambda: 100.0)
    first = check.run(replace(submit(DRAFT, LIBRARY), until=160.0))
    again = check.run(replace(submit(DRAFT, LIBRARY), until=100.5))
    assert first.judgements == again.judgements
    assert len(thorough.asked) == 2
    assert accurate.asked == []


def test_what_it_said_before_counts_for_nothing_where_no_grounder_is_asked(submit: Submit) -> None:
    """A sentence it called silent does not pass a later round that has no time for anybody."""
    thorough = Slow(identity="thorough", silent=0.9)
    check = GroundingCheck(thorough=thorough, now=lambda: 100.0)
    check.run(replace(submit(DRAFT, LIBRARY), until=160.0))
    longer = DRAFT + " Then there is a fee for others of which nobody has read yet."
    late = check.run(replace(submit(longer, LIBRARY), until=100.5))
    assert {one.status for one in late.judgements} == {Status.DOUBTFUL}


def test_its_name_is_part_of_the_stage_s_version() -> None:
    assert GroundingCheck(thorough=Slow()).version != GroundingCheck().version
