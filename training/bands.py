"""From scores on development rows: how logits become risks, and the bands for a stated risk.

    python -m training.bands --lessons training/work/lessons --scores training/work/acc \\
        --out training/work/bands-acc.json

Two sets speak: the written development rows and the RAGTruth subset, sentence by sentence; neither was trained on. A
logistic curve is fitted to both at equal weight. `release`: of the claims under it at most 5 % are wrong on either set,
by sentences of answers; `accept`: at most 2 %; `reject`: from there on at most one in twenty right claims falls. The
fast grounder's `reject` is that of the written answers alone (`--reject-by`): its risks are the flatter ones.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from training.measure import ASKED, auroc

STATED = {"release": 0.05, "accept": 0.02}
WRITTEN_AGAINST = ("w-yesno", "w-cuts")
"""Kinds of rows that are pairs against a model's habits, nearly half of them wrong: nobody's answers are like that, so
they say how good it is and not where its bands lie."""
FOR_TUTOR = {"release": 0.025, "accept": 0.015}
"""It tells them apart so well that at 5 % a quarter of the wrong sentences would leave beside nearly all right ones."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lessons", type=Path, required=True)
    parser.add_argument("--scores", type=Path, required=True)
    parser.add_argument("--tutor", action="store_true", help="the scores are the tutor's: FILE-tutor.npz")
    parser.add_argument("--reject-by", help="the set that says where `reject` begins")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    sets = {}
    for name in ("written", "held"):
        kept = options.scores / (f"{name}-tutor.npz" if options.tutor else f"{name}-scores.npz")
        if options.tutor and not kept.exists():
            continue
        with np.load(options.lessons / f"{name}.npz") as file:
            arrays = {key: file[key] for key in file.files}
        with np.load(kept) as file:
            sentence = file["logits" if options.tutor else "sentence"].astype(float)
        sets |= parts(arrays, sentence)
    found = bands(sets, FOR_TUTOR if options.tutor else STATED, options.reject_by)
    options.out.write_text(json.dumps(found, indent=1))
    print(json.dumps(found))


def parts(
    arrays: dict[str, np.ndarray], sentence: np.ndarray, beside: np.ndarray | None = None
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Each set's features and labels: the logit, and where another grounder stands beside it, its log-odds."""
    kinds = np.repeat([str(arrays["sets"][s]) for s in arrays["set"]], np.diff(arrays["statement_ends"]))
    logit, label = (sentence[:, 1] - sentence[:, 0])[:, None], arrays["label"]
    if beside is not None:
        logit = np.concatenate([logit, beside[:, None]], axis=1)
    # what the model takes for no claim is not judged by its risk
    judged = (label < 2) & (sentence.argmax(1) != 2)
    found = {}
    if any(kind.startswith("w-") for kind in kinds):
        judged = judged & (kinds != ASKED) & ~np.isin(kinds, WRITTEN_AGAINST)
        for name, part in (("written answers", ~arrays["alone"]), ("written claims", arrays["alone"])):
            found[name] = (logit[judged & part], label[judged & part])
    else:
        part = judged & np.char.startswith(kinds.astype(str), "ragtruth")
        found["ragtruth"] = (logit[part], label[part])
    return found


def bands(
    sets: dict[str, tuple[np.ndarray, np.ndarray]], stated: dict[str, float] = STATED, reject_by: str | None = None
) -> dict[str, object]:
    *scale, shift = fit(sets)
    risks = {name: 1 / (1 + np.exp(-(features @ scale + shift))) for name, (features, _) in sets.items()}
    answers = [name for name in sets if name != "written claims"]
    cut = {
        name: round(min(highest(risks[each], sets[each][1], share) for each in answers), 3)
        for name, share in stated.items()
    }
    right = np.concatenate([risks[name][sets[name][1] == 0] for name in ([reject_by] if reject_by else answers)])
    cut["reject"] = round(float(max(np.quantile(right, 0.95), cut["release"] + 0.05)), 3)
    return {
        "calibration": {"scale": round(scale[0], 4), "shift": round(shift, 4)},
        "beside": round(scale[1], 4) if scale[1:] else 0.0,
        "bands": cut,
        "sets": {name: told(risks[name], sets[name][1], cut["release"]) for name in sets},
    }


def fit(sets: dict[str, tuple[np.ndarray, np.ndarray]]) -> list[float]:
    """A logistic curve by Newton's steps, each set with the same weight: what each feature counts, and the shift."""
    features = np.concatenate([part for part, _ in sets.values()])
    features = np.concatenate([features, np.ones((len(features), 1))], axis=1)
    label = np.concatenate([part for _, part in sets.values()]).astype(float)
    weight = np.concatenate([np.full(len(part), 1 / len(part)) for part, _ in sets.values()])
    theta, best = np.array([0.1] * (features.shape[1] - 1) + [0.0]), np.inf
    for _ in range(200):
        line = np.clip(features @ theta, -30, 30)
        chance = 1 / (1 + np.exp(-line))
        best = float((weight * (np.logaddexp(0, line) - label * line)).sum())
        gradient = features.T @ (weight * (chance - label))
        curve = (features * (weight * chance * (1 - chance))[:, None]).T @ features + 1e-9 * np.eye(len(theta))
        step, size = np.linalg.solve(curve, gradient), 1.0
        while size > 1e-6:  # never step to a worse place
            line = np.clip(features @ (theta - size * step), -30, 30)
            if (weight * (np.logaddexp(0, line) - label * line)).sum() <= best:
                break
            size /= 2
        theta = theta - size * step
    return [float(one) for one in theta]


def highest(risk: np.ndarray, label: np.ndarray, share: float, least: int = 40) -> float:
    """The highest risk up to which at most `share` of the claims are wrong; 0 where no band of some size holds."""
    order = np.argsort(risk)
    wrong = np.cumsum(label[order] == 1) / np.arange(1, len(order) + 1)
    held = np.flatnonzero((wrong <= share) & (np.arange(1, len(order) + 1) >= least))
    return float(risk[order][held[-1]]) if len(held) else 0.0


def told(risk: np.ndarray, label: np.ndarray, release: float) -> dict[str, float]:
    out = risk <= release
    return {
        "rows": len(label),
        "wrong": round(float((label == 1).mean()), 4),
        "auroc": round(auroc(risk, label == 1), 4),
        "reliability_error": round(reliability(risk, label), 4),
        "right released": round(float(out[label == 0].mean()), 4),
        "wrong released": round(float(out[label == 1].mean()), 4),
        "wrong among released": round(float((label[out] == 1).mean()) if out.any() else 0.0, 4),
    }


def reliability(risk: np.ndarray, label: np.ndarray, bins: int = 10) -> float:
    """Mean distance between what is said and what is found, over bins of equal size."""
    order = np.argsort(risk)
    parts_ = np.array_split(order, bins)
    return float(sum(len(p) * abs(risk[p].mean() - (label[p] == 1).mean()) for p in parts_ if len(p)) / len(risk))


if __name__ == "__main__":
    main()
