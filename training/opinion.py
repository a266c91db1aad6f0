"""Teach the reader (`training.language`) on labelled rows, then have it judge the undecided and the development rows.

    python -m training.opinion --model training/work/reader --data training/work/data --held --out training/work/opinion

Leaves `undecided.npz` for `training.teacher` and `dev.npz` for `training.evaluate`. The weights are not kept: they are
gigabytes, and the same seed makes them again.
"""

from __future__ import annotations

import argparse
import os
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from training.borrow import load
from training.dataset import Examples, batches
from training.language import Reader
from training.train import share_rows

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


@dataclass(frozen=True, kw_only=True)
class Prompts:
    """Rows as the reader sees them: source, claim, question."""

    examples: Examples
    number: np.ndarray
    """The reader's number of each of the language model's word pieces."""
    prompt: list[list[int]]
    tokens: int

    def lengths(self) -> np.ndarray:
        sentences = np.diff(self.examples.arrays["evidence_ends"])
        frame = sum(map(len, self.prompt)) - len(self.prompt[1]) - 3
        return np.minimum(self.examples.lengths() + sentences * len(self.prompt[1]) + frame, self.tokens)

    def ids(self, row: int) -> np.ndarray:
        opening, between, middle, closing = self.prompt
        claim = self.examples._slice("claim", row)[: self.tokens // 3]
        room = self.tokens - len(claim) - len(opening) - len(middle) - len(closing)
        parts = [
            piece
            for ref in self.examples._slice("evidence", row)
            for piece in (self.examples._slice("text", ref), between)
        ]
        source = np.concatenate(parts)[:room] if parts else np.zeros(0, np.int64)
        return self.number[np.concatenate([opening, source, middle, claim, closing]).astype(np.int64)]

    def block(self, rows: np.ndarray, device: str) -> tuple[Tensor, Tensor]:
        """Padded word pieces and their counts."""
        found = [self.ids(int(row)) for row in rows]
        sizes = np.array([len(ids) for ids in found])
        block = np.zeros((len(rows), -(-int(sizes.max()) // 8) * 8), np.int64)
        block[np.arange(block.shape[1])[None, :] < sizes[:, None]] = np.concatenate(found)
        return torch.from_numpy(block).to(device), torch.from_numpy(sizes).to(device)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", type=Path, default=Path("training/configs/reader.toml"))
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--held", action="store_true", help="learn nothing from the held rows")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=0, help="stop after so many steps, for a quick try")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    config = tomllib.loads(options.config.read_text())
    torch.manual_seed(options.seed)
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.backends.cuda.enable_cudnn_sdp(False)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    reader, number, prompt = load(options.model)
    reader = reader.to(device)
    train = Prompts(
        examples=Examples.load(options.data / "train_reader.npz", "minilm", config["tokens"]),
        number=number,
        prompt=prompt,
        tokens=config["tokens"],
    )
    teach(reader, train, config, options, device)
    options.out.mkdir(parents=True, exist_ok=True)
    development = Prompts(
        examples=Examples.load(options.data / "dev_reader.npz", "minilm", config["tokens"]),
        number=number,
        prompt=prompt,
        tokens=config["tokens"],
    )
    undecided = np.flatnonzero(np.isnan(train.examples.arrays["label"]))
    undecided = undecided[np.random.default_rng(options.seed).random(len(undecided)) < config["undecided"]]
    judge(reader, train, undecided, options.out / "undecided.npz", options.steps)
    judge(reader, development, np.arange(len(development.examples)), options.out / "dev.npz", options.steps)


def teach(reader: Reader, prompts: Prompts, config: dict[str, Any], options: argparse.Namespace, device: str) -> None:
    """One pass over the labelled rows; the word pieces' own vectors stay as they are."""
    reader.decoder.words.weight.requires_grad_(False)
    plan = schedule(prompts, config, options)
    weights = [weight for weight in reader.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(
        weights, lr=config["rate"], betas=(0.9, 0.98), weight_decay=0.01, fused=device == "cuda"
    )
    warm = max(1, len(plan) // 20)
    pace = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda at: min((at + 1) / warm, max(0.02, (len(plan) - at) / max(1, len(plan) - warm)))
    )
    started, seen, losses = time.time(), 0, []
    reader.train()
    for step, rows in enumerate(plan):
        ids, sizes = prompts.block(rows, device)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            verdict = reader(ids, sizes)
        label = torch.from_numpy(prompts.examples.arrays["label"][rows]).to(device)
        loss = F.binary_cross_entropy_with_logits(verdict, label)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        pace.step()
        seen += len(rows)
        losses.append(loss.detach())
        if step % 50 == 49 or step + 1 == len(plan):
            speed = seen / (time.time() - started)
            print(
                f"reader step {step + 1}/{len(plan)} loss {torch.stack(losses).mean():.4f} {speed:.0f} rows/s",
                flush=True,
            )
            losses = []


def schedule(prompts: Prompts, config: dict[str, Any], options: argparse.Namespace) -> list[np.ndarray]:
    """The batches of the pass. Answers judged only as a whole are left out."""
    arrays = prompts.examples.arrays
    wanted = ~np.isnan(arrays["label"]) & (arrays["group"] < 0)
    if options.held:
        wanted &= ~arrays["held"]
    rows = share_rows(prompts.examples, np.flatnonzero(wanted), config["share"], options.seed)
    dice = np.random.default_rng(options.seed)
    plan: list[np.ndarray] = []
    for _ in range(config["epochs"]):
        plan += list(batches(prompts.lengths(), [np.array([row]) for row in rows], config["batch_tokens"], dice))
    print(f"reader learns from {len(rows)} rows in {len(plan)} steps", flush=True)
    return plan[: options.steps] if options.steps else plan


@torch.no_grad()
def judge(reader: Reader, prompts: Prompts, rows: np.ndarray, out: Path, steps: int = 0) -> None:
    """The reader's verdict on each row, in the form `training.score` writes (it has no opinion on single words)."""
    reader.eval()
    device = next(reader.parameters()).device.type
    verdict = np.full(len(prompts.examples), np.nan, np.float32)
    started = time.time()
    for part in _some(batches(prompts.lengths(), [np.array([row]) for row in rows], 65536, None), steps):
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            verdict[part] = reader(*prompts.block(part, device)).float().cpu().numpy()
    found = rows[~np.isnan(verdict[rows])]
    np.savez_compressed(
        out, rows=found.astype(np.int32), sentence=verdict[found], token=np.zeros(len(found), np.float32)
    )
    print(f"judged {len(found)} rows in {time.time() - started:.0f} s", flush=True)


def _some(plan: Iterator[np.ndarray], steps: int) -> list[np.ndarray]:
    return list(plan)[: steps or None]


if __name__ == "__main__":
    main()
