"""Is there anything here at all? A calibrated probability that the passages found hold an answer."""

from __future__ import annotations

import math
from collections.abc import Sequence

from surefoot.core.text import content_words
from surefoot.core.types import ScoredPassage

THRESHOLD = 0.2
"""Below it nothing is relevant. On 242 MTRAG conversations it refuses 4.5 % of the answerable questions (most are
follow-ups that name nothing) and 62 % of those whose knowledge base speaks of something else; the gate stops others."""

_BIAS = -6.73
_COSINE = 16.05
_COVERAGE = 1.85
"""Fitted by benchmarks/retrieval_miss.py."""


def relevance(question: str, hits: Sequence[ScoredPassage]) -> float:
    """From 0 to 1, by the nearest vector and by how many of the question's words the best passages hold."""
    if not hits:
        return 0.0
    cosine = max((hit.dense for hit in hits if hit.dense is not None), default=0.0)
    return 1.0 / (1.0 + math.exp(-(_BIAS + _COSINE * cosine + _COVERAGE * coverage(question, hits))))


def coverage(question: str, hits: Sequence[ScoredPassage], *, top: int = 5) -> float:
    """Share of the question's content words that occur in the best passages, compared by their first letters."""
    asked = {_stem(word) for word in content_words(question)}
    if not asked:
        return 0.0
    held = {_stem(word) for hit in hits[:top] for word in content_words(hit.passage.text)}
    return len(asked & held) / len(asked)


def _stem(word: str) -> str:
    return word.rstrip("s")[:6] if word.isalpha() else word
