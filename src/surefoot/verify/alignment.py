"""Which passage, and which sentence of it, a claim speaks of: word coverage weighed by rarity.

A good alignment says where to look. It is never a proof: FIELD.md's measurements show why.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from surefoot.core.text import content_words, sentences, squash, without_markers
from surefoot.core.types import Claim, Passage, Sentence, Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Alignment:
    passage: str
    coverage: float
    """Share of the claim's words, weighed by rarity, that the whole passage holds."""
    sentence: Span
    """The passage's sentence that holds most of them."""
    sentence_coverage: float
    verbatim: bool
    """The claim is this sentence, but for case, spacing, markers and final punctuation."""


class Aligner:
    """Built once per verification over its passages."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._profiles = [(passage.id, profile(passage.text)) for passage in passages]
        counts: Counter[str] = Counter()
        total = 0
        for _, seen in self._profiles:
            total += len(seen.sentences)
            for stems in seen.stems:
                counts.update(stems)
        self._weight = {word: math.log(1 + total / count) for word, count in counts.items()}
        self._unseen = math.log(2 + total)

    def align(self, claim_text: str) -> list[Alignment]:
        """Every passage, best first; equal ones in their given order."""
        wanted = stems_of(claim_text)
        whole = sum(self._weight.get(word, self._unseen) for word in wanted) or 1.0
        plain = _bare(claim_text)
        found = [self._against(identity, seen, wanted, whole, plain) for identity, seen in self._profiles]
        return sorted(found, key=lambda item: (not item.verbatim, -item.coverage, -item.sentence_coverage))

    def _against(
        self, identity: str, seen: PassageProfile, wanted: frozenset[str], whole: float, plain: str
    ) -> Alignment:
        shared = wanted & seen.words
        coverage = sum(self._weight.get(word, self._unseen) for word in shared) / whole
        best, best_cover = 0, -1.0
        exact = seen.bare.get(plain) if plain else None
        if exact is not None:
            best, best_cover = exact, coverage
        else:
            for number, stems in enumerate(seen.stems):
                cover = sum(self._weight.get(word, self._unseen) for word in shared & stems) / whole
                if cover > best_cover:
                    best, best_cover = number, cover
        span = seen.sentences[best].span if seen.sentences else (0, 0)
        return Alignment(
            passage=identity,
            coverage=coverage,
            sentence=span,
            sentence_coverage=max(best_cover, 0.0),
            verbatim=exact is not None,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageProfile:
    sentences: tuple[Sentence, ...]
    stems: tuple[frozenset[str], ...]
    words: frozenset[str]
    bare: dict[str, int]
    """Squashed sentence without final punctuation to its number."""


@lru_cache(maxsize=4096)
def profile(text: str) -> PassageProfile:
    """A passage read once; the same text is never read again while it is remembered."""
    cut = tuple(sentences(text))
    stems = tuple(stems_of(sentence.text) for sentence in cut)
    bare = {_bare(sentence.text): number for number, sentence in reversed(list(enumerate(cut)))}
    return PassageProfile(sentences=cut, stems=stems, words=frozenset().union(*stems), bare=bare)


def stems_of(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in content_words(without_markers(text)))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Takes plural and verb endings off: enough to match 'applies' with 'apply'."""
    for ending, put in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + put
    return word


def supports_claim(claim: Claim, alignment: Alignment) -> bool:
    """Whether a passage plausibly holds the claim: enough to point a marker at it, not to prove it."""
    return alignment.verbatim or (alignment.coverage >= 0.6 and alignment.sentence_coverage >= 0.4)


def _bare(text: str) -> str:
    return squash(without_markers(text)).strip(" .!?;:\"'*_")


_ENDINGS = (
    ("ies", "y"),
    ("sses", "ss"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("ing", ""),
    ("ed", ""),
    ("es", "e"),
    ("s", ""),
)
