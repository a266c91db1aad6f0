"""Makes `src/surefoot/verify/data/features.json`: the weights of the grounding features.

Run `python training/features/train.py BENCH_FOLDER` where BENCH_FOLDER holds `train/pairs.jsonl.gz`,
`train/generated_pairs.jsonl.gz` and `train/generated_contexts.jsonl.gz`. Deterministic: equal files give equal bytes.
"""

from __future__ import annotations

import gzip
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from surefoot.core.hashing import sha256_text
from surefoot.core.types import Claim, Passage
from surefoot.verify.alignment import Aligner
from surefoot.verify.binding import bind
from surefoot.verify.features import NAMES, features
from surefoot.verify.reading import read_claim
from surefoot.verify.support import supports

OUT = Path(__file__).resolve().parents[2] / "src" / "surefoot" / "verify" / "data" / "features.json"
SETS = {
    "scifact_tr": 3.0,
    "ragtruth_tr": 2.0,
    "factcg": 1.5,
    "summedits": 1.0,
    "wice": 0.5,
    "generated": 0.7,
    "contrast": 1.0,
}
"""Weight of each set in the loss, whatever its size. Pairs of single sentences (NLI) teach little and are left out."""
PRIOR = 0.25
"""Share of unsupported claims the probabilities are calibrated for; the training sets are weighed to one half."""
ACCEPT, REJECT = 0.35, 0.37
"""Chosen on the grounding files: see docs/decisions/0051."""
JOINT_ACCEPT, JOINT_REJECT = 0.29, 0.5
"""Where a grounder has had its say. Chosen with one that had not seen the files: see docs/decisions/0024."""
FALLING = frozenset(
    "coverage coverage_best coverage_top3 bigrams trigrams longest_run values_bound prefix_coverage "
    "prefix_coverage_best pairs_together".split()
)
FREE = frozenset(("length", "evidence_length", "spread"))
"""FALLING features may only lower the probability, FREE ones do as they like, all others may only raise it."""
GENERATED_ROWS = 8_000
RIDGE = 2.0
FOLDS = 5
Matrix = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    group: str
    claim: str
    evidence: tuple[str, ...]
    label: int


def main(folder: Path) -> None:
    rows = [*pairs(folder / "train" / "pairs.jsonl.gz"), *generated(folder / "train")]
    rows += list(contrast(rows))
    table = np.array([row_features(row.claim, row.evidence) for row in rows])
    labels = np.array([row.label for row in rows], dtype=float)
    weight = balance(rows)
    held_out = cross_fit(rows, table, labels, weight)
    coefficients = monotone_fit(table, labels, weight)
    scores = apply(coefficients, table)
    print(f"{len(rows)} rows; AUROC of each set, judged by a model that saw none of its sources (and by the one kept)")
    for group in SETS:
        chosen = np.array([row.group == group for row in rows])
        if chosen.any() and 0 < labels[chosen].mean() < 1:
            out, kept = (auroc(values[chosen], labels[chosen]) for values in (held_out, scores))
            print(f"  {group:14} {chosen.sum():6} {out:.3f} ({kept:.3f})")
    for name, value in sorted(zip(NAMES, coefficients[1:], strict=True), key=lambda item: -abs(item[1])):
        print(f"  {name:24} {value:+.3f}")
    coefficients[0] += math.log(PRIOR / (1 - PRIOR))
    data = {
        "names": list(NAMES),
        "bias": round(float(coefficients[0]), 5),
        "weights": [round(float(value), 5) for value in coefficients[1:]],
        "accept": ACCEPT,
        "reject": REJECT,
        "joint_accept": JOINT_ACCEPT,
        "joint_reject": JOINT_REJECT,
    }
    data["version"] = sha256_text(json.dumps(data, sort_keys=True))[:12]
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def pairs(path: Path) -> Iterator[Row]:
    """Labelled pairs; rows judged only as a bag are left out, for no single one of them is known to be bad."""
    for row in lines(path):
        if row["set"] in SETS and not row["bag"]:
            yield Row(
                group=row["set"], claim=row["claim"], evidence=tuple(row["evidence"]), label=int(bool(row["label"]))
            )


