"""Give the matrix products of an exported model the faster integer form, without its float weights.

    python -m training.narrow --name grounder_fast --data training/work/data/dev.npz --base minilm

`training.export` writes that form itself; this is for a model that was exported by blocks. Float and eight bits are run
over the same rows, and what the rounding costs goes into the card.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from training.card import write_card
from training.cards import EIGHT_BITS_FORM
from training.dataset import Examples
from training.export import compare, spread
from training.graph import Graph
from training.onnx_run import session
from training.train import assemble

CALIBRATION = 96
"""Rows that show how large the inputs of a product grow."""
FRESH = 1_000_000
"""Names of new nodes count from here, past those of the model."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True)
    parser.add_argument("--package", type=Path, default=Path("models/surefoot_models"))
    parser.add_argument("--source", type=Path, help="the model by blocks, where it is not the shipped one")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--base", default="minilm")
    parser.add_argument("--rows", type=int, default=600, help="labelled rows to compare float and eight bits on")
    options = parser.parse_args()
    folder = options.package / options.name
    by_blocks = onnx.load(options.source or folder / "model.onnx")
    examples = Examples.load(options.data, options.base, 384)
    wide = rewrite(by_blocks, "float").SerializeToString()
    fold_easing(by_blocks)
    bounds = look(by_blocks, examples, spread(examples, CALIBRATION))
    narrow = rewrite(by_blocks, "tokens", bounds).SerializeToString()
    card = json.loads((folder / "card.json").read_text())
    card["recipe"]["eight_bits"] = EIGHT_BITS_FORM
    if options.rows:
        card["int8_cost"] = {"bytes": len(narrow)} | compare(wide, narrow, examples, spread(examples, options.rows))
        print(json.dumps(card["int8_cost"]))
    (folder / "model.onnx").write_bytes(narrow)
    write_card(folder, card)


def rewrite(model: onnx.ModelProto, recipe: str, bounds: dict[str, float] | None = None) -> onnx.ModelProto:
    """The same model with every product by blocks replaced by one of `recipe`.

    `bounds` has the largest input of the products whose tokens are of like size, by the product's name.
    """
    values = {entry.name: entry for entry in model.graph.initializer}
    graph = Graph(recipe=recipe, count=FRESH)
    gone: set[str] = set()
    nodes: list[onnx.NodeProto] = []
    for node in model.graph.node:
        if node.op_type != "MatMulNBits":
            nodes.append(node)
            continue
        gone |= {node.input[1], node.input[2], node.input[5]}
        first = len(graph.nodes)
        bound = (bounds or {}).get(node.name)
        bias = numpy_helper.to_array(values[node.input[5]])
        graph.linear(node.input[0], _weight(node, values), bias, bound=bound)
        graph.nodes[-1].output[0] = node.output[0]
        nodes += graph.nodes[first:]
    kept = [entry for entry in model.graph.initializer if entry.name not in gone]
    body = helper.make_graph(nodes, model.graph.name, model.graph.input, model.graph.output, kept + graph.weights)
    return helper.make_model(
        body, opset_imports=model.opset_import, ir_version=model.ir_version, producer_name=model.producer_name
    )


def fold_easing(model: onnx.ModelProto) -> None:
    """Scales what attention mixes where it is made: in place, the factor before each output product goes."""
    values = {entry.name: entry for entry in model.graph.initializer}
    made = {node.output[0]: node for node in model.graph.node}
    products = [node for node in model.graph.node if node.op_type == "MatMulNBits"]
    for before, after in zip(products[0::4], products[1::4], strict=True):
        factor = made[after.input[0]]
        if factor.op_type != "Mul":
            continue
        share = numpy_helper.to_array(values[factor.input[1]])
        for name in (before.input[2], before.input[5]):
            value = numpy_helper.to_array(values[name]).copy()
            rows = value.reshape(3 * len(share), -1)
            rows[2 * len(share) :] *= share[:, None]
            values[name].CopyFrom(numpy_helper.from_array(value, name))
        after.input[0] = factor.input[0]
        model.graph.node.remove(factor)
        model.graph.initializer.remove(values[factor.input[1]])


def look(model: onnx.ModelProto, examples: Examples, rows: np.ndarray) -> dict[str, float]:
    """The largest input of every product whose input was just normalised: the first and third of each layer."""
    products = [node for node in model.graph.node if node.op_type == "MatMulNBits"]
    watched = [node for at, node in enumerate(products) if at % 4 in (0, 2)]
    spied = onnx.ModelProto()
    spied.CopyFrom(model)
    names = [node.input[0] for node in watched]
    spied.graph.output.extend(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in names)
    running = session(spied.SerializeToString(), 2)
    known = {entry.name for entry in running.get_inputs()}
    found = dict.fromkeys((node.name for node in watched), 0.0)
    for part in np.array_split(rows, max(1, len(rows) // 8)):
        block = assemble(examples, part)
        feed = {"input_ids": block["ids"], "attention_mask": block["mask"], "claim_mask": block["claim"]}
        seen = running.run(names, {name: value for name, value in feed.items() if name in known})
        for node, states in zip(watched, seen, strict=True):
            found[node.name] = max(found[node.name], float(np.abs(states[block["mask"] > 0]).max()))
    return found


def _weight(node: onnx.NodeProto, values: dict[str, onnx.TensorProto]) -> np.ndarray:
    facts = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
    outputs, inputs, block = facts["N"], facts["K"], facts["block_size"]
    codes = numpy_helper.to_array(values[node.input[1]]).reshape(outputs, inputs // block, block).astype(np.float32)
    scale = numpy_helper.to_array(values[node.input[2]]).reshape(outputs, inputs // block, 1)
    return ((codes - 128.0) * scale).reshape(outputs, inputs)


if __name__ == "__main__":
    main()
