"""Teach the embedder: a question comes nearest to the passage that answers it, in whatever words it is asked.

    python -m training.near --data training/work/rank.npz --start training/work/base/minilm/model.safetensors \\
        --minutes 4 --out training/work/near

The questions and their passages are the re-ranker's (`python -m training.rank build`). Every other text of a step is a
wrong one, and the close ones of the same group stand beside it. The vectors serve more than the search: how near two
words or two sentences are has to stay what it was, so the nearness among texts and among single words is held to the
base's.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional as F

from training.encoder import MINILM, Encoder, load_weights
from training.rank import OPENING, SEPARATOR, Groups

WARMTH = 0.05
WORDS = range(1996, 29612)
"""The whole words of the vocabulary, about."""
TIMES = {"passages": 2, "sentences": 1, "scifact": 4, "titles": 1, "asked": 1}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--taught", type=Path, help="go on from what was learned before")
    parser.add_argument("--minutes", type=float, default=4.0)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--batch", type=int, default=384, help="questions in a step")
    parser.add_argument("--wrong", type=int, default=3, help="close texts beside each")
    parser.add_argument("--keep", type=float, default=10.0, help="how much the base's nearness counts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    base, model = (Encoder(MINILM, dropout).to(device) for dropout in (0.0, 0.05))
    for one in (base, model):
        load_weights(one, load_file(options.start))
        one.to(device)
    if options.taught:
        model.load_state_dict({name: value.float() for name, value in load_file(options.taught).items()})
    base.eval().requires_grad_(False)
    groups = Groups(options.data)
    if not options.taught:
        print("before", json.dumps(found_first(base, groups, device, options.limit)), flush=True)
    teach(model.train(), base, groups, options, device)
    options.out.mkdir(parents=True, exist_ok=True)
    save_file(
        {n: v.detach().half().cpu().contiguous() for n, v in model.state_dict().items()},
        options.out / "model.safetensors",
    )
    print("after", json.dumps(found_first(model.eval(), groups, device, options.limit)), flush=True)


def teach(model: Encoder, base: Encoder, groups: Groups, options: argparse.Namespace, device: str) -> None:
    dice = random.Random(options.seed)
    answered = np.diff(groups.arrays["right_ends"]) > 0
    learn = np.flatnonzero(~groups.arrays["development"] & answered)
    order = [int(at) for at in learn for _ in range(TIMES[groups.name(at)])]
    weights = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=options.rate, weight_decay=0.01)
    begin, shown, step, losses = time.time(), time.time(), 0, []
    while True:
        dice.shuffle(order)
        for start in range(0, len(order) - options.batch, options.batch):
            share = (time.time() - begin) / 60 / options.minutes
            if share >= 1 or (options.limit and step >= options.limit):
                print(f"{step} steps, {step * options.batch / len(order):.1f} passes", flush=True)
                return
            for part in optimiser.param_groups:
                part["lr"] = options.rate * min(1.0, (step + 1) / 100) * max(0.02, 1 - share)
            loss = _loss(model, base, groups, order[start : start + options.batch], options, dice, device)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimiser.step()
            losses.append(loss.detach())
            step += 1
            if time.time() - shown > 20:
                print(f"step {step}, loss {torch.stack(losses).mean():.3f}, {time.time() - begin:.0f} s", flush=True)
                shown, losses = time.time(), []


def _loss(model: Encoder, base: Encoder, groups: Groups, chosen, options, dice: random.Random, device: str) -> Tensor:
    rights = [groups.part("right", at).tolist() for at in chosen]
    texts = [dice.choice(right) for right in rights]
    beside: list[tuple[int, int]] = []
    for row, at in enumerate(chosen):
        wrong = groups.part("wrong", at).tolist()
        close = dice.sample(wrong, min(options.wrong, len(wrong)))
        if groups.name(at) == "sentences":
            beside += [(row, len(texts) + n) for n in range(len(close))]
        texts += close
    asked = vectors(model, [groups.part("question", at) for at in chosen], device)
    said = vectors(model, [groups.part("text", text) for text in texts], device)
    words = [np.array([dice.choice(WORDS)]) for _ in range(256)]
    with torch.no_grad():
        was_asked = vectors(base, [groups.part("question", at) for at in chosen], device)
        was_said = vectors(base, [groups.part("text", text) for text in texts], device)
        was_words = vectors(base, words, device)
    aim = torch.arange(len(chosen), device=device)
    hidden = also_right(was_asked @ was_said.T, beside, device)
    where = defaultdict(list)
    for n, text in enumerate(texts):
        where[text].append(n)
    for row, right in enumerate(rights):
        hidden[row, [n for text in right for n in where[text]]] = True
    hidden[aim, aim] = False
    loss = F.cross_entropy((asked @ said.T / WARMTH).masked_fill(hidden, -1e4), aim)
    some = dice.sample(range(len(texts)), min(256, len(texts)))
    changed = said[some] @ said[some].T - was_said[some] @ was_said[some].T
    now_words = vectors(model, words, device)
    changed_words = now_words @ now_words.T - was_words @ was_words.T
    return loss + options.keep * (changed.square().mean() + changed_words.square().mean())


def also_right(was: Tensor, beside: list[tuple[int, int]], device: str) -> Tensor:
    """What may answer as well: the base finds it nearer than the answer. "When do you open?" is asked over hundreds of
    contexts. Sentences of the question's own context are known not to answer; they count whatever the base says."""
    found = was > was.diagonal()[:, None]
    if beside:
        rows, columns = torch.tensor(beside, device=device).T
        found[rows, columns] = False
    return found


