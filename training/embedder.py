"""Export the sentence embedder to ONNX, check it against float and write its card.

    python -m training.embedder --material ../shared/bench/train --taught training/work/near/model.safetensors \\
        --out models/surefoot_models/embedder

`--taught` is what `training.near` learned; without it the base is exported as it is.
"""

from __future__ import annotations

import argparse
import time
import tomllib
from pathlib import Path

import numpy as np
import onnx
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from training.card import write_card
from training.encoder import SHAPES, Encoder, load_weights
from training.graph import Graph, write_encoder
from training.material import read_rows
from training.onnx_run import Batch, batch, observe, session
from training.weights import BASES, base_folder, sha256

TAUGHT = (
    "6 minutes of one H200 beside another training, 1,523 steps of 160 to 256 questions, 2.7 passes, rate 7e-5, then "
    "6e-5; each question beside its answer, three close texts and all others of the step; one seed (training/near.py)"
)
TAUGHT_FACTS = {
    "data": {
        "50,678 written questions with what answers them and what does not": "ours",
        "17,328 questions written by Qwen2.5-Coder-1.5B-Instruct over 7,700 contexts": (
            "Apache-2.0 model; made for this project"
        ),
        "SciFact train claims but for the held third, 2,500 of its titles": "CC-BY / ODC-BY",
    },
    "development (the answer among the nearest 1, 3, 8; the base)": {
        "written questions, 3,630 over 4,276 sentences": ".42, .58, .71 (.32, .46, .58)",
        "written questions, 3,630 over 10,177 passages": ".18, .30, .41 (.14, .22, .30)",
        "generated questions, 1,611 over 4,834 passages": ".69, .79, .84 (.63, .70, .76)",
        "SciFact, 120 claims of the held third over 617 abstracts, nDCG@10": ".90 (.85)",
    },
    "replaces": "the base weights as published, shipped until commit b2d3068",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, default=Path("training/configs/embedder.toml"))
    parser.add_argument("--material", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("training/work"))
    parser.add_argument("--taught", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    config = tomllib.loads(options.config.read_text())
    folder = base_folder(options.work, config["base"])
    shape = SHAPES[config["base"]]
    encoder = Encoder(shape).eval()
    load_weights(encoder, load_file(folder / "model.safetensors"))
    if options.taught:
        encoder.load_state_dict({name: value.float() for name, value in load_file(options.taught).items()})
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(config["tokens"])

    wanted = config["calibration_sentences"] + config["check_sentences"]
    sentences = spread_sentences(options.material / config["documents"], wanted)
    calibration, check = sentences[: config["calibration_sentences"]], sentences[config["calibration_sentences"] :]
    encoded = [batch([tokenizer.encode(s).ids for s in part], shape.pad) for part in chunks(calibration, 50)]
    seen = observe(encoder, encoded)
    state = {name: value.numpy() for name, value in encoder.state_dict().items()}

    exact = write_embedder(Graph(recipe="float"), shape, state, {})
    small = write_embedder(Graph(recipe=config["recipe"]), shape, state, seen)
    batches = [batch([tokenizer.encode(s).ids for s in part], shape.pad) for part in chunks(check, 20)]
    wide, narrow = session(exact), session(small)
    reference, slow = embed(wide, batches)
    found, fast = embed(narrow, batches)
    cosine = (reference * found).sum(1)
    with torch.no_grad():
        states = encoder(torch.tensor(batches[0].ids), torch.tensor(batches[0].mask))
    real = torch.tensor(batches[0].mask)[..., None]
    plain = torch.nn.functional.normalize((states * real).sum(1) / real.sum(1), dim=-1).numpy()
    print(f"float graph against torch: largest difference {np.abs(plain - reference[: len(plain)]).max():.1e}")
    print(f"int8 against float on {len(check)} sentences: cosine mean {cosine.mean():.5f}, min {cosine.min():.5f}")
    print(f"seconds on one thread: float {slow:.1f}, int8 {fast:.1f}; size {len(small) / 1e6:.1f} MB")
    if cosine.mean() < config["cosine_at_least"] or cosine.min() < config["cosine_at_least"] - 0.001:
        raise SystemExit(f"cosine {cosine.min()!r} is below {config['cosine_at_least']!r}: choose a finer recipe")

    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "model.onnx").write_bytes(small)
    (options.out / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    write_card(
        options.out,
        {
            "name": "embedder",
            "purpose": "Sentence and passage vectors (384 numbers, length one) for dense retrieval.",
            "inputs": {"input_ids": "int64 [batch, length]", "attention_mask": "int64 [batch, length]"},
            "outputs": {"embedding": "float [batch, 384]: mean over tokens, then length one"},
            "max_tokens": config["tokens"],
            "pad_id": shape.pad,
            "base": {
                "title": BASES[config["base"]].title,
                "licence": BASES[config["base"]].licence,
                "packages": list(BASES[config["base"]].packages),
                "model_sha256": sha256(folder / "model.safetensors"),
                "tokenizer_sha256": sha256(folder / "tokenizer.json"),
            },
            "recipe": {
                "weights": "int8 in blocks of 128 inputs, activations int8 per block (MatMulNBits), smoothing 0.6",
                "embeddings": "int8 per row",
                "training": TAUGHT if options.taught else "none: the base weights as published",
                "command": "python -m training.near, then python -m training.embedder",
            },
            **(TAUGHT_FACTS if options.taught else {}),
            "metrics": {
                "cosine_to_float_mean": round(float(cosine.mean()), 5),
                "cosine_to_float_min": round(float(cosine.min()), 5),
                "sentences": len(check),
            },
            "limits": [
                "English. Longer inputs are cut at 256 tokens.",
                "Similar wording is not support: never accept a claim on this score.",
            ],
        },
    )


def write_embedder(graph: Graph, shape, state, seen) -> bytes:
    """Encoder, mean over the real tokens, length one."""
    states = write_encoder(graph, shape, state, seen, mask="attention_mask")
    real = graph.add("Unsqueeze", graph.add("Cast", "attention_mask", to=onnx.TensorProto.FLOAT), graph.ints(2))
    total = graph.add("ReduceSum", graph.add("Mul", states, real), graph.ints(1), keepdims=0)
    mean = graph.add("Div", total, graph.add("ReduceSum", real, graph.ints(1), keepdims=0))
    graph.rename(graph.add("LpNormalization", mean, axis=-1, p=2), "embedding")
    return graph.model(("input_ids", "attention_mask"), {"embedding": ["batch", shape.hidden]}).SerializeToString()


def embed(model, batches: list[Batch]) -> tuple[np.ndarray, float]:
    start = time.perf_counter()
    vectors = [model.run(None, {"input_ids": part.ids, "attention_mask": part.mask})[0] for part in batches]
    return np.concatenate(vectors), time.perf_counter() - start


def spread_sentences(path: Path, count: int) -> list[str]:
    """`count` sentences drawn evenly over all documents."""
    sentences = [sentence for row in read_rows(path) for sentence in row["sentences"][:3]]
    return sentences[:: max(1, len(sentences) // count)][:count]


def chunks(items: list[str], size: int) -> list[list[str]]:
    return [items[at : at + size] for at in range(0, len(items), size)]


if __name__ == "__main__":
    main()
