"""The embedded answerer: the best source sentences for a question, each cited. No model writes a word of it.

The same code makes the safe text. Grounded by construction: every sentence is the source's own, white space aside,
and its marker resolves to the passage it stands in.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from surefoot.core.ports import Embedder
from surefoot.core.questions import sub_questions, terms, wants_number
from surefoot.core.types import Passage
from surefoot.generate.quotable import Quotable, quotables

IDENTITY = "extractive:5"


@dataclass(frozen=True, kw_only=True)
class Extractive:
    """Chooses by the question's weighted words, then by meaning where there is an embedder or a cross-encoder."""

    embedder: Embedder | None = None
    scorer: Callable[[str, Sequence[str]], Sequence[float]] | None = None
    """A cross-encoder: how likely each text answers the question."""
    limit: int = 4
    least: float = 0.3
    """Share of the question's weighted words a sentence must hold, its headings counted half."""
    follower: float = 0.72
    """A further sentence must score at least this share of the best one."""
    rows: bool = False
    """Also tell table rows, each with its column names. Such a sentence is not the source's own: only for drafts."""

    def write(self, question: str | None, passages: Sequence[Passage], *, style: str = "[S#]") -> str:
        candidates = (one for one in quotables(passages, style=style, rows=self.rows) if not _is_scrap(one))
        if question and question.strip():
            chosen = self._answer(question, list(candidates))
        else:
            chosen = list(itertools.islice(candidates, 2))
        return " ".join(one.cited for one in chosen)

    def _answer(self, question: str, candidates: list[Quotable]) -> list[Quotable]:
        """Every part of the question gets its best sentence first, then the runners-up fill the room left."""
        parts = sub_questions(question)
        rankings = [_to_the_point(part, ranking) for part in parts if (ranking := self._ranked(part, candidates))]
        chosen: list[Quotable] = []
        for ranking in rankings:
            _add(chosen, ranking[0][1])
        if rankings:
            least = self.follower * max(ranking[0][0] for ranking in rankings)
            rest = sorted((pair for ranking in rankings for pair in ranking[1:]), key=lambda pair: -pair[0])
            for score, one in rest:
                if score >= least and len(chosen) < self.limit:
                    _add(chosen, one)
        return _in_reading_order(chosen)

    def _ranked(self, question: str, candidates: list[Quotable]) -> list[tuple[float, Quotable]]:
        overlaps = _overlaps(question, candidates)
        shortlist = sorted(range(len(candidates)), key=lambda n: (-overlaps[n], n))[:_SHORTLIST]
        meaning = self._similarities(question, [candidates[n] for n in shortlist])
        numeric = wants_number(question)
        scored = []
        for n, similarity in zip(shortlist, meaning, strict=True):
            one = candidates[n]
            if overlaps[n] < self.least and similarity < _LEAST_SIMILARITY:
                continue
            score = overlaps[n] + 0.8 * max(similarity, 0.0) + (0.25 if numeric and one.has_number else 0.0)
            # A sentence that leans on another says something else alone: better to answer less.
            if not one.leans:
                scored.append((score * (1.0 - 0.02 * min(one.position, 10)), one))
        ranked = sorted(scored, key=lambda pair: (-pair[0], pair[1].order))
        return self._rescored(question, ranked)

    def _similarities(self, question: str, candidates: list[Quotable]) -> list[float]:
        if self.embedder is None or not candidates:
            return [0.0] * len(candidates)
        vectors = self.embedder.embed([question, *(one.text for one in candidates)])
        return [float(value) for value in np.asarray(vectors[1:] @ vectors[0])]

    def _rescored(self, question: str, ranked: list[tuple[float, Quotable]]) -> list[tuple[float, Quotable]]:
        """The first few read again by the cross-encoder, which also says when none of them is an answer."""
        if self.scorer is None or not ranked:
            return ranked
        top = ranked[:_READ_AGAIN]
        likely = self.scorer(question, [f"{one.about}: {one.text}" if one.about else one.text for _, one in top])
        again = [(0.3 * score + p, one) for (score, one), p in zip(top, likely, strict=True) if p >= _LEAST_LIKELY]
        return sorted(again, key=lambda pair: (-pair[0], pair[1].order))


_LEAST_SIMILARITY = 0.5
_LEAST_LIKELY = 0.05
_SHORTLIST = 16
_READ_AGAIN = 6


def _is_scrap(one: Quotable) -> bool:
    """An item that says nothing without the words over its list: `Sepsis` under `Only doctors treat:`."""
    return one.kind == "item" and (bool(one.lead) or (one.text[-1] not in ".!" and ": " not in one.text))


def _overlaps(question: str, candidates: list[Quotable]) -> list[float]:
    """The share of the question's words each sentence holds, rare words weighing more, headings counting half."""
    wanted, weights = terms(question), _weights(candidates)
    total = math.fsum(weights.get(term, weights[""]) for term in wanted)
    if not total:
        return [0.0] * len(candidates)

    def weigh(shared: frozenset[str]) -> float:
        return math.fsum([weights.get(term, weights[""]) for term in shared])

    return [(weigh(wanted & one.terms) + 0.5 * weigh((wanted & one.context) - one.terms)) / total for one in candidates]


def _weights(candidates: list[Quotable]) -> dict[str, float]:
    """How telling each word is among the candidates; the empty word stands for one that none of them has."""
    counts = Counter(itertools.chain.from_iterable(one.terms | one.context for one in candidates))
    total = len(candidates)
    weights = {term: math.log(1 + (total - count + 0.5) / (count + 0.5)) + 0.1 for term, count in counts.items()}
    weights[""] = math.log(1 + (total + 0.5) / 0.5) + 0.1
    return weights


def _to_the_point(question: str, ranking: list[tuple[float, Quotable]]) -> list[tuple[float, Quotable]]:
    """Asked for a number, nobody wants the others: what an adult card costs, not what the senior card does."""
    if not wants_number(question):
        return ranking
    asked = terms(question) & ranking[0][1].terms
    return [pair for pair in ranking if asked <= pair[1].terms]


def _add(chosen: list[Quotable], one: Quotable) -> None:
    if not any(_alike(one, other) for other in chosen):
        chosen.append(one)


def _alike(one: Quotable, other: Quotable) -> bool:
    union = one.terms | other.terms
    return bool(union) and len(one.terms & other.terms) / len(union) >= 0.8


def _in_reading_order(chosen: list[Quotable]) -> list[Quotable]:
    """Passages in the order of their best sentence, the sentences of one passage as they stand in it."""
    ranks: dict[int, int] = {}
    for one in chosen:
        ranks.setdefault(one.position, len(ranks))
    return sorted(chosen, key=lambda one: (ranks[one.position], one.start))
