"""No shape of claim and source costs much more than its size: work is counted, never the clock."""

from __future__ import annotations

import pytest

from surefoot.core.types import Passage
from surefoot.packs.schema import Pack
from surefoot.verify.read import binding
from surefoot.verify.read.binding import MOST_WORK, Binding, Bound
from surefoot.verify.read.claims import claims_of
from surefoot.verify.read.submission import Submission

PACK = Pack(name="test", title="Test", version="1", hash="0")


def amounts(many: int, shift: int = 0) -> str:
    return ", ".join(f"item{number + shift} costs R{number * 3 + 100}" for number in range(many))


def bound(draft: str, source: str) -> tuple[Binding, ...]:
    passages = (Passage(id="S1", text=source),)
    claims = claims_of(draft, passages, PACK)
    submission = Submission(draft=draft, claims=claims, passages=passages, pack=PACK, today="2026-01-01")
    return submission.bindings(claims[0])


def test_pairs_of_values_compared_are_bounded_and_the_rest_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    agrees = binding.agrees
    monkeypatch.setattr(binding, "agrees", lambda *pair, **how: compared.append(1) or agrees(*pair, **how))
    bindings = bound(f"{amounts(900, 7)} [S1].", f"{amounts(1_200)}.")
    assert len(compared) <= MOST_WORK
    assert bindings[-1].bound is Bound.ABSENT


def test_a_claim_of_many_values_beside_few_rivals_is_looked_at_whole() -> None:
    draft = amounts(20)
    bindings = bound(f"{draft} today [S1].", f"{draft}.")
    assert len(bindings) == 40  # each item is a name with a number, and has one
    assert all(one.bound is Bound.MATCHED for one in bindings)
