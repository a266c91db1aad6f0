"""What is remembered of texts stays within bounds, whatever their length."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from surefoot.core import remember
from surefoot.core.remember import ROOM, SHORT, WORD, Memory, by_text, by_word, content_key, once
from surefoot.verify.read.reading import read


def test_a_short_text_is_read_once() -> None:
    seen: list[str] = []

    @by_text(2)
    def length(text: str) -> int:
        seen.append(text)
        return len(text)

    assert [length("a"), length("bb"), length("a")] == [1, 2, 1]
    assert seen == ["a", "bb"]
    length("ccc")
    length("bb")
    assert seen == ["a", "bb", "ccc", "bb"]


def test_long_texts_are_given_up_by_their_size_oldest_first() -> None:
    seen: list[str] = []

    @by_text(1000)
    def first(text: str) -> str:
        seen.append(text[0])
        return text[0]

    third = ROOM // 3
    for letter in "abc":
        assert first(letter * third) == letter
    first("a" * third)
    assert seen == ["a", "b", "c"]
    first("d" * third)
    first("a" * third)
    assert seen == ["a", "b", "c", "d"]
    first("b" * third)
    assert seen == ["a", "b", "c", "d", "b"]


def test_a_text_larger_than_all_room_is_still_read_once_in_a_row() -> None:
    seen: list[int] = []

    @by_text(4)
    def size(text: str) -> int:
        seen.append(len(text))
        return len(text)

    huge = "x" * (ROOM + 1)
    assert size(huge) == size(huge) == ROOM + 1
    assert len(seen) == 1


def test_a_word_too_long_to_be_one_is_not_kept() -> None:
    seen: list[str] = []

    @by_word(10)
    def same(word: str) -> str:
        seen.append(word)
        return word

    for word in ("fee", "fee", "x" * (WORD + 1), "x" * (WORD + 1)):
        assert same(word) == word
    assert len(seen) == 3


def test_no_more_words_are_kept_than_asked_for() -> None:
    seen: list[str] = []

    @by_word(2)
    def same(word: str) -> str:
        seen.append(word)
        return word

    for word in ("fee", "rent", "fee", "loan", "fee", "fee"):
        assert same(word) == word
    assert seen == ["fee", "rent", "loan", "fee"]


def test_what_is_worked_out_twice_at_once_is_kept_once() -> None:
    class Holder:
        rival: object = None

        @once
        def kept(self) -> object:
            if self.rival is None:
                self.rival = object()  # now another asks while this one is still at work, and is done first
                self.rival = self.kept
            return object()

    holder = Holder()
    first = holder.kept
    assert first is holder.rival
    assert holder.kept is first


def test_hostile_passages_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty passages beyond the bound, each read: no more than the room's worth of them may stay."""
    monkeypatch.setattr(remember, "ROOM", 20 * SHORT)
    tracemalloc.start()
    try:
        sizes = []
        for number in range(40):
            read(f"Fee {number} is due. " + f"word{number} " * (SHORT // 6))
            if number in (29, 39):
                gc.collect()
                sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert sizes[1] < 1.2 * sizes[0]


def test_a_memory_holds_the_last_of_what_it_was_given_by_content() -> None:
    memory = Memory[float](2)
    keys = [content_key("model", (text,)) for text in ("a", "b", "c")]
    for number, key in enumerate(keys):
        memory.put(key, float(number))
    assert [memory.get(key) for key in keys] == [None, 1.0, 2.0]
    assert content_key("model", ("c",)) == keys[2] != content_key("modelc", ())
    assert len(content_key("x" * ROOM)) == len(keys[0])
