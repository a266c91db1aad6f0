"""The thorough grounder's weights: laid out from a language model and an adapter, and checked when they are opened."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from surefoot.core.errors import EncoderError, MissingExtraError
from surefoot.encoders import reader_file
from surefoot.encoders.files import GRAPH, Adapter, file_sha256
from surefoot.encoders.reader_file import TOP, WEIGHTS, Model, laid_out, lay_out, stretches

gguf = pytest.importorskip("gguf")

from support.tiny_language_model import SHAPE, numbers, taught, tensors, write_model  # noqa: E402


@pytest.fixture
def held() -> dict[str, np.ndarray]:
    return tensors()


@pytest.fixture
def base(tmp_path: Path, held: dict[str, np.ndarray]) -> Path:
    file = tmp_path / "cache" / "model.gguf"
    file.parent.mkdir()
    write_model(file, held)
    return file


@pytest.fixture
def adapter(tmp_path: Path) -> Adapter:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / GRAPH).write_bytes(b"a graph")
    return taught(folder, {"blk.1.ffn_up.weight": (numbers(2, SHAPE.hidden), numbers(SHAPE.inner, 2))})


def matrix(folder: Path, name: str) -> np.ndarray:
    """As a product would use it: [rows, columns]."""
    found = next(one for one in stretches(SHAPE) if one.name == name)
    data = (folder / WEIGHTS).read_bytes()
    if found.form == "plain":
        return np.frombuffer(data, np.float32, found.rows * found.columns, found.at).reshape(found.rows, found.columns)
    codes = np.frombuffer(data, np.int8, found.rows * found.columns, found.at)
    scales = np.frombuffer(data, np.float32, found.rows, found.scales_at)
    whole = codes.reshape(found.columns, found.rows).T if found.form == "product" else codes.reshape(found.rows, -1)
    return whole * scales[:, None]


def test_every_weight_is_there_within_a_rounding(base: Path, adapter: Adapter, held: dict[str, np.ndarray]) -> None:
    heard: list[tuple[int, int]] = []
    folder = lay_out(base, adapter, said=lambda done, whole: heard.append((done, whole)))
    assert heard[0][0] == 0
    assert heard[-1][0] == heard[-1][1] == len(list(stretches(SHAPE)))
    for layer in range(SHAPE.layers):
        parts = [held[f"blk.{layer}.attn_{one}.weight"] for one in "qkv"]
        near(matrix(folder, f"layers.{layer}.qkv"), np.concatenate(parts))
        near(matrix(folder, f"layers.{layer}.down"), held[f"blk.{layer}.ffn_down.weight"])
        bias = np.concatenate([held[f"blk.{layer}.attn_{one}.bias"] for one in "qkv"])
        assert (matrix(folder, f"layers.{layer}.qkv_bias")[0] == bias).all()
    near(matrix(folder, "words"), held["token_embd.weight"])
    answers = [reader_file.YES, reader_file.NO, reader_file.NONE]
    assert (matrix(folder, "answers") == held["output.weight"][answers]).all()


def near(found: np.ndarray, wanted: np.ndarray) -> None:
    assert found.shape == wanted.shape
    assert (np.abs(found - wanted) <= np.abs(wanted).max(1, keepdims=True) / TOP * 0.51).all()


def test_what_was_taught_is_added(base: Path, adapter: Adapter, held: dict[str, np.ndarray]) -> None:
    folder = lay_out(base, adapter)
    small = {tensor.name[-6:]: np.asarray(tensor.data) for tensor in gguf.GGUFReader(adapter.file).tensors}
    wanted = held["blk.1.ffn_up.weight"] + 2.0 * small["lora_b"] @ small["lora_a"]  # alpha 4 over rank 2
    near(matrix(folder, "layers.1.up"), wanted)
    near(matrix(folder, "layers.0.up"), held["blk.0.ffn_up.weight"])


def test_it_is_made_once_and_anew_for_another_adapter(base: Path, adapter: Adapter) -> None:
    first = lay_out(base, adapter)
    made = (first / WEIGHTS).stat().st_mtime_ns
    assert lay_out(base, adapter) == first
    assert (first / WEIGHTS).stat().st_mtime_ns == made
    (base.parent / "model-notes").mkdir()  # somebody else's
    other = taught(adapter.folder, {"blk.0.ffn_up.weight": (numbers(2, SHAPE.hidden), numbers(SHAPE.inner, 2))})
    with pytest.raises(EncoderError, match="surefoot models fetch"):
        laid_out(base, other)
    second = lay_out(base, other)
    assert second != first
    assert not first.exists()
    assert (base.parent / "model-notes").is_dir()


def test_another_graph_is_another_version(base: Path, adapter: Adapter) -> None:
    lay_out(base, adapter)
    (adapter.folder / GRAPH).write_bytes(b"another graph")
    newer = Adapter(folder=adapter.folder, sha256=adapter.sha256, graph_sha256=file_sha256(adapter.graph), card={})
    with pytest.raises(EncoderError, match="are not there"):
        laid_out(base, newer)
    assert (lay_out(base, newer) / GRAPH).read_bytes() == b"another graph"


@pytest.mark.parametrize("name", [WEIGHTS, GRAPH, "tokenizer.json"])
def test_an_altered_file_is_not_opened(base: Path, adapter: Adapter, name: str) -> None:
    file = lay_out(base, adapter) / name
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with pytest.raises(EncoderError, match="altered"):
        laid_out(base, adapter)
    file.unlink()
    with pytest.raises(EncoderError, match="altered"):
        laid_out(base, adapter)
    lay_out(base, adapter)


def test_a_layout_that_breaks_off_leaves_nothing(base: Path, adapter: Adapter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Model, "tokenizer", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        lay_out(base, adapter)
    assert sorted(path.name for path in base.parent.iterdir()) == [base.name]


def test_a_folder_that_says_nonsense_of_itself_is_made_anew(base: Path, adapter: Adapter) -> None:
    folder = lay_out(base, adapter)
    for said in ("{", "[]", json.dumps({"adapter": 5})):
        (folder / "made.json").write_text(said)
        with pytest.raises(EncoderError, match="are not there"):
            laid_out(base, adapter)
        assert lay_out(base, adapter) == folder


def test_its_tokenizer_merges_and_knows_the_marks_of_a_talk(base: Path) -> None:
    words = Model(base, None).tokenizer()
    assert words.encode("abc<|im_start|>", add_special_tokens=False).ids == [2, 5, 3]


def test_the_extra_is_named_where_it_is_missing(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "gguf", None)
    with pytest.raises(MissingExtraError, match=r"surefoot\[thorough\]"):
        Model(base, None)
