"""Write the graph of the thorough grounder: a decoder in eight bits that reads on from what it has read.

    python -m training.reader_graph qwen1.5b.gguf models/surefoot_models/grounder_thorough/graph.onnx

Inputs: `ids` and `place` [N], the pieces and their positions; `bias` [N, P + N], 0 where a piece is seen and far below
it where not; `past` [layers, 2, P, shared, size], keys and values of what was read before; `last` [C], the pieces whose
answer is wanted. Outputs: `logits` [C, 3] for Yes, No and None, and `now`, keys and values of these pieces. Each
piece's states have a step of their own: one loud piece costs the others nothing. The weights lie in a file of their own
(`surefoot.encoders.reader_file`), made where it is used.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

from surefoot.encoders.reader_file import WEIGHTS, Model, Shape, Stretch, stretches
from training.graph import MICROSOFT, OPSET, Graph

MIDDLE = 128
"""The code of zero."""


def main() -> None:
    source, target = map(Path, sys.argv[1:3])
    target.write_bytes(write(Model(source, None).shape).SerializeToString())


class ReaderGraph(Graph):
    """A graph whose weights lie elsewhere."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(recipe="pieces")
        self.shape = shape
        self.places = {stretch.name: stretch for stretch in stretches(shape)}
        self.one = self.number(1.0)
        self.middle = self.tensor(np.array(MIDDLE, np.uint8))

    def plain(self, name: str) -> str:
        found = self.places[name]
        form = [found.columns] if found.rows == 1 else [found.rows, found.columns]
        return self._outside(name, np.float32, form, found.at)

    def codes(self, found: Stretch) -> str:
        form = [found.columns, found.rows] if found.form == "product" else [found.rows, found.columns]
        return self._outside(f"{found.name}.codes", np.int8, form, found.at)

    def scales(self, found: Stretch) -> str:
        form = [found.rows] if found.form == "product" else [found.rows, 1]
        return self._outside(f"{found.name}.scales", np.float32, form, found.scales_at)

    def _outside(self, name: str, kind: type, form: list[int], at: int) -> str:
        tensor = onnx.TensorProto()
        tensor.name, tensor.data_type = name, helper.np_dtype_to_tensor_dtype(np.dtype(kind))
        tensor.dims.extend(form)
        tensor.data_location = TensorProto.EXTERNAL
        length = int(np.prod(form)) * np.dtype(kind).itemsize
        for key, value in (("location", WEIGHTS), ("offset", at), ("length", length)):
            entry = tensor.external_data.add()
            entry.key, entry.value = key, str(value)
        self.weights.append(tensor)
        return name

    def rounded(self, states: str) -> tuple[str, str]:
        """Codes of states, and each piece's own step."""
        loudest = self.add("ReduceMax", self.add("Abs", states), self.ints(-1), keepdims=1)
        step = self.add("Mul", self.add("Max", loudest, self.number(1e-6)), self.number(1 / 127))
        return self.add("QuantizeLinear", self.add("Div", states, step), self.one, self.middle), step

    def times(self, rounded: tuple[str, str], name: str) -> str:
        codes, step = rounded
        found = self.places[name]
        parts = (codes, self.codes(found), self.one, self.scales(found), self.middle)
        return self.add("Mul", self.add("MatMulIntegerToFloat", *parts, domain=MICROSOFT), step)

    def normed(self, states: str, name: str) -> str:
        return self.add("SimplifiedLayerNormalization", states, self.plain(name), axis=-1, epsilon=self.shape.epsilon)


def write(shape: Shape) -> onnx.ModelProto:
    graph = ReaderGraph(shape)
    words = graph.places["words"]
    states = graph.add("Cast", graph.add("Gather", graph.codes(words), "ids"), to=TensorProto.FLOAT)
    states = graph.add("Mul", states, graph.add("Gather", graph.scales(words), "ids"))
    turns = _turns(graph)
    read = []
    for number in range(shape.layers):
        states, now = _layer(graph, states, turns, number)
        read.append(now)
    states = graph.normed(states, "norm")
    answers = graph.add("Transpose", graph.plain("answers"), perm=[1, 0])
    graph.rename(graph.add("MatMul", states, answers), "logits")
    graph.rename(graph.add("Concat", *read, axis=0), "now")
    return _model(graph)


def _turns(graph: ReaderGraph) -> tuple[str, str]:
    """Cosine and sine of each piece's angles, [N, 1, size]."""
    size = graph.shape.size
    rates = (graph.shape.turn ** (-np.arange(0, size, 2) / size)).astype(np.float32)
    place = graph.add("Unsqueeze", graph.add("Cast", "place", to=TensorProto.FLOAT), graph.ints(1))
    angle = graph.add("Mul", place, graph.tensor(rates[None]))
    both = graph.add("Unsqueeze", graph.add("Concat", angle, angle, axis=1), graph.ints(1))
    return graph.add("Cos", both), graph.add("Sin", both)


