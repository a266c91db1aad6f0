"""A student whose evidence rests learns from its teacher's file. Needs torch and onnx: `make models` says how."""

from __future__ import annotations

import argparse
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

torch = pytest.importorskip("torch", reason="training needs torch: pip install torch==2.13.0")
onnx = pytest.importorskip("onnx", reason="export needs onnx")
surefoot_models = pytest.importorskip("surefoot_models")

from training.dataset import Builder, Examples, Row  # noqa: E402
from training.encoder import TINY, shape_of  # noqa: E402
from training.export import calibrate, write_judge  # noqa: E402
from training.heads import Judge  # noqa: E402
from training.recover import recover  # noqa: E402
from training.score import score  # noqa: E402
from training.settle import settle  # noqa: E402

TOKENIZER = Path(surefoot_models.folder()) / "embedder" / "tokenizer.json"
CONFIG = {
    "base": "tiny", "keep_layers": [0, 1, 2], "rest": 1, "tokens": 128, "rows": 96, "longest": 96, "batch_rows": 8,
    "rate": 3e-3, "share": {"left out": 0},
}  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    dice = random.Random(0)
    builder = Builder(tokenizer=Tokenizer.from_file(str(TOKENIZER)))
    for number in range(128):
        day = dice.randint(1, 28)
        builder.rows.append(
            Row(claim=f"The office closes on {day} March.", evidence=(f"It closes on {dice.randint(1, 28)} March.",),
                label=float(number % 2), source="left out" if number % 4 == 3 else "made", spans=None)
        )  # fmt: skip
    builder.save(tmp_path / "train.npz")
    return tmp_path / "train.npz"


def options(data: Path, out: Path) -> argparse.Namespace:
    teacher = out.parent / "teacher.onnx"
    if not teacher.exists():
        torch.manual_seed(5)
        model = Judge(replace(TINY, layers=3), 0.0).eval()
        with torch.no_grad():
            for name, weight in model.named_parameters():
                if "norm" not in name:
                    weight.mul_(3.0)
        examples = Examples.load(data, "tiny", 128)
        teacher.write_bytes(write_judge(model, "fixed", calibrate(model, examples), TOKENIZER, tokens=True))
    return argparse.Namespace(teacher=teacher, data=data, rows=None, seed=3, minutes=0.0, out=out)


def said(model: Judge, data: Path) -> np.ndarray:
    examples = Examples.load(data, "tiny", 128)
    return score(model, examples, np.arange(len(examples)))[0]


def test_a_student_comes_nearer_to_its_teacher(data: Path, tmp_path: Path) -> None:
    given = options(data, tmp_path / "student")
    file = onnx.load(given.teacher)
    teacher = said(recover(file, shape_of(CONFIG | {"rest": None})), data)
    before = np.abs(said(recover(file, shape_of(CONFIG)), data) - teacher).mean()
    after = np.abs(said(settle(CONFIG, given), data) - teacher).mean()
    assert after < 0.7 * before


def test_what_stands_below_the_rest_is_not_touched(data: Path, tmp_path: Path) -> None:
    given = options(data, tmp_path / "student")
    start, end = recover(onnx.load(given.teacher), shape_of(CONFIG)).state_dict(), settle(CONFIG, given).state_dict()
    moved = {name for name, value in start.items() if not torch.equal(value, end[name])}
    assert moved
    assert all(name.startswith(("encoder.layers.1.", "encoder.layers.2.")) for name in moved)


def test_two_trainings_with_one_seed_give_one_model(data: Path, tmp_path: Path) -> None:
    first, second = (settle(CONFIG, options(data, tmp_path / name)) for name in ("a", "b"))
    assert np.array_equal(said(first, data), said(second, data))


def test_sets_without_a_share_are_not_learned_from(data: Path, tmp_path: Path) -> None:
    from training.settle import choose

    examples = Examples.load(data, "tiny", 128)
    rows = np.concatenate(choose(examples, CONFIG, options(data, tmp_path / "student")))
    assert len(rows) == 96
    assert not any(row % 4 == 3 for row in rows)
