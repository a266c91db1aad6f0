"""nDCG@10 of a re-ranker on held questions, beside the search it works behind.

python -m training.rank_check --data rank_dev.npz --scores a.npz b.npz
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from training.evaluate import ndcg

BLENDS = (0.0, 0.25, 0.5, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--scores", type=Path, nargs="+", required=True)
    parser.add_argument("--depth", type=int, nargs="+", default=[20, 50])
    options = parser.parse_args()
    with np.load(options.data) as data:
        sets, group, label, rank = data["sets"][data["source"]], data["group"], data["label"], data["prior"]
    for path in options.scores:
        with np.load(path) as file:
            score = np.zeros(len(label), np.float32)
            score[file["rows"]] = file["sentence"]
        for name in np.unique(sets):
            for depth in options.depth:
                hybrid, ours = measure(
                    group[sets == name], label[sets == name], rank[sets == name], score[sets == name], depth
                )
                print(f"{path.stem} {name} top {depth}: hybrid {hybrid:.4f}; re-ranked {ours}", flush=True)


def measure(
    group: np.ndarray, label: np.ndarray, rank: np.ndarray, score: np.ndarray, depth: int
) -> tuple[float, dict[float, float]]:
    """Mean nDCG@10 by the search's order and by the re-ranker's, which may be blended with the search's rank."""
    before, after = [], {blend: [] for blend in BLENDS}
    for name in np.unique(group):
        rows = np.flatnonzero(group == name)
        rows = rows[np.argsort(rank[rows])]
        total = max(1, int(label[rows].sum()))
        shown, rest = rows[:depth], rows[depth:]
        before.append(ndcg(label[rows], total))
        for blend, kept in after.items():
            order = shown[np.argsort(-(score[shown] + blend * 10 / (1 + rank[shown])), kind="stable")]
            kept.append(ndcg(label[np.concatenate([order, rest])], total))
    return float(np.mean(before)), {blend: round(float(np.mean(kept)), 4) for blend, kept in after.items()}


if __name__ == "__main__":
    main()
