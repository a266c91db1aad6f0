from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from surefoot.core.errors import EncoderError
from surefoot.encoders.embedder import OnnxEmbedder

surefoot_models = pytest.importorskip("surefoot_models")


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(threads=1)


def test_rows_have_length_one_and_keep_the_order_of_the_texts(embedder: OnnxEmbedder) -> None:
    texts = ["a much longer text about plumbing, pipes and drains in old houses", "rent", "plumbing and pipes"]
    rows = embedder.embed(texts)
    assert rows.shape == (3, embedder.dimension)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-4)
    assert np.allclose(rows[1], embedder.embed(["rent"])[0], atol=2e-2)
    assert rows[0] @ rows[2] > rows[0] @ rows[1]


def test_no_texts_give_no_rows(embedder: OnnxEmbedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_altered_weights_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "embedder"
    shutil.copytree(Path(surefoot_models.folder()) / "embedder", folder)
    with (folder / "model.onnx").open("ab") as file:
        file.write(b"x")
    with pytest.raises(EncoderError, match="was altered"):
        OnnxEmbedder(folder).embed(["rent"])


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match="cannot be read"):
        OnnxEmbedder(tmp_path / "none").embed(["rent"])


def test_the_identity_names_the_weights(embedder: OnnxEmbedder) -> None:
    card = json.loads((Path(surefoot_models.folder()) / "embedder" / "card.json").read_text())
    assert card["files"]["model.onnx"]["sha256"].startswith(embedder.identity.split(":")[1])
