"""Export a trained model to ONNX in eight bits and check what that costs.

    python -m training.export --name grounder_fast --config training/configs/train_fast.toml \\
        --model training/work/fast --data training/work/data/dev.npz --out models/surefoot_models/grounder_fast
"""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path

import numpy as np
from onnx import TensorProto
from onnxruntime import InferenceSession

from training.dataset import Examples
from training.encoder import Shape
from training.evaluate import auroc, by_answer
from training.graph import BLOCKS, Graph, claim_end, write_encoder
from training.heads import Judge
from training.onnx_run import Batch, observe, session
from training.rounding import Seen
from training.score import load_model
from training.train import assemble
from training.weights import base_folder

CALIBRATION = 96
"""Rows that show what the inputs of each product look like: about 20,000 tokens."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("training/work"))
    parser.add_argument("--rows", type=int, default=600, help="rows to compare float and int8 on")
    parser.add_argument("--recipe", default="fixed")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    config = tomllib.loads(options.config.read_text())
    model = load_model(config, [options.model])
    examples = Examples.load(options.data, config["base"], config["tokens"])
    seen = calibrate(model, examples)
    rows = spread(examples, options.rows)
    options.out.mkdir(parents=True, exist_ok=True)
    tokenizer = base_folder(options.work, config["base"]) / "tokenizer.json"
    (options.out / "tokenizer.json").write_bytes(tokenizer.read_bytes())
    narrow = write_judge(model, options.recipe, seen, tokenizer, tokens=config["objective"] == "ground")
    (options.out / "model.onnx").write_bytes(narrow)
    print(f"{options.name}: {len(narrow) / 1e6:.1f} MB")
    report = {"bytes": len(narrow)}
    if options.rows:
        wide = write_judge(model, "float", {}, tokenizer, tokens=config["objective"] == "ground")
        report |= compare(wide, narrow, examples, rows)
        print(json.dumps(report))
    options.work.joinpath(f"export-{options.name}.json").write_text(json.dumps(report))


def calibrate(model: Judge, examples: Examples) -> dict[str, Seen]:
    parts = [assemble(examples, np.array([row])) for row in spread(examples, CALIBRATION)]
    # assembled rows are padded to a multiple of eight; the model that ships reads them as they are
    sizes = [int(part["mask"].sum()) for part in parts]
    names = ("ids", "mask", "claim")
    return observe(
        model.encoder,
        [Batch(**{name: part[name][:, :size] for name in names}) for part, size in zip(parts, sizes, strict=True)],
    )


def spread(examples: Examples, count: int) -> np.ndarray:
    """Rows drawn evenly over the file."""
    return evenly(len(examples), count)


def evenly(size: int, count: int) -> np.ndarray:
    """At most `count` of the numbers below `size`, spread over them."""
    return np.unique(np.linspace(0, size - 1, min(count, size)).astype(int)) if count and size else np.zeros(0, int)


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


def compare(wide: bytes, narrow: bytes, examples: Examples, rows: np.ndarray) -> dict[str, float]:
    """AUROC of both forms on the same rows, and how far their logits differ."""
    found = {}
    for name, model in (("float", session(wide, 2)), ("int8", session(narrow, 2))):
        found[name] = np.array([judge(model, examples, row) for row in rows])
    sets = examples.arrays["sets"][examples.arrays["source"][rows]]
    label = examples.arrays["label"][rows]
    alone = np.full(len(rows), -1)
    cost = {}
    for form, score in found.items():
        judged = by_answer(score, sets, alone, label, np.ones(len(rows), bool))
        values = [auroc(*pair) for name, pair in judged.items() if "/" not in name]
        cost[f"auroc_{form}"] = round(float(np.nanmean(values)), 4)
    gap = np.abs(found["float"] - found["int8"])
    return cost | {"logit_gap_mean": round(float(gap.mean()), 4), "rows": len(rows)}


def judge(model: InferenceSession, examples: Examples, row: int) -> float:
    ids, size = examples.assemble(int(row))
    places = np.arange(len(ids))
    claim = ((places >= 1) & (places <= size)).astype(np.int64)
    return float(model.run(["sentence"], {"input_ids": ids[None], "claim_mask": claim[None]})[0][0])


if __name__ == "__main__":
    main()
