"""A claim's words with their places, and where among them a field is named."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.core.evidence import stem
from surefoot.core.text import fold

NEAR = 7
"""Words between a field's name and a number or a negation that still belong together."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Word:
    text: str
    stem: str
    start: int
    end: int
    pause: bool
    """A comma, semicolon or bracket stands before it."""


def read_words(claim: str) -> list[Word]:
    found: list[Word] = []
    for match in _WORD.finditer(claim):
        text = fold(match.group())
        gap = claim[found[-1].end if found else 0 : match.start()]
        pause = not _PAUSE.isdisjoint(gap)
        found.append(Word(text=text, stem=stem(text), start=match.start(), end=match.end(), pause=pause))
    return found


def mention(words: Sequence[Word], name: Sequence[str]) -> tuple[int, int] | None:
    """Where the claim says every word of a field's name, close together or written as one (`takeout`, `wifi`)."""
    if not name:
        return None
    whole = "".join(name)
    if len(name) > 1:
        for at, word in enumerate(words):
            if word.stem == whole or word.text == whole:
                return at, at
    places = {word: [at for at, seen in enumerate(words) if same_word(seen.stem, word)] for word in name}
    if not all(places.values()):
        return None
    anchor = places[name[-1]][0]
    chosen = [min(spots, key=lambda at: abs(at - anchor)) for spots in places.values()]
    first, last = min(chosen), max(chosen)
    return (first, last) if last - first <= NEAR + len(name) else None


def same_word(seen: str, wanted: str) -> bool:
    return seen == wanted or (len(wanted) >= 5 and seen.startswith(wanted[:5]) and abs(len(seen) - len(wanted)) <= 3)


def number_of(word: Word) -> float | None:
    if word.text in _NUMBER_WORDS:
        return float(_NUMBER_WORDS[word.text])
    text = word.text.replace(",", "")
    return float(text) if re.fullmatch(r"\d+(?:\.\d+)?", text) else None


_WORD = re.compile(r"[^\W\d_]+\d\w*|\d+(?:[.,:]\d+)*[^\W\d_]*|[^\W\d_]+(?:['’][^\W\d_]+)?")
"""`C2` is one word and no number."""
_PAUSE = frozenset(",;:()–—")
_NUMBER_WORDS = {
    word: number
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
