"""The graph of the thorough grounder says what the model it is written from says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("gguf")

import torch
from onnxruntime import InferenceSession
from tests.encoders.test_reader_file import SHAPE, tensors, write_model
from training.language import Decoder, DecoderShape
from training.reader_graph import write

from surefoot.encoders.reader_file import NO, NONE, WEIGHTS, YES, Model, stretches


@pytest.fixture
def held() -> dict[str, np.ndarray]:
    return tensors()


@pytest.fixture
def session(tmp_path: Path, held: dict[str, np.ndarray]) -> InferenceSession:
    write_model(tmp_path / "model.gguf", held)
    model = Model(tmp_path / "model.gguf", None)
    assert model.shape == SHAPE
    with (tmp_path / WEIGHTS).open("wb") as out:
        for stretch in stretches(SHAPE):
            model.write(stretch, out)
    (tmp_path / "graph.onnx").write_bytes(write(SHAPE).SerializeToString())
    return InferenceSession(tmp_path / "graph.onnx", providers=["CPUExecutionProvider"])


def expected(held: dict[str, np.ndarray], ids: list[int]) -> np.ndarray:
    """Of the last piece, by torch in full precision."""
    form = DecoderShape(
        words=SHAPE.words, hidden=SHAPE.hidden, inner=SHAPE.inner, layers=SHAPE.layers, heads=SHAPE.heads,
        shared_heads=SHAPE.shared, turn=SHAPE.turn, epsilon=SHAPE.epsilon,
    )  # fmt: skip
    decoder = Decoder(form)
    named = {"token_embd.weight": "words.weight", "output_norm.weight": "norm.weight"}
    state = {
        named.get(n, n.replace("blk.", "layers.")): torch.from_numpy(v) for n, v in held.items() if n != "output.weight"
    }
    decoder.load_state_dict(state)
    with torch.no_grad():
        last = decoder(torch.tensor([ids]))[0, -1].numpy()
    found: np.ndarray = held["output.weight"][[YES, NO, NONE]] @ last
    return found


def read(session: InferenceSession, ids: list[int], past: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    known = past.shape[2]
    bias = np.where(np.tri(len(ids), known + len(ids), known, dtype=bool), 0.0, -1e4).astype(np.float32)
    place = np.arange(known, known + len(ids))
    given = {"ids": np.array(ids), "place": place, "last": np.array([len(ids) - 1]), "bias": bias, "past": past}
    logits, now = session.run(["logits", "now"], given)
    return logits[0], np.concatenate([past, now], axis=2)


def test_it_says_what_the_model_says_within_a_rounding(session: InferenceSession, held: dict[str, np.ndarray]) -> None:
    ids = [0, 3, 1, 4, 2, 5, 0, 2]
    logits, _ = read(session, ids, np.zeros((SHAPE.layers, 2, 0, SHAPE.shared, SHAPE.size), np.float32))
    wanted = expected(held, ids)
    assert np.abs(logits - wanted).max() < 0.08 * np.abs(wanted).max() + 0.05


def test_read_in_parts_it_says_the_same(session: InferenceSession) -> None:
    ids = [0, 3, 1, 4, 2, 5, 0, 2]
    nothing = np.zeros((SHAPE.layers, 2, 0, SHAPE.shared, SHAPE.size), np.float32)
    whole, _ = read(session, ids, nothing)
    _, past = read(session, ids[:5], nothing)
    parts, _ = read(session, ids[5:], past)
    assert np.abs(whole - parts).max() < 0.02 * np.abs(whole).max() + 0.02
