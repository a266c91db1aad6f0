"""How well is the right passage found? Judged questions through the real ingest, store and retriever."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from surefoot.bench.judged import Query, by_page, by_passage, read_queries, read_questions
from surefoot.core.types import IngestProgress, Json, ScoredPassage
from surefoot.wiring import Surefoot

DEPTH = 100
"""Documents looked at for recall."""
PASSAGES_PER_DOCUMENT = 3
"""Passages searched for each document wanted: several of one document count once."""
K = 10
RESAMPLES = 2000
"""Draws of a bootstrap over questions."""

Search = Callable[[str, int], Awaitable[list[ScoredPassage]]]
Progress = Callable[[IngestProgress], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scores:
    """One search over all questions, question by question."""

    gains: list[float]
    recalls: list[float]
    ranks: list[float]
    milliseconds: list[float]

    def to_json(self) -> dict[str, Json]:
        return {
            "ndcg@10": round(mean(self.gains), 4),
            "recall@100": round(mean(self.recalls), 4),
            "mrr@10": round(mean(self.ranks), 4),
            "ms_p50": round(percentile(self.milliseconds, 0.50), 2),
            "ms_p95": round(percentile(self.milliseconds, 0.95), 2),
        }


async def measure(
    house: Surefoot,
    folder: Path,
    *,
    split: str | None = None,
    held_out: str | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Json]:
    """A BEIR-layout folder: the numbers of SPEC section 9, on the held-out third of its queries where one is named."""
    queries = read_queries(folder, split, held_out)
    await house.ingest([folder / "corpus.jsonl"], on_progress=on_progress)
    (report,) = await _compare(house, queries)
    return {"queries": len(queries), "passages": await house.store.count(), **report}


async def measure_questions(
    house: Surefoot, folder: Path, questions: Path, *, on_progress: Progress | None = None
) -> dict[str, Json]:
    """A folder of pages and a file of questions about them, judged by the passage and by the page that answers."""
    asked = read_questions(questions)
    passages = by_passage(asked, folder)
    await house.ingest([folder], on_progress=on_progress)
    exact, rough = await _compare(house, passages, by_page(asked))
    return {"questions": len(asked), "passages": await house.store.count(), "by_passage": exact, "by_page": rough}


async def _compare(house: Surefoot, *readings: Sequence[Query]) -> list[dict[str, Json]]:
    """Dense, BM25, hybrid and hybrid with re-ranking (null without a re-ranker), and what re-ranking changed.

    Each reading has the same questions and its own idea of what answers them; every question is searched once.
    """
    retriever = house.retriever

    async def dense(question: str, limit: int) -> list[ScoredPassage]:
        return await house.store.dense(house.embedder.embed([question])[0], limit=limit)

    async def bm25(question: str, limit: int) -> list[ScoredPassage]:
        return await house.store.lexical(question, limit=limit)

    async def hybrid(question: str, limit: int) -> list[ScoredPassage]:
        return await retriever.candidates(question, k=(limit + 1) // 2)

    async def hybrid_rerank(question: str, limit: int) -> list[ScoredPassage]:
        return await retriever.reranked(question, await hybrid(question, limit), k=K)

    searches: dict[str, Search] = {"dense": dense, "bm25": bm25, "hybrid": hybrid}
    if retriever.reranker is not None:
        searches["hybrid_rerank"] = hybrid_rerank
    found = {name: await _found(search, [query.text for query in readings[0]]) for name, search in searches.items()}
    return [_report(queries, {name: _scores(queries, rows) for name, rows in found.items()}) for queries in readings]


def _report(queries: Sequence[Query], scores: Mapping[str, Scores]) -> dict[str, Json]:
    report: dict[str, Json] = {name: row.to_json() for name, row in scores.items()}
    report.setdefault("hybrid_rerank", None)
    report["ndcg@10_95"] = {name: list(interval(row.gains)) for name, row in scores.items()}
    if "hybrid_rerank" in scores:
        report["rerank_gain"] = _gain(queries, scores["hybrid"], scores["hybrid_rerank"])
    return report


def _gain(queries: Sequence[Query], before: Scores, after: Scores) -> dict[str, Json]:
    """What re-ranking changed, question by question; the interval is of the paired difference."""
    changes = [new - old for new, old in zip(after.gains, before.gains, strict=True)]
    earlier = [new - old for new, old in zip(after.ranks, before.ranks, strict=True)]
    worse = sorted((change, query.id) for change, query in zip(changes, queries, strict=True) if change < 0)
    return {
        "ndcg@10": round(mean(changes), 4),
        "ndcg@10_95": list(interval(changes)),
        "mrr@10": round(mean(earlier), 4),
        "mrr@10_95": list(interval(earlier)),
        "better": sum(change > 0 for change in changes),
        "worse": len(worse),
        "worst": [f"{name} {change:+.2f}" for change, name in worse[:10]],
    }


async def _found(search: Search, questions: Sequence[str]) -> list[tuple[list[ScoredPassage], float]]:
    """What a deep search finds, and the milliseconds of what a caller would wait for, a search for ten."""
    found = []
    await search(questions[0], K)
    for question in questions:
        begun = time.perf_counter()
        await search(question, 2 * K)
        waited = (time.perf_counter() - begun) * 1000
        found.append((await search(question, DEPTH * PASSAGES_PER_DOCUMENT), waited))
    return found


def _scores(queries: Sequence[Query], found: Sequence[tuple[list[ScoredPassage], float]]) -> Scores:
    scores = Scores(gains=[], recalls=[], ranks=[], milliseconds=[])
    for query, (hits, waited) in zip(queries, found, strict=True):
        ranked = units(hits, query)
        scores.gains.append(ndcg(ranked, query.relevant, K))
        scores.recalls.append(len(set(ranked[:DEPTH]) & set(query.relevant)) / len(query.relevant))
        scores.ranks.append(reciprocal_rank(ranked, query.relevant, K))
        scores.milliseconds.append(waited)
    return scores


def units(hits: Sequence[ScoredPassage], query: Query) -> list[str]:
    """What was found, each once, in the order of its best passage."""
    return list(dict.fromkeys(query.unit(hit.passage) for hit in hits))


def ndcg(found: Sequence[str], relevant: Mapping[str, int], k: int) -> float:
    gain = sum(relevant.get(doc, 0) / math.log2(rank + 1) for rank, doc in enumerate(found[:k], start=1))
    ideal = sum(
        grade / math.log2(rank + 1) for rank, grade in enumerate(sorted(relevant.values(), reverse=True)[:k], start=1)
    )
    return gain / ideal


def reciprocal_rank(found: Sequence[str], relevant: Mapping[str, int], k: int) -> float:
    return next((1 / rank for rank, doc in enumerate(found[:k], start=1) if doc in relevant), 0.0)


def interval(values: Sequence[float], *, seed: int = 1) -> tuple[float, float]:
    """95 % of the means of samples drawn with replacement: how far the questions' choice carries the mean."""
    dice = random.Random(seed)
    means = [mean(dice.choices(values, k=len(values))) for _ in range(RESAMPLES)]
    return round(percentile(means, 0.025), 4), round(percentile(means, 0.975), 4)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]
