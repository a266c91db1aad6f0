"""A language model taught by the written rows to write such claims, for the tutor to judge and its pupils to learn.

    python -m training.writer --model training/work/reader --lessons training/work/lessons --words WORDS \\
        --minutes 2 --writes 3 --out training/work/more

Nothing it writes counts as written: no label of its own is kept, and none of it is ever measured on. It leaves
`more.npz` (in the pupils' word pieces) and `more_reader.npz` (in the tutor's), lesson by lesson the same.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional as F

from training.borrow import load_tutor
from training.language import Decoder, turned
from training.lessons import UNDECIDED, UNKNOWN, Ragged
from training.teach import Lessons
from training.tutor import STRENGTH, Small, Tutor

OPENING = "<|im_start|>user\nRead the source and write about it.\nSource:\n"
CLOSING = "<|im_end|>\n<|im_start|>assistant"
MARKS = ("\nYes\n", "\nNo\n", "\nNone\n")
QUESTION = "\nQuestion\n"
APART = "\nClaims"
"""Between an answer and claims that have nothing to do with its question."""
STOP = "\n<|im_end|>"
ROOM = 640
"""Word pieces of sources that are read."""
LONG = 400
"""Word pieces that are written about them."""
SET = "generated-taught"


class Frame:
    """The fixed pieces of a page, in the model's cut-down numbers."""

    def __init__(self, folder: Path, words: Tokenizer) -> None:
        self.words = words
        self.used = np.array(json.loads((folder / "index.json").read_text())["used"])
        self.number = np.full(words.get_vocab_size(), -1, np.int64)
        self.number[self.used] = np.arange(len(self.used))
        self.opening, self.closing, self.question, self.stop = map(self.of, (OPENING, CLOSING, QUESTION, STOP))
        self.apart = self.of(APART)
        self.marks = [self.of(mark) for mark in MARKS]
        self.end = self.stop[-1]

    def of(self, text: str) -> list[int]:
        found = self.number[self.words.encode(text, add_special_tokens=False).ids].tolist()
        if min(found, default=0) < 0:
            raise ValueError(f"{text!r} holds a piece the model was cut without")
        return found

    def text(self, pieces: list[int]) -> str:
        return self.words.decode(self.used[pieces].tolist(), skip_special_tokens=True)


Cut = tuple[int, int, int] | None
"""Passage, first and last sentence of what is read of a context; None: all of it."""


def sources(lessons: Lessons, at: int, cut: Cut) -> list[list[list[int]]]:
    whole = lessons.passages(at, 0)
    return whole if cut is None else [whole[cut[0]][cut[1] : cut[2]]]


def prompt(lessons: Lessons, at: int, frame: Frame, cut: Cut = None) -> list[int]:
    line, space = frame.of("\n"), frame.of(" ")
    source: list[int] = []
    for passage in sources(lessons, at, cut):
        source += [p for sentence in passage for p in (*frame.number[sentence].tolist(), *space)] + line
    return [*frame.opening, *source[:ROOM], *frame.closing]


def pages(lessons: Lessons, at: int, frame: Frame, dice: random.Random) -> Iterator[list[int]]:
    """What was written about one context, in pages: answers whole, twins side by side, the rest in any order."""
    a = lessons.arrays
    blocks: dict[tuple[str, int], list[int]] = defaultdict(list)
    for s in lessons.statements(at):
        kind = ("twin", int(a["twin"][s])) if a["twin"][s] >= 0 else ("claim", s)
        blocks[kind if a["alone"][s] else ("answer", int(a["bag"][s]))].append(s)
    order = list(blocks.items())
    dice.shuffle(order)
    page: list[int] = []
    answering = False
    for (kind, _), statements in order:
        if kind != "answer":
            dice.shuffle(statements)
        piece = [*frame.question, *frame.number[lessons.before(statements[0], 0)].tolist()] if kind == "answer" else []
        for s in statements:
            piece += [*frame.marks[a["label"][s]], *frame.number[lessons.claim(s, 0)].tolist()]
        if page and len(page) + len(piece) > LONG:
            yield page + frame.stop
            page, answering = [], False
        page += frame.apart + piece if answering and kind != "answer" else piece
        answering = kind == "answer"
    yield page + frame.stop


