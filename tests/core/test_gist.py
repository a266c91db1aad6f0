from __future__ import annotations

from surefoot.core.gist import gist

PASSAGE = (
    [f"Opening sentence about {topic} and its long history in the country." for topic in ("rent", "tax")]
    + [f"Sentence {n} talks about something else entirely in many plain words." for n in range(12)]
    + ["The deposit must be returned within fourteen days."]
)


def test_a_short_passage_is_taken_whole() -> None:
    assert gist("deposit?", ["One.", "Two."]) == ("One.", "Two.")


def test_the_opening_and_the_answering_sentence_survive() -> None:
    kept = gist("When must the deposit be returned?", PASSAGE, tokens=60)
    assert kept[0] == PASSAGE[0]
    assert kept[-1] == PASSAGE[-1]


def test_the_limit_is_kept() -> None:
    assert len(gist("When must the deposit be returned?", PASSAGE, tokens=60)) < len(PASSAGE)
