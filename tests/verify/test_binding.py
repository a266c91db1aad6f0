"""Shorter ways to a value's place in the evidence lead to the same place."""

from __future__ import annotations

from random import Random

import pytest

from surefoot.core.types import Passage
from surefoot.packs.schema import Pack
from surefoot.verify.binding import Binding, Bound, _Candidates
from surefoot.verify.claims import claims_of
from surefoot.verify.reading import read, read_claim
from surefoot.verify.submission import Submission
from surefoot.verify.surroundings import Surroundings

PACK = Pack(name="test", title="Test", version="1", hash="0")
SENTENCES = (
    "The library in Springfield pays R{a} per month for the yearly card of every registered member.",
    "At least {b}% of the museum's members in Riverton applied for the yearly card during {y}.",
    "Members of the library must wait {b} weeks before they can collect the card.",
    "It pays R{a} a month, and R{c} to members over {b}.",
    "Up to {b} visitors a day are let in, {c} a week in summer.",
)
REWORDED = (
    "In Springfield the library pays R{a} a month for a yearly card.",
    "More than {b} per cent of the members in Riverton had applied by {y}.",
    "The wait for the card is {b} weeks.",
    "Members over {b} get R{c} a month.",
    "At most {b} visitors are let in per day and {c} per week.",
)


def bindings(draft: str, *texts: str) -> list[tuple[Binding, ...]]:
    passages = tuple(Passage(id=f"S{number}", text=text) for number, text in enumerate(texts, 1))
    claims = claims_of(draft, passages, PACK)
    submission = Submission(draft=draft, claims=claims, passages=passages, pack=PACK, today="2026-01-01")
    return [submission.bindings(claim) for claim in claims]


def filled(rng: Random, template: str) -> str:
    numbers = {"a": rng.choice((500, 520, 900)), "b": rng.choice((12, 16, 18)), "c": rng.choice((40, 80))}
    return template.format(y=rng.choice((2005, 2006)), **numbers)


@pytest.mark.parametrize("seed", range(60))
def test_sentences_that_cannot_win_need_not_be_read(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(seed)
    texts = [" ".join(filled(rng, rng.choice(SENTENCES)) for _ in range(6)) for _ in range(3)]
    drafts = [f"{filled(rng, rng.choice(REWORDED))[:-1]}{marker}." for marker in (" [S1]", " [S2, S3]", "")]

    shortened = [bindings(draft, *texts) for draft in drafts]
    monkeypatch.setattr(_Candidates, "leading", lambda self, around: [])

    assert shortened == [bindings(draft, *texts) for draft in drafts]


@pytest.mark.parametrize("seed", range(40))
def test_no_value_fits_better_than_its_sentence_can(seed: int) -> None:
    rng = Random(seed)
    lines = read(" ".join(filled(rng, rng.choice(SENTENCES)) for _ in range(8))).lines
    claim = read_claim(filled(rng, rng.choice(REWORDED)))
    for own in claim.values:
        around = Surroundings(own, claim)
        assert all(around.fit(other, line) <= around.most(line) for line in lines for other in line.values)


@pytest.mark.parametrize(
    "sentence",
    [
        "The library pays R500 per month to every member",
        "The museum was built in 2006",
        "It opens at 5 p.m",
        "The fee is R500 p.a",
        "It closes on 5 Jan",
        "It takes 5 km, or 12 km by road",
        "12",
        "1590.5035",
        "Ring 0800 123 456",
        "The bath is 30 °",
        "They came third and fourth",
        "One or more of the 16 to 24 year olds",
        "It rose by 5%",
    ],
)
@pytest.mark.parametrize("marked", ["{} [S1].", "{}. [S1]"])
def test_a_quote_has_the_values_of_its_source(sentence: str, marked: str) -> None:
    source = f"It is so. {sentence}. So it goes."
    (found,) = bindings(marked.format(sentence), source)

    for binding in found:
        assert binding.place is None or binding.place.value in binding.place.line.values
        if binding.bound is Bound.MATCHED and binding.place is not None:
            assert binding.place.line in read(source).lines
            assert source[slice(*binding.place.value.span)] == binding.place.value.text
