"""Write a grounder that reads its sources once as an ONNX graph, in float or in eight bits.

Inputs: `claim_ids`, `claim_place`, `claim_group` [1, A], all claims of a draft one after the other; `source_ids`,
`source_mask` [W, T], the windows; `member` [C, A], each claim's own tokens; `first` [C], where each claim opens.
Outputs: `sentence` [C, 3] and `token` [1, A].
"""

from __future__ import annotations

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper

from surefoot.encoders.windows import FIRST_PLACE
from training.encoder import Shape, bucket
from training.graph import BLOCKS, MICROSOFT, OPSET, Graph, Operand, Part, part_of
from training.once import FARTHEST
from training.rounding import Seen, capping, easing


def write(
    shape: Shape, state: dict[str, np.ndarray], recipe: str, seen: dict[str, Seen], rows: np.ndarray | None
) -> bytes:
    graph = Graph(recipe=recipe, block=BLOCKS[shape.kind])
    many = graph.add("Shape", "claim_ids", start=1, end=2)  # A
    wide = graph.add("Shape", "source_ids", start=1, end=2)  # T
    windows = graph.add("Shape", "source_ids", start=0, end=1)  # W
    flat = graph.add("Reshape", "source_ids", graph.ints(1, -1))
    places = graph.tensor(np.arange(FARTHEST, dtype=np.int64))
    one_window = graph.add(
        "Slice", places, graph.ints(FIRST_PLACE), graph.add("Add", wide, graph.ints(FIRST_PLACE)), graph.ints(0)
    )
    source_place = graph.add(
        "Reshape",
        graph.add(
            "Tile",
            graph.add("Unsqueeze", one_window, graph.ints(0)),
            graph.add("Concat", windows, graph.ints(1), axis=0),
        ),
        graph.ints(1, -1),
    )
    ids = graph.add("Concat", "claim_ids", flat, axis=1)
    place = graph.add("Concat", "claim_place", source_place, axis=1)
    table = state["places.weight"][shape.first_position :][:FARTHEST].astype(np.float16)
    position = graph.add("Cast", graph.add("Gather", graph.tensor(table), place), to=TensorProto.FLOAT)
    states = graph.add("Add", graph.lookup(state["words.weight"], ids, rows), position)
    states = graph.norm(states, state["norm.weight"], state["norm.bias"], shape.epsilon)

    claim_bias = _claim_bias(graph, shape, state, many, place)
    source_bias = _source_bias(graph, state, one_window) if shape.kind == "mpnet" else ""
    source_mask = graph.add("Cast", "source_mask", to=TensorProto.INT32)
    sizes = _Sizes(many=many, wide=wide, windows=windows, hidden=shape.hidden)

    rest = shape.layers if shape.rest is None else shape.rest
    resting: str = ""
    for number in range(shape.layers):
        part = part_of(graph, state, seen, number)
        if not resting and number >= min(rest, shape.layers - 1):
            # from here on the sources' own states are only looked at
            resting = graph.add("Slice", states, many, graph.ints(np.iinfo(np.int64).max), graph.ints(1))
            states = graph.upto(states, many)
        states = _layer(graph, shape, part, states, resting, sizes, claim_bias, source_bias, source_mask)
    own = graph.add("Cast", "member", to=TensorProto.FLOAT)
    count = graph.add("Max", graph.add("ReduceSum", own, graph.ints(1), keepdims=1), graph.number(1.0))
    tokens = graph.add("Squeeze", states, graph.ints(0))
    mean = graph.add("Div", graph.add("MatMul", own, tokens), count)
    opening = graph.add("Gather", tokens, "first", axis=0)
    joined = graph.add("Concat", opening, mean, axis=1)
    logits = graph.add("Gemm", joined, graph.tensor(state["sentence.weight"].T), graph.tensor(state["sentence.bias"]))
    graph.rename(logits, "sentence")
    each = graph.add(
        "Add", graph.add("MatMul", states, graph.tensor(state["token.weight"].T)), graph.tensor(state["token.bias"])
    )
    graph.rename(graph.add("Squeeze", each, graph.ints(2)), "token")
    return _model(graph).SerializeToString()


class _Sizes:
    def __init__(self, *, many: str, wide: str, windows: str, hidden: int) -> None:
        self.many, self.wide, self.windows, self.hidden = many, wide, windows, hidden


