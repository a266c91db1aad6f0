"""The thorough grounder's weights: laid out from a language model and an adapter, and checked when they are opened."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from surefoot.core.errors import EncoderError, MissingExtraError
from surefoot.encoders import reader_file
from surefoot.encoders.files import ADAPTER, GRAPH, Adapter, file_sha256
from surefoot.encoders.reader_file import TOP, WEIGHTS, Model, Shape, laid_out, lay_out, stretches

gguf = pytest.importorskip("gguf")
SHAPE = Shape(words=6, hidden=8, inner=16, layers=2, heads=4, shared=2, turn=10_000.0, epsilon=2.0**-20)
DICE = np.random.default_rng(7)


def numbers(*form: int) -> np.ndarray:
    return DICE.normal(size=form).astype(np.float32)


def tensors() -> dict[str, np.ndarray]:
    hidden, inner, narrow = SHAPE.hidden, SHAPE.inner, SHAPE.shared * SHAPE.size
    found = {"token_embd.weight": numbers(SHAPE.words, hidden), "output.weight": numbers(9_500, hidden)}
    found["output_norm.weight"] = numbers(hidden)
    for layer in range(SHAPE.layers):
        rows = {"attn_q": hidden, "attn_k": narrow, "attn_v": narrow}
        found |= {f"blk.{layer}.{name}.weight": numbers(size, hidden) for name, size in rows.items()}
        found |= {f"blk.{layer}.{name}.bias": numbers(size) for name, size in rows.items()}
        found |= {f"blk.{layer}.{name}_norm.weight": numbers(hidden) for name in ("attn", "ffn")}
        found[f"blk.{layer}.attn_output.weight"] = numbers(hidden, hidden)
        found |= {f"blk.{layer}.ffn_{name}.weight": numbers(inner, hidden) for name in ("gate", "up")}
        found[f"blk.{layer}.ffn_down.weight"] = numbers(hidden, inner)
    return found


def write_model(file: Path, held: dict[str, np.ndarray]) -> None:
    out = gguf.GGUFWriter(file, "qwen2")
    out.add_embedding_length(SHAPE.hidden)
    out.add_feed_forward_length(SHAPE.inner)
    out.add_block_count(SHAPE.layers)
    out.add_head_count(SHAPE.heads)
    out.add_head_count_kv(SHAPE.shared)
    out.add_rope_freq_base(SHAPE.turn)
    out.add_layer_norm_rms_eps(SHAPE.epsilon)
    out.add_token_list(["a", "b", "ab", "<|im_start|>", "Ġ", "c"])
    out.add_token_merges(["a b"])
    out.add_token_types([1, 1, 1, 3, 1, 1])
    put(out, held)


def put(out: object, held: dict[str, np.ndarray]) -> None:
    for name, value in held.items():
        out.add_tensor(name, value)  # type: ignore[attr-defined]
    out.write_header_to_file()  # type: ignore[attr-defined]
    out.write_kv_data_to_file()  # type: ignore[attr-defined]
    out.write_tensors_to_file()  # type: ignore[attr-defined]
    out.close()  # type: ignore[attr-defined]


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


def taught(folder: Path, small: dict[str, tuple[np.ndarray, np.ndarray]]) -> Adapter:
    out = gguf.GGUFWriter(folder / ADAPTER, "qwen2")
    out.add_float32("adapter.lora.alpha", 4.0)
    put(out, {f"{name}.lora_{end}": pair["ab".index(end)] for name, pair in small.items() for end in "ab"})
    return Adapter(
        folder=folder,
        sha256=file_sha256(folder / ADAPTER),
        graph_sha256=file_sha256(folder / GRAPH),
        card={},
    )


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
    with pytest.raises(EncoderError, match="not laid out"):
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
        with pytest.raises(EncoderError, match="not laid out"):
            laid_out(base, adapter)
        assert lay_out(base, adapter) == folder


def test_its_tokenizer_merges_and_knows_the_marks_of_a_talk(base: Path) -> None:
    words = Model(base, None).tokenizer()
    assert words.encode("abc<|im_start|>", add_special_tokens=False).ids == [2, 5, 3]


def test_the_extra_is_named_where_it_is_missing(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "gguf", None)
    with pytest.raises(MissingExtraError, match=r"surefoot\[thorough\]"):
        Model(base, None)
