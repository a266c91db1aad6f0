"""Train one grounder or re-ranker on rows made by `training.examples` or `training.questions`.

    python -m training.train --config training/configs/train_fast.toml --seed 1 --out training/work/fast-1

The same seed gives the same model on the same machine. `--held` leaves the held-out rows out, for development figures.
With `--teacher` it learns from another model as well (`training.settle`).
Progress is saved after every epoch; the same command goes on from there.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from training.dataset import FOLDS, SPECIAL, UNKNOWN, Examples, batches
from training.encoder import Shape, load_weights, shape_of
from training.heads import Judge
from training.losses import Block, Said, objective
from training.recover import layers_in, recover
from training.settle import Teacher

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
"""Without it matrix products on a GPU may differ from run to run."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("training/work/data/train.npz"))
    parser.add_argument("--base", type=Path, help="file of base weights (safetensors)")
    parser.add_argument(
        "--start", type=Path, action="append", default=[], help="folders or shipped files to start from (averaged)"
    )
    parser.add_argument("--teacher", type=Path, help="folder or shipped file of a model to agree with")
    parser.add_argument("--teacher-config", type=Path, help="its config, where it is of another shape")
    parser.add_argument("--soft", type=Path, help="teacher's labels for undecided rows (npz)")
    parser.add_argument("--held", action="store_true")
    parser.add_argument("--spare", type=int, choices=range(FOLDS), help="leave out only this fold of the held rows")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=float)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--steps", type=int, default=0, help="stop after so many steps, for a quick try")
    parser.add_argument(
        "--until", type=float, default=0.0, help="stop at this time (Unix seconds), for a machine that is taken away"
    )
    parser.add_argument("--once", action="store_true", help="keep no progress: a run that is cut off starts anew")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    config = tomllib.loads(options.config.read_text())
    config |= {name: value for name in ("epochs", "rate") if (value := getattr(options, name)) is not None}
    train(config, options)