def generated(folder: Path) -> Iterator[Row]:
    """Every n-th decided row over prose contexts."""
    contexts = {
        row["context_id"]: tuple(row["sentences"])
        for row in lines(folder / "generated_contexts.jsonl.gz")
        if row.get("sentences")
    }
    decided = [
        row
        for row in lines(folder / "generated_pairs.jsonl.gz")
        if row["label"] is not None and row["context_id"] in contexts and row["made"] != "verbatim"
    ]
    step = max(1, len(decided) // GENERATED_ROWS)
    for row in decided[::step]:
        yield Row(group="generated", claim=row["claim"], evidence=contexts[row["context_id"]], label=row["label"])


def contrast(rows: list[Row]) -> Iterator[Row]:
    """The two ends that labelled data lacks: a claim beside a stranger's evidence, and a sentence beside itself."""
    for at in range(0, len(rows), 6):
        stranger = rows[(at + len(rows) // 2 + 7) % len(rows)]
        yield Row(group="contrast", claim=rows[at].claim, evidence=stranger.evidence, label=1)
        own = max(rows[at].evidence, key=lambda text: (len(text) < 300, len(text)))
        yield Row(group="contrast", claim=own, evidence=rows[at].evidence, label=0)


def lines(path: Path) -> Iterator[dict]:  # type: ignore[type-arg]
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def row_features(claim: str, evidence: tuple[str, ...]) -> tuple[float, ...]:
    passages = (Passage(id="S1", text=" ".join(evidence)),)
    line = read_claim(claim)
    weights = Aligner(passages).weights
    whole = Claim(index=0, text=claim, span=(0, len(claim)), factual=True)
    return features(line, supports(line, passages, weights), passages, bind(whole, passages), weights)


def balance(rows: list[Row]) -> NDArray[np.float64]:
    """Each set by its weight, each label of a set by half of that."""
    counts: dict[tuple[str, int], int] = {}
    for row in rows:
        counts[row.group, row.label] = counts.get((row.group, row.label), 0) + 1
    weight = np.array([SETS[row.group] / counts[row.group, row.label] for row in rows])
    return weight / weight.mean()


def cross_fit(rows: list[Row], table: Matrix, labels: NDArray[np.float64], weight: NDArray[np.float64]) -> Matrix:
    """Each row's score by a model fitted on the other folds; rows with the same evidence share a fold."""
    folds = np.array([int(sha256_text(" ".join(row.evidence)[:400])[:8], 16) % FOLDS for row in rows])
    scores = np.zeros(len(rows))
    for fold in range(FOLDS):
        out = folds == fold
        scores[out] = apply(monotone_fit(table[~out], labels[~out], weight[~out]), table[out])
    return scores


def monotone_fit(table: Matrix, labels: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """A fit in which no feature pulls the wrong way: the worst offender is dropped until there is none."""
    signs = [0 if name in FREE else -1 if name in FALLING else 1 for name in NAMES]
    kept = list(range(len(NAMES)))
    while True:
        found = fit(table[:, kept], labels, weight)
        wrong = {at: value for at, value in zip(kept, found[1:], strict=True) if signs[at] * value < 0}
        if not wrong:
            break
        kept.remove(max(wrong, key=lambda at: abs(wrong[at])))
    full = np.zeros(len(NAMES) + 1)
    full[0] = found[0]
    full[[at + 1 for at in kept]] = found[1:]
    return full


def fit(table: Matrix, labels: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logistic regression with a small ridge, by Newton's method."""
    design = np.hstack([np.ones((len(table), 1)), table])
    penalty = np.full(design.shape[1], RIDGE)
    penalty[0] = 0.0
    beta = np.zeros(design.shape[1])
    for _ in range(40):
        chance = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        gradient = design.T @ (weight * (chance - labels)) + penalty * beta
        curve = (design * (weight * chance * (1 - chance))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curve, gradient)
        beta -= step
        if np.abs(step).max() < 1e-9:
            break
    return beta


def apply(beta: NDArray[np.float64], table: Matrix) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-(beta[0] + table @ beta[1:])))


def auroc(scores: NDArray[np.float64], labels: NDArray[np.float64]) -> float:
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    for value in np.unique(scores):
        tied = scores == value
        if tied.sum() > 1:
            ranks[tied] = ranks[tied].mean()
    bad = labels == 1
    return float((ranks[bad].sum() - bad.sum() * (bad.sum() + 1) / 2) / (bad.sum() * (~bad).sum()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
