"""Write an encoder with its heads as an ONNX graph, in float or in eight bits.

The graph is laid out by hand instead of traced, so that each matrix product can be given the integer form that is both
fast and faithful. See docs/decisions/0020-int8-recipe.md and 0023.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from training.encoder import Shape, bucket

OPSET = 20
BLOCKS = {"bert": 128, "mpnet": 256}
"""Inputs that share one scale; the large model takes longer blocks to stay under its size."""
REACH = 388
"""Positions kept: our inputs have at most 384 tokens."""
SMOOTHING = 0.6
EIGHT_BITS, SEVEN_BITS = 127, 63
NORMALISED = 16.0
"""No normalised state is larger; what was seen in calibration is taken instead where it is known."""


Peaks = dict[str, np.ndarray]


@dataclass(kw_only=True)
class Graph:
    """Nodes and weights gathered so far; each method adds one operation and returns its output's name."""

    recipe: str
    """`float`, `blocks` (MatMulNBits: most faithful) or `tokens` (MatMulIntegerToFloat, a scale per token: fastest)."""
    block: int = 128
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    weights: list[onnx.TensorProto] = field(default_factory=list)
    count: int = 0
    known: dict[str, str] = field(default_factory=dict)

    def add(self, kind: str, *inputs: str, outputs: int = 1, domain: str = "", **attributes: object) -> str:
        names = [self._name(kind.lower()) for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=names[0], domain=domain, **attributes))
        return names[0] if outputs == 1 else names  # type: ignore[return-value]

    def tensor(self, value: np.ndarray) -> str:
        key = f"{value.dtype}{value.shape}{value.tobytes()!r}" if value.size <= 8 else ""
        if key and key in self.known:
            return self.known[key]
        name = self._name("w")
        self.weights.append(numpy_helper.from_array(np.array(value, order="C"), name))
        if key:
            self.known[key] = name
        return name

    def number(self, value: float) -> str:
        return self.tensor(np.array(value, np.float32))

    def ints(self, *values: int) -> str:
        return self.tensor(np.array(values, np.int64))

    def linear(
        self,
        states: str,
        weight: np.ndarray,
        bias: np.ndarray,
        peak: np.ndarray | None = None,
        *,
        bound: float | None = None,
    ) -> str:
        """`states @ weight.T + bias`, where weight is [outputs, inputs].

        `peak` is the largest size each input channel was seen to take. With it, channels that run large are scaled
        down before rounding and their weights up (SmoothQuant), so that one loud channel does not cost the others.
        `bound` is the largest size any input was seen to take, where all tokens are of like size.
        """
        if peak is not None and self.recipe != "float":
            ease = easing(weight, peak)
            states = self.add("Mul", states, self.tensor((1.0 / ease).astype(np.float32)))
            weight = weight * ease
            bound = None if bound is None else float((peak / ease).max())
        if self.recipe == "float":
            return self.add("Add", self.add("MatMul", states, self.tensor(weight.T)), self.tensor(bias))
        if self.recipe == "blocks":
            return self._blocks(states, weight, bias)
        return self._tokens(states, weight, bias, bound)

    def _blocks(self, states: str, weight: np.ndarray, bias: np.ndarray) -> str:
        outputs, inputs = weight.shape
        block = self.block
        parts = weight.reshape(outputs, inputs // block, block)
        scale = np.abs(parts).max(-1) / 127.0
        codes = np.clip(np.round(parts / scale[..., None]) + 128, 1, 255).astype(np.uint8)
        return self.add(
            "MatMulNBits",
            states,
            self.tensor(codes),
            self.tensor(scale.astype(np.float32)),
            "",
            "",
            self.tensor(bias),
            domain="com.microsoft",
            K=inputs,
            N=outputs,
            bits=8,
            block_size=block,
            accuracy_level=4,
        )

    def _tokens(self, states: str, weight: np.ndarray, bias: np.ndarray, bound: float | None) -> str:
        """A scale per output channel; for the inputs a fixed one up to `bound`, or one per token without it.

        Either way a claim's score does not hang on its batch. Weights take seven of the eight bits: on x86 without
        VNNI pairs of full products overflow.
        """
        codes, scale = quantise_rows(weight, SEVEN_BITS)
        zero = self.tensor(np.array(128, np.uint8))
        parts = (self.tensor(codes.T), self.tensor(scale.astype(np.float32)))
        if bound is not None:
            step = self.number(bound / EIGHT_BITS)
            small = self.add("QuantizeLinear", states, step, zero)
            return self._product(small, step, zero, *parts, self.tensor(bias))
        largest = self.add("ReduceMax", self.add("Abs", states), self.ints(-1), keepdims=1)
        largest = self.add("Max", largest, self.number(1e-6))
        step = self.number(1 / EIGHT_BITS)
        small = self.add("QuantizeLinear", self.add("Div", states, largest), step, zero)
        return self.add("Add", self.add("Mul", self._product(small, step, zero, *parts), largest), self.tensor(bias))

    def _product(self, small: str, step: str, zero: str, codes: str, scale: str, bias: str = "") -> str:
        inputs = (small, codes, step, scale, zero, "", bias) if bias else (small, codes, step, scale, zero)
        return self.add("MatMulIntegerToFloat", *inputs, domain="com.microsoft")

    def lookup(self, table: np.ndarray, ids: str, rows: np.ndarray | None = None) -> str:
        """Rows of an embedding table; in eight bits each row has its own scale. `rows` says which row an id reads."""
        if rows is not None:
            kept, place = np.unique(rows, return_inverse=True)
            table, ids = table[kept], self.add("Gather", self.tensor(place.astype(np.int32)), ids)
        if self.recipe == "float":
            return self.add("Gather", self.tensor(table), ids)
        codes, scale = quantise_rows(table)
        rows = self.add("Cast", self.add("Gather", self.tensor(codes), ids), to=TensorProto.FLOAT)
        return self.add("Mul", rows, self.add("Gather", self.tensor(scale[:, None].astype(np.float32)), ids))

    def norm(self, states: str, weight: np.ndarray, bias: np.ndarray, epsilon: float) -> str:
        return self.add("LayerNormalization", states, self.tensor(weight), self.tensor(bias), axis=-1, epsilon=epsilon)

    def model(self, outputs: dict[str, list[str | int]], extra: tuple[str, ...] = ()) -> onnx.ModelProto:
        names = ("input_ids", "attention_mask", *extra)
        ids = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in names]
        outs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()]
        graph = helper.make_graph(self.nodes, "encoder", ids, outs, self.weights)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="surefoot-training")

    def rename(self, name: str, wanted: str) -> None:
        self.nodes.append(helper.make_node("Identity", [name], [wanted], name=wanted))

    def _name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}_{self.count}"


