"""Measure scores on the development sets: AUROC, balanced accuracy and F1, with intervals by bootstrap over sources.

python -m training.evaluate --data training/work/data/dev.npz --scores fold-1.npz fold-2.npz fold-3.npz
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--scores", type=Path, nargs="+", required=True)
    parser.add_argument("--resamples", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with np.load(options.data) as data:
        sets, group, label = data["sets"][data["source"]], data["group"], data["label"]
        counts = data["weight"] > 0
    report: dict[str, dict[str, object]] = {}
    for path in options.scores:
        with np.load(path) as file:
            rows = file["rows"]
            judged = by_answer(file["sentence"] + file["token"], sets[rows], group[rows], label[rows], counts[rows])
        for name, (score, truth) in judged.items():
            report.setdefault(name, {}).setdefault("auroc", []).append(round(auroc(score, truth), 4))  # type: ignore[union-attr]
            report[name]["rows"] = len(truth)
    for name, facts in sorted(report.items()):
        print(f"{name:38} {facts['rows']:6} {facts['auroc']}")
    if options.out:
        options.out.write_text(json.dumps(report, indent=1))


def by_answer(
    score: np.ndarray, sets: np.ndarray, group: np.ndarray, label: np.ndarray, counts: np.ndarray
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Scores and labels of whole answers, by set and by file of sets; an answer is as bad as its worst sentence.

    Sentences that do not count claim nothing of the world: `Unable to answer based on the passages.`
    """
    found: dict[str, dict[int, list[float]]] = {}
    for at in range(len(score)):
        name = str(sets[at])
        key = int(group[at]) if group[at] >= 0 else -at - 1
        for each in {name, name.split("/")[0]}:
            kept = found.setdefault(each, {}).setdefault(key, [-1e9, float(label[at])])
            kept[0] = max(kept[0], float(score[at]) if counts[at] else -1e9)
            kept[1] = max(kept[1], float(label[at]))
    return {
        name: (np.array([v[0] for v in rows.values()]), np.array([v[1] for v in rows.values()]))
        for name, rows in found.items()
    }


def auroc(score: np.ndarray, truth: np.ndarray) -> float:
    """Chance that a random unsupported answer scores above a random supported one; ties count half."""
    bad, good = np.sort(score[truth > 0.5]), np.sort(score[truth <= 0.5])
    if not len(bad) or not len(good):
        return float("nan")
    below = np.searchsorted(good, bad, "left") + np.searchsorted(good, bad, "right")
    return float(below.sum() / (2 * len(bad) * len(good)))


def best_balanced_accuracy(score: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """The best balanced accuracy over all cuts, and its cut."""
    order = np.argsort(score, kind="stable")
    ranked = truth[order] > 0.5
    caught = 1 - np.concatenate([[0], np.cumsum(ranked)]) / max(1, ranked.sum())
    kept = np.concatenate([[0], np.cumsum(~ranked)]) / max(1, (~ranked).sum())
    best = int(np.argmax(caught + kept))
    cut = -np.inf if best == 0 else float(score[order[best - 1]])
    return float((caught[best] + kept[best]) / 2), cut


def f1(flagged: np.ndarray, truth: np.ndarray) -> float:
    right = float((flagged & (truth > 0.5)).sum())
    return 2 * right / max(1.0, float(flagged.sum() + (truth > 0.5).sum()))


def bootstrap(
    score: np.ndarray, truth: np.ndarray, source: np.ndarray, resamples: int = 500, seed: int = 0
) -> tuple[float, float]:
    """The 95 % interval of the AUROC when whole sources are drawn again with replacement."""
    dice = np.random.default_rng(seed)
    names = np.unique(source)
    members = [np.flatnonzero(source == name) for name in names]
    found = []
    for _ in range(resamples):
        rows = np.concatenate([members[at] for at in dice.integers(0, len(names), len(names))])
        value = auroc(score[rows], truth[rows])
        if not np.isnan(value):
            found.append(value)
    return float(np.quantile(found, 0.025)), float(np.quantile(found, 0.975))


def ndcg(ranked: np.ndarray, total: int, depth: int = 10) -> float:
    """nDCG of 0/1 relevances in the order shown; `total` relevant ones exist."""
    gains = ranked[:depth] / np.log2(np.arange(2, min(depth, len(ranked)) + 2))
    ideal = (1 / np.log2(np.arange(2, min(depth, total) + 2))).sum()
    return float(gains.sum() / ideal) if total else 0.0


if __name__ == "__main__":
    main()
