"""Is there anything here at all? A calibrated probability that the passages found hold an answer.

It is read before anybody writes, and lets through what may be an answer: whether a sentence is one is decided by who
reads sentences. Every signal has a say, none alone; the weights are fitted by `benchmarks/answers/fit.py`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from surefoot.core.kinds import holds, kind_of
from surefoot.core.text import content_words
from surefoot.core.types import ScoredPassage

SIGNALS = ("nearest", "second", "coverage", "best_coverage", "reads", "reads_second", "unread", "kind_missing")
_TOP = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    bias: float
    weights: Mapping[str, float]
    least: float
    """Below it nothing is relevant."""


@cache
def shipped() -> Calibration:
    """What the fit wrote."""
    given = json.loads((files("surefoot.retrieve") / "relevance.json").read_text(encoding="utf-8"))
    return Calibration(bias=given["bias"], weights=given["weights"], least=given["least"])


def relevance(question: str, hits: Sequence[ScoredPassage], calibration: Calibration | None = None) -> float:
    """From 0 to 1, of the passages as they were ranked."""
    if not hits:
        return 0.0
    by = calibration or shipped()
    found = signals(question, hits)
    total = by.bias + math.fsum(by.weights[name] * found[name] for name in SIGNALS)
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


def signals(question: str, hits: Sequence[ScoredPassage]) -> dict[str, float]:
    """The nearest vectors, the words found, the re-ranker's word (or that there is none) and whether the kind asked for
    is missing."""
    near = sorted((hit.dense for hit in hits if hit.dense is not None), reverse=True) or [0.0]
    read = sorted((_odds(hit.rerank) for hit in hits if hit.rerank is not None), reverse=True) or [0.0]
    kind = kind_of(question)
    missing = all(holds(kind, hit.passage.text, question=question) is False for hit in hits[:_TOP])
    return {
        "nearest": near[0],
        "second": near[min(1, len(near) - 1)],
        "coverage": coverage(question, hits),
        "best_coverage": max((coverage(question, [hit]) for hit in hits[:_TOP]), default=0.0),
        "reads": read[0] / _ODDS_SCALE,
        "reads_second": read[min(1, len(read) - 1)] / _ODDS_SCALE,
        "unread": float(all(hit.rerank is None for hit in hits)),
        "kind_missing": float(missing),
    }


def coverage(question: str, hits: Sequence[ScoredPassage], *, top: int = _TOP) -> float:
    """Share of the question's content words that occur in the best passages, compared by their first letters."""
    asked = {_stem(word) for word in content_words(question)}
    if not asked:
        return 0.0
    held = {_stem(word) for hit in hits[:top] for word in content_words(hit.passage.text)}
    return len(asked & held) / len(asked)


def _stem(word: str) -> str:
    return word.rstrip("s")[:6] if word.isalpha() else word


def _odds(chance: float) -> float:
    sure = min(max(chance, 1e-6), 1 - 1e-6)
    return math.log(sure / (1 - sure))


_ODDS_SCALE = 4.0