def train(config: dict[str, Any], options: argparse.Namespace) -> Judge:
    # One start for all seeds, heads included, so that their weights can be averaged; the seed orders the data.
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # nothing here reads what it has not written
    torch.backends.cuda.enable_cudnn_sdp(False)  # its attention may differ from run to run
    examples = Examples.load(options.data, config["base"], config["tokens"])
    rows = training_rows(examples, config, options)
    model = fresh_model(config, options).to(device)
    freeze(model, config.get("frozen"))
    teacher = load_teacher(config, options, device)
    torch.manual_seed(options.seed)
    units = make_units(examples, rows, config["objective"])
    dice = np.random.default_rng(options.seed)
    lengths = examples.lengths()
    whole, rest = int(config["epochs"]), config["epochs"] % 1
    plan = [batch for _ in range(whole) for batch in batches(lengths, units, config["batch_tokens"], dice)]
    if rest:
        part = list(batches(lengths, units, config["batch_tokens"], dice))
        plan += part[: int(len(part) * rest)]
    if options.steps:
        plan = plan[: options.steps]
    optimizer, schedule = make_optimizer(model, config, len(plan), device)
    first = _resume(options.out, model, optimizer, schedule)
    save_every = max(1, len(plan) // max(1, whole))
    started, seen, losses = time.time(), 0, []
    model.train()
    for step, block in enumerate(prefetch(examples, plan[first:], device), first):
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            states = list(model.encoder.steps(block.ids, block.mask, block.claim))
            sentence, token = model.verdict(model.dropout(states[-1]), block.claim)
        said = Said(states=states, sentence=sentence.float(), token=token.float())
        if teacher is None:
            loss = objective(config["objective"], said, block)
        else:
            loss = teacher.lesson(said, block, 1.0 - step / len(plan))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        seen += len(block.label)
        losses.append(loss.detach())
        if step % 50 == 49 or step + 1 == len(plan):
            mean, speed = torch.stack(losses).mean().item(), seen / (time.time() - started)
            losses = []
            if device == "cuda" and options.until and time.time() > options.until:
                print(f"{options.out.name} stopped at step {step + 1} of {len(plan)}: out of time", flush=True)
                break
            print(
                f"{options.out.name} step {step + 1}/{len(plan)} loss {mean:.4f} {speed:.0f} rows/s",
                flush=True,
            )
        if not options.once and step + 1 < len(plan) and (step + 1) % save_every == 0:
            _save_progress(options.out, model, optimizer, schedule, step + 1)
    save_model(model, options.out)
    (options.out / "run.json").write_text(
        json.dumps(
            {
                "seed": options.seed,
                "held": options.held,
                "steps": len(plan),
                "rows": len(rows),
                "seconds": round(time.time() - started),
            }
            | config
        )
    )
    (options.out / "progress.pt").unlink(missing_ok=True)
    return model


def training_rows(examples: Examples, config: dict[str, Any], options: argparse.Namespace) -> np.ndarray:
    """Rows with a label, all where a teacher has one for each; without the held ones where asked."""
    if options.soft is not None:
        with np.load(options.soft) as file:
            label = examples.arrays["label"].copy()
            weight = examples.arrays["weight"].copy()
            label[file["rows"]] = file["label"]
            weight[file["rows"]] *= config.get("soft_weight", 0.7)
        examples.arrays = examples.arrays | {"label": label, "weight": weight}
    wanted = ~np.isnan(examples.arrays["label"]) | (options.teacher is not None)
    if options.held:
        wanted &= ~examples.arrays["held"]
    if options.spare is not None:
        wanted &= ~(examples.arrays["held"] & (examples.arrays["fold"] == options.spare))
    return share_rows(examples, np.flatnonzero(wanted), config.get("share", {}), options.seed)


def share_rows(examples: Examples, rows: np.ndarray, share: dict[str, float], seed: int) -> np.ndarray:
    """Some sets in part, others several times over: `share` says how often each is taken (1 where it is silent)."""
    if not share:
        return rows
    dice = np.random.default_rng(seed)
    sets = examples.arrays["sets"][examples.arrays["source"][rows]]
    times = np.array([share.get(str(name), 1.0) for name in sets])
    return np.repeat(rows, np.floor(times + dice.random(len(rows))).astype(int))


def fresh_model(config: dict[str, Any], options: argparse.Namespace) -> Judge:
    model = Judge(shape_of(config), config["dropout"])
    if options.start:
        states = [weights_of(path, model.encoder.shape, config["keep_layers"]) for path in options.start]
        model.load_state_dict({name: sum(state[name].float() for state in states) / len(states) for name in states[0]})
    elif options.base is not None:
        load_weights(model.encoder, load_file(options.base), tuple(config["keep_layers"]))
    return model


def weights_of(path: Path, shape: Shape, keep: list[int] | None = None) -> dict[str, Tensor]:
    """Of a folder that a training left, or of a shipped file; of its layers those in `keep`, where it has more."""
    if path.suffix == ".onnx":
        file = onnx.load(path)
        state = recover(file, replace(shape, layers=layers_in(file))).state_dict()
    else:
        state = load_file(path / "model.safetensors")
    layers = 1 + max(int(name.split(".")[2]) for name in state if name.startswith("encoder.layers."))
    if layers <= shape.layers or keep is None:
        return state
    taken = {name: value for name, value in state.items() if not name.startswith("encoder.layers.")}
    for new, old in enumerate(keep):
        start = f"encoder.layers.{old}."
        layer = {name.removeprefix(start): value for name, value in state.items() if name.startswith(start)}
        taken |= {f"encoder.layers.{new}.{name}": value for name, value in layer.items()}
    return taken


def freeze(model: Judge, layers: int | None) -> None:
    """Keep the word vectors and so many lower layers as they are: a new generation that is small to fetch."""
    if layers is None:
        return
    encoder = model.encoder
    for part in (encoder.words, encoder.places, encoder.norm, *encoder.layers[:layers]):
        part.requires_grad_(False)


def load_teacher(config: dict[str, Any], options: argparse.Namespace, device: str) -> Teacher | None:
    if options.teacher is None:
        return None
    own = tomllib.loads(options.teacher_config.read_text()) if options.teacher_config else config | {"rest": None}
    model = Judge(shape_of(own), 0.0)
    model.load_state_dict(weights_of(options.teacher, model.encoder.shape))
    return Teacher(model=model.eval().to(device), base=own["base"], config=config)


def make_units(examples: Examples, rows: np.ndarray, kind: str) -> list[np.ndarray]:
    """Rows that must share a batch: the sentences of a bag, the passages of a question."""
    group = examples.arrays["group"][rows]
    alone = [np.array([row]) for row in rows[group < 0]]
    order = np.argsort(group, kind="stable")
    order = order[group[order] >= 0]
    if not len(order):
        return alone
    cuts = np.flatnonzero(np.diff(group[order])) + 1
    return alone + [rows[part] for part in np.split(order, cuts)]


def make_optimizer(model: Judge, config: dict[str, Any], steps: int, device: str) -> tuple[Any, Any]:
    plain = [p for n, p in model.named_parameters() if p.requires_grad and (p.ndim < 2 or "norm" in n)]
    decayed = [p for n, p in model.named_parameters() if p.requires_grad and not (p.ndim < 2 or "norm" in n)]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=config["rate"], betas=(0.9, 0.98), fused=device == "cuda")
    warm = max(1, int(0.06 * steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda at: min((at + 1) / warm, max(0.02, (steps - at) / max(1, steps - warm)))
    )
    return optimizer, schedule


def prefetch(examples: Examples, plan: list[np.ndarray], device: str) -> Iterator[Block]:
    """Blocks assembled ahead in threads, in order."""
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(assemble, examples, rows) for rows in plan[:8]]
        for at in range(len(plan)):
            arrays = waiting[at].result()
            waiting[at] = None  # type: ignore[call-overload]
            if at + 8 < len(plan):
                waiting.append(pool.submit(assemble, examples, plan[at + 8]))
            tensors = {name: torch.from_numpy(value) for name, value in arrays.items()}
            if device == "cuda":
                tensors = {name: value.pin_memory().to(device, non_blocking=True) for name, value in tensors.items()}
            yield Block(**tensors)


