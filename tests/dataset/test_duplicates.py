"""Near-duplicates."""

from __future__ import annotations

import random

import pytest

from surefoot.dataset.duplicates import SeenQuestions, _key


@pytest.mark.parametrize(
    "again",
    [
        "What does a single room cost?",
        "what does a single ROOM cost",
        "What do single rooms cost?",
        "A single room cost what?",
    ],
)
def test_the_same_words_are_the_same_question(again: str) -> None:
    seen = SeenQuestions()
    seen.add("What does a single room cost?")
    assert seen.repeats(again) == "What does a single room cost?"


@pytest.mark.parametrize("other", ["What does a shared room cost?", "Where is the single room?", "Why?"])
def test_another_question_is_not_a_repeat(other: str) -> None:
    seen = SeenQuestions()
    seen.add("What does a single room cost?")
    assert seen.repeats(other) is None


def test_the_index_finds_exactly_what_comparing_everything_finds() -> None:
    chance = random.Random(3)
    vocabulary = [f"w{number}" for number in range(30)]
    texts = [" ".join(chance.sample(vocabulary, chance.randint(3, 9))) for _ in range(400)]
    seen, kept, dropped_fast, dropped_slow = SeenQuestions(threshold=0.6), [], 0, 0
    for text in texts:
        own = _key(text)
        slow = any(len(own & other) / len(own | other) >= 0.6 for other in kept)
        fast = seen.repeats(text) is not None
        assert fast == slow
        dropped_fast, dropped_slow = dropped_fast + fast, dropped_slow + slow
        if not fast:
            seen.add(text)
            kept.append(own)
    assert dropped_fast == dropped_slow > 0