def _layer(
    graph: Graph,
    shape: Shape,
    part: Part,
    states: str,
    resting: str,
    sizes: _Sizes,
    claim_bias: str,
    source_bias: str,
    source_mask: str,
) -> str:
    layer, seen = part.layer, part.seen
    weights, biases = np.split(layer["qkv.weight"], 3), np.split(layer["qkv.bias"], 3)
    ready = graph.operand(states, part.looks, part.ease)
    whole: Operand = ready
    if resting:
        other = graph.operand(resting, part.looks, part.ease)
        whole = Operand(
            name=graph.add("Concat", ready.name, other.name, axis=1),
            ease=ready.ease,
            step=ready.step,
            zero=ready.zero,
            seen=ready.seen,
        )
    query = graph.product(ready, weights[0], biases[0])
    key, value = (graph.product(whole, weights[at], biases[at]) for at in (1, 2))
    if resting:
        mixed = graph.add(
            "MultiHeadAttention", query, key, value, "", "", claim_bias, domain=MICROSOFT, num_heads=shape.heads
        )
    else:
        claims = graph.add(
            "MultiHeadAttention",
            graph.upto(query, sizes.many),
            key,
            value,
            "",
            "",
            claim_bias,
            domain=MICROSOFT,
            num_heads=shape.heads,
        )
        end = graph.ints(np.iinfo(np.int64).max)
        form = graph.add("Concat", sizes.windows, sizes.wide, graph.ints(sizes.hidden), axis=0)
        parts = [
            graph.add("Reshape", graph.add("Slice", each, sizes.many, end, graph.ints(1)), form)
            for each in (query, key, value)
        ]
        inputs = [*parts, "", source_mask, *([source_bias] if source_bias else [])]
        sources = graph.add("MultiHeadAttention", *inputs, domain=MICROSOFT, num_heads=shape.heads)
        sources = graph.add("Reshape", sources, graph.ints(1, -1, sizes.hidden))
        mixed = graph.add("Concat", claims, sources, axis=1)
    mixed = graph.linear(mixed, layer["out.weight"], layer["out.bias"], seen.get("out"))
    states = graph.norm(
        graph.add("Add", states, mixed), layer["norm_attention.weight"], layer["norm_attention.bias"], shape.epsilon
    )
    up, down = seen.get("up"), seen.get("down")
    inner = graph.linear(states, layer["up.weight"], layer["up.bias"], up, easing(layer["up.weight"], up))
    inner = graph.add("Gelu", inner)
    ease = capping(down) if graph.recipe == "fixed" else easing(layer["down.weight"], down)
    inner = graph.linear(inner, layer["down.weight"], layer["down.bias"], down, ease)
    return graph.norm(
        graph.add("Add", states, inner), layer["norm_output.weight"], layer["norm_output.bias"], shape.epsilon
    )


def _claim_bias(graph: Graph, shape: Shape, state: dict[str, np.ndarray], many: str, place: str) -> str:
    """[1, heads or 1, A, A + W·T]: a claim sees itself and every real token of the sources."""
    mine = graph.add("Transpose", "claim_group", perm=[1, 0])  # [A, 1]
    same = graph.add("Cast", graph.add("Equal", mine, "claim_group"), to=TensorProto.FLOAT)  # [A, A]
    real = graph.add("Cast", graph.add("Reshape", "source_mask", graph.ints(1, -1)), to=TensorProto.FLOAT)
    shown = graph.add("Expand", real, graph.add("Concat", many, graph.ints(1), axis=0))  # [A, W·T]
    sees = graph.add("Concat", same, shown, axis=1)
    bias = graph.add("Mul", graph.add("Sub", sees, graph.number(1.0)), graph.number(10000.0))
    bias = graph.add("Unsqueeze", bias, graph.ints(0, 1))
    if shape.kind != "mpnet":
        return graph.add("Expand", bias, graph.ints(1, shape.heads, 1, 1)) if False else bias
    column = graph.add("Transpose", "claim_place", perm=[1, 0])
    return graph.add("Add", bias, _near(graph, state, graph.add("Sub", place, column)))


def _source_bias(graph: Graph, state: dict[str, np.ndarray], one_window: str) -> str:
    row = graph.add("Unsqueeze", one_window, graph.ints(0))
    column = graph.add("Unsqueeze", one_window, graph.ints(1))
    return _near(graph, state, graph.add("Sub", row, column))


def _near(graph: Graph, state: dict[str, np.ndarray], away: str) -> str:
    """mpnet's bias by relative position for a matrix of distances: [1, heads, rows, columns]."""
    by_distance = state["relative.weight"][bucket(torch.arange(-FARTHEST, FARTHEST + 1)).numpy()].astype(np.float32)
    index = graph.add("Add", away, graph.tensor(np.array(FARTHEST, np.int64)))
    each = graph.add("Transpose", graph.add("Gather", graph.tensor(by_distance), index), perm=[2, 0, 1])
    return graph.add("Unsqueeze", each, graph.ints(0))


def _model(graph: Graph) -> onnx.ModelProto:
    whole = TensorProto.INT64
    inputs = [
        helper.make_tensor_value_info(name, whole, [1, "A"]) for name in ("claim_ids", "claim_place", "claim_group")
    ]
    inputs += [helper.make_tensor_value_info(name, whole, ["W", "T"]) for name in ("source_ids", "source_mask")]
    inputs += [
        helper.make_tensor_value_info("member", whole, ["C", "A"]),
        helper.make_tensor_value_info("first", whole, ["C"]),
    ]
    outputs = [
        helper.make_tensor_value_info("sentence", TensorProto.FLOAT, ["C", 3]),
        helper.make_tensor_value_info("token", TensorProto.FLOAT, [1, "A"]),
    ]
    body = helper.make_graph(graph.nodes, "grounder", inputs, outputs, graph.weights)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=10, producer_name="surefoot-training")
