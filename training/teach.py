"""Teach a grounder that reads its sources once, from lessons.

    python -m training.teach --base mpnet --start training/work/base/mpnet/model.safetensors \\
        --lessons training/work/lessons --minutes 6 --seed 1 --out training/work/accurate

Prints the development figures at the end; `--until` ends it by the clock and the learning rate follows the clock, so
that a lent machine's time is used up and no more.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from surefoot.encoders.windows import CLAIM, FIRST_PLACE, choose, claim_ids, windows
from training.encoder import SHAPES, Encoder, load_weights
from training.measure import report
from training.once import Once, Page, losses

SPECIAL = {"minilm": (101, 102, 0, 0), "tiny": (101, 102, 0, 0), "mpnet": (0, 2, 1, 4)}
"""Opening, separating and padding ids of each base, and how far its vocabulary is shifted."""
WEIGHT = {
    "mnli_dev": 0.4, "snli_dev": 0.15, "breaking_nli": 0.2, "rte_test": 0.5, "scitail_test": 0.6,
    "climate_fever": 0.6, "healthver": 1.0, "fever_sym": 0.6, "xquad": 0.5, "polytope": 0.5, "summedits": 1.0,
}  # fmt: skip
TIMES = {
    "written": 2.0,
    "q-asked": 1.0,
    "summedits": 1.5,
    "wice": 2.0,
    "clapnq": 1.5,
    "mtrag": 1.5,
    "qags": 1.5,
    "factcc": 1.5,
}
"""How often an epoch reads a set's lessons; a part of a time is a chance."""
KNOWN = 0.6
"""The same for written rows that were taught before, where others are fresh."""
GENERATED_EACH = 16
"""Claims of a generated context in one epoch."""
HARD = {"generated": 0.2}
"""How much a label counts where the tutor has spoken too; elsewhere 0.5."""


@dataclass(kw_only=True)
class Lessons:
    """A loaded file."""

    arrays: dict[str, np.ndarray]
    soft: np.ndarray | None = None
    """What the tutor said of each statement, [statements, 3]; NaN where it was not asked."""

    @classmethod
    def load(cls, path: Path, tutor: Path | None = None) -> Lessons:
        with np.load(path) as file:
            found = cls(arrays={name: file[name] for name in file.files})
        if tutor is not None:
            with np.load(tutor) as file:
                found.soft = file["logits"].astype(np.float32)
            assert len(found.soft) == len(found.arrays["label"]), "the tutor judged other lessons"
        return found

    def joined(self, other: Lessons) -> Lessons:
        """Both, one behind the other; twins and bags of the two stay apart."""
        a, b = self.arrays, other.arrays
        found = {"sets": np.concatenate([a["sets"], b["sets"]])}
        for name in ("text_data", "claim_data", "before_data", "mark_data", "label", "alone", "id"):
            found[name] = np.concatenate([a[name], b[name]])
        for name in [name for name in a if name.endswith("_ends")]:
            found[name] = np.concatenate([a[name], b[name][1:] + a[name][-1]])
        found["set"] = np.concatenate([a["set"], b["set"] + len(a["sets"])])
        for name in ("twin", "bag"):
            found[name] = np.concatenate([a[name], np.where(b[name] < 0, -1, b[name] + a[name].max() + 1)])
        soft = None
        if self.soft is not None and other.soft is not None:
            soft = np.concatenate([self.soft, other.soft])
        return Lessons(arrays=found, soft=soft)

    def __len__(self) -> int:
        return len(self.arrays["lesson_ends"]) - 1

    def name(self, at: int) -> str:
        return str(self.arrays["sets"][self.arrays["set"][at]])

    def passages(self, at: int, shift: int) -> list[list[list[int]]]:
        a = self.arrays
        found = []
        for passage in range(a["lesson_ends"][at], a["lesson_ends"][at + 1]):
            texts = range(a["passage_ends"][passage], a["passage_ends"][passage + 1])
            found.append([self._ragged("text", text, shift) for text in texts])
        return found

    def statements(self, at: int) -> range:
        return range(self.arrays["statement_ends"][at], self.arrays["statement_ends"][at + 1])

    def claim(self, statement: int, shift: int) -> list[int]:
        return self._ragged("claim", statement, shift)

    def before(self, statement: int, shift: int) -> list[int]:
        return self._ragged("before", statement, shift)

    def marks(self, statement: int) -> list[int]:
        return self._ragged("mark", statement, 0)

    def _ragged(self, name: str, at: int, shift: int) -> list[int]:
        ends = self.arrays[f"{name}_ends"]
        return (self.arrays[f"{name}_data"][ends[at] : ends[at + 1]].astype(np.int64) + shift).tolist()


