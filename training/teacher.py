"""Label the undecided rows by agreement of trained models with the other judge's opinion.

    python -m training.teacher --data training/work/data/train.npz --scores a.npz b.npz --out soft.npz

Of small models a row is kept only where they are confident and the language model that was asked about it does not
disagree. The taught reader (`training.opinion`) is better than either: its opinion is taken as it is (`--alone`).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

SURE = 0.75
DISAGREES = 0.35


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--scores", type=Path, nargs="+", required=True)
    parser.add_argument("--alone", action="store_true", help="the scores are the reader's: keep all, ask nobody else")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with np.load(options.data) as data:
        prior = data["prior"]
    files = [np.load(path) for path in options.scores]
    rows = files[0]["rows"]
    chance = np.mean([1 / (1 + np.exp(-file["sentence"])) for file in files], axis=0)
    label, kept = (chance, np.ones(len(rows), bool)) if options.alone else agree(chance, prior[rows])
    np.savez_compressed(options.out, rows=rows[kept], label=label[kept].astype(np.float32))
    print(f"kept {kept.sum()} of {len(rows)}, {(label[kept] > 0.5).sum()} of them unsupported")


def agree(chance: np.ndarray, prior: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The soft label of each row and whether to keep it. No second opinion counts as no disagreement."""
    opinion = np.where(np.isnan(prior), chance, prior)
    against = ((chance > 0.5) & (opinion < DISAGREES)) | ((chance <= 0.5) & (opinion > 1 - DISAGREES))
    sure = (chance > SURE) | (chance < 1 - SURE)
    return 0.85 * chance + 0.15 * opinion, sure & ~against


if __name__ == "__main__":
    main()