def _turned(graph: ReaderGraph, states: str, heads: int, turns: tuple[str, str]) -> str:
    each = graph.add("Reshape", states, graph.ints(-1, heads, graph.shape.size))
    left, right = graph.add("Split", each, outputs=2, axis=2, num_outputs=2)
    aside = graph.add("Concat", graph.add("Neg", right), left, axis=2)
    return graph.add("Add", graph.add("Mul", each, turns[0]), graph.add("Mul", aside, turns[1]))


def _layer(graph: ReaderGraph, states: str, turns: tuple[str, str], number: int) -> tuple[str, str]:
    """The states after a layer, and its keys and values, [1, 2, N, shared, size]. The last layer goes on with the
    pieces alone whose answer is wanted."""
    shape, at = graph.shape, f"layers.{number}."
    narrow = shape.shared * shape.size
    looks = graph.times(graph.rounded(graph.normed(states, at + "attention_norm")), at + "qkv")
    looks = graph.add("Add", looks, graph.plain(at + "qkv_bias"))
    query, key, value = graph.add("Split", looks, graph.ints(shape.hidden, narrow, narrow), outputs=3, axis=1)
    query, key = _turned(graph, query, shape.heads, turns), _turned(graph, key, shape.shared, turns)
    value = graph.add("Reshape", value, graph.ints(-1, shape.shared, shape.size))
    pair = [graph.add("Unsqueeze", one, graph.ints(0)) for one in (key, value)]
    now = graph.add("Concat", *pair, axis=0)
    mixed = _attended(graph, query, now, number)
    if number == shape.layers - 1:
        mixed, states = (graph.add("Gather", one, "last") for one in (mixed, states))
    states = graph.add("Add", states, graph.times(graph.rounded(mixed), at + "out"))
    ready = graph.rounded(graph.normed(states, at + "inner_norm"))
    gate, up = graph.times(ready, at + "gate"), graph.times(ready, at + "up")
    inner = graph.add("Mul", graph.add("Mul", gate, graph.add("Sigmoid", gate)), up)
    states = graph.add("Add", states, graph.times(graph.rounded(inner), at + "down"))
    return states, graph.add("Unsqueeze", now, graph.ints(0))


def _attended(graph: ReaderGraph, query: str, now: str, number: int) -> str:
    """[N, hidden]. Heads that share keys are rows of one product."""
    shared, size = graph.shape.shared, graph.shape.size
    group = graph.shape.heads // shared
    past = graph.add("Gather", "past", graph.tensor(np.array(number, np.int64)), axis=0)
    both = graph.add("Split", graph.add("Concat", past, now, axis=1), outputs=2, axis=0, num_outputs=2)
    keys, values = (graph.add("Squeeze", one, graph.ints(0)) for one in both)  # [P + N, shared, size]
    query = graph.add("Reshape", graph.add("Mul", query, graph.number(size**-0.5)), graph.ints(-1, shared, group, size))
    query = graph.add("Reshape", graph.add("Transpose", query, perm=[1, 2, 0, 3]), graph.ints(shared, -1, size))
    scores = graph.add("MatMul", query, graph.add("Transpose", keys, perm=[1, 2, 0]))  # [shared, group·N, P + N]
    wide = graph.add("Concat", graph.ints(shared, group), graph.add("Shape", "bias"), axis=0)
    shares = graph.add("Softmax", graph.add("Add", graph.add("Reshape", scores, wide), "bias"), axis=-1)
    flat = graph.add("Concat", graph.ints(shared, -1), graph.add("Shape", "bias", start=1), axis=0)
    mixed = graph.add("MatMul", graph.add("Reshape", shares, flat), graph.add("Transpose", values, perm=[1, 0, 2]))
    heads = graph.add("Concat", graph.ints(shared, group), graph.add("Shape", "bias", end=1), graph.ints(size), axis=0)
    mixed = graph.add("Transpose", graph.add("Reshape", mixed, heads), perm=[2, 0, 1, 3])
    return graph.add("Reshape", mixed, graph.ints(-1, graph.shape.hidden))


def _model(graph: ReaderGraph) -> onnx.ModelProto:
    shape = graph.shape
    read: list[str | int] = [shape.layers, 2, "P", shape.shared, shape.size]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["N"]) for name in ("ids", "place")]
    inputs += [
        helper.make_tensor_value_info("last", TensorProto.INT64, ["C"]),
        helper.make_tensor_value_info("bias", TensorProto.FLOAT, ["N", "S"]),
        helper.make_tensor_value_info("past", TensorProto.FLOAT, read),
    ]
    outputs = [
        helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["C", 3]),
        helper.make_tensor_value_info("now", TensorProto.FLOAT, [*read[:2], "N", *read[3:]]),
    ]
    body = helper.make_graph(graph.nodes, "reader", inputs, outputs, graph.weights)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=10, producer_name="surefoot-training")


if __name__ == "__main__":
    main()