@dataclass(frozen=True, kw_only=True)
class Row:
    """One context with some of its claims, ready to be laid into a batch."""

    ids: list[int]
    place: list[int]
    group: list[int]
    claims: list[tuple[int, int, int]]
    """Column of the opening token, count of own tokens, statement."""
    weight: float
    name: str = ""


def row_of(
    lessons: Lessons, at: int, statements: list[int], base: str, *, dice: random.Random | None = None,
    extra: list[list[list[int]]] | None = None, room: int = 900, weight: float = 1.0,
) -> Row:  # fmt: skip
    opening, separator, _, shift = SPECIAL[base]
    passages = lessons.passages(at, shift)
    if dice is not None:
        passages += extra or []
        if len(passages) > 1 and dice.random() < 0.5:
            dice.shuffle(passages)
    claims = [lessons.claim(statement, shift) for statement in statements]
    sheets = windows(choose(passages, claims, room), separator)
    ids, place, group = [], [], []
    for number, sheet in enumerate(sheets, 1):
        ids += sheet
        place += range(FIRST_PLACE, FIRST_PLACE + len(sheet))
        group += [number] * len(sheet)
    spots = []
    for number, (statement, claim) in enumerate(zip(statements, claims, strict=True), 1):
        before = lessons.before(statement, shift)
        if dice is not None and dice.random() < 0.3:
            before = []
        tokens, own = claim_ids(claim, before, opening, separator)
        spots.append((len(ids), own, statement))
        ids += tokens
        place += range(len(tokens))
        group += [-number] * len(tokens)
    return Row(ids=ids, place=place, group=group, claims=spots, weight=weight, name=lessons.name(at))


