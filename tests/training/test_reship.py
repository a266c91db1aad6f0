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


def test_a_student_that_disagrees_is_as_sure_of_itself_as_its_teacher() -> None:
    dice = np.random.default_rng(1)
    truth = dice.normal(size=4000)
    theirs, ours = (truth + 0.5 * dice.normal(size=4000) for _ in range(2))
    after = fitted({"scale": 0.2, "shift": -0.5}, 3.0 * ours, theirs)
    said = after["scale"] * 3.0 * ours + after["shift"]
    assert said.std() == pytest.approx((0.2 * theirs).std(), rel=0.01)
