from __future__ import annotations

import random

import pytest
from training.synthesis import MUTATIONS, Source, make_claim, reword, shorten
from training.wordlists import HEDGES, OPPOSITES, SAME, UNITS, pairs

DOCUMENT = [
    "The Ostend Manifesto was written in October 1854 by three diplomats in Belgium.",
    "It may have cost more than 120 million dollars, according to Pierre Soulé.",
    "James Buchanan supported the plan, but the Senate in Washington rejected it before March 1855.",
    "The larger island was not sold for many years.",
]
FOREIGN = [
    "Kaumodaki is the mace of the god Vishnu, which was later lost.",
    "The weapon was made because the king asked for it.",
]
SOURCE = Source(sentences=DOCUMENT, foreign=FOREIGN)


@pytest.mark.parametrize("name", sorted(MUTATIONS))
def test_every_mutation_changes_the_text_and_marks_where(name: str) -> None:
    changed = [
        (sentence, found)
        for seed in range(30)
        for sentence in DOCUMENT
        if (found := MUTATIONS[name](sentence, SOURCE, random.Random(seed)))
    ]
    assert changed, name
    for sentence, (text, spans) in changed:
        assert text != sentence
        assert spans
        assert all(0 <= start < end <= len(text) for start, end in spans)


def test_the_same_seed_makes_the_same_claims() -> None:
    def run() -> list[str]:
        dice = random.Random(5)
        made = (make_claim(DOCUMENT[n % 4], n % 4, SOURCE, dice) for n in range(40))
        return [claim.text for claim in made if claim]

    assert run() == run()


def test_labels_follow_the_construction() -> None:
    dice = random.Random(1)
    claims = [claim for n in range(300) if (claim := make_claim(DOCUMENT[n % 4], n % 4, SOURCE, dice))]
    for claim in claims:
        assert claim.label == (0 if claim.made in ("verbatim", "shortened", "joined", "reworded") else 1)
        if claim.made == "dropped_evidence":
            assert claim.drop
            assert claim.spans is None
    assert {claim.label for claim in claims} == {0, 1}


def test_a_rewording_keeps_numbers_and_names() -> None:
    text, changed = reword("On 3 May 1854, the town bought a large house.", random.Random(0), frame=False)
    assert changed
    assert "1854" in text


def test_shortening_only_removes() -> None:
    shorter = shorten("The plan (never signed) failed.", random.Random(1))
    assert shorter == "The plan failed."


def test_word_tables_have_two_sides() -> None:
    for table in (OPPOSITES, SAME, HEDGES, UNITS):
        assert all(left and right and left != right for left, rights in pairs(table).items() for right in rights)
