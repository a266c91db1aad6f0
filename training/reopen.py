"""Weights of a grounder that ships, read back from its graph, so that it can be taught on where its floats are gone.

    python -m training.reopen models/surefoot_models/grounder_accurate/model.onnx --base mpnet --layers 10 --rest 3 \\
        --out training/work/shipped

What rounding took stays lost; `--lessons` shows that both say the same.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from safetensors.torch import save_file

from training.encoder import BUCKETS, SHAPES, Shape, bucket
from training.once import FARTHEST


class Graph:
    """An exported graph by what its nodes read."""

    def __init__(self, path: Path) -> None:
        body = onnx.load(path).graph
        self.nodes = list(body.node)
        self.constants = {each.name: numpy_helper.to_array(each) for each in body.initializer}
        self.maker = {name: node for node in body.node for name in node.output}

    def of(self, kind: str) -> list[onnx.NodeProto]:
        return [node for node in self.nodes if node.op_type == kind]

    def product(self, node: onnx.NodeProto) -> tuple[np.ndarray, np.ndarray]:
        """Weight [outputs, inputs] and bias of an eight-bit product, what its inputs were eased by taken back."""
        codes, scale, bias = (self.constants[node.input[at]] for at in (1, 3, 6))
        weight = codes.T.astype(np.float32) * np.reshape(scale, (-1, 1))
        return weight * self._eased(node.input[0]), bias

    def _eased(self, name: str) -> np.ndarray | float:
        node = self.maker[name]
        while node.op_type == "Concat":
            node = self.maker[node.input[0]]
        before = self.maker[node.input[0]]
        return self.constants[before.input[1]] if before.op_type == "Mul" else 1.0


def state_of(graph: Graph, shape: Shape) -> dict[str, np.ndarray]:
    products = [graph.product(node) for node in graph.of("MatMulIntegerToFloat")]
    norms = [[graph.constants[node.input[at]] for at in (1, 2)] for node in graph.of("LayerNormalization")]
    state = {"norm.weight": norms[0][0], "norm.bias": norms[0][1], "words.weight": _words(graph, shape)}
    for number in range(shape.layers):
        query, key, value, out, up, down = products[6 * number : 6 * number + 6]
        attention, output = norms[2 * number + 1 : 2 * number + 3]
        parts = {"qkv": tuple(map(np.concatenate, zip(query, key, value, strict=True))), "out": out, "up": up,
                 "down": down, "norm_attention": attention, "norm_output": output}  # fmt: skip
        for name, (weight, bias) in parts.items():
            state |= {f"layers.{number}.{name}.weight": weight, f"layers.{number}.{name}.bias": bias}
    places = np.zeros((shape.positions, shape.hidden), np.float32)
    table = next(each for each in graph.constants.values() if each.dtype == np.float16)
    places[shape.first_position :][: len(table)] = table
    state["places.weight"] = places
    if shape.kind == "mpnet":
        near = next(each for each in graph.constants.values() if each.shape == (2 * FARTHEST + 1, shape.heads))
        relative = np.zeros((BUCKETS, shape.heads), np.float32)
        relative[bucket(torch.arange(-FARTHEST, FARTHEST + 1)).numpy()] = near
        state["relative.weight"] = relative
    (gemm,) = graph.of("Gemm")
    state |= {"sentence.weight": graph.constants[gemm.input[1]].T, "sentence.bias": graph.constants[gemm.input[2]]}
    (each,) = (node for node in graph.of("MatMul") if node.input[1] in graph.constants)
    (plus,) = (node for node in graph.of("Add") if each.output[0] in node.input)
    state |= {"token.weight": graph.constants[each.input[1]].T, "token.bias": graph.constants[plus.input[1]]}
    return state


def _words(graph: Graph, shape: Shape) -> np.ndarray:
    """Rows that no word of ours reads were left out; they stay nought."""
    codes = next(each for each in graph.constants.values() if each.dtype == np.int8 and each.shape[1] == shape.hidden)
    (rows,) = (node for node in graph.of("Gather") if graph.constants.get(node.input[0]) is codes)
    (scale,) = (
        graph.constants[node.input[0]]
        for node in graph.of("Gather")
        if node.input[1] == rows.input[1] and node.input[0] != rows.input[0]
    )
    table = codes.astype(np.float32) * scale
    pick = graph.maker.get(rows.input[1])
    if pick is None or pick.op_type != "Gather":
        return table
    return table[graph.constants[pick.input[0]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", type=Path)
    parser.add_argument("--base", choices=sorted(SHAPES), required=True)
    parser.add_argument("--layers", type=int, required=True)
    parser.add_argument("--rest", type=int)
    parser.add_argument("--lessons", type=Path, help="show how far both are apart on some of them")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    shape = replace(SHAPES[options.base], layers=options.layers, rest=options.rest)
    state = state_of(Graph(options.graph), shape)
    options.out.mkdir(parents=True, exist_ok=True)
    tensors = {name: torch.from_numpy(np.array(value, np.float16, order="C")) for name, value in state.items()}
    save_file(tensors, options.out / "model.safetensors")
    form = {"base": options.base, "layers": options.layers, "rest": options.rest}
    (options.out / "shape.json").write_text(json.dumps(form))
    if options.lessons:
        print(json.dumps({"logit_gap_mean": apart(options.graph, options.out, options.lessons)}))


def apart(graph: Path, folder: Path, lessons: Path) -> float:
    from training.once_export import feed_of, load, row_for
    from training.onnx_run import session
    from training.teach import Lessons, page_of

    model, base = load(folder)
    found, gaps = Lessons.load(lessons / "written.npz"), []
    run = session(graph.read_bytes(), 2)
    for at in range(0, len(found), len(found) // 12):
        row = row_for(found, at, base)
        one = run.run(["sentence"], feed_of(row))[0]
        with torch.no_grad():
            two = model(page_of([row], base))[0].numpy()
        gaps.append(np.abs((one[:, 1] - one[:, 0]) - (two[:, 1] - two[:, 0])))
    return round(float(np.concatenate(gaps).mean()), 3)


if __name__ == "__main__":
    main()
