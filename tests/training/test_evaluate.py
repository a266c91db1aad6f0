from __future__ import annotations

import numpy as np
import pytest
from training.evaluate import auroc, best_balanced_accuracy, bootstrap, by_answer, f1, ndcg
from training.teacher import agree

LABEL = np.array([0, 0, 1, 1])


def test_auroc_of_perfect_reversed_and_tied_scores() -> None:
    assert auroc(np.array([0.1, 0.2, 0.8, 0.9]), LABEL) == 1.0
    assert auroc(np.array([0.9, 0.8, 0.2, 0.1]), LABEL) == 0.0
    assert auroc(np.ones(4), LABEL) == 0.5


def test_the_best_cut_separates() -> None:
    value, cut = best_balanced_accuracy(np.array([0.1, 0.2, 0.8, 0.9]), LABEL)
    assert value == 1.0
    assert 0.2 <= cut < 0.8


def test_an_answer_is_as_bad_as_its_worst_sentence() -> None:
    score, sets = np.array([0.1, 0.9, 0.3]), np.array(["a/x"] * 3)
    group, label = np.array([1, 1, 2]), np.array([1, 1, 0])
    found = by_answer(score, sets, group, label, np.array([True] * 3))
    assert found["a"][0].tolist() == [0.9, 0.3]
    quiet = by_answer(score, sets, group, label, np.array([True, False, True]))
    assert quiet["a"][0].tolist() == [0.1, 0.3]


def test_the_interval_holds_the_value() -> None:
    dice = np.random.default_rng(0)
    label = dice.integers(0, 2, 200)
    score = label + dice.normal(0, 1, 200)
    low, high = bootstrap(score, label, np.arange(200) // 4, resamples=100)
    assert low < auroc(score, label) < high


def test_f1_and_ndcg() -> None:
    assert f1(np.array([False, True, True, False]), LABEL) == pytest.approx(0.5)
    assert ndcg(np.array([1.0, 0.0]), 1) == 1.0
    assert ndcg(np.array([0.0, 1.0]), 1) < 1.0


def test_the_teacher_drops_what_the_other_judge_denies() -> None:
    _, kept = agree(np.array([0.95, 0.95, 0.05, 0.5, 0.95]), np.array([0.9, 0.1, 0.1, 0.5, np.nan]))
    assert kept.tolist() == [True, False, True, False, True]
