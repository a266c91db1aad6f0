"""A language model of 1.5 billion weights taught to judge claims; it labels what nobody labelled.

    python -m training.tutor --model training/work/reader --lessons training/work/lessons --minutes 4 \\
        --out training/work/tutor

It reads a context once and every claim about it after that: each claim's word pieces see the sources and what stands
before them in their own claim. Only small matrices beside the frozen ones learn (LoRA), so that what was learned is a
few megabytes. It answers by one word: Yes, No, or None where nothing is claimed. With
`--adapter` and no minutes it only judges, by what it learned before.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional as F

from training.borrow import load_tutor
from training.language import Decoder
from training.measure import report
from training.teach import Lessons

STRENGTH = 2.0
"""How much the small matrices count."""
ROOM = 1400
"""Word pieces of sources that are read."""
EACH = 16
"""Claims beside one context."""
WEIGHT = {"mnli_dev": 0.3, "snli_dev": 0.15, "breaking_nli": 0.2, "climate_fever": 0.5, "healthver": 0.6}
TIMES = {"written": 2.0, "q-asked": 2.0, "summedits": 1.5, "wice": 1.0, "clapnq": 1.0, "mtrag": 1.0, "qags": 1.0,
         "factcc": 1.0, "hover": 1.0, "xsumfaith": 1.0, "polytope": 0.0, "mnli_dev": 0.3, "snli_dev": 0.15,
         "breaking_nli": 0.2, "climate_fever": 0.3, "healthver": 0.5, "rte_test": 0.4, "scitail_test": 0.3,
         "fever_sym": 0.5, "xquad": 0.5}  # fmt: skip
KNOWN = 0.6
"""The same for written rows that the adapter has seen, where others are fresh."""
GENERATED = 0.2
"""Share of the generated contexts that an epoch reads."""


class Small(nn.Module):
    """A frozen matrix with a small one beside it that learns."""

    def __init__(self, frozen: nn.Linear, rank: int) -> None:
        super().__init__()
        self.frozen = frozen.to(torch.bfloat16).requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, frozen.in_features) / frozen.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(frozen.out_features, rank))

    def forward(self, states: Tensor) -> Tensor:
        return (
            self.frozen(states)
            + F.linear(F.linear(states, self.down.to(states.dtype)), self.up.to(states.dtype)) * STRENGTH
        )


class Tutor(nn.Module):
    def __init__(self, decoder: Decoder, answers: Tensor, rank: int) -> None:
        super().__init__()
        decoder.requires_grad_(False)
        decoder.words.to(torch.bfloat16)
        decoder.norm.to(torch.bfloat16)
        for layer in decoder.layers:
            layer.attn_norm.to(torch.bfloat16)
            layer.ffn_norm.to(torch.bfloat16)
            for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
                setattr(layer, name, Small(getattr(layer, name), rank))
        self.decoder = decoder
        self.answers = nn.Parameter(answers, requires_grad=False)
        """[3, hidden]: the output rows of Yes, No and None."""

    def forward(self, ids: Tensor, place: Tensor, group: Tensor, last: Tensor) -> Tensor:
        states = self.decoder.tree(ids, place, group)
        return states[last[:, 0], last[:, 1]].float() @ self.answers.T.float()

    def learned(self) -> dict[str, Tensor]:
        return {n: p.detach() for n, p in self.named_parameters() if p.requires_grad}


def row(lessons: Lessons, at: int, statements: list[int], prompt: list[list[int]], number: np.ndarray) -> dict:
    """Word pieces, their places and groups (0 the sources, 1, 2, … the claims), and each claim's last piece."""
    opening, between, middle, claims, closing = prompt
    source: list[int] = []
    for passage in lessons.passages(at, 0):
        source += [piece for sentence in passage for piece in (*sentence, *middle)] + between
    ids = [*opening, *number[source[:ROOM]].tolist()]
    place, group, last = list(range(len(ids))), [0] * len(ids), []
    start = len(ids)
    for count, statement in enumerate(statements, 1):
        before = number[lessons.before(statement, 0)[-64:]].tolist() if lessons.before(statement, 0) else []
        piece = [*claims[0], *before, *claims[1], *number[lessons.claim(statement, 0)[:160]].tolist(), *closing]
        ids += piece
        place += range(start, start + len(piece))
        group += [count] * len(piece)
        last.append(len(ids) - 1)
    return {"ids": ids, "place": place, "group": group, "last": last, "statements": statements}


