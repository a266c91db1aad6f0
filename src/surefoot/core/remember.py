"""Remembering what was read of a text, within bounds: by count for short texts, by size for long ones.

A count alone bounds nothing where a caller chooses the length: four thousand texts of a megabyte fill any machine.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache, wraps
from threading import Lock
from typing import Any, Generic, TypeVar, overload

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
    """Remembers a function of one word, `count` of them; a word too long to be one is worked out each time."""

    def remembering(function: Callable[[str], T]) -> Callable[[str], T]:
        # a bound method of a dict: a known word is answered without a line of Python, a thousand times a draft
        return _Words(function, count).__getitem__

    return remembering


class _Words(dict[str, T]):
    """Words with what was worked out for them. A full book is begun anew: most words come again at once."""

    def __init__(self, function: Callable[[str], T], count: int) -> None:
        super().__init__()
        self._function, self._count = function, count

    def __missing__(self, word: str) -> T:
        found = self._function(word)
        if len(word) <= WORD:
            if len(self) >= self._count:
                self.clear()
            self[word] = found
        return found


class once(Generic[T]):
    """A property worked out when it is first asked for and then kept in the object.

    Like `functools.cached_property`, but without its lock, which all objects of a class share: checks of several drafts
    would wait for each other. Two threads may work the same out twice; the first result stays, for both.
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self._function, self.__doc__ = function, function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, held: None, owner: type) -> once[T]: ...

    @overload
    def __get__(self, held: object, owner: type) -> T: ...

    def __get__(self, held: object | None, owner: type) -> once[T] | T:
        if held is None:
            return self
        kept: T = held.__dict__.setdefault(self._name, self._function(held))
        return kept


class Memory(Generic[T]):
    """What was read, by the content it was read of: the last `count` of them, however long that content was."""

    def __init__(self, count: int) -> None:
        self._count, self._held, self._lock = count, OrderedDict[bytes, T](), Lock()

    def get(self, key: bytes) -> T | None:
        with self._lock:
            return self._held.get(key)

    def put(self, key: bytes, found: T) -> None:
        with self._lock:
            self._held[key] = found
            while len(self._held) > self._count:
                self._held.popitem(last=False)


def content_key(*parts: object) -> bytes:
    """The same for the same content, and of one size."""
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=32).digest()


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
