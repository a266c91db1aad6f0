"""What the knowledge base lacks: refused questions in clusters, each with the passages that came nearest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from surefoot.core.ports import Embedder, Retriever
from surefoot.core.text import squash
from surefoot.core.types import Json, ScoredPassage

_REFUSED = frozenset(("rejected", "fallback"))
_FAULTS = frozenset(("deadline_exceeded", "check_broken", "llm_unavailable"))
"""Reasons that say nothing about the knowledge base."""
_ALIKE = 0.62
"""Cosine from which two questions ask for the same thing."""
_MOST_QUESTIONS = 5_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Gap:
    question: str
    """The one nearest to the others."""
    count: int
    """How often this was asked in all."""
    questions: tuple[str, ...]
    reasons: Mapping[str, int]
    nearest: tuple[ScoredPassage, ...] = ()
    relevance: float = 0.0


async def find_gaps(
    records: Iterable[Mapping[str, Json]], *, embedder: Embedder, retriever: Retriever, limit: int = 20, near: int = 3
) -> list[Gap]:
    """The gaps most asked for, first. Policy refusals and faults are none: no document would cure them."""
    asked = _refused(records)
    if not asked:
        return []
    questions = sorted(asked, key=lambda question: (-sum(asked[question].values()), question))[:_MOST_QUESTIONS]
    groups = _clustered(embedder.embed(questions))
    gaps = [_gap([questions[n] for n in group], asked) for group in groups]
    gaps.sort(key=lambda gap: (-gap.count, gap.question))
    return [await _with_nearest(gap, retriever, near) for gap in gaps[:limit]]


def _refused(records: Iterable[Mapping[str, Json]]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    spelled: dict[str, str] = {}
    for record in records:
        question, reason = record.get("question"), str(record.get("reason") or "")
        if record.get("kind") != "ask" or record.get("decision") not in _REFUSED or not isinstance(question, str):
            continue
        if reason.startswith("policy:") or reason in _FAULTS or not question.strip():
            continue
        first = spelled.setdefault(squash(question), question)
        found.setdefault(first, Counter())[reason] += 1
    return found


def _clustered(vectors: np.ndarray) -> list[list[int]]:
    """Each question joins the cluster whose centre is nearest, if it is near enough; else it begins one."""
    groups: list[list[int]] = []
    centres: list[np.ndarray] = []
    for place, vector in enumerate(vectors):
        near = [float(centre @ vector / np.linalg.norm(centre)) for centre in centres]
        best = int(np.argmax(near)) if near else -1
        if best >= 0 and near[best] >= _ALIKE:
            groups[best].append(place)
            centres[best] = centres[best] + vector
        else:
            groups.append([place])
            centres.append(vector.copy())
    return groups


def _gap(questions: Sequence[str], asked: Mapping[str, Counter[str]]) -> Gap:
    reasons: Counter[str] = Counter()
    for question in questions:
        reasons += asked[question]
    return Gap(
        question=questions[0],
        count=sum(reasons.values()),
        questions=tuple(questions),
        reasons=dict(sorted(reasons.items())),
    )


async def _with_nearest(gap: Gap, retriever: Retriever, near: int) -> Gap:
    found = await retriever.retrieve(gap.question, k=near)
    return Gap(
        question=gap.question,
        count=gap.count,
        questions=gap.questions,
        reasons=gap.reasons,
        nearest=found.passages[:near],
        relevance=round(found.relevance, 4),
    )