class Taught(torch.utils.data.IterableDataset):
    def __init__(self, lessons: Lessons, frame: Frame, tokens: int) -> None:
        self.lessons, self.frame, self.tokens = lessons, frame, tokens

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        worker = torch.utils.data.get_worker_info()
        share, shares = (worker.id, worker.num_workers) if worker else (0, 1)
        dice = random.Random(share)
        torch.set_num_threads(1)
        written = [at for at in range(len(self.lessons)) if self.lessons.name(at).startswith("w-")][share::shares]
        while True:
            dice.shuffle(written)
            rows = [
                (start, page) for at in written for start in [prompt(self.lessons, at, self.frame)]
                for page in pages(self.lessons, at, self.frame, dice)
            ]  # fmt: skip
            dice.shuffle(rows)
            for first in range(0, len(rows), 512):
                pool = sorted(rows[first : first + 512], key=lambda row: len(row[0]) + len(row[1]))
                found: list[list[tuple[list[int], list[int]]]] = []
                for row in pool:
                    if found and (len(row[0]) + len(row[1])) * (len(found[-1]) + 1) <= self.tokens:
                        found[-1].append(row)
                    else:
                        found.append([row])
                dice.shuffle(found)
                for batch in found:
                    longest = max(len(start) + len(page) for start, page in batch)
                    ids = np.zeros((len(batch), longest), np.int64)
                    aim = np.full_like(ids, -1)
                    for at, (start, page) in enumerate(batch):
                        ids[at, : len(start) + len(page)] = start + page
                        aim[at, len(start) - 1 : len(start) + len(page) - 1] = page
                    yield torch.from_numpy(ids), torch.from_numpy(aim)


def learn(model: Tutor, lessons: Lessons, frame: Frame, options: argparse.Namespace, device: str) -> None:
    weights = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=options.rate, betas=(0.9, 0.98), weight_decay=0.0)
    workers = options.workers
    stream = torch.utils.data.DataLoader(
        Taught(lessons, frame, options.tokens), batch_size=None, num_workers=workers,
        prefetch_factor=8 if workers else None,
    )  # fmt: skip
    begin, shown, step, losses = time.time(), time.time(), 0, []
    for ids, aim in stream:
        share = (time.time() - begin) / 60 / options.minutes
        if share >= 1 or (options.limit and step >= options.limit):
            break
        for part in optimiser.param_groups:
            part["lr"] = options.rate * min(1.0, (step + 1) / 20) * max(0.05, 1 - share)
        ids, aim = ids.to(device), aim.to(device)
        with torch.autocast(device, torch.bfloat16):
            states = model.decoder(ids)
            logits = states[aim >= 0] @ model.decoder.words.weight.T
        loss = F.cross_entropy(logits.float(), aim[aim >= 0])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        if not torch.nn.utils.clip_grad_norm_(weights, 1.0).isfinite():
            print("a step without finite gradients", flush=True)
            continue
        optimiser.step()
        losses.append(loss.detach())
        step += 1
        if time.time() - shown > 20:
            print(f"step {step}, loss {torch.stack(losses).mean():.3f}, {time.time() - begin:.0f} s", flush=True)
            shown, losses = time.time(), []
    print(f"learned in {step} steps", flush=True)


@torch.no_grad()
def settle(decoder: Decoder) -> None:
    """The small matrices become part of the large ones: nothing is learned from here on."""
    for layer in decoder.layers:
        for name, part in list(layer.named_children()):
            if isinstance(part, Small):
                weight = part.frozen.weight
                weight += (STRENGTH * (part.up.float() @ part.down.float())).to(weight.dtype)
                setattr(layer, name, part.frozen)


