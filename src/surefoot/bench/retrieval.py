"""How well are the right documents found? A BEIR-layout folder through the real ingest, store and retriever."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from surefoot.core.errors import InputError
from surefoot.core.types import IngestProgress, Json, ScoredPassage
from surefoot.wiring import Surefoot

DEPTH = 100
"""Documents looked at for recall."""
PASSAGES_PER_DOCUMENT = 3
"""Passages searched for each document wanted: several of one document count once."""
K = 10

Search = Callable[[str, int], Awaitable[list[ScoredPassage]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    id: str
    text: str
    relevant: Mapping[str, int]


async def measure(
    house: Surefoot,
    folder: Path,
    *,
    split: str | None = None,
    on_progress: Callable[[IngestProgress], None] | None = None,
) -> dict[str, Json]:
    """The numbers of SPEC section 9 for dense, BM25, hybrid and hybrid with re-ranking (null without a re-ranker)."""
    queries = read_queries(folder, split)
    await house.ingest([folder / "corpus.jsonl"], on_progress=on_progress)
    retriever = house.retriever

    async def dense(question: str, limit: int) -> list[ScoredPassage]:
        return await house.store.dense(house.embedder.embed([question])[0], limit=limit)

    async def bm25(question: str, limit: int) -> list[ScoredPassage]:
        return await house.store.lexical(question, limit=limit)

    async def hybrid(question: str, limit: int) -> list[ScoredPassage]:
        return await retriever.candidates(question, k=(limit + 1) // 2)

    async def hybrid_rerank(question: str, limit: int) -> list[ScoredPassage]:
        return await retriever.reranked(question, await hybrid(question, limit), k=K)

    report: dict[str, Json] = {"queries": len(queries), "passages": await house.store.count()}
    report["dense"] = await _scores(dense, queries)
    report["bm25"] = await _scores(bm25, queries)
    report["hybrid"] = await _scores(hybrid, queries)
    report["hybrid_rerank"] = await _scores(hybrid_rerank, queries) if retriever.reranker is not None else None
    return report


def read_queries(folder: Path, split: str | None = None) -> list[Query]:
    """Queries that have at least one relevant document in the split (default: test, else whatever is there)."""
    judged = _judgements(folder, split)
    queries = []
    try:
        for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            relevant = {doc: grade for doc, grade in judged.get(str(row["_id"]), {}).items() if grade > 0}
            if relevant:
                queries.append(Query(id=str(row["_id"]), text=str(row["text"]), relevant=relevant))
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{str(folder / 'queries.jsonl')!r} is not a BEIR query file: {error}") from error
    if not queries:
        raise InputError(f"{str(folder)!r} has no judged query; check qrels/*.tsv against queries.jsonl")
    return queries


def _judgements(folder: Path, split: str | None) -> dict[str, dict[str, int]]:
    files = sorted((folder / "qrels").glob("*.tsv"))
    wanted = [file for file in files if file.stem == (split or "test")] or ([] if split else files)
    if not wanted:
        raise InputError(f"{str(folder / 'qrels')!r} has no {split or ''} .tsv file; a BEIR folder is needed")
    judged: dict[str, dict[str, int]] = {}
    for file in wanted:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()[1:], start=2):
            try:
                query, document, grade = line.split("\t")
                judged.setdefault(query, {})[document] = int(grade)
            except ValueError as error:
                raise InputError(f"{str(file)!r} line {number}: {line!r} is not query, document, grade") from error
    return judged


async def _scores(search: Search, queries: Sequence[Query]) -> dict[str, Json]:
    """Quality at depth 100; time of what a caller would wait for, a search for ten."""
    gains, recalls, ranks, times = [], [], [], []
    await search(queries[0].text, K)
    for query in queries:
        begun = time.perf_counter()
        await search(query.text, 2 * K)
        times.append((time.perf_counter() - begun) * 1000)
        found = documents(await search(query.text, DEPTH * PASSAGES_PER_DOCUMENT))
        gains.append(ndcg(found, query.relevant, K))
        recalls.append(len(set(found[:DEPTH]) & set(query.relevant)) / len(query.relevant))
        ranks.append(reciprocal_rank(found, query.relevant, K))
    return {
        "ndcg@10": round(sum(gains) / len(gains), 4),
        "recall@100": round(sum(recalls) / len(recalls), 4),
        "mrr@10": round(sum(ranks) / len(ranks), 4),
        "ms_p50": round(percentile(times, 0.50), 2),
        "ms_p95": round(percentile(times, 0.95), 2),
    }


def documents(hits: Sequence[ScoredPassage]) -> list[str]:
    """Document ids in the order of their best passage."""
    return list(dict.fromkeys(str(hit.passage.metadata.get("record")) for hit in hits))


def ndcg(found: Sequence[str], relevant: Mapping[str, int], k: int) -> float:
    gain = sum(relevant.get(doc, 0) / math.log2(rank + 1) for rank, doc in enumerate(found[:k], start=1))
    ideal = sum(
        grade / math.log2(rank + 1) for rank, grade in enumerate(sorted(relevant.values(), reverse=True)[:k], start=1)
    )
    return gain / ideal


def reciprocal_rank(found: Sequence[str], relevant: Mapping[str, int], k: int) -> float:
    return next((1 / rank for rank, doc in enumerate(found[:k], start=1) if doc in relevant), 0.0)


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]
