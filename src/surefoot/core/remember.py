"""Remembering what was read of a text, within bounds: by count for short texts, by size for long ones.

A count alone bounds nothing where a caller chooses the length: four thousand texts of a megabyte fill any machine.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache, wraps
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")

SHORT = 4_000
"""Characters of a text that is remembered by count; a passage has some hundreds."""
ROOM = 2_000_000
"""Characters of all longer texts together that one function remembers."""
WORD = 64
"""No word is longer; what is, is not worth remembering."""


def by_text(count: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Remembers a function of one text: the last `count` short ones, and long ones while there is room."""

    def remembering(function: Callable[[str], T]) -> Callable[[str], T]:
        short, long = lru_cache(maxsize=count)(function), _Long(function)

        @wraps(function)
        def ask(text: str) -> T:
            return short(text) if len(text) <= SHORT else long(text)

        return ask

    return remembering


def by_word(count: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Remembers a function of one word, the last `count` of them; a word too long to be one is worked out each time."""

    def remembering(function: Callable[[str], T]) -> Callable[[str], T]:
        kept = lru_cache(maxsize=count)(function)

        @wraps(function)
        def ask(word: str) -> T:
            return kept(word) if len(word) <= WORD else function(word)

        return ask

    return remembering


class _Long(Generic[T]):
    """Long texts, least recently asked for given up first."""

    def __init__(self, function: Callable[[str], T]) -> None:
        self._function = function
        self._held: OrderedDict[str, T] = OrderedDict()
        self._size, self._lock = 0, Lock()

    def __call__(self, text: str) -> T:
        with self._lock:
            if text in self._held:
                self._held.move_to_end(text)
                return self._held[text]
        found = self._function(text)
        with self._lock:
            if text not in self._held:
                self._held[text] = found
                self._size += len(text)
            while self._size > ROOM and len(self._held) > 1:
                given_up, _ = self._held.popitem(last=False)
                self._size -= len(given_up)
        return found