def page_of(rows: list[Row], base: str) -> Page:
    pad = SPECIAL[base][2]
    longest = -(-max(len(row.ids) for row in rows) // 8) * 8
    ids = np.full((len(rows), longest), pad, np.int64)
    place, group = np.zeros_like(ids), np.zeros_like(ids)
    own = np.zeros(ids.shape, bool)
    first, member = [], []
    for at, row in enumerate(rows):
        size = len(row.ids)
        ids[at, :size], place[at, :size], group[at, :size] = row.ids, row.place, row.group
        for column, count, _ in row.claims:
            own[at, column + 1 : column + 1 + count] = True
            member += [(at, place_, len(first)) for place_ in range(column + 1, column + 1 + count)]
            first.append((at, column))
    return Page(
        ids=torch.from_numpy(ids), place=torch.from_numpy(place), group=torch.from_numpy(group),
        own=torch.from_numpy(own), first=torch.tensor(first), member=torch.tensor(member),
    )  # fmt: skip


class Stream(torch.utils.data.IterableDataset):
    """Batches without end; each worker deals its own share of the lessons, so that the processor keeps up."""

    def __init__(self, lessons: Lessons, base: str, tokens: int, seed: int, fresh: list[str]) -> None:
        self.lessons, self.base, self.tokens, self.seed, self.fresh = lessons, base, tokens, seed, fresh

    def __iter__(self) -> Iterator[tuple[Page, dict[str, Tensor], int]]:
        worker = torch.utils.data.get_worker_info()
        at, count = (worker.id, worker.num_workers) if worker else (0, 1)
        dice = random.Random(self.seed * 1000 + at)
        torch.set_num_threads(1)
        while True:
            for rows in batches(epoch(self.lessons, self.base, self.fresh, dice, at, count), self.tokens, dice):
                yield page_of(rows, self.base), targets(self.lessons, rows), len(rows)


def times_of(name: str, fresh: list[str]) -> float:
    if name.startswith("w-"):
        return TIMES["written"] if not fresh or name.removeprefix("w-") in fresh else KNOWN
    return TIMES.get(name, 1.0)


def epoch(
    lessons: Lessons, base: str, fresh: list[str], dice: random.Random, share: int = 0, shares: int = 1
) -> Iterator[Row]:
    """A share of the lessons in random order, some with strangers' passages beside their own."""
    order = []
    written = [at for at in range(len(lessons)) if lessons.name(at).startswith("w-")]
    for at in range(share, len(lessons), shares):
        times = times_of(lessons.name(at), fresh)
        order += [at] * (int(times) + (dice.random() < times % 1))
    dice.shuffle(order)
    label, twin = lessons.arrays["label"], lessons.arrays["twin"]
    for at in order:
        name = lessons.name(at)
        statements = [s for s in lessons.statements(at) if label[s] >= 0 or lessons.soft is not None]
        own = name.startswith("w-")
        if not statements:
            continue
        if name.startswith("generated"):
            dice.shuffle(statements)
            statements = statements[:GENERATED_EACH]
        extra = []
        if own and dice.random() < 0.4:
            extra = [
                p
                for other in dice.sample(written, dice.choice((1, 1, 2, 3)))
                for p in lessons.passages(other, SPECIAL[base][3])
            ]
        elif not own and dice.random() < 0.1:
            extra = lessons.passages(dice.choice(written), SPECIAL[base][3])
        weight = 1.0 if own else WEIGHT.get(name, 0.7)
        # at most 24 claims beside one context; twins stay together
        statements.sort(key=lambda s: twin[s] if twin[s] >= 0 else 10**9 + dice.random() * 10**6)
        parts = [statements[start : start + 24] for start in range(0, len(statements), 24)]
        for part in parts:
            yield row_of(lessons, at, part, base, dice=dice, extra=extra, weight=weight)


def batches(rows: Iterator[Row], tokens: int, dice: random.Random) -> Iterator[list[Row]]:
    """Rows of like length together, some hundreds at a time; a batch's padded size squared bounds its memory."""
    pool: list[Row] = []

    def cut() -> Iterator[list[Row]]:
        pool.sort(key=lambda row: len(row.ids))
        found: list[list[Row]] = []
        for row in pool:
            if found and len(row.ids) * (len(found[-1]) + 1) <= tokens:
                found[-1].append(row)
            else:
                found.append([row])
        dice.shuffle(found)
        yield from found
        pool.clear()

    for row in rows:
        pool.append(row)
        if len(pool) >= 2048:
            yield from cut()
    yield from cut()


def targets(lessons: Lessons, rows: list[Row]) -> dict[str, Tensor]:
    a = lessons.arrays
    statements = [statement for row in rows for _, _, statement in row.claims]
    names = [row.name for row in rows for _ in row.claims]
    at_of: dict[int, dict[int, int]] = defaultdict(dict)
    for at, statement in enumerate(statements):
        if a["twin"][statement] >= 0 and a["label"][statement] < 2:
            at_of[int(a["twin"][statement])][int(a["label"][statement])] = at
    twins = [(pair[0], pair[1]) for pair in at_of.values() if len(pair) == 2]
    marks, claim = [], []
    for at, statement in enumerate(statements):
        found = lessons.marks(statement)[:CLAIM]
        marks += found
        claim += [at] * len(found)
    training_bags = [-1 if lessons.arrays["alone"].size and str(a["id"][s]) else int(a["bag"][s]) for s in statements]
    soft = np.full((len(statements), 3), np.nan, np.float32) if lessons.soft is None else lessons.soft[statements]
    known = ~np.isnan(soft[:, 0]) & ~np.array([name.startswith("w-") for name in names])
    hard = np.array(
        [
            1.0 if not k else (HARD["generated"] if name.startswith("generated") else 0.5)
            for name, k in zip(names, known, strict=True)
        ]
    )
    hard[a["label"][statements] < 0] = 0.0
    chance = np.exp(soft - np.nanmax(np.where(np.isnan(soft), -np.inf, soft), 1, keepdims=True, initial=-1e9))
    chance = np.where(known[:, None], chance / chance.sum(1, keepdims=True), 0.0)
    return {
        "hard": torch.tensor(hard, dtype=torch.float32),
        "soft": torch.tensor(chance, dtype=torch.float32),
        "label": torch.tensor(np.maximum(a["label"][statements], 0).astype(np.int64)),
        "mark": torch.tensor(marks),
        "claim": torch.tensor(claim),
        "weight": torch.tensor([row.weight for row in rows for _ in row.claims]),
        "twins": torch.tensor(twins).reshape(-1, 2),
        "bag": torch.tensor(training_bags),
    }


def start_from(model: Once, path: Path, keep: tuple[int, ...] | None) -> None:
    tensors = load_file(path)
    if "sentence.weight" in tensors:
        model.load_state_dict({name: value.float() for name, value in tensors.items()})
        return
    encoder = Encoder(replace(model.shape, rest=None))
    load_weights(encoder, tensors, keep)
    missing = model.load_state_dict(encoder.state_dict(), strict=False)
    assert not missing.unexpected_keys, missing


def move(value, device):
    return value.to(device, non_blocking=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", choices=sorted(SHAPES), required=True)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--keep", help="layers of the base to keep, as 0,1,2")
    parser.add_argument("--rest", type=int, help="layers after which the sources rest")
    parser.add_argument("--lessons", type=Path, required=True)
    parser.add_argument("--tutor", type=Path, help="the tutor's verdicts on the same lessons")
    parser.add_argument("--more", type=Path, nargs=2, help="further lessons, and the tutor's verdicts on them")
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--epochs", type=float, default=100.0)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--fresh", nargs="*", default=[], help="kinds that --start has not seen: read more often")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--tokens", type=int, default=32768)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    device = "cuda" if torch.cuda.is_available() else "cpu"
    keep = tuple(map(int, options.keep.split(","))) if options.keep else None
    shape = SHAPES[options.base]
    shape = replace(shape, layers=len(keep) if keep else shape.layers, rest=options.rest)
    model = Once(shape, options.dropout)
    start_from(model, options.start, keep)
    model.to(device).train()
    lessons = Lessons.load(options.lessons / "train.npz", options.tutor)
    if options.more:
        lessons = lessons.joined(Lessons.load(*options.more))
    run(model, lessons, options, device)
    options.out.mkdir(parents=True, exist_ok=True)
    save_file(
        {n: v.detach().half().cpu().contiguous() for n, v in model.state_dict().items()},
        options.out / "model.safetensors",
    )
    (options.out / "shape.json").write_text(
        json.dumps({"base": options.base, "layers": shape.layers, "rest": shape.rest})
    )
    for name in ("written", "held"):
        dev = Lessons.load(options.lessons / f"{name}.npz")
        scores = score(model, dev, options.base, device)
        np.savez_compressed(options.out / f"{name}-scores.npz", **scores)
        print(json.dumps({name: report(dev.arrays, scores)}), flush=True)