def assemble(examples: Examples, rows: np.ndarray) -> dict[str, np.ndarray]:
    parts = [examples.assemble(int(row)) for row in rows]
    sizes = np.array([len(ids) for ids, _ in parts])
    claims = np.array([size for _, size in parts])
    longest = -(-int(sizes.max()) // 8) * 8
    place = np.arange(longest)[None, :]
    mask = place < sizes[:, None]
    claim = (place >= 1) & (place <= claims[:, None])
    ids = np.full((len(rows), longest), SPECIAL[examples.base][2], np.int64)
    ids[mask] = np.concatenate([tokens for tokens, _ in parts])
    marks = np.full((len(rows), longest), UNKNOWN, np.int64)
    marks[claim] = np.concatenate([examples.marks(int(row)) for row in rows])
    group = examples.arrays["group"][rows].astype(np.int64)
    _, small = np.unique(group[group >= 0], return_inverse=True)
    group[group >= 0] = small
    label, weight = examples.arrays["label"][rows], examples.arrays["weight"][rows]
    masks = {"mask": mask.astype(np.int64), "claim": claim.astype(np.int64)}
    return {"ids": ids, "marks": marks, "label": label, "weight": weight, "group": group, **masks}


def save_model(model: Judge, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    save_file(
        {name: value.detach().half().cpu().contiguous() for name, value in model.state_dict().items()},
        folder / "model.safetensors",
    )


def _save_progress(folder: Path, model: Judge, optimizer: Any, schedule: Any, step: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "schedule": schedule.state_dict(),
        "step": step,
        "noise": torch.get_rng_state(),
    }
    torch.save(state, folder / "progress.tmp")
    (folder / "progress.tmp").replace(folder / "progress.pt")


def _resume(folder: Path, model: Judge, optimizer: Any, schedule: Any) -> int:
    """Our own progress file, read with `weights_only`: tensors and plain values, no code."""
    path = folder / "progress.pt"
    if not path.exists():
        return 0
    state = torch.load(path, weights_only=True, map_location="cpu")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    schedule.load_state_dict(state["schedule"])
    torch.set_rng_state(state["noise"])
    return int(state["step"])


if __name__ == "__main__":
    main()
