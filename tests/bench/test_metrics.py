"""The numbers of the benches, against cases worked out by hand."""

from __future__ import annotations

import pytest

from surefoot.bench.metrics import auroc, best_balanced_accuracy, judgement, quantile, reliability, span_f1


def test_auroc_is_one_for_a_perfect_order_and_half_for_ties() -> None:
    assert auroc([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1]) == 1.0
    assert auroc([0.9, 0.8, 0.2, 0.1], [0, 0, 1, 1]) == 0.0
    assert auroc([0.5, 0.5, 0.5, 0.5], [0, 0, 1, 1]) == 0.5
    assert auroc([0.5, 0.7], [1, 1]) == 0.5


def test_judgement_counts_both_kinds_of_rows() -> None:
    found = judgement([True, True, False, False], [1, 0, 1, 0])
    assert found == {"f1": 0.5, "precision": 0.5, "recall": 0.5, "balanced_accuracy": 0.5}
    assert judgement([False, False], [1, 0])["f1"] == 0.0


def test_span_f1_counts_characters() -> None:
    assert span_f1([[(0, 10)]], [[(0, 10)]]) == 1.0
    assert span_f1([[(0, 10)]], [[(5, 15)]]) == pytest.approx(0.5)
    assert span_f1([[]], [[(0, 5)]]) == 0.0


def test_span_f1_takes_the_characters_of_all_rows_together_and_counts_none_twice() -> None:
    # 10 of 40 said are right, 10 of 10 wanted are found; the mean of the rows would be 0.5
    assert span_f1([[(0, 10), (5, 10)], [(0, 30)]], [[(0, 10)], []]) == pytest.approx(0.4)


def test_reliability_leaves_empty_bins_out() -> None:
    assert reliability([0.05, 0.05, 0.95], [0, 1, 1]) == [(0.05, 0.5, 2), (0.95, 1.0, 1)]


def test_a_quantile_is_a_value_that_was_seen() -> None:
    assert quantile([4, 1, 3, 2], 0.5) == 2
    assert quantile([], 0.5) == 0.0


def test_the_best_threshold_is_at_least_as_good_as_any_other() -> None:
    scores, labels = [0.1, 0.4, 0.4, 0.6, 0.9, 0.2], [0, 1, 0, 1, 1, 0]
    cuts = [judgement([score >= cut for score in scores], labels)["balanced_accuracy"] for cut in (*scores, 1.0)]
    assert best_balanced_accuracy(scores, labels) == pytest.approx(max(cuts))
    assert best_balanced_accuracy([0.5, 0.5], [0, 1]) == 0.5
    assert best_balanced_accuracy([0.5, 0.7], [1, 1]) == 0.5
