"""A settled model takes its teacher's place, with its teacher's calibration. Needs torch and onnx."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch: pip install torch==2.13.0")
pytest.importorskip("onnx", reason="export needs onnx")
pytest.importorskip("sklearn", reason="calibration needs scikit-learn")

from training.reship import fitted


def test_scores_of_another_size_get_the_same_probability() -> None:
    theirs = np.linspace(-8, 8, 50)
    ours = 0.5 * theirs + 3.0
    before = {"scale": 0.2, "shift": -0.5}
    after = fitted(before, ours, theirs)
    assert np.allclose(after["scale"] * ours + after["shift"], before["scale"] * theirs + before["shift"], atol=1e-3)
