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

FRESH = 1_000_000
"""Names of new nodes count from here, past those of the model."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True)
    parser.add_argument("--package", type=Path, default=Path("models/surefoot_models"))
    parser.add_argument("--data", type=Path, help="labelled rows to compare float and eight bits on")
    parser.add_argument("--base", default="minilm")
    parser.add_argument("--rows", type=int, default=600)
    options = parser.parse_args()
    folder = options.package / options.name
    by_blocks = onnx.load(folder / "model.onnx")
    narrow = rewrite(by_blocks, "tokens").SerializeToString()
    card = json.loads((folder / "card.json").read_text())
    card["recipe"]["eight_bits"] = EIGHT_BITS_FORM
    if options.data is not None:
        examples = Examples.load(options.data, options.base, 384)
        wide = rewrite(by_blocks, "float").SerializeToString()
        card["int8_cost"] = {"bytes": len(narrow)} | compare(wide, narrow, examples, spread(examples, options.rows))
        print(json.dumps(card["int8_cost"]))
    (folder / "model.onnx").write_bytes(narrow)
    write_card(folder, card)


def rewrite(model: onnx.ModelProto, recipe: str) -> onnx.ModelProto:
    """The same model with every product by blocks replaced by one of `recipe`."""
    values = {entry.name: entry for entry in model.graph.initializer}
    graph = Graph(recipe=recipe, count=FRESH)
    gone: set[str] = set()
    nodes: list[onnx.NodeProto] = []
    for node in model.graph.node:
        if node.op_type != "MatMulNBits":
            nodes.append(node)
            continue
        gone |= {node.input[1], node.input[2]}
        first = len(graph.nodes)
        graph.linear(node.input[0], _weight(node, values), numpy_helper.to_array(values[node.input[5]]))
        graph.nodes[-1].output[0] = node.output[0]
        nodes += graph.nodes[first:]
        gone.add(node.input[5])
    kept = [entry for entry in model.graph.initializer if entry.name not in gone]
    body = helper.make_graph(nodes, model.graph.name, model.graph.input, model.graph.output, kept + graph.weights)
    return helper.make_model(
        body, opset_imports=model.opset_import, ir_version=model.ir_version, producer_name=model.producer_name
    )


def _weight(node: onnx.NodeProto, values: dict[str, onnx.TensorProto]) -> np.ndarray:
    facts = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
    outputs, inputs, block = facts["N"], facts["K"], facts["block_size"]
    codes = numpy_helper.to_array(values[node.input[1]]).reshape(outputs, inputs // block, block).astype(np.float32)
    scale = numpy_helper.to_array(values[node.input[2]]).reshape(outputs, inputs // block, 1)
    return ((codes - 128.0) * scale).reshape(outputs, inputs)


if __name__ == "__main__":
    main()
