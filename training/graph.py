"""Write an encoder with its heads as an ONNX graph, in float or in eight bits.

The graph is laid out by hand instead of traced, so that each matrix product can be given the integer form that is both
fast and faithful. See docs/decisions/0020-int8-recipe.md, 0023 and 0026.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from training.encoder import Shape, bucket
from training.rounding import Seen, capping, easing, quantise_rows, round_weight

OPSET = 20
MICROSOFT = "com.microsoft"
BLOCKS = {"bert": 128, "mpnet": 256}
"""Inputs that share one scale; the large model takes longer blocks to stay under its size."""
REACH = 388
"""Positions kept: our inputs have at most 384 tokens."""


@dataclass(frozen=True, kw_only=True)
class Operand:
    """States made ready for a product: as they are, eased, or as eight-bit codes. Several products may share them."""

    name: str
    ease: np.ndarray | None = None
    """What each channel was divided by; the product's weights are multiplied by it."""
    step: str = ""
    zero: str = ""
    seen: Seen | None = None


@dataclass(kw_only=True)
class Graph:
    """Nodes and weights gathered so far; each method adds one operation and returns its output's name."""

    recipe: str
    """`float`, `blocks` (MatMulNBits: most faithful) or `fixed` (MatMulIntegerToFloat, steps set before: fastest)."""
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
        self, states: str, weight: np.ndarray, bias: np.ndarray, seen: Seen | None, ease: np.ndarray | None = None
    ) -> str:
        """`states @ weight.T + bias`, where weight is [outputs, inputs]."""
        return self.product(self.operand(states, seen, ease), weight, bias)

    def operand(self, states: str, seen: Seen | None, ease: np.ndarray | None = None) -> Operand:
        """States as the recipe's products take them. With `ease`, channels that run large are divided by it first and
        their weights multiplied (SmoothQuant), so that one loud channel does not cost the others their precision."""
        if self.recipe == "float":
            return Operand(name=states)
        if ease is not None:
            states = self.add("Mul", states, self.tensor((1.0 / ease).astype(np.float32)))
        if self.recipe == "blocks":
            return Operand(name=states, ease=ease)
        if seen is None:
            raise ValueError("the recipe 'fixed' needs to have seen each product's inputs: calibrate first")
        seen = seen if ease is None else seen.eased(ease)
        low, high = seen.bounds()
        size = (high - low) / 255.0
        step, zero = self.number(size), self.tensor(np.array(round(-low / size), np.uint8))
        codes = self.add("QuantizeLinear", states, step, zero)
        return Operand(name=codes, ease=ease, step=step, zero=zero, seen=seen)

    def product(self, operand: Operand, weight: np.ndarray, bias: np.ndarray) -> str:
        if operand.ease is not None:
            weight = weight * operand.ease
        if self.recipe == "float":
            return self.add("Add", self.add("MatMul", operand.name, self.tensor(weight.T)), self.tensor(bias))
        if self.recipe == "blocks":
            return self._blocks(operand.name, weight, bias)
        assert operand.seen is not None
        codes, scale = round_weight(weight, operand.seen.moment)
        parts = (operand.name, self.tensor(codes.T), operand.step, self.tensor(scale), operand.zero, "")
        return self.add("MatMulIntegerToFloat", *parts, self.tensor(bias.astype(np.float32)), domain=MICROSOFT)

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
            domain=MICROSOFT,
            K=inputs,
            N=outputs,
            bits=8,
            block_size=block,
            accuracy_level=4,
        )

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

    def upto(self, name: str, end: str, axis: int = 1) -> str:
        """What stands before `end` on an axis."""
        return self.add("Slice", name, self.ints(0), end, self.ints(axis))

    def model(self, inputs: tuple[str, ...], outputs: dict[str, list[str | int]]) -> onnx.ModelProto:
        """`attention_mask` among the inputs means rows of different lengths; without it there is one row at a time."""
        rows: str | int = "batch" if "attention_mask" in inputs else 1
        ids = [helper.make_tensor_value_info(name, TensorProto.INT64, [rows, "length"]) for name in inputs]
        outs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()]
        graph = helper.make_graph(self.nodes, "encoder", ids, outs, self.weights)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="surefoot-training")

    def rename(self, name: str, wanted: str) -> None:
        self.nodes.append(helper.make_node("Identity", [name], [wanted], name=wanted))

    def _name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}_{self.count}"


