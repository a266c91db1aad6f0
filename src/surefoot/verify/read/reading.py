"""A text read for comparison: its sentences as lines of stems with their places, and its typed values.

Alignment asks which sentence a claim speaks of; a reading answers what stands next to what in it. A text is read
once and remembered, so that every check of a run, and every run over the same passage, shares the work; a line's
values and words are looked for when a check first asks for them, and most lines are never asked.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from surefoot.core.remember import by_text, by_word, once
from surefoot.core.spans import Spans
from surefoot.core.text import STOPWORDS, fold
from surefoot.core.types import Passage, Sentence
from surefoot.core.values import Value, equal, extract
from surefoot.verify.read.alignment import bare_form, profile, stem


@dataclass(eq=False)
class Line:
    """One sentence of a text with its words in order. Not frozen only because that would take three times as long: the
    passages of a draft have dozens of them, and nobody changes one."""

    sentence: Sentence
    above: Line | None = None
    """The line before it in the same text."""

    @once
    def values(self) -> tuple[Value, ...]:
        """Its typed values, with spans in the whole text; read within the sentence, as those of a claim are."""
        found, offset = extract(self.sentence.text), self.sentence.start
        return tuple([value.moved(offset) for value in found] if offset else found)

    @once
    def tokens(self) -> tuple[Token, ...]:
        return tokens_of(self.sentence.text, self.sentence.start)

    @once
    def said(self) -> frozenset[str]:
        """Stems of all its words, for a line whose words are asked for and nothing else."""
        return frozenset(stems_in(self.sentence.text))

    @once
    def stems(self) -> frozenset[str]:
        """Stems of the words that carry meaning; numbers are the values' affair."""
        found = frozenset(map(_meaning, _words_of(self.sentence.text))) - _NOTHING
        return found - _SCALES if "°" in self.sentence.text else found

    @once
    def skeleton(self) -> frozenset[str]:
        """The stems outside its values: two lines with one skeleton state the same, perhaps with other values."""
        if not self.values:
            return self.stems
        outside = [token.stem for token in self.tokens]
        for value in self.values:
            first, behind = (bisect_left(self.tokens, place, key=_start) for place in value.span)
            outside[first:behind] = [""] * (behind - first)
        return self.stems.intersection(outside)

    @once
    def valued(self) -> Spans:
        """Where its values stand."""
        return Spans(value.span for value in self.values)

    def index_of(self, value: Value) -> int:
        """The position of the first token at or after the value's start."""
        return bisect_right(self.tokens, value.start, key=attrgetter("end"))


class Token(NamedTuple):
    """A tuple, because a passage has a hundred of them and every microsecond counts."""

    stem: str
    word: str
    start: int
    end: int


@by_text(4096)
def read(text: str) -> tuple[Line, ...]:
    """The lines of a passage."""
    lines: list[Line] = []
    for sentence in profile(text).sentences:
        lines.append(Line(sentence, lines[-1] if lines else None))
    return tuple(lines)


def quoted_line(text: str, passages: Sequence[Passage]) -> tuple[str, Line] | None:
    """The first passage that has the text as a sentence of its own, word for word, with that sentence."""
    bare = bare_form(text)
    for passage in passages:
        number = profile(passage.text).bare.get(bare) if bare else None
        if number is not None:
            return passage.id, read(passage.text)[number]
    return None


@by_text(1024)
def read_claim(text: str) -> Line:
    """A claim as one line; its markers must have been blanked before."""
    sentence = Sentence(text=text, start=0, end=len(text))
    return Line(sentence)


def tokens_of(text: str, offset: int = 0) -> tuple[Token, ...]:
    plain = _plain(text)
    found: list[Token] = []
    last = 0
    for word in _words_of(text):
        # between two words stands neither letter nor digit, so the word is found where it stands
        start = plain.index(word, last)
        end = start + len(word)
        last = end
        found.append(_make_token(Token, (_stem_of(word), word, offset + start, offset + end)))
    return tuple(found)


def differing(line: Line, other: Line) -> list[tuple[Value, Value]]:
    """The values, one by one, in which two lines with as many of them differ."""
    pairs = zip(line.values, other.values, strict=True)
    return [(mine, theirs) for mine, theirs in pairs if not equal(mine, theirs) and not equal(theirs, mine)]


def denials(line: Line) -> int:
    """How often a sentence says 'not' in one way or another; the `No:` that answers a question denies nothing in it.

    Afrikaans and French say it twice and mean it once: `nie … nie`, `ne … pas`.
    """
    denying = [token for token in line.tokens if token.word in _DENYING or token.word.endswith("n't")]
    once = any(token.word in _DENYING_ONCE or token.word.startswith("n'") for token in line.tokens)
    return len(denying) + once - bool(denying and _ANSWERS_NO.match(line.sentence.text))


def stems_in(text: str) -> list[str]:
    """The stems of all words, in order: those of `tokens_of`, for a text whose words are asked for and nothing else."""
    return list(map(_stem_of, _words_of(text)))


def _words_of(text: str) -> list[str]:
    """The words of a text in small letters, in order."""
    if not text.isascii():
        return _TOKEN.findall(_plain(text))
    if "'" in text:
        return _ASCII_TOKEN.findall(text.lower())
    # what is left of the pattern; bytes, because their translation is several times faster than that of strings
    return text.encode().translate(_SPACED).decode().split()


def _plain(text: str) -> str:
    """Lower case with every character in its place; letters with accents keep them until they are stemmed."""
    lower = text.lower().replace("’", "'")
    return lower if len(lower) == len(text) else text.replace("’", "'")


@by_word(65_536)
def _stem_of(word: str) -> str:
    folded = word if word.isascii() else fold(word)
    return stem(folded.removesuffix("'s").replace("'", ""))


@by_word(65_536)
def _meaning(word: str) -> str:
    """The stem of a word that carries meaning; nothing for a function word and a number."""
    found = "" if word in STOPWORDS else _stem_of(word)
    return "" if found[:1].isdigit() else found


_NOTHING = frozenset({""})


_ANSWERS_NO = re.compile(r"\s*no\s*[,:;.!–—]", re.IGNORECASE)
_DENYING = frozenset("not no never none neither nor nobody nothing cannot without".split())
_DENYING_ONCE = frozenset("nie geen nooit niemand niks ne".split())
_make_token = tuple.__new__
_start = attrgetter("start")
_SCALES = frozenset({"c", "f"})
"""Of 41 °F: part of the value, and no word that degrees Fahrenheit would have to hold."""
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?")
_ASCII_TOKEN = re.compile(r"[a-zA-Z0-9]+(?:'[a-zA-Z]+)?")
"""The same for plain text, at half the cost: no look at what Unicode says of each letter."""
_SPACED = bytes(ord(chr(code).lower()) if chr(code).isalnum() else 32 for code in range(128)).ljust(256)
DENYING = frozenset(stems_in(" ".join(("pas jamais rien", *_DENYING, *_DENYING_ONCE))))
"""Stems of the words by which two sentences of the same words differ in what they deny."""
