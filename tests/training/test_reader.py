"""The language model that labels undecided rows, a few thousand weights of it. Needs torch and gguf."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install torch==2.13.0")
gguf = pytest.importorskip("gguf", reason="reading GGUF files needs gguf")

from training.borrow import cut, load, tokenizer  # noqa: E402
from training.dataset import Builder, Examples, Row  # noqa: E402
from training.language import DecoderShape, Reader  # noqa: E402
from training.opinion import Prompts, judge, teach  # noqa: E402

TINY = DecoderShape(words=300, hidden=32, inner=64, layers=2, heads=4, shared_heads=2)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A language model file of our own: bytes as word pieces, random weights, three layers."""
    path = tmp_path_factory.mktemp("reader") / "tiny.gguf"
    dice = np.random.default_rng(0)
    alphabet = [chr(n) for n in range(33, 127)] + [chr(n) for n in range(161, 173)] + [chr(n) for n in range(174, 256)]
    alphabet += [chr(256 + n) for n in range(256 - len(alphabet))]
    pieces = [*alphabet, "Ye", "Yes", "No", "<|im_start|>", "<|im_end|>"]
    writer = gguf.GGUFWriter(path, "qwen2")
    for name, value in (("embedding_length", 32), ("feed_forward_length", 64), ("attention.head_count", 4)):
        writer.add_uint32(f"qwen2.{name}", value)
    writer.add_uint32("qwen2.attention.head_count_kv", 2)
    writer.add_float32("qwen2.rope.freq_base", 1e6)
    writer.add_float32("qwen2.attention.layer_norm_rms_epsilon", 1e-6)
    writer.add_token_list(pieces)
    writer.add_token_types([1] * (len(pieces) - 2) + [3, 3])
    writer.add_token_merges(["Y e", "Ye s", "N o"])
    sizes = {"token_embd.weight": (len(pieces), 32), "output.weight": (len(pieces), 32), "output_norm.weight": (32,)}
    for layer in range(3):
        sizes |= {f"blk.{layer}.{name}": size for name, size in LAYER.items()}
    for name, size in sizes.items():
        writer.add_tensor(name, dice.normal(0, 0.2, size).astype(np.float32))
    for write in (
        writer.write_header_to_file,
        writer.write_kv_data_to_file,
        writer.write_tensors_to_file,
        writer.close,
    ):
        write()
    return path


LAYER = {
    "attn_norm.weight": (32,),
    "attn_q.weight": (32, 32),
    "attn_q.bias": (32,),
    "attn_k.weight": (16, 32),
    "attn_k.bias": (16,),
    "attn_v.weight": (16, 32),
    "attn_v.bias": (16,),
    "attn_output.weight": (32, 32),
    "ffn_norm.weight": (32,),
    "ffn_gate.weight": (64, 32),
    "ffn_up.weight": (64, 32),
    "ffn_down.weight": (32, 64),
}


@pytest.fixture(scope="module")
def borrowed(model: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Reader, Prompts]:
    folder = tmp_path_factory.mktemp("rows")
    builder = Builder(tokenizer=tokenizer(model))
    for number in range(120):
        label = number % 2
        claim = "zzzzzzzzzzzz" if label else "Open at 9."
        builder.rows.append(
            Row(claim=claim, evidence=("Open at 9.",) * (1 + number % 3), label=float(label), spans=None)
        )
    builder.save(folder / "rows.npz")
    examples = Examples.load(folder / "rows.npz", "minilm", 200)
    used = np.unique(np.concatenate([examples.arrays["claim_data"], examples.arrays["text_data"]]))
    cut(model, used.tolist(), 2, folder / "reader")
    reader, number, prompt = load(folder / "reader")
    return reader, Prompts(examples=examples, number=number, prompt=prompt, tokens=200)


def test_lengths_are_those_of_the_prompts(borrowed: tuple[Reader, Prompts]) -> None:
    _, prompts = borrowed
    assert [len(prompts.ids(row)) for row in range(120)] == prompts.lengths().tolist()


def test_padding_does_not_change_a_verdict(borrowed: tuple[Reader, Prompts]) -> None:
    reader, prompts = borrowed
    together = reader(*prompts.block(np.arange(3), "cpu"))
    alone = torch.cat([reader(*prompts.block(np.array([row]), "cpu")) for row in range(3)])
    assert torch.allclose(together, alone, atol=1e-5)


def test_a_word_sees_only_those_before_it() -> None:
    torch.manual_seed(1)
    decoder = Reader(TINY).decoder
    first, second = torch.tensor([[5, 6, 7, 8]]), torch.tensor([[5, 6, 7, 9]])
    assert torch.allclose(decoder(first)[:, :3], decoder(second)[:, :3], atol=1e-6)
    assert not torch.allclose(decoder(first)[:, 3], decoder(second)[:, 3], atol=1e-3)


def test_a_reader_learns_and_says_so(borrowed: tuple[Reader, Prompts], tmp_path: Path) -> None:
    reader, prompts = borrowed
    config = {"share": {}, "epochs": 6, "batch_tokens": 2000, "rate": 3e-3}
    teach(reader, prompts, config, argparse.Namespace(held=False, seed=1, steps=0), "cpu")
    judge(reader, prompts, np.arange(120), tmp_path / "said.npz")
    with np.load(tmp_path / "said.npz") as said:
        assert ((said["sentence"] > 0) == (prompts.examples.arrays["label"] > 0.5)).mean() > 0.95