def write_encoder(
    graph: Graph,
    shape: Shape,
    state: dict[str, np.ndarray],
    seen: dict[str, Seen],
    *,
    rows: np.ndarray | None = None,
    mask: str = "",
    kept: str = "",
) -> str:
    """Add the whole encoder to `graph`; returns the name of the token states.

    `seen` holds what the inputs of each linear layer looked like, by its name. `mask` names the input that tells real
    tokens from padding, where rows are padded. `kept` names how many states at the front are read afterwards: the last
    layer, and every layer after the evidence has come to rest, computes no others, which saves most of them.
    """
    length = graph.add("Shape", "input_ids", start=1, end=2)
    # A slice of a constant, not Range and Gather: onnxruntime rewrites that pair into a slice it then cannot run.
    table = state["places.weight"][shape.first_position :][:REACH].astype(np.float16)
    position = graph.add("Cast", graph.upto(graph.tensor(table), length, 0), to=TensorProto.FLOAT)
    states = graph.add("Add", graph.lookup(state["words.weight"], "input_ids", rows), position)
    states = graph.norm(states, state["norm.weight"], state["norm.bias"], shape.epsilon)
    near, near_front = _nearness(graph, state, length) if shape.kind == "mpnet" else "", ""
    mask = graph.add("Cast", mask, to=TensorProto.INT32) if mask else ""
    parts = [part_of(graph, state, seen, number) for number in range(shape.layers)]
    rest = shape.layers if shape.rest is None else shape.rest
    resting: Operand | None = None
    for number, part in enumerate(share_ease(parts, rest)):
        last = number == shape.layers - 1
        if number == rest:
            resting = graph.operand(graph.add("Slice", states, kept, length, graph.ints(1)), part.looks, part.ease)
            states = graph.upto(states, kept)
        if near and (last or number >= rest) and not near_front:
            near_front = graph.upto(near, kept, 2) if kept else near
        states = _layer(
            graph,
            shape,
            part,
            states,
            near=near_front or near,
            mask=mask,
            resting=resting,
            kept=kept if last and resting is None else "",
        )
    return states


@dataclass(frozen=True, kw_only=True)
class Part:
    """One layer's weights and what its products' inputs looked like, ready to be written."""

    layer: dict[str, np.ndarray]
    seen: dict[str, Seen]
    ease: np.ndarray | None
    """What the states that attention reads are divided by."""
    looks: Seen | None
    """What they look like before that."""


def part_of(graph: Graph, state: dict[str, np.ndarray], seen: dict[str, Seen], number: int) -> Part:
    layer = {name.split(".", 2)[2]: value for name, value in state.items() if name.startswith(f"layers.{number}.")}
    looks = {name.split(".")[2]: value for name, value in seen.items() if name.startswith(f"layers.{number}.")}
    ease = easing(layer["out.weight"], looks.get("out"))
    if ease is not None and graph.recipe != "float":
        # What attention mixes is scaled where it is made, in the values' weights, instead of before it is rounded.
        by = np.concatenate([np.ones(2 * len(ease), np.float32), ease])
        layer |= {"qkv.weight": layer["qkv.weight"] / by[:, None], "qkv.bias": layer["qkv.bias"] / by}
        layer["out.weight"], looks["out"] = layer["out.weight"] * ease, looks["out"].eased(ease)
    return Part(layer=layer, seen=looks, ease=easing(layer["qkv.weight"], looks.get("qkv")), looks=looks.get("qkv"))


def share_ease(parts: list[Part], rest: int) -> list[Part]:
    """Layers above the rest divide and round what they read alike, so that the evidence is made ready once for all."""
    above = parts[rest:]
    seen = [part.looks for part in above if part.looks is not None]
    if not seen:
        return parts
    low, high = np.min([one.low for one in seen], 0), np.max([one.high for one in seen], 0)
    looks = [replace(one, low=low, high=high) for one in seen]
    ease = easing(np.concatenate([part.layer["qkv.weight"] for part in above]), looks[0])
    return [*parts[:rest], *(replace(part, ease=ease, looks=look) for part, look in zip(above, looks, strict=True))]


