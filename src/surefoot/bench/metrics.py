"""Numbers of a binary judgement: AUROC, F1, balanced accuracy, span overlap, reliability. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.core.types import Span


def auroc(scores: Sequence[float], labels: Sequence[int]) -> float:
    """Chance that a bad row scores above a good one; ties count half. 0.5 where there is only one kind."""
    order = sorted(range(len(scores)), key=lambda at: scores[at])
    ranks = [0.0] * len(scores)
    at = 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and scores[order[end + 1]] == scores[order[at]]:
            end += 1
        for place in range(at, end + 1):
            ranks[order[place]] = (at + end) / 2 + 1
        at = end + 1
    bad = sum(labels)
    good = len(labels) - bad
    if not bad or not good:
        return 0.5
    total = sum(rank for rank, label in zip(ranks, labels, strict=True) if label)
    return (total - bad * (bad + 1) / 2) / (bad * good)


def judgement(flagged: Sequence[bool], labels: Sequence[int]) -> dict[str, float]:
    """Precision, recall and F1 of finding bad rows, and balanced accuracy."""
    pairs = list(zip(flagged, labels, strict=True))
    caught = sum(flag and label for flag, label in pairs)
    bad = sum(label for _, label in pairs)
    alarms = sum(flag and not label for flag, label in pairs)
    good = len(pairs) - bad
    precision = caught / (caught + alarms) if caught + alarms else 0.0
    recall = caught / bad if bad else 0.0
    passed = (good - alarms) / good if good else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"f1": f1, "precision": precision, "recall": recall, "balanced_accuracy": (recall + passed) / 2}


def best_balanced_accuracy(scores: Sequence[float], labels: Sequence[int]) -> float:
    """The highest balanced accuracy any threshold on the scores gives.

    Chosen on the rows it is measured on, so it flatters: for comparing scores, not for promising anything.
    """
    bad = sum(labels)
    good = len(labels) - bad
    if not bad or not good:
        return 0.5
    best, caught, alarms = 0.5, 0, 0
    ranked = sorted(zip(scores, labels, strict=True), reverse=True)
    for (score, label), following in zip(ranked, [*(pair[0] for pair in ranked[1:]), None], strict=True):
        caught, alarms = caught + label, alarms + 1 - label
        if score != following:
            best = max(best, (caught / bad + 1 - alarms / good) / 2)
    return best


def span_f1(found: Sequence[Sequence[Span]], wanted: Sequence[Sequence[Span]]) -> float:
    """F1 over characters, all rows together."""
    hits = said = true = 0
    for mine, theirs in zip(found, wanted, strict=True):
        ours = {at for start, end in mine for at in range(start, end)}
        gold = {at for start, end in theirs for at in range(start, end)}
        hits, said, true = hits + len(ours & gold), said + len(ours), true + len(gold)
    precision, recall = hits / said if said else 0.0, hits / true if true else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def reliability(scores: Sequence[float], labels: Sequence[int], bins: int = 10) -> list[tuple[float, float, int]]:
    """For each bin of equal width: mean score, share of bad rows, rows. Empty bins are left out."""
    held: list[list[tuple[float, int]]] = [[] for _ in range(bins)]
    for score, label in zip(scores, labels, strict=True):
        held[min(bins - 1, int(score * bins))].append((score, label))
    return [
        (sum(score for score, _ in rows) / len(rows), sum(label for _, label in rows) / len(rows), len(rows))
        for rows in held
        if rows
    ]


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which the share lies, by the nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(share * len(ordered)) - 1))] if ordered else 0.0