def block(rows: list[dict]) -> tuple[Tensor, ...]:
    longest = -(-max(len(r["ids"]) for r in rows) // 8) * 8
    ids = np.zeros((len(rows), longest), np.int64)
    place, group = np.zeros_like(ids), np.full_like(ids, -1)
    last = []
    for at, r in enumerate(rows):
        size = len(r["ids"])
        ids[at, :size], place[at, :size], group[at, :size] = r["ids"], r["place"], r["group"]
        last += [(at, column) for column in r["last"]]
    return (*map(torch.from_numpy, (ids, place, group)), torch.tensor(last))


def batches(rows: Iterator[dict], tokens: int, dice: random.Random | None) -> Iterator[list[dict]]:
    pool: list[dict] = []

    def cut() -> Iterator[list[dict]]:
        pool.sort(key=lambda r: len(r["ids"]))
        found: list[list[dict]] = []
        for r in pool:
            if found and len(r["ids"]) * (len(found[-1]) + 1) <= tokens:
                found[-1].append(r)
            else:
                found.append([r])
        if dice is not None:
            dice.shuffle(found)
        yield from found
        pool.clear()

    for r in rows:
        pool.append(r)
        if len(pool) >= 1024:
            yield from cut()
    yield from cut()


class Stream(torch.utils.data.IterableDataset):
    def __init__(self, lessons: Lessons, prompt, number, tokens: int, seed: int, fresh: list[str], old: float) -> None:
        self.lessons, self.prompt, self.number, self.tokens, self.seed = lessons, prompt, number, tokens, seed
        self.fresh, self.old = fresh, old

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        at, count = (worker.id, worker.num_workers) if worker else (0, 1)
        dice = random.Random(self.seed * 1000 + at)
        torch.set_num_threads(1)
        while True:
            for rows in batches(self.deal(dice, at, count), self.tokens, dice):
                yield block(rows), self.aims(rows), len(rows)

    def deal(self, dice: random.Random, share: int, shares: int) -> Iterator[dict]:
        order = []
        for at in range(share, len(self.lessons), shares):
            times = times_of(self.lessons.name(at), self.fresh, self.old)
            order += [at] * (int(times) + (dice.random() < times % 1))
        dice.shuffle(order)
        label, twin, bag = (self.lessons.arrays[name] for name in ("label", "twin", "bag"))
        for at in order:
            own = self.lessons.name(at).startswith("w-")
            statements = [s for s in self.lessons.statements(at) if label[s] >= 0 and (own or bag[s] < 0)]
            dice.shuffle(statements)
            if not own:
                statements = statements[:EACH]
            statements.sort(key=lambda s: twin[s] if twin[s] >= 0 else 10**9)
            for start in range(0, len(statements), EACH):
                yield row(self.lessons, at, statements[start : start + EACH], self.prompt, self.number)

    def aims(self, rows: list[dict]) -> tuple[Tensor, Tensor, Tensor]:
        a = self.lessons.arrays
        statements = [s for r in rows for s in r["statements"]]
        kinds = np.repeat(a["set"], np.diff(a["statement_ends"]))
        names = [str(a["sets"][kinds[s]]) for s in statements]
        pairs: dict[int, dict[int, int]] = {}
        for at, s in enumerate(statements):
            if a["twin"][s] >= 0 and a["label"][s] < 2:
                pairs.setdefault(int(a["twin"][s]), {})[int(a["label"][s])] = at
        twins = [(p[0], p[1]) for p in pairs.values() if len(p) == 2]
        weight = torch.tensor([WEIGHT.get(name, 0.6 if not name.startswith("w-") else 1.0) for name in names])
        return torch.tensor(a["label"][statements].astype(np.int64)), weight, torch.tensor(twins).reshape(-1, 2)


def times_of(name: str, fresh: list[str], old: float) -> float:
    if name.startswith("w-"):
        return TIMES["written"] if not fresh or name.removeprefix("w-") in fresh else KNOWN * old
    return old * (GENERATED if name.startswith("generated") else TIMES.get(name, 0.5))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--lessons", type=Path, required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--epochs", type=float, default=100.0)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=16384)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--mean", type=float, default=0.0, help="keep a running mean of what was learned, so slow")
    parser.add_argument("--compile", action="store_true", help="fused kernels: half a minute at the start, then faster")
    parser.add_argument("--untaught", action="store_true", help="measure it before it learns, too")
    parser.add_argument("--adapter", type=Path, help="go on from what was learned before (.gguf or .safetensors)")
    parser.add_argument("--fresh", nargs="*", default=[], help="kinds the adapter has not seen: read more often")
    parser.add_argument("--old", type=float, default=1.0, help="share of the usual that is read of all else")
    parser.add_argument("--judge", nargs="*", default=["written", "held"], help="written, held, train, or a file")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.enable_cudnn_sdp(False)  # its gradients are not finite with a mask
    begin = time.time()
    decoder, answers, prompt, number = load_tutor(options.model)
    tutor = Tutor(decoder, answers, options.rank)
    if options.compile:
        decoder.compiled()
    if options.adapter:
        from training.adapter import read

        learned = load_file(options.adapter) if options.adapter.suffix == ".safetensors" else read(options.adapter)
        unknown = tutor.load_state_dict(learned, strict=False).unexpected_keys
        assert not unknown, unknown
    tutor.to(device)
    print(f"loaded in {time.time() - begin:.0f} s", flush=True)
    lessons = Lessons.load(options.lessons / "train_reader.npz")
    if options.untaught:  # before it learns: is the model itself in order?
        kept = Lessons.load(options.lessons / "written_reader.npz")
        empty = {"token": np.zeros(0), "token_ends": np.zeros(len(kept.arrays["label"]) + 1, int)}
        logits = judge(tutor, kept, prompt, number, device)
        print("untaught", json.dumps(report(kept.arrays, {"sentence": logits, **empty})["twins"]), flush=True)
    if options.minutes > 0:
        teach(tutor, lessons, prompt, number, options, device)
    decoder.plain()
    options.out.mkdir(parents=True, exist_ok=True)
    save_file({n: v.half().cpu().contiguous() for n, v in tutor.learned().items()}, options.out / "adapter.safetensors")
    for name in options.judge:
        begin = time.time()
        path = Path(name) if name.endswith(".npz") else options.lessons / f"{name}_reader.npz"
        found = lessons if name == "train" else Lessons.load(path)
        logits = judge(tutor, found, prompt, number, device, only_limit=options.limit, unlabelled=name == "train")
        short = path.stem.removesuffix("_reader")
        np.savez_compressed(options.out / f"{short}-tutor.npz", logits=logits.astype(np.float16))
        print(f"{short}: {len(logits)} judged in {time.time() - begin:.0f} s", flush=True)
        if name in ("written", "held"):
            empty = {"token": np.zeros(0), "token_ends": np.zeros(len(logits) + 1, int)}
            print(json.dumps({name: report(found.arrays, {"sentence": logits, **empty})}), flush=True)


