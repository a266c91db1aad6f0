"""The thorough grounder's weights as ONNX Runtime reads them, in eight bits: laid out once, from the fetched language
model with what we taught it added. `training/reader_graph.py` writes the graph that reads this file.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.core.errors import EncoderError, MissingExtraError
from surefoot.encoders.files import GRAPH, Adapter, file_sha256

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LAYOUT = 1
"""Raised with every change of what the file holds for the same model: then it is made anew."""
WEIGHTS, TOKENIZER, MADE = "weights.bin", "tokenizer.json", "made.json"
YES, NO, NONE = 9454, 2753, 4064
"""The pieces of the three answers."""
TOP = 63
"""Weights take seven of the eight bits: on x86 without VNNI a pair of full products overflows sixteen bits."""
TOP_WORD = 127
PAGE = 4096
"""Each stretch begins at a page, so that the file can be mapped."""
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""How Qwen2 cuts text before merging (its published tokenizer settings)."""
CONTROL = 3
"""The kind of a piece that frames a talk."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The sizes of a language model."""

    words: int
    hidden: int
    inner: int
    layers: int
    heads: int
    shared: int
    """Keys and values, each shared by several heads."""
    turn: float
    """Base of the rotary positions."""
    epsilon: float

    @property
    def size(self) -> int:
        """Of a head."""
        return self.hidden // self.heads


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """A matrix in codes with the scales of its rows, or plain numbers, at its place in the file."""

    name: str
    parts: tuple[str, ...]
    """The language model's tensors that it is made of, one under the other."""
    rows: int
    columns: int
    form: str
    """product: codes as [columns, rows], for a product from the left | table: codes as they are | plain: numbers"""
    at: int
    scales_at: int = 0

    @property
    def end(self) -> int:
        if self.form == "plain":
            return self.at + 4 * self.rows * self.columns
        return self.scales_at + 4 * self.rows


