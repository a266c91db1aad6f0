"""Give an exported model the present eight-bit form, without its float weights.

    python -m training.narrow --name reranker --source by_blocks.onnx \\
        --config training/configs/train_reranker.toml --data training/work/data/rank_dev.npz

`training.export` writes that form itself; this is for a model of which only a file by blocks (MatMulNBits) is left. Its
weights are read back, within a 250th of each block's largest, and exported anew. What the rounding costs goes into
the card.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper

from training.card import write_card
from training.cards import EIGHT_BITS_FORM, READS, ROWS
from training.dataset import Examples
from training.encoder import SHAPES, Shape
from training.export import calibrate, compare, spread, write_judge
from training.heads import Judge


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True)
    parser.add_argument("--config", type=Path, required=True, help="what it was trained with")
    parser.add_argument("--source", type=Path, required=True, help="the model by blocks")
    parser.add_argument("--package", type=Path, default=Path("models/surefoot_models"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=600, help="labelled rows to compare float and eight bits on")
    options = parser.parse_args()
    folder = options.package / options.name
    config = tomllib.loads(options.config.read_text())
    model = recover(onnx.load(options.source), replace(SHAPES[config["base"]], layers=len(config["keep_layers"])))
    examples = Examples.load(options.data, config["base"], config["tokens"])
    tokens, tokenizer = config["objective"] == "ground", folder / "tokenizer.json"
    narrow = write_judge(model, "fixed", calibrate(model, examples), tokenizer, tokens=tokens)
    card = json.loads((folder / "card.json").read_text())
    card["recipe"]["eight_bits"] = EIGHT_BITS_FORM
    card["inputs"] = {name: text.format(**READS[options.name]) for name, text in ROWS.items()}
    if options.rows:
        wide = write_judge(model, "float", {}, tokenizer, tokens=tokens)
        card["int8_cost"] = {"bytes": len(narrow)} | compare(wide, narrow, examples, spread(examples, options.rows))
        print(json.dumps(card["int8_cost"]))
    (folder / "model.onnx").write_bytes(narrow)
    write_card(folder, card)


def recover(model: onnx.ModelProto, shape: Shape) -> Judge:
    """The model that a file by blocks was written from, as near as its codes tell."""
    if shape.kind != "bert":
        raise ValueError(f"cannot read back a model of kind {shape.kind!r}: export it from its weights")
    values = {entry.name: numpy_helper.to_array(entry) for entry in model.graph.initializer}
    made = {node.output[0]: node for node in model.graph.node}
    state: dict[str, np.ndarray] = {}
    products = [node for node in model.graph.node if node.op_type == "MatMulNBits"]
    for number, nodes in enumerate(np.array_split(np.array(products, object), shape.layers)):
        # Queries, keys and values were one product once and are three now.
        *first, out, up, down = nodes
        for name, parts in (("qkv", first), ("out", [out]), ("up", [up]), ("down", [down])):
            layer = f"encoder.layers.{number}.{name}"
            state[f"{layer}.weight"] = np.concatenate([_weight(node, values, made) for node in parts])
            state[f"{layer}.bias"] = np.concatenate([values[node.input[5]] for node in parts])
        if any(node.op_type == "Softmax" for node in model.graph.node):
            # Attention is spelled out there, and its scale is in the queries.
            for part in ("weight", "bias"):
                state[f"encoder.layers.{number}.qkv.{part}"][: shape.hidden] *= np.sqrt(shape.hidden // shape.heads)
    norms = [node for node in model.graph.node if node.op_type == "LayerNormalization"]
    halves = [f"layers.{n}.{half}" for n in range(shape.layers) for half in ("norm_attention", "norm_output")]
    for name, node in zip(("norm", *halves), norms, strict=True):
        state |= {f"encoder.{name}.weight": values[node.input[1]], f"encoder.{name}.bias": values[node.input[2]]}
    head = next(node for node in model.graph.node if node.op_type == "Gemm")
    state |= {"sentence.weight": values[head.input[1]].T, "sentence.bias": values[head.input[2]]}
    judge = Judge(shape, 0.0)
    known = judge.state_dict()
    known |= {name: torch.tensor(value) for name, value in (state | _tables(values, shape)).items()}
    judge.load_state_dict(known)
    return judge.eval()


def _tables(values: dict[str, np.ndarray], shape: Shape) -> dict[str, np.ndarray]:
    """The embeddings; positions past those that were kept are never read."""
    codes = next(value for value in values.values() if value.dtype == np.int8 and len(value) == shape.vocabulary)
    scale = next(value for value in values.values() if value.shape == (shape.vocabulary, 1))
    kept = next(value for value in values.values() if value.dtype == np.float16)
    places = np.zeros((shape.positions, shape.hidden), np.float32)
    places[: len(kept)] = kept
    return {"encoder.words.weight": codes * scale, "encoder.places.weight": places}


def _weight(node: onnx.NodeProto, values: dict[str, np.ndarray], made: dict[str, onnx.NodeProto]) -> np.ndarray:
    facts = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
    outputs, inputs, block = facts["N"], facts["K"], facts["block_size"]
    codes = values[node.input[1]].reshape(outputs, inputs // block, block).astype(np.float32)
    scale = values[node.input[2]].reshape(outputs, inputs // block, 1)
    weight = ((codes - 128.0) * scale).reshape(outputs, inputs)
    before = made.get(node.input[0])
    if before is not None and before.op_type == "Slice":
        before = made.get(before.input[0])
    return weight * values[before.input[1]] if before is not None and before.op_type == "Mul" else weight


if __name__ == "__main__":
    main()
