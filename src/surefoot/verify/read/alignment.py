"""Which passage, and which sentence of it, a claim speaks of: word coverage weighed by rarity.

A good alignment says where to look. It is never a proof: FIELD.md's measurements show why.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from surefoot.core.evidence import cut_source
from surefoot.core.remember import by_text, by_word, once
from surefoot.core.text import STOPWORDS, fold, folded_words, without_markers
from surefoot.core.types import Passage, Sentence, Span


class Alignment(NamedTuple):
    """How a claim lies to a passage. A tuple: there is one for every claim and passage."""

    passage: str
    coverage: float
    """Share of the claim's words, weighed by rarity, that the whole passage holds."""
    sentence_coverage: float
    """The same of its sentence that holds most of them."""
    verbatim: bool
    """The claim is this sentence, but for case, spacing, markers and final punctuation."""


class Weights(dict[str, float]):
    """How rare each word is among the sentences of some passages; worked out for the words that are asked for."""

    def __init__(self, holders: Mapping[str, Sequence[int]], sentences: int) -> None:
        super().__init__()
        self._holders, self._sentences = holders, sentences

    def __missing__(self, stem: str) -> float:
        held = self._holders.get(stem)
        weight = self[stem] = math.log(1 + self._sentences / len(held)) if held else math.log(2 + self._sentences)
        return weight

    def sum(self, stems: frozenset[str]) -> float:
        """Rounded once, so the same in whatever order a set gives its words: a replay must agree to the last digit."""
        return math.fsum(map(self.__getitem__, stems))


class Aligner:
    """Built once per verification over its passages: an index from words to sentences, so that cost grows linearly."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._ids = [passage.id for passage in passages]
        self._profiles = [profile(passage.text) for passage in passages]
        self._sentences = [stems for seen in self._profiles for stems in seen.stems]
        self._found: dict[tuple[frozenset[str], float], tuple[tuple[int, int], ...]] = {}

    @once
    def weights(self) -> Weights:
        return Weights(self._holders, len(self._sentences))

    @once
    def _holders(self) -> Mapping[str, Sequence[int]]:
        """Words to the numbers of the sentences that hold them."""
        index: defaultdict[str, list[int]] = defaultdict(list)
        for at, stems in enumerate(self._sentences):
            for stem in stems:
                index[stem].append(at)
        return index

    @once
    def _home(self) -> list[tuple[int, int]]:
        """Sentence number over all passages to (passage, sentence within it)."""
        return [(place, number) for place, seen in enumerate(self._profiles) for number in range(len(seen.stems))]

    def holding(self, words: frozenset[str], share: float) -> tuple[tuple[int, int], ...]:
        """(passage, sentence) of every sentence that holds at least this share of the words, in order. Remembered,
        because several checks ask it of the same words."""
        key = (words, share)
        if key not in self._found:
            self._found[key] = tuple(self._search(words, share))
        return self._found[key]

    def _search(self, words: frozenset[str], share: float) -> Iterator[tuple[int, int]]:
        """Such a sentence lacks only few of the words, so it is found by a few more than that: by long, rare ones."""
        enough = share * len(words)
        spare = int(len(words) - enough)
        telling = sorted(words, key=len, reverse=True)[: spare + 1]
        for at in sorted(set().union(*(self._holders.get(word, ()) for word in telling))):
            if words <= self._sentences[at] or (spare and len(words & self._sentences[at]) >= enough):
                yield self._home[at]

    def quoting(self, claim_text: str) -> dict[str, Span]:
        """The passages that have the claim as a sentence of their own, word for word, in their given order."""
        plain = bare_form(claim_text)
        found = {}
        for identity, seen in zip(self._ids, self._profiles, strict=True):
            number = seen.bare.get(plain) if plain else None
            if number is not None:
                found[identity] = seen.sentences[number].span
        return found

    def align(self, claim_text: str) -> list[Alignment]:
        """Every passage, best first; equal ones in their given order."""
        # in an order that does not depend on chance: sums must agree
        wanted = [(word, self.weights[word]) for word in sorted(stems_of(claim_text))]
        whole = sum(weight for _, weight in wanted) or 1.0
        by_sentence, by_passage = self._held(wanted)
        plain = bare_form(claim_text)
        found, first = [], 0
        for identity, seen, held in zip(self._ids, self._profiles, by_passage, strict=True):
            scores = by_sentence[first : first + len(seen.sentences)]
            first += len(scores)
            exact = seen.bare.get(plain) if plain else None
            best = max(scores, default=0.0) if exact is None else held
            found.append(Alignment(identity, held / whole, best / whole, exact is not None))
        return sorted(found, key=lambda item: (not item.verbatim, -item.coverage, -item.sentence_coverage))

    def _held(self, wanted: Sequence[tuple[str, float]]) -> tuple[list[float], list[float]]:
        """What each sentence, and each passage, holds of the wanted words' weight."""
        by_sentence, by_passage = [0.0] * len(self._home), [0.0] * len(self._profiles)
        for word, weight in wanted:
            last = -1
            for at in self._holders.get(word, ()):
                by_sentence[at] += weight
                place = self._home[at][0]
                if place != last:
                    by_passage[place] += weight
                    last = place
        return by_sentence, by_passage

    def __contains__(self, stem: str) -> bool:
        """Whether any sentence of the passages holds the word."""
        return stem in self._holders