def vectors(model: Encoder, texts: list[np.ndarray], device: str, most: int = 2**17) -> Tensor:
    """Unit vectors, in order; those of like length are read together."""
    order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
    found: list[Tensor] = []
    start = 0
    while start < len(order):
        count = max(1, most // (len(texts[order[min(start + 511, len(order) - 1)]]) + 2))
        part = order[start : start + min(count, 512)]
        longest = -(-(max(len(texts[n]) for n in part) + 2) // 8) * 8
        ids = np.zeros((len(part), longest), np.int64)
        for row, n in enumerate(part):
            ids[row, : len(texts[n]) + 2] = [OPENING, *texts[n], SEPARATOR]
        given = torch.from_numpy(ids).to(device)
        mask = (given != 0).long()
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            states = model(given, mask)
        real = mask[..., None].float()
        found.append(F.normalize((states.float() * real).sum(1) / real.sum(1), dim=-1))
        start += len(part)
    back = torch.empty(len(order), dtype=torch.long, device=device)
    back[torch.tensor(order, device=device)] = torch.arange(len(order), device=device)
    return torch.cat(found)[back]


@torch.no_grad()
def found_first(model: Encoder, groups: Groups, device: str, limit: int = 0) -> dict[str, list[float]]:
    """By kind: the share of development questions whose answer comes first in its group; then whose answer is the
    nearest, among the nearest three and eight, of all texts of development groups of that kind."""
    answered = np.diff(groups.arrays["right_ends"]) > 0
    kept = np.flatnonzero(groups.arrays["development"] & answered)
    shares: dict[str, list[float]] = {}
    for kind in groups.arrays["sets"].tolist():
        mine = [int(at) for at in kept if groups.name(at) == kind][:: 20 if limit else 1]
        if not mine:
            continue
        texts = sorted({t for at in mine for part in ("right", "wrong") for t in groups.part(part, at).tolist()})
        place = {text: n for n, text in enumerate(texts)}
        said = vectors(model, [groups.part("text", text) for text in texts], device)
        asked = vectors(model, [groups.part("question", at) for at in mine], device)
        ranks, own = [], []
        for row, at in enumerate(mine):
            near = said @ asked[row]
            best = near[[place[t] for t in groups.part("right", at).tolist()]].max()
            ranks.append(int((near > best).sum()))
            own.append(bool((near[[place[t] for t in groups.part("wrong", at).tolist()]] < best).all()))
        shares[kind] = [round(float(np.mean(own)), 4)]
        shares[kind] += [round(float(np.mean(np.array(ranks) < k)), 4) for k in (1, 3, 8)] + [len(mine), len(texts)]
    return shares


if __name__ == "__main__":
    main()
