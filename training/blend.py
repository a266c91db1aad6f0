"""Mix two students of one teacher by weight: what each has learned by itself, both then know in part.

    python -m training.blend --config training/configs/rest_accurate.toml --model training/work/acc-rest \\
        --other OTHER.onnx --share 0.3 --out training/work/acc-blend

A shipped file holds each value channel scaled and the product after attention scaled back (training/graph.py), which
changes no output but must not be averaged as it is: the other model's channels are first brought to ours.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from training.encoder import shape_of
from training.train import weights_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="folder that a training left")
    parser.add_argument("--other", type=Path, required=True, help="folder or shipped file of the model to mix in")
    parser.add_argument("--share", type=float, required=True, help="how much of the other: 0 none, 1 nothing else")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    shape = shape_of(tomllib.loads(options.config.read_text()))
    ours, theirs = (
        {name: value.float() for name, value in weights_of(path, shape).items()}
        for path in (options.model, options.other)
    )
    mixed = blend(ours, theirs, options.share)
    options.out.mkdir(parents=True, exist_ok=True)
    save_file({name: value.half().contiguous() for name, value in mixed.items()}, options.out / "model.safetensors")
    run = json.loads((options.model / "run.json").read_text())
    (options.out / "run.json").write_text(json.dumps(run | {"blended": options.share}))


def blend(ours: dict[str, Tensor], theirs: dict[str, Tensor], share: float) -> dict[str, Tensor]:
    """Ours with a share of theirs."""
    theirs = in_our_scale(ours, theirs)
    return {name: (1.0 - share) * value + share * theirs[name] for name, value in ours.items()}


def in_our_scale(ours: dict[str, Tensor], theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    """The same model as theirs, each value channel as long as ours and the product after attention scaled to match."""
    found = {name: value.clone() for name, value in theirs.items()}
    for name in ours:
        if not name.endswith(".qkv.weight"):
            continue
        layer = name.removesuffix("qkv.weight")
        values = slice(2 * ours[name].shape[1], None)
        by = ours[name][values].norm(dim=1) / theirs[name][values].norm(dim=1)
        found[name][values] *= by[:, None]
        found[f"{layer}qkv.bias"][values] *= by
        found[f"{layer}out.weight"] /= by
    return found


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    main()