@dataclass(frozen=True, eq=False)
class PassageProfile:
    sentences: tuple[Sentence, ...]
    stems: tuple[frozenset[str], ...]
    bare: dict[str, int]
    """Squashed sentence without final punctuation to its number."""


@by_text(4096)
def profile(text: str) -> PassageProfile:
    """A passage read once; the same text is never read again while it is remembered."""
    cut = tuple(cut_source(text))
    if text.isascii() and "[" not in text:
        # nothing moves when it is folded and there is no marker to take out: once for all sentences
        plain = fold(text)
        read = [plain[sentence.start : sentence.end].split() for sentence in cut]
    else:
        read = [fold(without_markers(sentence.text)).split() for sentence in cut]
    stems = tuple([_stems(parts) for parts in read])
    bare = {_stripped(parts): number for number, parts in reversed(list(enumerate(read)))}
    return PassageProfile(cut, stems, bare)


def stems_of(text: str) -> frozenset[str]:
    return _stems(fold(without_markers(text)).split())


def _stems(parts: Sequence[str]) -> frozenset[str]:
    found = frozenset(map(_only_stem, parts))
    if _SEVERAL in found:
        return frozenset(chain.from_iterable(map(_stems_in, parts)))
    return found - {""}


@by_word(65_536)
def _only_stem(part: str) -> str:
    """The stem of what stands between two spaces: empty for a function word, a mark of its own for several stems."""
    if part.isascii() and part.isdigit():
        return part
    found = _stems_in(part)
    return _SEVERAL if len(found) > 1 else "".join(found)


def _stems_in(part: str) -> list[str]:
    return [stem(word) for word in folded_words(part) if word not in STOPWORDS]


@by_word(65_536)
def stem(word: str) -> str:
    """Takes plural, verb and possessive endings off: 'applies' and 'apply' meet, 'increased' and 'increase', 'Iran's'
    and 'Iran' too."""
    if "'" in word:
        word = word.removesuffix("'s").replace("'", "")
    if word in ("maths", "math"):
        return "mathematic"
    if not word.endswith(("s", "d", "g", "e")) or word.endswith(("ss", "us")):
        return word
    for ending, put in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + put
            if ending in ("ing", "ed") and len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-1] if len(word) > 4 and word[-1] == "e" else word


def supports_claim(alignment: Alignment) -> bool:
    """Whether a passage plausibly holds the claim: enough to point a marker at it, not to prove it."""
    return alignment.verbatim or (alignment.coverage >= 0.6 and alignment.sentence_coverage >= 0.4)


@by_text(1024)
def bare_form(text: str) -> str:
    """A sentence without markers, emphasis, case, spacing, final punctuation and a label such as `Note:`: equal forms
    are the same sentence."""
    return _stripped(fold(without_markers(text)).split())


def spelled_out(lower: str) -> str:
    """A text in small letters with `isn't` as `is not` and `you'll` as `you will`."""
    plain = lower.replace("’", "'")
    if "'" not in plain and "cannot" not in plain:
        return plain
    for short, long in _CONTRACTIONS:
        plain = short.sub(long, plain)
    return plain


def _stripped(parts: Sequence[str]) -> str:
    whole = " ".join(parts)
    if "**" in whole or "__" in whole:
        whole = _EMPHASIS.sub(r"\2", whole)
    if whole.startswith((">", *_LABELS)):
        whole = _LABEL.sub("", whole, count=1)
    return whole.strip(" .!?;:\"'*_")


_LABELS = ("note", "please note", "important", "warning", "tip", "reminder", "nb")
_LABEL = re.compile(rf"(?:> ?)*(?:(?:{'|'.join(_LABELS)}) ?[:!] ?)?")
_CONTRACTIONS = [
    (re.compile(short), long)
    for short, long in (
        (r"\b(?:cannot|can't)\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"\bshan't\b", "shall not"),
        (r"n't\b", " not"),
        (r"(?<=\w)'re\b", " are"),
        (r"(?<=\w)'ve\b", " have"),
        (r"(?<=\w)'ll\b", " will"),
        (r"\bi'm\b", "i am"),
    )
]
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|__)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_SEVERAL = " "
_ENDINGS = (
    ("ies", "y"),
    ("ied", "y"),
    ("sses", "ss"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("xes", "x"),
    ("ing", ""),
    ("ed", ""),
    ("s", ""),
)
