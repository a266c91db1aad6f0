"""A language model of a few hundred weights, and an adapter for it, in the files that real ones come in."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np

from surefoot.encoders.files import ADAPTER, GRAPH, Adapter, file_sha256
from surefoot.encoders.reader_file import Shape

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
