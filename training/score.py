"""Run a trained model over rows and keep what it says: for evaluation, for the teacher's labels, for mining.

python -m training.score --model training/work/fast-1 --config … --data training/work/data/dev.npz --out scores.npz
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from training.dataset import FOLDS, Examples, batches
from training.encoder import shape_of
from training.heads import Judge
from training.train import prefetch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, action="append", required=True, help="several are averaged by weight")
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--which", choices=("all", "held", "undecided"), default="all")
    parser.add_argument("--fold", type=int, choices=range(FOLDS), help="only this fold of them")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    config = tomllib.loads(options.config.read_text())
    model = load_model(config, options.model)
    examples = Examples.load(options.data, config["base"], config["tokens"])
    rows = np.arange(len(examples))
    if options.which == "held":
        rows = np.flatnonzero(examples.arrays["held"] & ~np.isnan(examples.arrays["label"]))
    if options.which == "undecided":
        rows = np.flatnonzero(np.isnan(examples.arrays["label"]))
    if options.fold is not None:
        rows = rows[examples.arrays["fold"][rows] == options.fold]
    sentence, token = score(model, examples, rows)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(options.out, rows=rows.astype(np.int32), sentence=sentence, token=token)


def load_model(config: dict, folders: list[Path]) -> Judge:
    model = Judge(shape_of(config), 0.0)
    states = [load_file(folder / "model.safetensors") for folder in folders]
    model.load_state_dict({name: sum(state[name].float() for state in states) / len(states) for name in states[0]})
    return model.eval().to("cuda" if torch.cuda.is_available() else "cpu")


def score(model: Judge, examples: Examples, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each row the sentence logit and the mean of its three highest token logits."""
    device = next(model.parameters()).device.type
    lengths = examples.lengths()
    plan = list(batches(lengths, [np.array([row]) for row in rows], 32768 if device == "cuda" else 8192, None))
    place = np.full(len(examples), -1)
    place[rows] = np.arange(len(rows))
    sentence, token = np.zeros(len(rows), np.float32), np.zeros(len(rows), np.float32)
    with torch.no_grad():
        for part, block in zip(plan, prefetch(examples, plan, device), strict=True):
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                logit, tokens = model(block.ids, block.mask, block.claim)
            sentence[place[part]] = logit.float().cpu().numpy()
            token[place[part]] = top_tokens(tokens.float(), block.claim).cpu().numpy()
    return sentence, token


def top_tokens(tokens: torch.Tensor, claim: torch.Tensor) -> torch.Tensor:
    """Mean of the three highest token logits of each claim (fewer where the claim is shorter)."""
    best = tokens.masked_fill(claim == 0, -1e4).topk(min(3, tokens.shape[1]), 1).values
    real = (best > -9e3).float()
    return (best * real).sum(1) / real.sum(1).clamp(min=1)


if __name__ == "__main__":
    main()
