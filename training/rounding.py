"""How weights and states are brought to few bits: what calibration must see, and the arithmetic of rounding.

Nothing here knows ONNX; `training/graph.py` writes down what is decided here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SMOOTHING = 0.6
EIGHT_BITS, SEVEN_BITS = 127, 63
"""Weights take seven of the eight bits: on x86 without VNNI a pair of full products overflows sixteen bits."""
LOUD = 0.95
"""Of a layer's inner channels so many are taken as they are; the louder ones are brought down to their size."""
DAMPING = 0.01
GROUP = 128


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What the inputs of one linear layer looked like in calibration."""

    low: np.ndarray
    high: np.ndarray
    """The lowest and the highest value of each channel."""
    moment: np.ndarray
    """The sum over tokens of input times input, [channels, channels]: which channels go together."""

    @property
    def peak(self) -> np.ndarray:
        return np.maximum(np.maximum(self.high, -self.low), 1e-3)

    def bounds(self) -> tuple[float, float]:
        """The range that codes must cover; zero is always one of them."""
        return min(float(self.low.min()), -1e-6), max(float(self.high.max()), 1e-6)

    def eased(self, ease: np.ndarray) -> Seen:
        return Seen(low=self.low / ease, high=self.high / ease, moment=self.moment / np.outer(ease, ease))

    def joined(self, other: Seen) -> Seen:
        return Seen(
            low=np.minimum(self.low, other.low),
            high=np.maximum(self.high, other.high),
            moment=self.moment + other.moment,
        )


def easing(weight: np.ndarray, seen: Seen | None) -> np.ndarray | None:
    """By how much each input channel is scaled down before rounding, and its weights up (SmoothQuant)."""
    if seen is None:
        return None
    return seen.peak**SMOOTHING / np.maximum(np.abs(weight).max(0), 1e-5) ** (1 - SMOOTHING)


def capping(seen: Seen | None) -> np.ndarray | None:
    """The same for inner states, where a handful of channels is ten times as loud as the rest: only they are eased."""
    return None if seen is None else np.maximum(seen.peak / np.quantile(seen.peak, LOUD), 1.0)


def quantise_rows(table: np.ndarray, top: int = EIGHT_BITS) -> tuple[np.ndarray, np.ndarray]:
    """Symmetric codes up to `top` and one scale per row."""
    scale = np.maximum(np.abs(table).max(1), 1e-8) / top
    return np.clip(np.round(table / scale[:, None]), -top, top).astype(np.int8), scale


def round_weight(weight: np.ndarray, moment: np.ndarray, top: int = SEVEN_BITS) -> tuple[np.ndarray, np.ndarray]:
    """Codes and a scale per row, chosen for what the product says rather than for each weight (GPTQ).

    Channels are rounded one after the other, and what a rounding changes is made good, as far as inputs that go
    together allow, by the channels still to come. A product's error, its inputs' rounding included, falls by a tenth to
    a quarter.
    """
    scale = np.maximum(np.abs(weight).max(1), 1e-8).astype(np.float64) / top
    size = weight.shape[1]
    damped = moment.astype(np.float64) + np.eye(size) * (DAMPING * np.trace(moment) / size + 1e-9)
    spread = np.linalg.cholesky(np.linalg.inv(damped)).T
    left = weight.astype(np.float64) / scale[:, None]
    codes = np.zeros_like(left)
    for start in range(0, size, GROUP):
        end = min(start + GROUP, size)
        errors = np.zeros((len(left), end - start))
        for at in range(start, end):
            codes[:, at] = np.clip(np.round(left[:, at]), -top, top)
            errors[:, at - start] = (left[:, at] - codes[:, at]) / spread[at, at]
            left[:, at:end] -= np.outer(errors[:, at - start], spread[at, at:end])
        left[:, end:] -= errors @ spread[start:end, end:]
    return codes.astype(np.int8), scale.astype(np.float32)
