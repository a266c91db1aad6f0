"""Near-duplicates among questions: exact set overlap, found without comparing everything with everything."""

from __future__ import annotations

import math
from collections import defaultdict

from surefoot.core.text import content_words, words


class SeenQuestions:
    """Remembers questions and says which earlier one a new one repeats.

    Two questions repeat each other when their content words overlap (Jaccard) by at least the threshold. Any such
    pair shares one of the first few words in a fixed order, so only those are looked up (prefix filter).
    """

    def __init__(self, *, threshold: float = 0.8) -> None:
        self._threshold = threshold
        self._kept: list[tuple[str, frozenset[str]]] = []
        self._by_word: dict[str, list[int]] = defaultdict(list)

    def repeats(self, text: str) -> str | None:
        """The earlier question this one repeats, or None."""
        own = _key(text)
        places = {place for word in self._prefix(own) for place in self._by_word.get(word, ())}
        for place in sorted(places):
            other_text, other = self._kept[place]
            if len(own & other) >= self._threshold * len(own | other):
                return other_text
        return None

    def add(self, text: str) -> None:
        own = _key(text)
        for word in self._prefix(own):
            self._by_word[word].append(len(self._kept))
        self._kept.append((text, own))

    def _prefix(self, own: frozenset[str]) -> list[str]:
        length = len(own) - math.ceil(self._threshold * len(own)) + 1
        return sorted(own)[:length]


def _key(text: str) -> frozenset[str]:
    """Content words, roughly stemmed; a question of nothing but function words is its words."""
    found = frozenset(_stem(word) for word in content_words(text))
    return found or frozenset(words(text)) or frozenset({""})


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