def run(model: Once, lessons: Lessons, options: argparse.Namespace, device: str) -> None:
    decay = [p for p in model.parameters() if p.requires_grad and p.ndim > 1]
    plain = [p for p in model.parameters() if p.requires_grad and p.ndim <= 1]
    optimiser = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}],
        lr=options.rate,
        betas=(0.9, 0.98),
    )
    workers = options.workers
    stream = torch.utils.data.DataLoader(
        Stream(lessons, options.base, options.tokens, options.seed, options.fresh), batch_size=None,
        num_workers=workers,
        prefetch_factor=8 if workers else None, pin_memory=False,
    )  # fmt: skip
    whole = sum(1 for _ in epoch_rows(lessons, options.fresh))
    begin, seconds, step, seen, shown = time.time(), options.minutes * 60, 0, 0, time.time()
    for page, aim, count in stream:
        share = max((time.time() - begin) / seconds, seen / whole / options.epochs)
        if share >= 1 or (options.limit and step >= options.limit):
            break
        for part in optimiser.param_groups:
            part["lr"] = options.rate * min(1.0, (step + 1) / 200) * max(0.02, 1 - share)
        aim = {name: move(value, device) for name, value in aim.items()}
        page = Page(**{name: move(value, device) for name, value in page.__dict__.items()})
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            states = model.states(page)
        sentence, token = model.verdict(states.float(), page)
        loss = losses(sentence, token, **aim)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        step, seen = step + 1, seen + count
        if time.time() - shown > 30:
            print(
                f"step {step}, epoch {seen / whole:.2f}, loss {float(loss.detach()):.3f}, {time.time() - begin:.0f} s",
                flush=True,
            )
            shown = time.time()
    print(f"step {step}, {seen / whole:.2f} epochs, {time.time() - begin:.0f} s", flush=True)


def epoch_rows(lessons: Lessons, fresh: list[str]) -> Iterator[int]:
    """As many as an epoch has rows, near enough."""
    for at in range(len(lessons)):
        name = lessons.name(at)
        times = times_of(name, fresh)
        size = min(len(lessons.statements(at)), GENERATED_EACH if name.startswith("generated") else 10**9)
        yield from range(round(times * -(-size // 24)))


@torch.no_grad()
def score(model: Once, lessons: Lessons, base: str, device: str, room: int = 900) -> dict[str, np.ndarray]:
    """Sentence logits of every statement, and the mean of its three highest token logits; one flat list of tokens."""
    model.eval()
    count = len(lessons.arrays["label"])
    sentence, tokens = np.zeros((count, 3), np.float32), [np.zeros(0, np.float32)] * count
    rows = []
    for at in range(len(lessons)):
        statements = list(lessons.statements(at))
        rows += [row_of(lessons, at, statements[s : s + 24], base, room=room) for s in range(0, len(statements), 24)]
    rows.sort(key=lambda row: len(row.ids))
    for start in range(0, len(rows), 16):
        part = rows[start : start + 16]
        page = page_of(part, base)
        page = Page(**{name: move(value, device) for name, value in page.__dict__.items()})
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            states = model.states(page)
        logits, each = model.verdict(states.float(), page)
        logits, each = logits.float().cpu().numpy(), each.float().cpu().numpy()
        cursor = 0
        for at, (_, own, statement) in enumerate(spot for row in part for spot in row.claims):
            sentence[statement] = logits[at]
            tokens[statement] = each[cursor : cursor + own]
            cursor += own
    model.train()
    ends = np.cumsum([0, *map(len, tokens)])
    return {"sentence": sentence, "token": np.concatenate(tokens), "token_ends": ends}


if __name__ == "__main__":
    main()
