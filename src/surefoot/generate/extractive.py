"""The embedded answerer: the best source sentences for a question, each cited. No model writes a word of it.

The same code makes the safe text. Grounded by construction: every sentence is the source's own, white space aside,
and its marker resolves to the passage it stands in.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from surefoot.core.ports import Embedder
from surefoot.core.questions import sub_questions, terms, wants_number
from surefoot.core.taint import carries_instructions, tainted
from surefoot.core.text import markers, sentences, squash, without_markers, words
from surefoot.core.types import Passage, Sentence

IDENTITY = "extractive:2"


@dataclass(frozen=True, kw_only=True)
class Extractive:
    """Chooses by the question's weighted words and, with an embedder, by meaning."""

    embedder: Embedder | None = None
    limit: int = 4

    def write(self, question: str | None, passages: Sequence[Passage], *, style: str = "[S#]") -> str:
        candidates = self._candidates(passages, style)
        if not candidates:
            return ""
        chosen = candidates[:2] if not (question and question.strip()) else self._answer(question, candidates)
        return " ".join(_cited(one) for one in chosen)

    def _answer(self, question: str, candidates: list[_Candidate]) -> list[_Candidate]:
        """Every part of the question gets its best sentence first, then the runners-up fill the room left."""
        parts = sub_questions(question)
        rankings = [ranking for part in parts if (ranking := self._ranked(part, candidates))]
        chosen: list[_Candidate] = []
        for ranking in rankings:
            _add(chosen, ranking[0][1])
        if rankings:
            least = _FOLLOWER * max(ranking[0][0] for ranking in rankings)
            rest = sorted((pair for ranking in rankings for pair in ranking[1:]), key=lambda pair: -pair[0])
            for score, one in rest:
                if score >= least and len(chosen) < self.limit:
                    _add(chosen, one)
        return _in_reading_order(chosen)

    def _ranked(self, question: str, candidates: list[_Candidate]) -> list[tuple[float, _Candidate]]:
        wanted = terms(question)
        weights = _weights(candidates)
        total = sum(weights.get(term, weights[""]) for term in wanted)
        meaning = self._similarities(question, candidates)
        numeric = wants_number(question)
        scored = []
        for one, similarity in zip(candidates, meaning, strict=True):
            own = sum(weights.get(term, weights[""]) for term in wanted & one.terms)
            around = sum(weights.get(term, weights[""]) for term in (wanted & one.context) - one.terms)
            overlap = (own + 0.5 * around) / total if total else 0.0
            if overlap < _LEAST_OVERLAP and similarity < _LEAST_SIMILARITY:
                continue
            score = overlap + 0.6 * max(similarity, 0.0) + (0.25 if numeric and one.has_number else 0.0)
            score *= (0.7 if one.leans else 1.0) * (1.0 - 0.02 * min(one.position, 10))
            scored.append((score, one))
        return sorted(scored, key=lambda pair: (-pair[0], pair[1].order))

    def _similarities(self, question: str, candidates: list[_Candidate]) -> list[float]:
        if self.embedder is None:
            return [0.0] * len(candidates)
        vectors = self.embedder.embed([question, *(one.text for one in candidates)])
        return [float(value) for value in np.asarray(vectors[1:] @ vectors[0])]

    def _candidates(self, passages: Sequence[Passage], style: str) -> list[_Candidate]:
        found: list[_Candidate] = []
        seen: set[str] = set()
        for position, passage in enumerate(passages):
            marker = _marker(position, passages, style)
            if marker is None or tainted(passage):
                continue
            for text, sentence, context in _quotable(passage):
                key = squash(text)
                if key in seen or carries_instructions(text):
                    continue
                seen.add(key)
                one = _candidate(text, sentence, context, marker, position, len(found))
                # A marker must not tear its sentence in two.
                if len(sentences(_cited(one))) == 1:
                    found.append(one)
        return found[:_MOST_CANDIDATES]


_FOLLOWER = 0.72
"""A further sentence must score at least this share of the best one."""
_LEAST_OVERLAP = 0.3
_LEAST_SIMILARITY = 0.5
_MOST_CANDIDATES = 160
_LONGEST = 480
_LEANING = frozenset("it they he she this these those that such its their however also but and so then".split())


