"""How the "nothing relevant here" of retrieval was calibrated: fits and checks the constants of retrieve/relevance.py.

    python benchmarks/retrieval_miss.py MTRAG.jsonl

Rows: {id, collection, conversation[], contexts[], answerability}. All contexts together are the knowledge base. A
question that people called answerable is a hit when its own contexts are in it; every question is a miss ("stranger")
when only the contexts of other collections are. Shown beside: the same collection without its own contexts ("near").
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from surefoot.core.types import Passage, ScoredPassage
from surefoot.encoders.embedder import OnnxEmbedder
from surefoot.retrieve.relevance import THRESHOLD, coverage, relevance

CONTEXT_CHARACTERS = 900


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--features", type=Path, help="keep the computed features here, as .npz")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.file.read_text(encoding="utf-8").splitlines()]
    features, kinds, shipped = measure(rows)
    if options.features:
        np.savez(options.features, features=features, kinds=kinds, shipped=shipped)
    report(features, np.array(kinds), np.array(shipped))


def measure(rows: list[dict]) -> tuple[np.ndarray, list[str], list[float]]:
    """One line per (question, knowledge base): nearest cosine and coverage; the kind; the shipped probability."""
    embedder = OnnxEmbedder()
    questions = [row["conversation"][-1]["text"] for row in rows]
    pool: dict[str, tuple[str, set[int]]] = {}
    for at, row in enumerate(rows):
        for text in row["contexts"]:
            pool.setdefault(text[:CONTEXT_CHARACTERS], (row["collection"], set()))[1].add(at)
    texts = list(pool)
    similarity = embedder.embed(questions) @ embedder.embed(texts).T
    features, kinds, shipped = [], [], []
    for at, row in enumerate(rows):
        mine = [column for column, text in enumerate(texts) if at in pool[text][1]]
        strange = [column for column, text in enumerate(texts) if pool[text][0] != row["collection"]]
        near = [
            column for column, text in enumerate(texts) if pool[text][0] == row["collection"] and column not in mine
        ]
        cases = [(strange, "stranger"), (strange + near, "near")]
        if mine:
            cases.append((strange + near + mine, str(row["answerability"]).lower()))
        for columns, kind in cases:
            hits = [
                ScoredPassage(passage=Passage(id=str(column), text=texts[column]), score=0, dense=float(cosine))
                for column in sorted(columns, key=lambda column: -similarity[at, column])[:8]
                for cosine in [similarity[at, column]]
            ]
            features.append((hits[0].dense, coverage(questions[at], hits)))
            kinds.append(kind)
            shipped.append(relevance(questions[at], hits))
    return np.array(features), kinds, shipped


def report(features: np.ndarray, kinds: np.ndarray, shipped: np.ndarray) -> None:
    hit = np.isin(kinds, ["answerable", "partial"])
    miss = np.isin(kinds, ["stranger"])
    use = hit | miss
    weights = fit(features[use], hit[use])
    print(f"fitted: bias {weights[0]:.2f}, cosine {weights[1]:.2f}, coverage {weights[2]:.2f}")
    fitted = 1 / (1 + np.exp(-(weights[0] + features @ weights[1:])))
    for name, scores in (("fitted", fitted), ("shipped", shipped)):
        print(f"{name}: AUROC hits against strangers {auroc(scores[hit], scores[kinds == 'stranger']):.3f}, ", end="")
        print(f"against near {auroc(scores[hit], scores[kinds == 'near']):.3f}")
        for threshold in (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5):
            refused = {kind: float(np.mean(scores[kinds == kind] < threshold)) for kind in sorted(set(kinds))}
            mark = "  <- shipped threshold" if name == "shipped" and threshold == THRESHOLD else ""
            print(f"  below {threshold}: " + ", ".join(f"{kind} {share:.3f}" for kind, share in refused.items()) + mark)


def fit(features: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Logistic regression by Newton's method, hits and misses weighted alike."""
    matrix = np.column_stack([np.ones(len(features)), features])
    share = np.where(labels, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    weights = np.zeros(matrix.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-matrix @ weights))
        slope = matrix.T @ (share * (labels - chance)) - 0.01 * weights
        curve = matrix.T @ (matrix * (share * chance * (1 - chance))[:, None]) + 0.01 * np.eye(len(weights))
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def auroc(positive: np.ndarray, negative: np.ndarray) -> float:
    if not len(positive) or not len(negative):
        return float("nan")
    return float(np.mean([np.mean((value > negative) + 0.5 * (value == negative)) for value in positive]))


if __name__ == "__main__":
    main()
