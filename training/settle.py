"""Teach a model whose evidence rests to say what the shipped one says whose evidence does not (decision 0019).

    python -m training.settle models/surefoot_models/grounder_fast/model.onnx --seed 41 \\
        --config training/configs/rest_fast.toml --data training/work/data/train.npz --out training/work/fast-rest

Both share every weight to begin with, and their states up to the rest stay the same. Above it the student learns, layer
by layer, the states that its teacher gives the claim's tokens: thousands of targets a row instead of one label, so that
some thousand rows on two processor cores are enough. The teacher runs in eight bits, as it ships.
"""

from __future__ import annotations

import argparse
import json
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import helper
from onnxruntime import InferenceSession
from torch import Tensor
from torch.nn import functional as F

from training.dataset import Examples
from training.encoder import shape_of
from training.heads import Judge
from training.onnx_run import session
from training.recover import recover
from training.train import assemble, save_model

LAST = 4.0
"""How much more the last layer's states count than those of the layers below."""


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """A padded batch: where the evidence rests, and what the teacher makes of the claims above that."""

    resting: Tensor
    mask: Tensor
    claim: Tensor
    targets: list[Tensor]
    """The teacher's states of the front tokens after each further layer."""
    sentence: Tensor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("teacher", type=Path, help="the shipped model.onnx")
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rows", type=int, help="how many rows to learn from, where not as many as the config says")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=0.0, help="end by then; the rate falls with the time left")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    config = tomllib.loads(options.config.read_text())
    torch.set_num_threads(options.threads)
    settle(config, options)


def settle(config: dict[str, Any], options: argparse.Namespace) -> Judge:
    torch.manual_seed(options.seed)
    shape = shape_of(config)
    file = onnx.load(options.teacher)
    student = recover(file, shape).train()
    teacher = Teacher(file, rest=shape.rest or 0, layers=shape.layers)
    examples = Examples.load(options.data, config["base"], config["tokens"])
    plan = choose(examples, config, options)
    learning = [weight for layer in student.encoder.layers[shape.rest :] for weight in layer.parameters()]
    optimizer = torch.optim.AdamW(learning, lr=config["rate"], betas=(0.9, 0.98), weight_decay=0.0)
    started, gaps = time.time(), []
    for step, lesson in enumerate(lessons(teacher, examples, plan)):
        done = max(step / len(plan), (time.time() - started) / 60 / options.minutes if options.minutes else 0.0)
        if done >= 1.0:
            break
        for group in optimizer.param_groups:
            group["lr"] = config["rate"] * min((step + 1) / 20, 1.0) * max(0.02, 1.0 - done)
        loss, gap = distance(student, lesson)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimizer.step()
        gaps.append(gap)
        if step % 20 == 19 or step + 1 == len(plan):
            speed = (step + 1) * config["batch_rows"] / (time.time() - started)
            told = f"loss {loss.item():.4f} logit gap {np.mean(gaps[-20:]):.3f} {speed:.1f} rows/s"
            print(f"{options.out.name} step {step + 1}/{len(plan)} {told}", flush=True)
        if step % 100 == 99:
            save_model(student, options.out)
    save_model(student, options.out)
    facts = {"seed": options.seed, "rows": len(gaps) * config["batch_rows"]}
    (options.out / "run.json").write_text(json.dumps(config | facts))
    return student.eval()