@dataclass(frozen=True, kw_only=True, slots=True)
class _Candidate:
    text: str
    marker: str
    terms: frozenset[str]
    context: frozenset[str]
    """Words of the headings above and of a question answered: they say what the sentence is about."""
    has_number: bool
    leans: bool
    """Begins with a pronoun or a conjunction: it needs the sentence before it."""
    position: int
    start: int
    order: int


def _candidate(text: str, sentence: Sentence, context: str, marker: str, position: int, order: int) -> _Candidate:
    first = words(text)[0]
    return _Candidate(
        text=text,
        marker=marker,
        terms=frozenset(terms(text)),
        context=frozenset(terms(context)),
        has_number=any(char.isdigit() for char in text),
        leans=first in _LEANING,
        position=position,
        start=sentence.start,
        order=order,
    )


def _quotable(passage: Passage) -> list[tuple[str, Sentence, str]]:
    """Whole statements of a passage with the words that stand above them; no headings, rows, questions, fragments."""
    headings = passage.metadata.get("headings")
    above = [str(item) for item in headings] if isinstance(headings, list) else []
    above.append(str(passage.metadata.get("title") or ""))
    found, asked = [], ""
    for sentence in sentences(passage.text):
        text = " ".join(without_markers(sentence.text).split())
        if sentence.kind == "heading":
            above.append(text)
            asked = ""
        elif text.endswith("?"):
            asked = text
        elif sentence.kind != "row" and _is_statement(text, sentence):
            found.append((text, sentence, " ".join([*above, asked])))
    return found


def _is_statement(text: str, sentence: Sentence) -> bool:
    said = words(text)
    if len(said) < 3 or len(text) > _LONGEST or markers(text):
        return False
    if text.endswith((":", "...", "…")):
        return False
    if sentence.kind == "item":
        return True
    return not text[0].islower() and text.rstrip("\"'”’)]*_")[-1:] in (".", "!")


def _marker(position: int, passages: Sequence[Passage], style: str) -> str | None:
    """The marker that leads back to this passage; None where another passage's id is in the way.

    A marker means the passage with that id first and only then the passage at that place.
    """
    passage = passages[position]
    ids = {other.id for index, other in enumerate(passages) if index != position}
    number = str(position + 1)
    names = {number, f"S{number}", f"s{number}"}
    if not names & ids:
        return f"[{number}]" if style == "[n]" else f"[S{number}]"
    own = passage.id
    if own not in ids and (own.isdigit() or (own[:1] in "Ss" and own[1:].isdigit())):
        return f"[{own}]"
    return None


def _weights(candidates: list[_Candidate]) -> dict[str, float]:
    """How telling each word is among the candidates; the empty word stands for one that none of them has."""
    counts = Counter(term for one in candidates for term in one.terms | one.context)
    total = len(candidates)
    weights = {term: math.log(1 + (total - count + 0.5) / (count + 0.5)) + 0.1 for term, count in counts.items()}
    weights[""] = math.log(1 + (total + 0.5) / 0.5) + 0.1
    return weights


def _cited(one: _Candidate) -> str:
    """The sentence with its marker inside the final full stop; a list item gets a full stop to end it."""
    if one.text[-1] in ".!":
        return f"{one.text[:-1]} {one.marker}{one.text[-1]}"
    return f"{one.text} {one.marker}" if one.text[-1] in "\"'”’)]" else f"{one.text} {one.marker}."


def _add(chosen: list[_Candidate], one: _Candidate) -> None:
    if not any(_alike(one, other) for other in chosen):
        chosen.append(one)


def _alike(one: _Candidate, other: _Candidate) -> bool:
    union = one.terms | other.terms
    return bool(union) and len(one.terms & other.terms) / len(union) >= 0.8


def _in_reading_order(chosen: list[_Candidate]) -> list[_Candidate]:
    """Passages in the order of their best sentence, the sentences of one passage as they stand in it."""
    ranks: dict[int, int] = {}
    for one in chosen:
        ranks.setdefault(one.position, len(ranks))
    return sorted(chosen, key=lambda one: (ranks[one.position], one.start))