class Speaker:
    """Writes behind many prompts at once; keys and values of what was read are kept."""

    def __init__(self, decoder: Decoder, rows: int, length: int, device: str) -> None:
        shape = decoder.shape
        size = shape.hidden // shape.heads
        kind = decoder.words.weight.dtype
        self.decoder, self.device = decoder, device
        # laid as the products take them: any other order is copied at every piece that is written
        self.keys = torch.zeros(shape.layers, rows, shape.shared_heads, size, length, dtype=kind, device=device)
        self.values = torch.zeros(shape.layers, rows, shape.shared_heads, length, size, dtype=kind, device=device)

    def read(self, ids: Tensor, first: int) -> Tensor:
        """Reads prompts that start at the left; the states of all their pieces."""
        d, length = self.decoder, ids.shape[1]
        states, angles = d.words(ids), d.angles(length, ids.device)
        for number, layer in enumerate(d.layers):
            query, key, value = parts(layer, layer.attn_norm(states), angles)
            self.keys[number, first : first + len(ids), :, :, :length] = key.permute(0, 2, 3, 1)
            self.values[number, first : first + len(ids), :, :length] = value.transpose(1, 2)
            spread = layer.heads // layer.shared
            key, value = (part.repeat_interleave(spread, 2).transpose(1, 2) for part in (key, value))
            seen = F.scaled_dot_product_attention(query.transpose(1, 2), key, value, is_causal=True)
            states = after(layer, states, seen.transpose(1, 2).reshape(*ids.shape, -1))
        return d.norm(states)

    def next(self, ids: Tensor, place: Tensor, upto: int) -> Tensor:
        """One piece more for every row, at its own place; the states."""
        d, rows = self.decoder, torch.arange(len(ids), device=ids.device)
        states, angles = d.words(ids)[:, None], d.angles_at(place[:, None])
        hidden = torch.arange(upto, device=ids.device)[None, :] > place[:, None]
        for number, layer in enumerate(d.layers):
            query, key, value = parts(layer, layer.attn_norm(states), angles)
            self.keys[number, rows, :, :, place] = key[:, 0]
            self.values[number, rows, :, place] = value[:, 0]
            query = query.view(len(ids), layer.shared, layer.heads // layer.shared, layer.size)
            weight = query @ self.keys[number, : len(ids), :, :, :upto] / layer.size**0.5
            weight = weight.masked_fill(hidden[:, None, None], -1e4).float().softmax(-1).to(query.dtype)
            seen = weight @ self.values[number, : len(ids), :, :upto]
            states = after(layer, states, seen.reshape(len(ids), 1, -1))
        return d.norm(states)[:, 0]

    def keep(self, rows: Tensor) -> None:
        """Goes on with these rows alone, in this order; layer by layer, for want of room."""
        for held in (*self.keys, *self.values):
            held[: len(rows)] = held[rows]


def parts(layer: nn.Module, states: Tensor, angles: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    rows, length, _ = states.shape
    query = turned(layer.attn_q(states).view(rows, length, layer.heads, layer.size), angles)
    key = turned(layer.attn_k(states).view(rows, length, layer.shared, layer.size), angles)
    return query, key, layer.attn_v(states).view(rows, length, layer.shared, layer.size)


def after(layer: nn.Module, states: Tensor, seen: Tensor) -> Tensor:
    states = states + layer.attn_output(seen)
    inner = layer.ffn_norm(states)
    return states + layer.ffn_down(F.silu(layer.ffn_gate(inner)) * layer.ffn_up(inner))


@torch.no_grad()
def write(decoder: Decoder, prompts: list[list[int]], end: int, device: str, long: int = LONG) -> list[list[int]]:
    sizes = torch.tensor([len(p) for p in prompts], device=device)
    longest = int(sizes.max())
    speaker = Speaker(decoder, len(prompts), longest + long, device)
    states = torch.zeros(len(prompts), decoder.shape.hidden, dtype=decoder.words.weight.dtype, device=device)
    for first in range(0, len(prompts), 64):
        part = prompts[first : first + 64]
        ids = torch.tensor([p + [0] * (longest - len(p)) for p in part], device=device)
        read = speaker.read(ids, first)
        states[first : first + 64] = read[torch.arange(len(part)), sizes[first : first + 64] - 1]
    said = torch.full((len(prompts), long), end, device=device)
    going = torch.arange(len(prompts), device=device)
    """The rows that are not at their end."""
    for step in range(long):
        value, place = (states @ decoder.words.weight.T).float().topk(40, -1)
        chance = value.softmax(-1)
        chance = chance * (chance.cumsum(-1) - chance < 0.95)
        found = place.gather(1, torch.multinomial(chance, 1))[:, 0]
        said[going, step] = found
        if step % 16 == 15:
            open_ = (said[going] != end)[:, : step + 1].all(1).nonzero()[:, 0]
            if not len(open_):
                break
            if len(open_) < 0.8 * len(going):
                speaker.keep(open_)
                going, found = going[open_], found[open_]
        if step < long - 1:
            states = speaker.next(found, sizes[going] + step, longest + step + 1)
    rows = said.cpu().tolist()
    return [row[: row.index(end)] if end in row else row for row in rows]


def read_page(text: str, whole: bool) -> list[tuple[str, str]]:
    """Claims, each with what stood before it; the last line is left out where the page broke off."""
    lines = [line.strip() for line in text.split("\n")]
    found, question, last, seen = [], "", "", set()
    end = len(lines) if whole else len(lines) - 1
    at = 0
    while at + 1 < end:
        mark, line = lines[at], lines[at + 1]
        if mark == "Question":
            question, last = line, ""
        elif mark in {"Yes", "No", "None"}:
            if 12 <= len(line) <= 500 and line not in seen:
                seen.add(line)
                found.append((line, f"{question} {last}".strip() if question else ""))
            last = line
        else:
            at += 1
            question = last = ""
            continue
        at += 2
    return found


Found = tuple[int, Cut, list[tuple[str, str]]]
"""A lesson, what was read of it, and the claims written about that, each with what stood before it."""


def save(path: Path, lessons: Lessons, found: list[Found], words: Tokenizer) -> None:
    kind = lessons.arrays["claim_data"].dtype.type
    texts, claims, befores, marks = Ragged(kind), Ragged(kind), Ragged(kind), Ragged(np.int8)
    passage_ends, lesson_ends, statement_ends = [0], [0], [0]
    for at, cut, statements in found:
        for passage in sources(lessons, at, cut):
            for sentence in passage:
                texts.add(sentence)
            passage_ends.append(len(texts))
        lesson_ends.append(len(passage_ends) - 1)
        own = words.encode_batch([text for text, _ in statements], add_special_tokens=False)
        before = words.encode_batch([text for _, text in statements], add_special_tokens=False)
        for claim, context in zip(own, before, strict=True):
            claims.add(claim.ids)
            befores.add(context.ids)
            marks.add([UNKNOWN] * len(claim.ids))
        statement_ends.append(len(claims))
    count = len(claims)
    np.savez(
        path, **texts.arrays("text"), **claims.arrays("claim"), **befores.arrays("before"), **marks.arrays("mark"),
        passage_ends=np.array(passage_ends), lesson_ends=np.array(lesson_ends), statement_ends=np.array(statement_ends),
        label=np.full(count, UNDECIDED, np.int8), twin=np.full(count, -1, np.int32), bag=np.full(count, -1, np.int32),
        alone=np.zeros(count, bool), id=np.full(count, ""), set=np.zeros(len(found), np.int16), sets=np.array([SET]),
    )  # fmt: skip


def contexts(lessons: Lessons, frame: Frame, dice: random.Random) -> Iterator[tuple[int, Cut, list[int]]]:
    """Written contexts three times for once of the others, of which those of a sentence or two are left out. Of a
    third of all only a sentence or two is read: the shortest sources are the hardest."""
    while True:
        order = []
        for at in range(len(lessons)):
            name = lessons.name(at)
            own = name.startswith("w-")
            if own or (not name.startswith("q-") and sum(map(len, lessons.passages(at, 0))) >= 5):
                order += [at] * (3 if own else 1)
        dice.shuffle(order)
        for at in order:
            cut = None if dice.random() < 2 / 3 else cut_of(lessons, at, dice)
            yield at, cut, prompt(lessons, at, frame, cut)


def cut_of(lessons: Lessons, at: int, dice: random.Random) -> Cut:
    """One or two sentences of a passage."""
    whole = lessons.passages(at, 0)
    passage = dice.choice([number for number, sentences in enumerate(whole) if sentences])
    first = dice.randrange(len(whole[passage]))
    return passage, first, first + dice.choice((1, 2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--lessons", type=Path, required=True)
    parser.add_argument("--words", type=Path, required=True, help="folder with reader.json and pupil.json, tokenizers")
    parser.add_argument("--minutes", type=float, default=2.0, help="to learn")
    parser.add_argument("--writes", type=float, default=3.0, help="minutes to write")
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=12288)
    parser.add_argument("--rows", type=int, default=1024, help="pages written at once")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.manual_seed(3)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.enable_cudnn_sdp(False)
    reader, pupil = (Tokenizer.from_file(str(options.words / f"{name}.json")) for name in ("reader", "pupil"))
    pupil.no_padding()
    pupil.no_truncation()
    frame = Frame(options.model, reader)
    decoder, answers, _, _ = load_tutor(options.model)
    model = Tutor(decoder, answers, options.rank).to(device)
    lessons = Lessons.load(options.lessons / "train_reader.npz")
    learn(model, lessons, frame, options, device)
    settle(model.decoder)
    model.decoder.to(torch.bfloat16)
    dice = random.Random(5)
    source = contexts(lessons, frame, dice)
    begin, done, found = time.time(), 0, []
    pool: list[tuple[int, Cut, list[int]]] = []
    while (time.time() - begin) / 60 < options.writes:
        if not pool:
            pool = sorted((next(source) for _ in range(options.rows * 4)), key=lambda each: len(each[2]))
        batch, pool = pool[: options.rows], pool[options.rows :]
        rows = write(model.decoder, [p for _, _, p in batch], frame.end, device, 24 if options.limit else LONG)
        for (at, cut, _), row in zip(batch, rows, strict=True):
            claims = [
                pair for pair in read_page(frame.text(row), len(row) < LONG)
                if all((frame.number[reader.encode(text, add_special_tokens=False).ids] >= 0).all() for text in pair)
            ]  # fmt: skip
            if claims:
                found.append((at, cut, claims))
                done += len(claims)
        print(f"{done} claims over {len(found)} contexts, {time.time() - begin:.0f} s", flush=True)
        if options.limit:
            break
    for at, _, claims in found[:6]:
        print(lessons.name(at), *claims, sep="\n  ")
    options.out.mkdir(parents=True, exist_ok=True)
    save(options.out / "more_reader.npz", lessons, found, reader)
    save(options.out / "more.npz", Lessons.load(options.lessons / "train.npz"), found, pupil)


if __name__ == "__main__":
    main()
