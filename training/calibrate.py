"""Turn scores into probabilities, choose the bands and measure: all on rows that the scoring model never trained on.

    python -m training.calibrate --name accurate --bench ../shared/bench --data training/work/data \\
        --held held-scores.npz --dev dev-scores.npz --folds dev-1.npz dev-2.npz dev-3.npz --out accurate.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from training.dataset import Examples
from training.evaluate import auroc, best_balanced_accuracy, bootstrap, by_answer, f1
from training.material import read_rows
from training.novelty import features

JOINT = {"token": 0.5, "novelty": 2.0, "number": 1.0}
HUMAN = ("ragtruth_tr", "factcg", "wice", "scifact_tr", "summedits")
"""Held sets that people (or a published recipe) labelled: the mix the probabilities are calibrated on."""
UNSEEN = "ragtruth"
"""Development answers that no weights learned from, shipped or not."""
MISSED = 0.10
"""Accepting may let through this share of the unsupported claims of the mix."""
ALARMS = 0.10
"""Rejecting may hit this share of the supported ones."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True)
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--held", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--shipped", type=Path, help="dev scores of the weights that ship, which went on from these")
    parser.add_argument("--folds", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    train = Examples.load(options.data / "train.npz", "minilm", 384)
    dev = Examples.load(options.data / "dev.npz", "minilm", 384)
    with np.load(options.held) as file:
        known = ~np.isnan(train.arrays["label"][file["rows"]])
        rows = file["rows"][known]
        words = features(train, rows, options.tokenizer)
        score = joint_score(file["sentence"][known], file["token"][known], words)
    sets = train.arrays["sets"][train.arrays["source"][rows]]
    label = train.arrays["label"][rows]
    mix = np.isin(sets, HUMAN)
    weight = balance(sets[mix], label[mix])
    fitted = LogisticRegression(C=1e6).fit(score[mix][:, None], label[mix], sample_weight=weight)
    scale, shift = float(fitted.coef_[0, 0]), float(fitted.intercept_[0])
    chance = 1 / (1 + np.exp(-(scale * score + shift)))
    report: dict[str, Any] = {
        "joint": JOINT | {"scale": round(scale, 4), "shift": round(shift, 4)},
        "bands": bands(chance[mix], label[mix], weight),
        "reliability": reliability(chance[mix], label[mix], weight),
        "held_rows": {
            name: _row(score[sets == name], label[sets == name], words[sets == name]) for name in np.unique(sets)
        },
    }
    report["answers"] = answers(dev, options, report["bands"], scale, shift)
    if options.shipped is not None:
        report |= as_shipped(dev, options, scale, shift)
    options.out.write_text(json.dumps(report, indent=1))
    print(json.dumps(report, indent=1))


def joint_score(sentence: np.ndarray, token: np.ndarray, words: np.ndarray) -> np.ndarray:
    return sentence + JOINT["token"] * token + JOINT["novelty"] * words[:, 0] + JOINT["number"] * words[:, 1]


def balance(sets: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Every set counts the same, and both labels within it."""
    weight = np.zeros(len(label))
    for name in np.unique(sets):
        for value in (0, 1):
            here = (sets == name) & (label == value)
            weight[here] = 1 / max(1, here.sum())
    return weight * len(label) / weight.sum()


def bands(chance: np.ndarray, label: np.ndarray, weight: np.ndarray) -> dict[str, float]:
    """The two cuts: below `accept` few unsupported claims hide, above `reject` few supported ones are hit."""
    bad, good = label > 0.5, label <= 0.5
    accept = _quantile(chance[bad], weight[bad], MISSED)
    reject = _quantile(chance[good], weight[good], 1 - ALARMS)
    middle = best_balanced_accuracy(chance, label)[1]
    return {"accept": round(accept, 3), "reject": round(reject, 3), "single_cut": round(middle, 3)}


def _quantile(values: np.ndarray, weight: np.ndarray, share: float) -> float:
    order = np.argsort(values)
    total = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(total, share * total[-1])])


def reliability(chance: np.ndarray, label: np.ndarray, weight: np.ndarray) -> list[list[float]]:
    """Ten bins: mean probability said, share found unsupported, rows."""
    found = []
    for low in np.arange(0, 1, 0.1):
        here = (chance >= low) & (chance < low + 0.1 + (1e-9 if low > 0.85 else 0))
        if here.any():
            said = np.average(chance[here], weights=weight[here])
            found.append(
                [round(float(said), 3), round(float(np.average(label[here], weights=weight[here])), 3), int(here.sum())]
            )
    return found


def _row(score: np.ndarray, label: np.ndarray, words: np.ndarray) -> dict[str, float]:
    return {
        "rows": len(label),
        "auroc": round(auroc(score, label), 4),
        "word_novelty": round(auroc(words[:, 0], label), 4),
    }


def answers(
    dev: Examples, options: argparse.Namespace, cuts: dict[str, float], scale: float, shift: float
) -> dict[str, Any]:
    """Whole answers of each development set, beside word novelty, with the cut taken from the held rows."""
    rows = np.arange(len(dev))
    words = features(dev, rows, options.tokenizer)
    sets, group, label = dev.arrays["sets"][dev.arrays["source"]], dev.arrays["group"], dev.arrays["label"]
    counts = dev.arrays["weight"] > 0
    with np.load(options.dev) as file:
        score = joint_score(file["sentence"], file["token"], words)
    ours = by_answer(score, sets, group, label, counts)
    plain = by_answer(words[:, 0], sets, group, label, counts)
    folds = []
    for path in options.folds:
        with np.load(path) as file:
            folds.append(by_answer(joint_score(file["sentence"], file["token"], words), sets, group, label, counts))
    sources = source_of_answers(options.bench / "grounding", sets, group)
    line = -np.log(1 / cuts["single_cut"] - 1) if 0 < cuts["single_cut"] < 1 else 0.0
    found: dict[str, Any] = {}
    for name, (value, truth) in ours.items():
        low, high = bootstrap(value, truth, sources[name])
        flagged = scale * value + shift > line
        caught, kept = flagged[truth > 0.5].mean(), (~flagged[truth <= 0.5]).mean()
        found[name] = {
            "answers": len(truth),
            "auroc": round(auroc(value, truth), 4),
            "interval": [round(low, 4), round(high, 4)],
            "balanced_accuracy": round(float((caught + kept) / 2), 4),
            "f1": round(f1(flagged, truth), 4),
            "word_novelty_auroc": round(auroc(plain[name][0], truth), 4),
            "best_word_novelty_balanced_accuracy": round(best_balanced_accuracy(*plain[name])[0], 4),
            "fold_seeds_auroc": [round(auroc(*fold[name]), 4) for fold in folds],
        }
    return found


def as_shipped(dev: Examples, options: argparse.Namespace, scale: float, shift: float) -> dict[str, Any]:
    """The calibration for weights that went on from the ones measured here, and their figures where those are honest.

    Their scores are brought to the old ones' size by a line, fitted on the set that neither learned from.
    """
    sets = dev.arrays["sets"][dev.arrays["source"]]
    rows = np.flatnonzero([str(name).startswith(UNSEEN) for name in sets])
    words = features(dev, rows, options.tokenizer)
    with np.load(options.dev) as before, np.load(options.shipped) as after:
        old, new = (joint_score(file["sentence"][rows], file["token"][rows], words) for file in (before, after))
    slope, offset = np.polyfit(new, old, 1)
    arrays = (sets[rows], dev.arrays["group"][rows], dev.arrays["label"][rows], dev.arrays["weight"][rows] > 0)
    return {
        "joint": JOINT | {"scale": round(scale * slope, 4), "shift": round(scale * offset + shift, 4)},
        "as_shipped": {name: {"auroc": round(auroc(*pair), 4)} for name, pair in by_answer(new, *arrays).items()},
    }


def source_of_answers(folder: Path, sets: np.ndarray, group: np.ndarray) -> dict[str, np.ndarray]:
    """A number for the source text of each answer, in the order in which `by_answer` lists answers."""
    place: dict[int, int] = {}
    for path in sorted(folder.glob("*.jsonl")):
        here = [at for at in range(len(sets)) if str(sets[at]).startswith(path.stem + "/")]
        first = int(group[here].min())
        for number, row in enumerate(read_rows(path)):
            place[first + number] = hash("\n".join(row["sources"]))
    found: dict[str, dict[int, int]] = {}
    for at in range(len(sets)):
        for name in {str(sets[at]), str(sets[at]).split("/")[0]}:
            found.setdefault(name, {})[int(group[at])] = place[int(group[at])]
    return {name: np.array(list(values.values())) for name, values in found.items()}


if __name__ == "__main__":
    main()