def easing(weight: np.ndarray, peak: np.ndarray) -> np.ndarray:
    """By how much each input channel is scaled down before rounding, and its weights up."""
    return np.maximum(peak, 1e-3) ** SMOOTHING / np.maximum(np.abs(weight).max(0), 1e-5) ** (1 - SMOOTHING)


def quantise_rows(table: np.ndarray, top: int = EIGHT_BITS) -> tuple[np.ndarray, np.ndarray]:
    """Symmetric codes up to `top` and one scale per row."""
    scale = np.maximum(np.abs(table).max(1), 1e-8) / top
    return np.clip(np.round(table / scale[:, None]), -top, top).astype(np.int8), scale


def write_encoder(
    graph: Graph, shape: Shape, state: dict[str, np.ndarray], peaks: Peaks, rows: np.ndarray | None = None
) -> str:
    """Add the whole encoder to `graph`; returns the name of the token states.

    `peaks` holds the largest inputs seen at each linear layer, by its name; empty means no smoothing.
    """
    length = graph.add("Shape", "input_ids", start=1, end=2)
    # A slice of a constant, not Range and Gather: onnxruntime rewrites that pair into a slice it then cannot run.
    table = state["places.weight"][shape.first_position :][:REACH].astype(np.float16)
    position = graph.add("Slice", graph.tensor(table), graph.ints(0), length, graph.ints(0))
    position = graph.add("Cast", position, to=TensorProto.FLOAT)
    states = graph.add("Add", graph.lookup(state["words.weight"], "input_ids", rows), position)
    states = graph.norm(states, state["norm.weight"], state["norm.bias"], shape.epsilon)
    bias = _attention_bias(graph, shape, state, length)
    for number in range(shape.layers):
        layer = {name.split(".", 2)[2]: value for name, value in state.items() if name.startswith(f"layers.{number}.")}
        seen = {name.split(".")[2]: value for name, value in peaks.items() if name.startswith(f"layers.{number}.")}
        states = _layer(graph, shape, layer, states, bias, seen)
    return states


