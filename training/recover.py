"""Read a shipped judging model back into weights that can be trained on, where the weights themselves were not kept.

Codes times their scales: each weight within a 126th of its row's largest (recipe `fixed`) or a 250th of its block's
(`blocks`). What was smoothed in the file stays smoothed, which changes no output.
"""

from __future__ import annotations

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper

from training.encoder import BUCKETS, Shape, bucket
from training.graph import REACH
from training.heads import Judge

FORMS = {"MatMulIntegerToFloat": "fixed", "MatMulNBits": "blocks"}


def layers_in(model: onnx.ModelProto) -> int:
    """How many layers a file has: each ends with its second norm, and one stands before the first."""
    return sum(node.op_type == "LayerNormalization" for node in model.graph.node) // 2


def recover(model: onnx.ModelProto, shape: Shape) -> Judge:
    """The model that a file was written from, as near as its codes tell."""
    values = {entry.name: numpy_helper.to_array(entry) for entry in model.graph.initializer}
    made = {output: node for node in model.graph.node for output in node.output}
    products = [node for node in model.graph.node if node.op_type in FORMS]
    if not products or len(products) % shape.layers:
        raise ValueError(f"{len(products)} integer products for {shape.layers} layers: not a file of a form we write")
    each = len(products) // shape.layers
    state: dict[str, np.ndarray] = {}
    for number in range(shape.layers):
        # Queries, keys and values are three products; in older files they are one.
        *asked, out, up, down = products[number * each : (number + 1) * each]
        for name, nodes in (("qkv", asked), ("out", [out]), ("up", [up]), ("down", [down])):
            read = [_read(node, values, made) for node in nodes]
            state[f"layers.{number}.{name}.weight"] = np.concatenate([weight for weight, _ in read])
            state[f"layers.{number}.{name}.bias"] = np.concatenate([bias for _, bias in read])
        if any(node.op_type == "Softmax" for node in model.graph.node):
            # Attention is spelled out there, and its scale is in the queries.
            for part in ("weight", "bias"):
                state[f"layers.{number}.qkv.{part}"][: shape.hidden] *= np.sqrt(shape.hidden // shape.heads)
    norms = [node for node in model.graph.node if node.op_type == "LayerNormalization"]
    halves = [f"layers.{n}.{half}" for n in range(shape.layers) for half in ("norm_attention", "norm_output")]
    for name, node in zip(("norm", *halves), norms, strict=True):
        state |= {f"{name}.weight": values[node.input[1]], f"{name}.bias": values[node.input[2]]}
    state |= _tables(values, shape)
    judge = Judge(shape, 0.0)
    known = judge.state_dict() | {f"encoder.{name}": torch.tensor(value) for name, value in state.items()}
    known |= {name: torch.tensor(value) for name, value in _heads(model, values).items()}
    judge.load_state_dict(known)
    return judge.eval()


def _read(
    node: onnx.NodeProto, values: dict[str, np.ndarray], made: dict[str, onnx.NodeProto]
) -> tuple[np.ndarray, np.ndarray]:
    """A product's weight, without what its inputs were divided by, and its bias."""
    if FORMS[node.op_type] == "fixed":
        weight, bias = (values[node.input[1]].astype(np.float32) * values[node.input[3]]).T, values[node.input[6]]
    else:
        facts = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
        codes = values[node.input[1]].reshape(facts["N"], -1, facts["block_size"]).astype(np.float32)
        scale = values[node.input[2]].reshape(facts["N"], -1, 1)
        weight, bias = ((codes - 128.0) * scale).reshape(facts["N"], facts["K"]), values[node.input[5]]
    before = made.get(node.input[0])
    while before is not None and before.op_type in ("Slice", "QuantizeLinear", "Concat"):
        before = made.get(before.input[0])
    eased = before is not None and before.op_type == "Mul"
    return weight * values[before.input[1]] if eased else weight, bias


def _tables(values: dict[str, np.ndarray], shape: Shape) -> dict[str, np.ndarray]:
    """The embeddings; positions past those that were kept are never read."""
    kept = next(value for value in values.values() if value.dtype == np.float16)
    places = np.zeros((shape.positions, shape.hidden), np.float32)
    places[shape.first_position : shape.first_position + len(kept)] = kept
    table = max((value for value in values.values() if value.dtype == np.int8), key=len)
    scale = next(value for value in values.values() if value.shape == (len(table), 1))
    shared = [value for value in values.values() if value.dtype == np.int32 and len(value) == shape.vocabulary]
    words = (table * scale)[shared[0]] if shared else table * scale
    found = {"words.weight": words, "places.weight": places}
    if shape.kind == "mpnet":
        away = np.arange(1 - REACH, REACH)
        by_distance = next(value for value in values.values() if value.shape == (len(away), shape.heads))
        relative = np.zeros((BUCKETS, shape.heads), np.float32)
        relative[bucket(torch.tensor(away)).numpy()] = by_distance
        found["relative.weight"] = relative
    return found


def _heads(model: onnx.ModelProto, values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    head = next(node for node in model.graph.node if node.op_type == "Gemm")
    found = {"sentence.weight": values[head.input[1]].T, "sentence.bias": values[head.input[2]]}
    products = (node for node in model.graph.node if node.op_type == "MatMul" and node.input[1] in values)
    token = next(products, None)
    if token is not None:
        added = next(node for node in model.graph.node if node.op_type == "Add" and node.input[0] == token.output[0])
        found |= {"token.weight": values[token.input[1]].T, "token.bias": values[added.input[1]]}
    return found
