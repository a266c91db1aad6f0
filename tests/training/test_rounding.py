from __future__ import annotations

import numpy as np
import pytest
from training.rounding import SEVEN_BITS, Seen, capping, easing, quantise_rows, round_weight


@pytest.fixture
def inputs() -> np.ndarray:
    """Channels that go together, one of them thirty times as loud as the others."""
    dice = np.random.default_rng(0)
    states = dice.normal(size=(800, 6)) @ dice.normal(size=(6, 24)) + 0.3 * dice.normal(size=(800, 24))
    states[:, 5] *= 30
    return states.astype(np.float32)


def look(inputs: np.ndarray) -> Seen:
    return Seen(low=inputs.min(0), high=inputs.max(0), moment=inputs.T @ inputs)


def error(inputs: np.ndarray, weight: np.ndarray, codes: np.ndarray, scale: np.ndarray) -> float:
    return float(np.linalg.norm(inputs @ (codes * scale[:, None] - weight).T))


def test_rounding_for_the_product_beats_rounding_each_weight(inputs: np.ndarray) -> None:
    weight = np.random.default_rng(1).normal(size=(16, 24)).astype(np.float32)
    plain = error(inputs, weight, *quantise_rows(weight, SEVEN_BITS))
    assert error(inputs, weight, *round_weight(weight, look(inputs).moment)) < 0.7 * plain


def test_weights_keep_to_seven_bits(inputs: np.ndarray) -> None:
    weight = np.random.default_rng(1).normal(size=(16, 24)).astype(np.float32)
    codes, scale = round_weight(weight, look(inputs).moment)
    assert codes.dtype == np.int8
    assert np.abs(codes).max() <= SEVEN_BITS
    assert scale.shape == (16,)


def test_a_channel_that_was_never_used_does_not_break_rounding(inputs: np.ndarray) -> None:
    inputs[:, 3] = 0.0
    weight = np.random.default_rng(1).normal(size=(16, 24)).astype(np.float32)
    codes, scale = round_weight(weight, look(inputs).moment)
    assert np.isfinite(scale).all()
    assert error(inputs, weight, codes, scale) < 0.05 * np.linalg.norm(inputs @ weight.T)


def test_only_the_loudest_channels_are_capped(inputs: np.ndarray) -> None:
    ease = capping(look(inputs))
    assert ease is not None
    assert ease.argmax() == 5
    assert (ease == 1.0).sum() >= 22


def test_what_was_seen_follows_the_easing(inputs: np.ndarray) -> None:
    seen = look(inputs)
    ease = easing(np.ones((16, 24), np.float32), seen)
    assert ease is not None
    eased = seen.eased(ease)
    assert eased.bounds() == pytest.approx(look(inputs / ease).bounds(), rel=1e-4)
    assert np.allclose(eased.moment, look(inputs / ease).moment, rtol=1e-3, atol=1e-2)


def test_looks_at_two_halves_join_to_one_at_all(inputs: np.ndarray) -> None:
    joined, whole = look(inputs[:300]).joined(look(inputs[300:])), look(inputs)
    assert joined.bounds() == whole.bounds()
    assert np.allclose(joined.moment, whole.moment, rtol=1e-4)


def test_the_range_of_codes_always_holds_zero() -> None:
    positive = np.full((4, 3), 2.0, np.float32)
    low, high = look(positive).bounds()
    assert low < 0 < high
