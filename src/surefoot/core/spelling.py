"""A question whose words nobody knows, in the spelling of the documents: `servise` where they say `service`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from surefoot.core.questions import stem
from surefoot.core.text import STOPWORDS, fold, words

_SHORTEST, _LONG = 3, 8
_WORD = re.compile(r"(?<![\w'’@./-])[a-z]+(?![\w'’@/-])")
_ASKING = frozenset("what when where which who whose whom why how much many long often does cost".split())


def respelled(question: str, texts: Sequence[str], known: Callable[[str], bool]) -> str:
    """The question with every strange word as the texts spell it, where exactly one of their words comes close.

    Strange is a small-written word that stands in none of the texts, in no form, and that `known` does not know:
    `horse` is never made into `house`.
    """
    said = Counter(word for text in texts for word in words(fold(text)) if word.isalpha())
    stems = frozenset(map(stem, said))

    def put(match: re.Match[str]) -> str:
        word = match.group()
        return word if stem(word) in stems else _nearest(word, said, known) or word

    return _WORD.sub(put, question)


def _nearest(word: str, said: Counter[str], known: Callable[[str], bool]) -> str | None:
    if len(word) < _SHORTEST or word in STOPWORDS or word in _ASKING or known(word):
        return None
    most = 2 if len(word) >= _LONG else 1
    others = [other for other in {*said, *_ASKING} if other[0] == word[0] and len(other) > _SHORTEST]
    near = [(_steps(word, other, most), -said[other], other) for other in others]
    found = sorted(one for one in near if one[0] <= most)
    if not found or (len(found) > 1 and found[0][:2] == found[1][:2]):
        return None
    return found[0][2]


def _steps(one: str, other: str, most: int) -> int:
    """Letters put in, left out, changed or exchanged with the next; counted only as far as `most`."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        last, before, row = before, row, [at]
        for to, its in enumerate(other, 1):
            steps = min(before[to] + 1, row[to - 1] + 1, before[to - 1] + (letter != its))
            if at > 1 and to > 1 and letter == other[to - 2] and one[at - 2] == its:
                steps = min(steps, last[to - 2] + 1)
            row.append(steps)
    return row[-1]
