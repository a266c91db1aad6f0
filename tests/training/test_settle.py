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

from training.blend import blend  # noqa: E402
from training.dataset import Builder, Examples, Row  # noqa: E402
from training.encoder import TINY, shape_of  # noqa: E402
from training.export import calibrate, write_judge  # noqa: E402
from training.heads import Judge  # noqa: E402
from training.losses import Said  # noqa: E402
from training.recover import recover  # noqa: E402
from training.score import score  # noqa: E402
from training.settle import order_gap, translate, verdict_gap  # noqa: E402
from training.train import train, weights_of  # noqa: E402

TOKENIZER = Path(surefoot_models.folder()) / "embedder" / "tokenizer.json"
CONFIG = {
    "base": "tiny", "keep_layers": [0, 1, 2], "rest": 1, "frozen": 1, "tokens": 128, "objective": "ground", "epochs": 6,
    "batch_tokens": 256, "rate": 3e-3, "dropout": 0.0, "labels": 0.0, "verdicts": 1.0, "states": 1.0,
    "share": {"left out": 0},
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
    return argparse.Namespace(
        teacher=teacher, teacher_config=None, start=[teacher], data=data, base=None, soft=None, held=False, spare=None,
        seed=3, steps=0, until=0.0, once=True, out=out,
    )  # fmt: skip


def said(model: Judge, data: Path) -> np.ndarray:
    examples = Examples.load(data, "tiny", 128)
    return score(model.eval(), examples, np.arange(len(examples)))[0]


def test_a_student_comes_nearer_to_its_teacher(data: Path, tmp_path: Path) -> None:
    given = options(data, tmp_path / "student")
    file = onnx.load(given.teacher)
    teacher = said(recover(file, shape_of(CONFIG | {"rest": None})), data)
    before = np.abs(said(recover(file, shape_of(CONFIG)), data) - teacher).mean()
    after = np.abs(said(train(CONFIG, given), data) - teacher).mean()
    assert after < 0.7 * before


def test_what_is_frozen_is_not_touched(data: Path, tmp_path: Path) -> None:
    given = options(data, tmp_path / "student")
    start, end = recover(onnx.load(given.teacher), shape_of(CONFIG)).state_dict(), train(CONFIG, given).state_dict()
    moved = {name for name, value in start.items() if not torch.equal(value, end[name])}
    assert moved
    assert all(name.startswith(("encoder.layers.1.", "encoder.layers.2.", "sentence.", "token.")) for name in moved)


def test_two_trainings_with_one_seed_give_one_model(data: Path, tmp_path: Path) -> None:
    first, second = (train(CONFIG, options(data, tmp_path / name)) for name in ("a", "b"))
    assert np.array_equal(said(first, data), said(second, data))


def test_a_row_without_a_label_is_taught_by_the_teachers_opinion(data: Path, tmp_path: Path) -> None:
    with np.load(data) as file:
        arrays = {name: file[name] for name in file.files}
    silent = tmp_path / "silent.npz"
    np.savez(silent, **(arrays | {"label": np.full_like(arrays["label"], np.nan)}))
    given = options(data, tmp_path / "student")
    given.data = silent
    file = onnx.load(given.teacher)
    teacher = said(recover(file, shape_of(CONFIG | {"rest": None})), data)
    before = np.abs(said(recover(file, shape_of(CONFIG)), data) - teacher).mean()
    after = said(train(CONFIG | {"labels": 1.0, "verdicts": 0.0, "states": 0.0}, given), data)
    assert np.isfinite(after).all()
    assert np.abs(after - teacher).mean() < before


def test_a_small_students_words_are_read_by_a_large_teacher_as_its_own() -> None:
    ids = torch.tensor([[101, 2023, 102, 3000, 102, 0]])
    assert translate(ids, "minilm", "mpnet").tolist() == [[0, 2027, 2, 3004, 2, 1]]
    assert translate(ids, "tiny", "tiny") is ids
    with pytest.raises(ValueError, match="not provided for"):
        translate(ids, "mpnet", "minilm")


def test_only_the_claims_words_are_compared() -> None:
    claim = torch.tensor([[0, 1, 1, 0]])
    ours = Said(states=[], sentence=torch.zeros(1), token=torch.tensor([[5.0, 1.0, 1.0, 9.0]]))
    theirs = Said(states=[], sentence=torch.zeros(1), token=torch.tensor([[0.0, 1.0, 1.0, 0.0]]))
    assert verdict_gap(ours, theirs, claim) == 0


def test_an_order_is_compared_within_its_question() -> None:
    group = torch.tensor([0, 0, 1, 1])
    told = torch.tensor([3.0, 1.0, 0.0, 0.0])
    assert order_gap(told + torch.tensor([5.0, 5.0, -2.0, -2.0]), told, group) == 0
    assert order_gap(-told, told, group) > 0


def test_a_file_of_more_layers_lends_those_that_are_kept(data: Path, tmp_path: Path) -> None:
    file = options(data, tmp_path / "student").teacher
    whole = weights_of(file, shape_of(CONFIG))
    part = weights_of(file, shape_of(CONFIG | {"keep_layers": [0, 2]}), [0, 2])
    assert torch.equal(part["encoder.layers.1.up.weight"], whole["encoder.layers.2.up.weight"])
    assert "encoder.layers.2.up.weight" not in part
    assert part.keys() == Judge(replace(TINY, layers=2), 0.0).state_dict().keys()


def test_a_blend_goes_from_one_model_to_the_other(data: Path, tmp_path: Path) -> None:
    theirs = weights_of(options(data, tmp_path / "student").teacher, shape_of(CONFIG))
    ours = {name: value.clone() for name, value in theirs.items()}
    loud = torch.linspace(0.5, 2.0, TINY.hidden)
    values = slice(2 * TINY.hidden, None)
    for number in range(3):  # the same model, its value channels in another scale
        layer = f"encoder.layers.{number}."
        ours[f"{layer}qkv.weight"][values] *= loud[:, None]
        ours[f"{layer}qkv.bias"][values] *= loud
        ours[f"{layer}out.weight"] /= loud
    for share in (0.0, 0.5, 1.0):
        mixed = blend(ours, theirs, share)
        assert all(torch.allclose(mixed[name], ours[name], atol=1e-5) for name in ours)
    theirs["sentence.bias"] = theirs["sentence.bias"] + 4.0
    assert torch.allclose(blend(ours, theirs, 0.25)["sentence.bias"], ours["sentence.bias"] + 1.0)