def teach(tutor: Tutor, lessons: Lessons, prompt, number, options: argparse.Namespace, device: str) -> None:
    weights = [p for p in tutor.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=options.rate, betas=(0.9, 0.98), weight_decay=0.0)
    stream = torch.utils.data.DataLoader(
        Stream(lessons, prompt, number, options.tokens, options.seed, options.fresh, options.old), batch_size=None,
        num_workers=options.workers, prefetch_factor=8 if options.workers else None,
    )  # fmt: skip
    whole = sum(
        times_of(lessons.name(at), options.fresh, options.old) * -(-len(lessons.statements(at)) // EACH)
        for at in range(len(lessons))
    )
    tutor.train()
    mean = [p.detach().clone() for p in weights] if options.mean else []
    begin, shown, step, seen, strange, losses = time.time(), time.time(), 0, 0, 0, []
    for (ids, place, group, last), (label, weight, twins), count in stream:
        share = max((time.time() - begin) / 60 / options.minutes, seen / whole / options.epochs)
        if share >= 1 or (options.limit and step >= options.limit):
            break
        for part in optimiser.param_groups:
            part["lr"] = options.rate * min(1.0, (step + 1) / 30) * max(0.03, 1 - share)
        ids, place, group, last, label, weight, twins = (
            x.to(device, non_blocking=True) for x in (ids, place, group, last, label, weight, twins)
        )
        with torch.autocast(device, torch.bfloat16):
            logits = tutor(ids, place, group, last)
        loss = (F.cross_entropy(logits, label, reduction="none") * weight).sum() / weight.sum()
        if len(twins):
            risk = logits[:, 1] - logits[:, 0]
            loss = loss + 0.3 * F.softplus(2.0 - (risk[twins[:, 1]] - risk[twins[:, 0]])).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        if not torch.nn.utils.clip_grad_norm_(weights, 1.0).isfinite():
            strange += 1
            if strange == 3:
                print("no finite gradients: attention without fast kernels from here on", flush=True)
                torch.backends.cuda.enable_mem_efficient_sdp(False)
            if strange > 20:
                raise SystemExit("no finite gradients")
            continue
        optimiser.step()
        losses.append(loss.detach())
        step, seen = step + 1, seen + count
        if mean:
            torch._foreach_lerp_(mean, [p.detach() for p in weights], 1 - min(options.mean, step / (step + 10)))
        if time.time() - shown > 20:
            print(
                f"step {step}, epoch {seen / whole:.2f}, loss {torch.stack(losses).mean():.3f},"
                f" {time.time() - begin:.0f} s",
                flush=True,
            )
            shown, losses = time.time(), []
    if mean:
        torch._foreach_copy_([p.data for p in weights], mean)
    print(f"step {step}, {seen / whole:.2f} epochs, {time.time() - begin:.0f} s", flush=True)


@torch.no_grad()
def judge(
    tutor: Tutor, lessons: Lessons, prompt, number, device: str, only_limit: int = 0, unlabelled: bool = False
) -> np.ndarray:
    """[statements, 3]; NaN where a claim was not asked about.

    `unlabelled`: only what it was not taught itself, for its pupils.
    """
    tutor.eval()
    found = np.full((len(lessons.arrays["label"]), 3), np.nan, np.float32)

    def deal() -> Iterator[dict]:
        for at in range(len(lessons)):
            if unlabelled and lessons.name(at).startswith(("w-", "q-")):
                continue
            statements = list(lessons.statements(at))
            for start in range(0, len(statements), 24):
                yield row(lessons, at, statements[start : start + 24], prompt, number)

    for count, rows in enumerate(batches(deal(), 49152, None)):
        if only_limit and count >= only_limit:
            break
        ids, place, group, last = (x.to(device) for x in block(rows))
        with torch.autocast(device, torch.bfloat16):
            logits = tutor(ids, place, group, last)
        found[[s for r in rows for s in r["statements"]]] = logits.float().cpu().numpy()
    return found


if __name__ == "__main__":
    main()
