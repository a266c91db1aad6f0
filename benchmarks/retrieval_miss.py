"""How the "nothing relevant here" of retrieval was calibrated: fits and checks the constants of retrieve/relevance.py.

    python benchmarks/retrieval_miss.py MTRAG.jsonl

Rows: {id, collection, conversation[], contexts[], answerability}. A question beside its own contexts is a hit where people
called it answerable; beside contexts of another collection it is a miss; unanswerable rows are the hard misses.
"""

from __future__ import annotations

import argparse
import json
import random
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
    """One line per (question, contexts): nearest cosine and coverage; the kind of pair; the shipped probability."""
    dice = random.Random(5)
    embedder = OnnxEmbedder()
    questions = [row["conversation"][-1]["text"] for row in rows]
    contexts = [[text[:CONTEXT_CHARACTERS] for text in row["contexts"]] for row in rows]
    flat = [text for texts in contexts for text in texts]
    vectors = dict(zip(flat, embedder.embed(flat), strict=True))
    features, kinds, shipped = [], [], []
    for at, (question, vector) in enumerate(zip(questions, embedder.embed(questions), strict=True)):
        strangers = [other for other, row in enumerate(rows) if row["collection"] != rows[at]["collection"]]
        own = str(rows[at]["answerability"]).lower()
        for texts, kind in ((contexts[at], own), (contexts[dice.choice(strangers)], "stranger")):
            if not texts:
                continue
            scored = sorted(
                (
                    ScoredPassage(passage=Passage(id=text[:20], text=text), score=cosine, dense=cosine)
                    for text in texts
                    for cosine in [float(vectors[text] @ vector)]
                ),
                key=lambda hit: -hit.score,
            )
            features.append((scored[0].score, coverage(question, scored)))
            kinds.append(kind)
            shipped.append(relevance(question, scored))
    return np.array(features), kinds, shipped


def report(features: np.ndarray, kinds: np.ndarray, shipped: np.ndarray) -> None:
    hit = np.isin(kinds, ["answerable", "partial"])
    miss = np.isin(kinds, ["unanswerable", "stranger"])
    use = hit | miss
    weights = fit(features[use], hit[use])
    print(f"fitted: bias {weights[0]:.2f}, cosine {weights[1]:.2f}, coverage {weights[2]:.2f}")
    fitted = 1 / (1 + np.exp(-(weights[0] + features @ weights[1:])))
    for name, scores in (("fitted", fitted), ("shipped", shipped)):
        print(f"{name}: AUROC hits against strangers {auroc(scores[hit], scores[kinds == 'stranger']):.3f}, ", end="")
        print(f"against unanswerable {auroc(scores[hit], scores[kinds == 'unanswerable']):.3f}")
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