def _attention_bias(graph: Graph, shape: Shape, state: dict[str, np.ndarray], length: str) -> str:
    mask = graph.add("Unsqueeze", graph.add("Cast", "attention_mask", to=TensorProto.FLOAT), graph.ints(1, 2))
    bias = graph.add("Mul", graph.add("Sub", graph.number(1.0), mask), graph.number(-10000.0))
    if shape.kind != "mpnet":
        return bias
    import torch

    reach = REACH - 1
    by_distance = state["relative.weight"][bucket(torch.arange(-reach, reach + 1)).numpy()].astype(np.float32)
    counting = graph.tensor(np.arange(REACH, dtype=np.int64))
    places = graph.add("Slice", counting, graph.ints(0), length, graph.ints(0))
    row = graph.add("Unsqueeze", places, graph.ints(0))
    column = graph.add("Unsqueeze", places, graph.ints(1))
    away = graph.add("Add", graph.add("Sub", row, column), graph.tensor(np.array(reach, np.int64)))
    relative = graph.add("Transpose", graph.add("Gather", graph.tensor(by_distance), away), perm=[2, 0, 1])
    return graph.add("Add", graph.add("Unsqueeze", relative, graph.ints(0)), bias)


def _layer(graph: Graph, shape: Shape, layer: dict[str, np.ndarray], states: str, bias: str, peaks: Peaks) -> str:
    head = shape.hidden // shape.heads
    qkv_weight, qkv_bias = layer["qkv.weight"].copy(), layer["qkv.bias"].copy()
    # The attention scale is folded into the query's weights: one multiplication less a layer.
    qkv_weight[: shape.hidden] /= np.sqrt(head)
    qkv_bias[: shape.hidden] /= np.sqrt(head)
    out_weight, out_peak = layer["out.weight"], peaks.get("out")
    if out_peak is not None and graph.recipe == "tokens":
        # What attention mixes is scaled where it is made, in the values' weights, instead of before it is rounded.
        ease = easing(out_weight, out_peak)
        qkv_weight[2 * shape.hidden :] /= ease[:, None]
        qkv_bias[2 * shape.hidden :] /= ease
        out_weight, out_peak = out_weight * ease, None
    product = graph.linear(states, qkv_weight, qkv_bias, peaks.get("qkv"), bound=NORMALISED)
    qkv = graph.add("Reshape", product, graph.ints(0, 0, 3, shape.heads, head))
    parts = graph.add("Split", qkv, outputs=3, axis=2, num_outputs=3)
    shaped = [graph.add("Squeeze", part, graph.ints(2)) for part in parts]
    query = graph.add("Transpose", shaped[0], perm=[0, 2, 1, 3])
    key = graph.add("Transpose", shaped[1], perm=[0, 2, 3, 1])
    value = graph.add("Transpose", shaped[2], perm=[0, 2, 1, 3])
    weight = graph.add("Softmax", graph.add("Add", graph.add("MatMul", query, key), bias), axis=-1)
    mixed = graph.add("Transpose", graph.add("MatMul", weight, value), perm=[0, 2, 1, 3])
    mixed = graph.add("Reshape", mixed, graph.ints(0, 0, shape.hidden))
    mixed = graph.linear(mixed, out_weight, layer["out.bias"], out_peak)
    states = graph.norm(
        graph.add("Add", states, mixed), layer["norm_attention.weight"], layer["norm_attention.bias"], shape.epsilon
    )
    up = graph.linear(states, layer["up.weight"], layer["up.bias"], peaks.get("up"), bound=NORMALISED)
    inner = graph.add("Gelu", up)
    inner = graph.linear(inner, layer["down.weight"], layer["down.bias"], peaks.get("down"))
    return graph.norm(
        graph.add("Add", states, inner), layer["norm_output.weight"], layer["norm_output.bias"], shape.epsilon
    )
