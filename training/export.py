"""Write the re-ranker, an encoder with a head over question and passage, as an ONNX graph."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import TensorProto

from training.encoder import Shape
from training.graph import BLOCKS, Graph, claim_end, write_encoder
from training.heads import Judge
from training.rounding import Seen


def write_judge(model: Judge, recipe: str, seen: dict[str, Seen], tokenizer: Path, *, tokens: bool) -> bytes:
    """The encoder with its heads; the token head only where it was trained.

    It reads one row at a time, so it needs no mask, and a claim's score cannot hang on the claims beside it. The heads
    read the first token and the claim's, so `token` ends with the claim.
    """
    shape: Shape = model.encoder.shape
    state = {name: value.float().numpy() for name, value in model.state_dict().items()}
    body = {name.removeprefix("encoder."): value for name, value in state.items() if name.startswith("encoder.")}
    graph = Graph(recipe=recipe, block=BLOCKS[shape.kind])
    rows = used_rows(tokenizer, shape) if recipe != "float" else None
    kept = claim_end(graph)
    states = write_encoder(graph, shape, body, seen, rows=rows, kept=kept)
    claim = graph.add("Cast", graph.upto("claim_mask", kept), to=TensorProto.FLOAT)
    share = graph.add("Unsqueeze", claim, graph.ints(2))
    count = graph.add("Max", graph.add("ReduceSum", share, graph.ints(1), keepdims=0), graph.number(1.0))
    mean = graph.add("Div", graph.add("ReduceSum", graph.add("Mul", states, share), graph.ints(1), keepdims=0), count)
    first = graph.add("Gather", states, graph.tensor(np.array(0, np.int64)), axis=1)
    joined = graph.add("Concat", first, mean, axis=1)
    logit = graph.add("Gemm", joined, graph.tensor(state["sentence.weight"].T), graph.tensor(state["sentence.bias"]))
    graph.rename(graph.add("Squeeze", logit, graph.ints(1)), "sentence")
    outputs: dict[str, list[str | int]] = {"sentence": [1]}
    if tokens:
        each = graph.add("MatMul", states, graph.tensor(state["token.weight"].T))
        graph.rename(
            graph.add("Squeeze", graph.add("Add", each, graph.tensor(state["token.bias"])), graph.ints(2)), "token"
        )
        outputs["token"] = [1, "kept"]
    return graph.model(("input_ids", "claim_mask"), outputs).SerializeToString()


def used_rows(tokenizer: Path, shape: Shape) -> np.ndarray | None:
    """Embedding rows that English text can reach; the others (unused slots, other scripts) read as unknown.

    Only the large model needs this to stay under its size.
    """
    if shape.kind != "mpnet":
        return None
    from tokenizers import Tokenizer

    words = Tokenizer.from_file(str(tokenizer)).get_vocab()
    unknown = words.get("[UNK]", words.get("<unk>"))
    rows = np.arange(shape.vocabulary)
    for word, number in words.items():
        if word.startswith("[unused") or any(ord(char) > 0x24F and not 0x2000 <= ord(char) <= 0x2BFF for char in word):
            rows[number] = unknown
    return rows


def evenly(size: int, count: int) -> np.ndarray:
    """At most `count` of the numbers below `size`, spread over them."""
    return np.unique(np.linspace(0, size - 1, min(count, size)).astype(int)) if count and size else np.zeros(0, int)
