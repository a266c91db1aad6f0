"""No shape of claim and source costs much more than its size: work is counted or sizes compared, never the clock."""

from __future__ import annotations

import pytest

from surefoot.core.types import Passage
from surefoot.packs.schema import Pack
from surefoot.verify.binding import Binding, Bound
from surefoot.verify.claims import claims_of
from surefoot.verify.nearcopy import changes, comparable
from surefoot.verify.reading import read, read_claim
from surefoot.verify.submission import Submission
from surefoot.verify.surroundings import Surroundings, _Spot

PACK = Pack(name="test", title="Test", version="1", hash="0")


def amounts(many: int, shift: int = 0) -> str:
    return ", ".join(f"item{number + shift} costs R{number * 3 + 100}" for number in range(many))


def bound(draft: str, source: str) -> tuple[Binding, ...]:
    passages = (Passage(id="S1", text=source),)
    claims = claims_of(draft, passages, PACK)
    submission = Submission(draft=draft, claims=claims, passages=passages, pack=PACK, today="2026-01-01")
    return submission.bindings(claims[0])


def test_words_compared_are_bounded_however_many_values_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    fit = Surroundings._fit
    monkeypatch.setattr(Surroundings, "_fit", lambda self, *more: compared.append(self.size) or fit(self, *more))
    for many in (300, 1_200):
        compared.clear()
        bindings = bound(f"{amounts(100, 7)} [S1].", f"{amounts(many)}.")
        assert sum(compared) < 1_500_000
        assert bindings[-1].bound is Bound.ABSENT  # what was not looked for is not approved


def test_a_claim_of_many_values_beside_few_rivals_is_looked_at_whole() -> None:
    draft = amounts(20)
    bindings = bound(f"{draft} today [S1].", f"{draft}.")
    assert len(bindings) == 40  # each item is a name with a number, and has one
    assert all(binding.place is not None for binding in bindings)


def test_a_word_said_ten_thousand_times_is_not_compared_place_by_place() -> None:
    claim, source = read_claim("warm " * 9_000), read(f"{'warm ' * 10_000}water.").lines[0]
    assert not comparable(claim, source)
    assert changes(claim, source) == []


def test_two_long_sentences_of_prose_are_compared() -> None:
    text = " ".join(f"word{number} of the {'old ' if number % 3 else ''}house" for number in range(80))
    assert comparable(read_claim(text), read(f"{text}.").lines[0])


def test_only_the_nearest_of_equal_words_is_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost of a fit does not grow with how often the source says a word."""
    weighed: list[int] = []
    nearness = _Spot.nearness
    claim = read_claim("Tea costs R10 if warm.")
    around = Surroundings(claim.values[0], claim)
    monkeypatch.setattr(_Spot, "nearness", lambda self, *more: weighed.append(1) or nearness(self, *more))
    counts = []
    for many in (10, 1_000):
        weighed.clear()
        line = read(f"Tea costs R10 {'if warm ' * many}today.").lines[0]
        around.fit(line.values[0], line)
        counts.append(len(weighed))
    assert counts[0] == counts[1]
