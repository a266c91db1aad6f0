"""Development figures of a grounder's scores: by kind, beside what the words alone would tell."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np

ASKED = "q-asked"
"""The lessons that ask whether a sentence answers a question."""


def auroc(score: np.ndarray, label: np.ndarray) -> float:
    score, label = np.asarray(score, float), np.asarray(label)
    wrong = int(label.sum())
    if not wrong or wrong == len(label):
        return float("nan")
    _, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    upto = np.cumsum(counts)
    rank = (upto - (counts - 1) / 2)[inverse]
    return float((rank[label == 1].sum() - wrong * (wrong + 1) / 2) / (wrong * (len(label) - wrong)))


def risk(sentence: np.ndarray) -> np.ndarray:
    """The logit of 'unsupported' against the two others."""
    return sentence[:, 1] - np.logaddexp(sentence[:, 0], sentence[:, 2])


def report(arrays: dict[str, np.ndarray], scores: dict[str, np.ndarray]) -> dict[str, object]:
    label, alone = arrays["label"], arrays["alone"]
    score = scores["sentence"][:, 1] - scores["sentence"][:, 0]
    kinds = np.repeat([str(arrays["sets"][s]) for s in arrays["set"]], np.diff(arrays["statement_ends"]))
    known = novelty(arrays)
    asked = kinds == ASKED
    claim = (label < 2) & ~asked
    found: dict[str, object] = {}
    if asked.any():
        found["asked"] = [round(auroc(score[asked], label[asked]), 4), int(asked.sum()), *chosen(arrays, score, asked)]
    if any(str(kind).startswith("w-") for kind in kinds):
        for name, part in (("claims", claim & alone), ("sentences", claim & ~alone)):
            found[name] = [
                round(auroc(score[part], label[part]), 4),
                round(auroc(known[part], label[part]), 3),
                int(part.sum()),
            ]
        found["by_kind"] = {
            str(kind): [round(auroc(score[claim & (kinds == kind)], label[claim & (kinds == kind)]), 3),
                        round(auroc(known[claim & (kinds == kind)], label[claim & (kinds == kind)]), 3)]
            for kind in np.unique(kinds[~asked])
        }  # fmt: skip
        found["twins"] = twins(arrays | {"twin": np.where(asked, -1, arrays["twin"])}, score)
        silent = scores["sentence"].argmax(1) == 2
        found["silent"] = {
            "accuracy": round(float((silent == (label == 2))[~asked].mean()), 4),
            "claims_called_silent": round(float(silent[claim].mean()), 4),
            "silent_found": round(float(silent[label == 2].mean()), 4),
        }
    else:
        found |= by_answer(arrays, scores, kinds)
    found["span_f1"] = span_f1(arrays, scores)
    return found


def chosen(arrays: dict[str, np.ndarray], score: np.ndarray, asked: np.ndarray) -> list[float]:
    """Of the questions with an answer, whose most likely sentence is one; and how well the most likely sentence's score
    tells those from the questions that nothing answers (AUROC)."""
    groups: dict[str, list[int]] = defaultdict(list)
    for at in np.flatnonzero(asked):
        groups[str(arrays["id"][at])].append(int(at))
    best = {name: min(places, key=lambda at: score[at]) for name, places in groups.items()}
    answered = {name: bool((arrays["label"][places] == 0).any()) for name, places in groups.items()}
    first = [arrays["label"][best[name]] == 0 for name in groups if answered[name]]
    lowest = np.array([score[best[name]] for name in groups])
    return [
        round(float(np.mean(first)), 4),
        round(auroc(lowest, np.array([not answered[name] for name in groups], int)), 4),
    ]


def twins(arrays: dict[str, np.ndarray], score: np.ndarray) -> list[float]:
    pairs: dict[int, dict[int, float]] = defaultdict(dict)
    for twin, label, value in zip(arrays["twin"], arrays["label"], score, strict=True):
        if twin >= 0 and label < 2:
            pairs[int(twin)][int(label)] = float(value)
    whole = [pair[1] > pair[0] for pair in pairs.values() if len(pair) == 2]
    return [round(float(np.mean(whole)), 4) if whole else float("nan"), len(whole)]


def by_answer(arrays: dict[str, np.ndarray], scores: dict[str, np.ndarray], kinds: np.ndarray) -> dict[str, object]:
    """Answers judged by their worst claim; the answer's label rides on its first sentence's id."""
    ids, ends = arrays["id"], arrays["statement_ends"]
    value = risk(scores["sentence"])
    results: dict[str, tuple[list[float], list[int]]] = defaultdict(lambda: ([], []))
    for start, end in pairwise(ends):
        name = str(kinds[start])
        for key in {name, name.split("-")[0]}:
            results[key][0].append(float(value[start:end].max()))
            results[key][1].append(int(str(ids[start]).rsplit("|", 1)[1]))
    found: dict[str, object] = {
        key: [round(auroc(np.array(s), np.array(y)), 4), len(y)] for key, (s, y) in results.items()
    }
    part = np.array([k.startswith("ragtruth") for k in kinds])
    found["ragtruth_sentences"] = round(auroc(value[part], arrays["label"][part] == 1), 4)
    return found


def span_f1(arrays: dict[str, np.ndarray], scores: dict[str, np.ndarray]) -> float:
    """Characters stand in for tokens: F1 of unsupported tokens over statements whose words are labelled."""
    hit = miss = false = 0
    wrong = risk(scores["sentence"]) > 0
    for at, end in enumerate(scores["token_ends"][1:]):
        logits = scores["token"][scores["token_ends"][at] : end]
        mark = arrays["mark_data"][arrays["mark_ends"][at] : arrays["mark_ends"][at + 1]][: len(logits)]
        if not len(mark) or (mark < 0).any():
            continue
        said = (logits[: len(mark)] > 0) & wrong[at]
        hit += int((said & (mark == 1)).sum())
        false += int((said & (mark == 0)).sum())
        miss += int((~said & (mark == 1)).sum())
    return round(2 * hit / max(1, 2 * hit + miss + false), 4)


def novelty(arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Share of a claim's tokens that stand nowhere in its sources."""
    found = np.zeros(len(arrays["label"]))
    for at in range(len(arrays["lesson_ends"]) - 1):
        first, last = arrays["lesson_ends"][at], arrays["lesson_ends"][at + 1]
        texts = arrays["passage_ends"][first], arrays["passage_ends"][last]
        data = arrays["text_data"][arrays["text_ends"][texts[0]] : arrays["text_ends"][texts[1]]]
        for statement in range(arrays["statement_ends"][at], arrays["statement_ends"][at + 1]):
            own = arrays["claim_data"][arrays["claim_ends"][statement] : arrays["claim_ends"][statement + 1]]
            found[statement] = float((~np.isin(own, data)).mean()) if len(own) else 0.0
    return found