def choose(examples: Examples, config: dict[str, Any], options: argparse.Namespace) -> list[np.ndarray]:
    """Rows in shares of their sets, in batches of like claims; long ones, which take most of the time, are left out."""
    dice = np.random.default_rng(options.seed)
    sets = examples.arrays["sets"][examples.arrays["source"]]
    share = np.array([config.get("share", {}).get(str(name), 1.0) for name in sets]) * (
        examples.lengths() <= config["longest"]
    )
    count = min(options.rows or config["rows"], int((share > 0).sum()))
    rows = dice.choice(len(examples), count, replace=False, p=share / share.sum())
    size = np.diff(examples.arrays["claim_ends"])[rows] * dice.uniform(0.8, 1.25, count)
    batches = np.array_split(rows[np.argsort(size)], max(1, count // config["batch_rows"]))
    return [batches[at] for at in dice.permutation(len(batches))]


class Teacher:
    """The shipped graph, asked for its states as well."""

    def __init__(self, file: onnx.ModelProto, *, rest: int, layers: int) -> None:
        norms = [node.output[0] for node in file.graph.node if node.op_type == "LayerNormalization"]
        self.names = [norms[2 * at] for at in range(rest, layers + 1)]
        known = {entry.name for entry in file.graph.output}
        wider = onnx.ModelProto()
        wider.CopyFrom(file)
        asked = [name for name in self.names if name not in known]
        wider.graph.output.extend(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in asked)
        self.session: InferenceSession = session(wider.SerializeToString())

    def states(self, ids: np.ndarray, claim: np.ndarray) -> tuple[list[np.ndarray], float]:
        given = {"input_ids": ids, "claim_mask": claim, "attention_mask": np.ones_like(ids)}
        wanted = {entry.name for entry in self.session.get_inputs()}
        *states, sentence = self.session.run(
            [*self.names, "sentence"], {name: value for name, value in given.items() if name in wanted}
        )
        return states, float(sentence.reshape(-1)[0])


def lessons(teacher: Teacher, examples: Examples, plan: list[np.ndarray]) -> Iterator[Lesson]:
    """Batches made ahead in one thread, in order."""
    with ThreadPoolExecutor(1) as pool:
        waiting = [pool.submit(lesson, teacher, examples, rows) for rows in plan[:2]]
        for at in range(len(plan)):
            found = waiting[at].result()
            waiting[at] = None  # type: ignore[call-overload]
            if at + 2 < len(plan):
                waiting.append(pool.submit(lesson, teacher, examples, plan[at + 2]))
            yield found


def lesson(teacher: Teacher, examples: Examples, rows: np.ndarray) -> Lesson:
    block = assemble(examples, rows)
    mask, claim = torch.from_numpy(block["mask"]), torch.from_numpy(block["claim"])
    sizes, front = block["mask"].sum(1), int(block["claim"].sum(1).max()) + 1
    told = [
        teacher.states(block["ids"][at : at + 1, :size], block["claim"][at : at + 1, :size])
        for at, size in enumerate(sizes)
    ]
    states = [[torch.from_numpy(layer[0]) for layer in found] for found, _ in told]
    resting = torch.nn.utils.rnn.pad_sequence([found[0] for found in states], batch_first=True)
    resting = F.pad(resting, (0, 0, 0, mask.shape[1] - resting.shape[1]))
    targets = [
        torch.stack([F.pad(found[at][:front], (0, 0, 0, max(0, front - len(found[at])))) for found in states])
        for at in range(1, len(teacher.names))
    ]
    return Lesson(
        resting=resting,
        mask=mask,
        claim=claim,
        targets=targets,
        sentence=torch.tensor([sentence for _, sentence in told]),
    )


def distance(student: Judge, lesson: Lesson) -> tuple[Tensor, float]:
    """How far the student's states of the claims are from the teacher's, relative to their size, and its verdicts."""
    encoder = student.encoder
    front = lesson.targets[0].shape[1]
    real = lesson.claim[:, :front].clone()
    real[:, 0] = 1
    share = real.float()[..., None] / real.sum()
    loss = torch.zeros(())
    last = lesson.resting
    bias = encoder.bias(lesson.mask, torch.float32)
    for at, states in enumerate(encoder.from_rest(lesson.resting, bias, lesson.claim)):
        target, last = lesson.targets[at], states
        weight = LAST if at + 1 == len(lesson.targets) else 1.0
        size = (share * target**2).sum()
        loss = loss + weight * (share * (states[:, :front] - target) ** 2).sum() / size
    sentence, token = student.verdict(last, lesson.claim)
    gap = sentence - lesson.sentence
    taught = student.token(lesson.targets[-1])[..., 0].detach()
    words = (real[:, 1:] * (token[:, 1:front] - taught[:, 1:]) ** 2).sum() / real[:, 1:].sum()
    return loss + 0.05 * (gap**2).mean() + 0.05 * words, float(gap.detach().abs().mean())


if __name__ == "__main__":
    main()