def claim_end(graph: Graph) -> str:
    """How many tokens stand up to the claim's last one: all that the heads read."""
    places = graph.upto(graph.tensor(np.arange(REACH, dtype=np.int64)), graph.add("Shape", "input_ids", start=1), 0)
    last = graph.add("ReduceMax", graph.add("Mul", "claim_mask", places), graph.ints(1), keepdims=0)
    return graph.add("Add", last, graph.ints(1))


def _nearness(graph: Graph, state: dict[str, np.ndarray], length: str) -> str:
    """mpnet's bias by relative position, for every head and pair of tokens."""
    import torch

    reach = REACH - 1
    by_distance = state["relative.weight"][bucket(torch.arange(-reach, reach + 1)).numpy()].astype(np.float32)
    places = graph.upto(graph.tensor(np.arange(REACH, dtype=np.int64)), length, 0)
    row = graph.add("Unsqueeze", places, graph.ints(0))
    column = graph.add("Unsqueeze", places, graph.ints(1))
    away = graph.add("Add", graph.add("Sub", row, column), graph.tensor(np.array(reach, np.int64)))
    # Whole rows are gathered and turned afterwards: gathering number by number takes eight times as long.
    each = graph.add("Transpose", graph.add("Gather", graph.tensor(by_distance), away), perm=[2, 0, 1])
    return graph.add("Unsqueeze", each, graph.ints(0))


def _layer(
    graph: Graph,
    shape: Shape,
    part: Part,
    states: str,
    *,
    near: str,
    mask: str,
    resting: Operand | None,
    kept: str,
) -> str:
    layer, seen = part.layer, part.seen
    mixed, states = _attention(graph, shape, part, states, near=near, mask=mask, resting=resting, kept=kept)
    # Not SkipLayerNormalization: onnxruntime's takes six times as long as these two.
    states = graph.norm(
        graph.add("Add", states, mixed), layer["norm_attention.weight"], layer["norm_attention.bias"], shape.epsilon
    )
    up, down = seen.get("up"), seen.get("down")
    inner = graph.linear(states, layer["up.weight"], layer["up.bias"], up, easing(layer["up.weight"], up))
    inner = graph.add("Gelu", inner)
    # By blocks the loud channels have their own scale; a fixed step needs only the few loudest brought down.
    ease = capping(down) if graph.recipe == "fixed" else easing(layer["down.weight"], down)
    inner = graph.linear(inner, layer["down.weight"], layer["down.bias"], down, ease)
    return graph.norm(
        graph.add("Add", states, inner), layer["norm_output.weight"], layer["norm_output.bias"], shape.epsilon
    )


def _attention(
    graph: Graph,
    shape: Shape,
    part: Part,
    states: str,
    *,
    near: str,
    mask: str,
    resting: Operand | None,
    kept: str,
) -> tuple[str, str]:
    """What attention adds to the states, and the states it is added to: the kept ones, where not all are."""
    ready = graph.operand(states, part.looks, part.ease)
    asking = ready
    if kept:
        asking, states = replace(ready, name=graph.upto(ready.name, kept)), graph.upto(states, kept)
    if resting is not None:
        ready = replace(ready, name=graph.add("Concat", ready.name, resting.name, axis=1))
    weights, biases = np.split(part.layer["qkv.weight"], 3), np.split(part.layer["qkv.bias"], 3)
    parts = [graph.product(by, *pair) for by, *pair in zip((asking, ready, ready), weights, biases, strict=True)]
    inputs = [*parts, "", mask, near]
    while not inputs[-1]:
        inputs.pop()
    mixed = graph.add("MultiHeadAttention", *inputs, domain=MICROSOFT, num_heads=shape.heads)
    return graph.linear(mixed, part.layer["out.weight"], part.layer["out.bias"], part.seen.get("out")), states
