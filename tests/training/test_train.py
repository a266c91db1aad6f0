"""A model of a few thousand weights through the whole line on CPU. Needs torch and onnx: `make models` says how."""

from __future__ import annotations

import argparse
import random
import tomllib
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

pytest.importorskip("torch", reason="training needs torch: pip install torch==2.13.0")
pytest.importorskip("onnx", reason="export needs onnx")
surefoot_models = pytest.importorskip("surefoot_models")

from training.dataset import Builder, Examples, Row  # noqa: E402
from training.export import calibrate, compare, judge, write_judge  # noqa: E402
from training.onnx_run import session  # noqa: E402
from training.score import load_model, score  # noqa: E402
from training.train import train  # noqa: E402

CONFIG = tomllib.loads((Path(__file__).parents[2] / "training/configs/tiny.toml").read_text())
TOKENIZER = Path(surefoot_models.folder()) / "embedder" / "tokenizer.json"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    dice = random.Random(0)
    builder = Builder(tokenizer=Tokenizer.from_file(str(TOKENIZER)))
    for number in range(160):
        label = float(number % 2)
        day = dice.randint(1, 28)
        claim = f"The office closes on {day + int(label)} March."
        builder.rows.append(
            Row(claim=claim, evidence=(f"It closes on {day} March.", "It is in Durban."), label=label, source="made",
                spans=((21, 24),) if label else None, group=number // 4 if number > 150 and label else -1)
        )  # fmt: skip
    path = tmp_path_factory.mktemp("data") / "train.npz"
    builder.save(path)
    return path


def options(data: Path, out: Path, **more: object) -> argparse.Namespace:
    given = {"data": data, "out": out, "base": None, "start": [], "soft": None, "held": False, "seed": 3, "steps": 0}
    return argparse.Namespace(**(given | {"once": False, "until": 0.0, "spare": None, "teacher": None} | more))


def logits(folder: Path, data: Path) -> np.ndarray:
    examples = Examples.load(data, "tiny", CONFIG["tokens"])
    return score(load_model(CONFIG, [folder]), examples, np.arange(len(examples)))[0]


def test_two_trainings_with_one_seed_give_one_model(data: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        train(CONFIG, options(data, tmp_path / name))
    assert np.array_equal(logits(tmp_path / "a", data), logits(tmp_path / "b", data))


def test_training_goes_on_from_its_last_epoch(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = CONFIG | {"epochs": 2}
    train(config, options(data, tmp_path / "whole"))
    import training.train as steps

    class CutError(Exception):
        pass

    saved = steps._save_progress

    def save_and_cut(*args: object) -> None:
        saved(*args)  # type: ignore[arg-type]
        raise CutError

    with monkeypatch.context() as patch:
        patch.setattr(steps, "_save_progress", save_and_cut)
        with pytest.raises(CutError):
            train(config, options(data, tmp_path / "cut"))
    train(config, options(data, tmp_path / "cut"))
    assert np.allclose(logits(tmp_path / "whole", data), logits(tmp_path / "cut", data), atol=1e-3)


def test_the_exported_graph_says_what_the_model_says(data: Path, tmp_path: Path) -> None:
    train(CONFIG, options(data, tmp_path / "m"))
    model = load_model(CONFIG, [tmp_path / "m"])
    examples = Examples.load(data, "tiny", CONFIG["tokens"])
    wide = write_judge(model, "float", {}, TOKENIZER, tokens=True)
    graph = session(wide)
    found = [judge(graph, examples, row) for row in range(12)]
    assert np.allclose(found, score(model, examples, np.arange(12))[0], atol=1e-3)
    narrow = write_judge(model, "fixed", calibrate(model, examples), TOKENIZER, tokens=True)
    cost = compare(wide, narrow, examples, np.arange(12))
    assert cost["logit_gap_mean"] < 0.1
    assert cost["rows"] == 12
