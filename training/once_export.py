"""Export a grounder that reads its sources once to ONNX in eight bits, and see what that costs.

    python -m training.once_export --name grounder_fast --model training/work/fast --lessons training/work/lessons \\
        --out models/surefoot_models/grounder_fast
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from training.encoder import SHAPES, Layer, Shape
from training.export import evenly, used_rows
from training.once import Once
from training.once_graph import write
from training.onnx_run import session
from training.rounding import Seen
from training.teach import Lessons, Row, page_of, row_of
from training.weights import base_folder

CALIBRATION = 40
"""Contexts that show what the inputs of each product look like."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--lessons", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("training/work"))
    parser.add_argument("--recipe", default="fixed")
    parser.add_argument("--compare", type=int, default=12, help="contexts to compare float and eight bits on")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    model, base = load(options.model)
    lessons = Lessons.load(options.lessons / "train.npz")
    chosen = [at for at in range(len(lessons)) if lessons.name(at).startswith("w-")]
    rows = [row_for(lessons, chosen[at], base) for at in evenly(len(chosen), CALIBRATION)]
    seen = observe(model, rows, base)
    tokenizer = base_folder(options.work, base) / "tokenizer.json"
    state = {name: value.float().numpy() for name, value in model.state_dict().items()}
    data = write(model.shape, state, options.recipe, seen, used_rows(tokenizer, model.shape))
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "model.onnx").write_bytes(data)
    (options.out / "tokenizer.json").write_bytes(tokenizer.read_bytes())
    print(f"{options.name}: {len(data) / 1e6:.1f} MB", flush=True)
    if options.compare:
        wide = session(write(model.shape, state, "float", {}, None), 2)
        narrow = session(data, 2)
        gaps = []
        for at in evenly(len(chosen), options.compare + 1)[1:]:
            feed = feed_of(row_for(lessons, chosen[at], base))
            one, two = wide.run(["sentence"], feed)[0], narrow.run(["sentence"], feed)[0]
            gaps.append(np.abs((one[:, 1] - one[:, 0]) - (two[:, 1] - two[:, 0])))
        print(json.dumps({"logit_gap_mean": round(float(np.concatenate(gaps).mean()), 3)}))


def load(folder: Path) -> tuple[Once, str]:
    form = json.loads((folder / "shape.json").read_text())
    shape: Shape = replace(SHAPES[form["base"]], layers=form["layers"], rest=form["rest"])
    model = Once(shape, 0.0).eval()
    model.load_state_dict({name: value.float() for name, value in load_file(folder / "model.safetensors").items()})
    return model, form["base"]


def row_for(lessons: Lessons, at: int, base: str) -> Row:
    return row_of(lessons, at, list(lessons.statements(at))[:16], base)


def observe(model: Once, rows: list[Row], base: str) -> dict[str, Seen]:
    """What the inputs of each linear layer look like, counting only states that the graph computes."""
    found: dict[str, Seen] = {}
    group = torch.zeros(0)
    last = min(len(model.layers) if model.shape.rest is None else model.shape.rest, len(model.layers) - 1)

    def watch(name: str, only_claims: bool):
        def look(_module: torch.nn.Module, inputs: tuple[torch.Tensor, ...], *_output: torch.Tensor) -> None:
            real = inputs[0][group < 0] if only_claims else inputs[0][group != 0]
            seen = Seen(low=real.amin(0).numpy(), high=real.amax(0).numpy(), moment=(real.T @ real).numpy())
            found[name] = found[name].joined(seen) if name in found else seen

        return look

    hooks = []
    for number, layer in enumerate(model.layers):
        assert isinstance(layer, Layer)
        hooks.append(layer.register_forward_pre_hook(watch(f"layers.{number}.qkv", False)))
        for part in ("out", "up", "down"):
            hooks.append(getattr(layer, part).register_forward_hook(watch(f"layers.{number}.{part}", number >= last)))
    with torch.no_grad():
        for row in rows:
            page = page_of([row], base)
            group = page.group
            model(page)
    for hook in hooks:
        hook.remove()
    return found


def feed_of(row: Row) -> dict[str, np.ndarray]:
    ids, place, group = (np.array(part, np.int64) for part in (row.ids, row.place, row.group))
    claim = group < 0
    sheets = [ids[group == number] for number in range(1, group.max() + 1)]
    sources = np.zeros((len(sheets), max(map(len, sheets))), np.int64)
    mask = np.zeros_like(sources)
    for at, sheet in enumerate(sheets):
        sources[at, : len(sheet)], mask[at, : len(sheet)] = sheet, 1
    offset = int((group > 0).sum())
    member = np.zeros((len(row.claims), int(claim.sum())), np.int64)
    for at, (column, own, _) in enumerate(row.claims):
        member[at, column - offset + 1 : column - offset + 1 + own] = 1
    return {
        "claim_ids": ids[claim][None], "claim_place": place[claim][None], "claim_group": group[claim][None],
        "source_ids": sources, "source_mask": mask, "member": member,
        "first": np.array([column - offset for column, _, _ in row.claims]),
    }  # fmt: skip


if __name__ == "__main__":
    main()
