"""The index over the sources answers as a look at every sentence would."""

from __future__ import annotations

from random import Random

import pytest

from surefoot.core.types import Passage
from surefoot.verify.read.alignment import Aligner, profile, stems_of

SUBJECTS = "library museum theatre garden workshop harbour market school clinic archive well-known u.s. 5%of".split()
VERBS = "opens closes pays offers takes lends sells needs".split()
THINGS = "cards rooms permits passes tickets grants kits licences loans visits".split()


def sentence(rng: Random) -> str:
    return f"The {rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(THINGS)} and {rng.choice(THINGS)}."


def passages(rng: Random, many: int = 6) -> list[Passage]:
    return [Passage(id=f"S{at}", text=" ".join(sentence(rng) for _ in range(5))) for at in range(many)]


@pytest.mark.parametrize("seed", range(8))
def test_sentences_that_hold_the_words_are_found_however_many_words_were_asked_for(seed: int) -> None:
    rng = Random(seed)
    given = passages(rng)
    aligner = Aligner(given)
    claims = [stems_of(sentence(rng)) for _ in range(64)]
    for words in claims:
        for share in (0.9, 0.5):
            expected = [
                (place, number)
                for place, passage in enumerate(given)
                for number, stems in enumerate(profile(passage.text).stems)
                if len(words & stems) >= share * len(words)
            ]
            assert list(aligner.holding(words, share)) == expected


def test_words_grown_together_are_words_of_their_own() -> None:
    assert stems_of("A well-known u.s. library") == {"well", "known", "u", "s", "library"}