def stretches(shape: Shape) -> Iterator[Stretch]:
    """What the file holds, in its order."""
    end = 0
    for name, parts, rows, columns, form in _contents(shape):
        at = -(-end // PAGE) * PAGE
        scales = -(-(at + rows * columns) // PAGE) * PAGE if form != "plain" else 0
        found = Stretch(name=name, parts=parts, rows=rows, columns=columns, form=form, at=at, scales_at=scales)
        end = found.end
        yield found


def _contents(shape: Shape) -> Iterator[tuple[str, tuple[str, ...], int, int, str]]:
    hidden, inner, narrow = shape.hidden, shape.inner, shape.shared * shape.size
    yield "words", ("token_embd.weight",), shape.words, hidden, "table"
    for number in range(shape.layers):

        def named(*names: str, layer: str = f"blk.{number}.") -> tuple[str, ...]:
            return tuple(layer + name for name in names)

        at = f"layers.{number}."
        looks = ("attn_q", "attn_k", "attn_v")
        yield at + "attention_norm", named("attn_norm.weight"), 1, hidden, "plain"
        yield at + "qkv", named(*(f"{one}.weight" for one in looks)), hidden + 2 * narrow, hidden, "product"
        yield at + "qkv_bias", named(*(f"{one}.bias" for one in looks)), 1, hidden + 2 * narrow, "plain"
        yield at + "out", named("attn_output.weight"), hidden, hidden, "product"
        yield at + "inner_norm", named("ffn_norm.weight"), 1, hidden, "plain"
        yield at + "gate", named("ffn_gate.weight"), inner, hidden, "product"
        yield at + "up", named("ffn_up.weight"), inner, hidden, "product"
        yield at + "down", named("ffn_down.weight"), hidden, inner, "product"
    yield "norm", ("output_norm.weight",), 1, hidden, "plain"
    yield "answers", ("output.weight",), 3, hidden, "plain"


def coded(weight: np.ndarray, top: int) -> tuple[np.ndarray, np.ndarray]:
    """Codes up to `top` and one scale a row."""
    scale = np.maximum(np.abs(weight).max(1), 1e-8) / top
    return np.round(weight / scale[:, None]).astype(np.int8), scale.astype(np.float32)


def laid_out(base: Path, adapter: Adapter) -> Path:
    """The folder made of these, if it is there and whole. The base weights themselves are not needed any more."""
    folder = _folder(base, adapter)
    made = _made(folder)
    if made is None or any(made.get(name) != wanted for name, wanted in _wanted(adapter).items()):
        raise EncoderError(
            f"the thorough grounder's weights for this version are not there ({str(folder)!r}); "
            "fetch them and lay them out once (1.1 and 1.5 GB) with: surefoot models fetch"
        )
    for name in (GRAPH, WEIGHTS, TOKENIZER):
        if not (folder / name).is_file() or file_sha256(folder / name) != made.get(name):
            raise EncoderError(f"the file {str(folder / name)!r} was altered; make it anew with: surefoot models fetch")
    return folder


def lay_out(base: Path, adapter: Adapter, *, said: Callable[[int, int], None] = lambda done, whole: None) -> Path:
    """Makes the folder, if it is not there; `said` hears how many stretches of how many are written. Folders made for
    other versions are taken away once it is there."""
    try:
        return laid_out(base, adapter)
    except EncoderError:
        pass
    try:
        _lay_out(base, adapter, said)
    except OSError as error:
        raise EncoderError(
            f"the thorough grounder's weights could not be laid out beside {str(base)!r}: {error}; "
            "they take 1.5 GB: make room, or give permissions"
        ) from error
    return laid_out(base, adapter)


def _lay_out(base: Path, adapter: Adapter, said: Callable[[int, int], None]) -> None:
    model, target = Model(base, adapter.file), _folder(base, adapter)
    room = Path(tempfile.mkdtemp(dir=base.parent, prefix=".laying."))
    try:
        with (room / WEIGHTS).open("wb") as out:
            wanted = list(stretches(model.shape))
            for number, stretch in enumerate(wanted):
                said(number, len(wanted))
                model.write(stretch, out)
        said(len(wanted), len(wanted))
        shutil.copyfile(adapter.graph, room / GRAPH)
        model.tokenizer().save(str(room / TOKENIZER), pretty=False)
        made = {name: file_sha256(room / name) for name in (GRAPH, WEIGHTS, TOKENIZER)}
        (room / MADE).write_text(json.dumps(made | _wanted(adapter), indent=1), encoding="utf-8")
        room.chmod(0o755)
        if target.exists():  # broken, or just made by another process, which made the same
            target.replace(room / "before")
        room.replace(target)
        shutil.rmtree(target / "before", ignore_errors=True)
        for old in base.parent.iterdir():
            if old != target and old.name.startswith(f"{base.stem}-") and _made(old) is not None:
                shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(room, ignore_errors=True)


def _wanted(adapter: Adapter) -> dict[str, Any]:
    """What the folder must say that it was made of."""
    return {"adapter": adapter.sha256, GRAPH: adapter.graph_sha256, "layout": LAYOUT}


def _folder(base: Path, adapter: Adapter) -> Path:
    return base.parent / f"{base.stem}-{adapter.sha256[:16]}"


def _made(folder: Path) -> dict[str, Any] | None:
    """What a folder of ours says of itself."""
    try:
        found = json.loads((folder / MADE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


class Model:
    """A language model in a GGUF file, with what was taught to it."""

    def __init__(self, base: Path, adapter: Path | None) -> None:
        try:
            from gguf import GGUFReader
        except ImportError as error:
            raise MissingExtraError("gguf", "thorough") from error
        reader = GGUFReader(base)
        self._fields = dict(reader.fields)
        self._tensors = {tensor.name: tensor for tensor in reader.tensors}
        taught = GGUFReader(adapter) if adapter is not None else None
        self._taught = {tensor.name: tensor for tensor in taught.tensors} if taught else {}
        # a small matrix counts `alpha` over its rank times
        self._alpha = float(taught.fields["adapter.lora.alpha"].contents()) if taught else 0.0

    @property
    def shape(self) -> Shape:
        said = {name.partition(".")[2]: field for name, field in self._fields.items() if name.startswith("qwen2.")}
        return Shape(
            words=len(self._fields["tokenizer.ggml.tokens"].contents()),
            hidden=said["embedding_length"].contents(),
            inner=said["feed_forward_length"].contents(),
            layers=said["block_count"].contents(),
            heads=said["attention.head_count"].contents(),
            shared=said["attention.head_count_kv"].contents(),
            turn=said["rope.freq_base"].contents(),
            epsilon=said["attention.layer_norm_rms_epsilon"].contents(),
        )

    def tensor(self, name: str, rows: list[int] | None = None) -> np.ndarray:
        """A tensor's numbers, with what was taught added; `rows`: only these."""
        from gguf.quants import dequantize

        found = self._tensors[name]
        data = found.data if rows is None else found.data[rows]
        whole = np.asarray(dequantize(data, found.tensor_type), np.float32)
        if f"{name}.lora_a" in self._taught:
            small = (self._taught[f"{name}.lora_{end}"] for end in "ab")
            down, up = (np.asarray(dequantize(one.data, one.tensor_type), np.float32) for one in small)
            whole = whole + (self._alpha / len(down)) * (up @ down)
        return whole

    def write(self, stretch: Stretch, out: Any) -> None:
        rows = [YES, NO, NONE] if stretch.name == "answers" else None
        whole = np.concatenate([self.tensor(name, rows) for name in stretch.parts])
        if stretch.form == "plain":
            _put(out, stretch.at, whole.astype(np.float32))
            return
        codes, scale = coded(whole, TOP if stretch.form == "product" else TOP_WORD)
        _put(out, stretch.at, codes.T if stretch.form == "product" else codes)
        _put(out, stretch.scales_at, scale)

    def tokenizer(self) -> Tokenizer:
        """The model's own, from the file's vocabulary and merges."""
        from tokenizers import AddedToken, Regex, Tokenizer, decoders, pre_tokenizers
        from tokenizers.models import BPE

        pieces = self._fields["tokenizer.ggml.tokens"].contents()
        merges = [tuple(line.split(" ")) for line in self._fields["tokenizer.ggml.merges"].contents()]
        kinds = self._fields["tokenizer.ggml.token_type"].contents()
        found = Tokenizer(BPE({piece: at for at, piece in enumerate(pieces)}, merges))
        found.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(WORDS), behavior="isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        found.decoder = decoders.ByteLevel()
        found.add_special_tokens(
            [AddedToken(piece, special=True) for piece, kind in zip(pieces, kinds, strict=True) if kind == CONTROL]
        )
        return found


def _put(out: Any, at: int, numbers: np.ndarray) -> None:
    out.seek(at)
    out.write(np.ascontiguousarray(numbers).tobytes())
