"""Teach the re-ranker: of several passages, which one answers the question?

    python -m training.rank build --bench ../shared/bench --out training/work/rank.npz
    python -m training.rank kept --bench ../shared/bench --out training/work/kept
    python -m training.rank teach --data training/work/rank.npz --start training/work/base/minilm/model.safetensors \\
        --minutes 2 --out training/work/rank

A group is a question with up to eight candidates, some of which answer it. Candidates are passages and, for short plain
passages and for choosing sentences, single sentences. Groups come from written questions (close sentences that do not
answer stand in the same context), from questions a language model wrote, and from SciFact's train claims but for the
held third.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
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
from tokenizers import Tokenizer
from torch.nn import functional as F

from surefoot.core.evidence import source_sentences
from training import rows as pages
from training.encoder import MINILM, load_weights
from training.heads import Judge
from training.lessons import Ragged, is_development
from training.material import Search, read_rows
from training.weights import base_folder

KEEP = (0, 1, 2, 3, 4, 5)
CANDIDATES = 8
QUESTION, PASSAGE = 48, 190
OPENING, SEPARATOR = 101, 102


@dataclass(frozen=True, kw_only=True)
class Group:
    source: str
    question: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    development: bool = False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("build", "kept", "teach", "export"))
    parser.add_argument("--bench", type=Path)
    parser.add_argument("--written", type=Path, default=pages.HERE)
    parser.add_argument("--work", type=Path, default=Path("training/work"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--start", type=Path)
    parser.add_argument("--rest", type=int, help="layers after which the passage rests")
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=48, help="groups in a step")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if options.action == "build":
        tokenizer = Tokenizer.from_file(str(base_folder(options.work, "minilm") / "tokenizer.json"))
        groups = [*written(options.bench, options.written), *asked(options.bench), *scifact(options.bench)]
        save(options.out, groups, tokenizer)
    elif options.action == "kept":
        keep(options.bench / "train" / "written", options.written, options.out)
    elif options.action == "teach":
        teach(options)
    else:
        export(options)


def written(bench: Path, own: Path) -> Iterator[Group]:
    """Passages and sentences of each context that answer a written question, and those that do not."""
    contexts: dict[str, list[str]] = {}
    questions: list[tuple[str, str, list[str], list[str]]] = []
    folder = bench / "train" / "written"
    for row in read_rows(folder / "contexts.jsonl.gz"):
        contexts[row["id"]] = row["sources"]
    for row in read_rows(folder / "questions.jsonl.gz"):
        questions.append((row["context"], row["question"], row["answers"], row["near"]))
    for context in pages.read_all(own):
        contexts[context.id] = context.sources
        questions += [(context.id, q.text, list(q.answers), list(q.near)) for q in context.questions]
    dice = random.Random(5)
    by_kind: dict[str, list[str]] = defaultdict(list)
    for name, sources in contexts.items():
        by_kind[name.split(":")[0]] += sources
    every = [text for texts in contexts.values() for text in texts]
    by_words = Search(every).many([question for _, question, _, _ in questions], 8)
    by_meaning = nearest([question for _, question, _, _ in questions], every, 10)
    for (name, question, answers, near), named, meant in zip(questions, by_words, by_meaning, strict=True):
        sources, kept = contexts[name], is_development(name)
        right = tuple(text for text in sources if any(each in text for each in answers))
        wrong = [text for text in sources if text not in right]
        strangers = [text for text in meant if text not in sources][:5]
        strangers += [text for text in named if text not in sources][:3]
        strangers += dice.sample(by_kind[name.split(":")[0]], min(4, len(by_kind[name.split(":")[0]])))
        wrong += [text for text in strangers if text not in sources]
        yield Group(
            source="passages", question=question, right=right, wrong=tuple(dict.fromkeys(wrong)), development=kept
        )
        single = [s for text in sources for s in source_sentences(text)]
        others = [s for s in single if not any(s in each or each in s for each in answers) and s not in near]
        dice.shuffle(others)
        yield Group(
            source="sentences", question=question, right=tuple(answers), wrong=(*near, *others), development=kept
        )


def nearest(questions: list[str], texts: list[str], count: int) -> list[list[str]]:
    """What a search by meaning brings for each question: a question in other words shares few with any passage."""
    from surefoot.encoders.embedder import OnnxEmbedder

    embedder = OnnxEmbedder()
    known = embedder.embed(texts)
    found: list[list[str]] = []
    for start in range(0, len(questions), 512):
        near = -(embedder.embed(questions[start : start + 512]) @ known.T)
        best = np.argpartition(near, count, axis=1)[:, :count]
        order = np.take_along_axis(best, np.argsort(np.take_along_axis(near, best, 1), 1), 1)
        found += [[texts[at] for at in line] for line in order]
    return found


def keep(shared: Path, own: Path, out: Path) -> None:
    """Questions over contexts that no model was taught with, as `benchmarks/answers/fit.py --written` reads them."""
    contexts = [row for row in read_rows(shared / "contexts.jsonl.gz") if is_development(row["id"])]
    names = {row["id"] for row in contexts}
    questions = [row for row in read_rows(shared / "questions.jsonl.gz") if row["context"] in names]
    for context in pages.read_all(own):
        if is_development(context.id):
            name = f"{context.kind}:{context.id}"
            contexts.append({"id": name, "sources": context.sources})
            questions += [
                {"context": name, "question": each.text, "answers": each.answers, "near": each.near}
                for each in context.questions
            ]
    out.mkdir(parents=True, exist_ok=True)
    for file, lines in (("contexts", contexts), ("questions", questions)):
        with gzip.open(out / f"{file}.jsonl.gz", "wt", encoding="utf-8") as target:
            target.writelines(json.dumps(line) + "\n" for line in lines)
    print(f"{len(contexts)} contexts, {len(questions)} questions")


def asked(bench: Path) -> Iterator[Group]:
    """Questions a language model wrote over the generated contexts."""
    texts: dict[str, str] = {}
    for row in read_rows(bench / "train" / "generated_contexts.jsonl.gz"):
        texts[row["context_id"]] = row["text"] if "text" in row else " ".join(row["sentences"])
    hard = Search(list(texts.values()))
    at = {text: name for name, text in texts.items()}
    rows = [row for row in read_rows(bench / "train" / "generated_questions.jsonl.gz") if row["answerable"] is not None]
    found = hard.many([row["question"] for row in rows], 12)
    for row, near in zip(rows, found, strict=True):
        own = texts[row["context_id"]]
        wrong = tuple(text for text in near if at[text] != row["context_id"])[: CANDIDATES - 1]
        kept = is_development(row["context_id"])
        if row["answerable"]:
            yield Group(source="asked", question=row["question"], right=(own,), wrong=wrong, development=kept)
        else:
            yield Group(source="asked", question=row["question"], right=(), wrong=(own, *wrong), development=kept)


def scifact(bench: Path) -> Iterator[Group]:
    folder = bench / "retrieval" / "scifact"
    texts = {row["_id"]: f"{row['title']}. {row['text']}" for row in read_rows(folder / "corpus.jsonl")}
    right: dict[str, set[str]] = defaultdict(set)
    for path in sorted((folder / "qrels").glob("*.tsv")):
        for line in path.read_text().splitlines()[1:]:
            query, document, grade = line.split("\t")
            if int(grade) > 0:
                right[query].add(document)
    hard = Search(list(texts.values()))
    at = {text: name for name, text in texts.items()}
    queries = {row["_id"]: row["text"] for row in read_rows(folder / "queries.jsonl") if row["_id"] in right}
    found = hard.many(list(queries.values()), 16)
    for (name, text), near in zip(queries.items(), found, strict=True):
        if is_held_query(name):
            continue
        wrong = tuple(each for each in near if at[each] not in right[name])
        yield Group(
            source="scifact", question=text, right=tuple(texts[d] for d in right[name] if d in texts), wrong=wrong
        )
    titles = [(row["title"], row["text"]) for row in read_rows(folder / "corpus.jsonl")]
    bodies = Search([text for _, text in titles])
    dice = random.Random(6)
    some = dice.sample(titles, 2500)
    for (title, body), near in zip(some, bodies.many([t for t, _ in some], 10), strict=True):
        yield Group(source="titles", question=title, right=(body,), wrong=tuple(each for each in near if each != body))


def is_held_query(query: str) -> bool:
    """A third of SciFact's train queries, by hash, is kept for measuring; the same as `bench retrieval --held-out`."""
    return int(hashlib.sha256(f"scifact-{query}".encode()).hexdigest(), 16) % 3 == 0


def save(path: Path, groups: list[Group], tokenizer: Tokenizer) -> None:
    tokenizer.no_padding()
    tokenizer.no_truncation()
    sets = sorted({group.source for group in groups})
    texts, asked_ids = Ragged(np.uint16), Ragged(np.uint16)
    number: dict[str, int] = {}

    def index(text: str) -> int:
        if text not in number:
            number[text] = len(number)
            texts.add(tokenizer.encode(text, add_special_tokens=False).ids[:PASSAGE])
        return number[text]

    right, wrong = Ragged(np.int32), Ragged(np.int32)
    for group in groups:
        asked_ids.add(tokenizer.encode(group.question, add_special_tokens=False).ids[:QUESTION])
        right.add([index(text) for text in group.right])
        wrong.add([index(text) for text in group.wrong[:16]])
    np.savez_compressed(
        path, **texts.arrays("text"), **asked_ids.arrays("question"), **right.arrays("right"), **wrong.arrays("wrong"),
        set=np.array([sets.index(group.source) for group in groups], np.int8), sets=np.array(sets),
        development=np.array([group.development for group in groups]),
    )  # fmt: skip
    print({name: sum(group.source == name for group in groups) for name in sets}, len(number), "texts")


class Groups:
    def __init__(self, path: Path) -> None:
        with np.load(path) as file:
            self.arrays = {name: file[name] for name in file.files}

    def part(self, name: str, at: int) -> np.ndarray:
        ends = self.arrays[f"{name}_ends"]
        return self.arrays[f"{name}_data"][ends[at] : ends[at + 1]]

    def name(self, at: int) -> str:
        return str(self.arrays["sets"][self.arrays["set"][at]])


def block(groups: Groups, chosen: list[tuple[int, list[int]]], device: str):
    """Rows of question and candidate, padded."""
    lines = []
    for at, candidates in chosen:
        question = groups.part("question", at)
        for text in candidates:
            lines.append(
                (
                    np.concatenate([[OPENING], question, [SEPARATOR], groups.part("text", text), [SEPARATOR]]),
                    len(question),
                )
            )
    longest = -(-max(len(line) for line, _ in lines) // 8) * 8
    ids = np.zeros((len(lines), longest), np.int64)
    mask, claim = np.zeros_like(ids), np.zeros_like(ids)
    for at, (line, size) in enumerate(lines):
        ids[at, : len(line)], mask[at, : len(line)], claim[at, 1 : 1 + size] = line, 1, 1
    return tuple(torch.from_numpy(x).to(device) for x in (ids, mask, claim))


def teach(options: argparse.Namespace) -> None:
    torch.manual_seed(options.seed)
    dice = random.Random(options.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = Judge(replace(MINILM, rest=options.rest), 0.1)
    load_weights(model.encoder, load_file(options.start), KEEP)
    model.to(device).train()
    groups = Groups(options.data)
    learn = np.flatnonzero(~groups.arrays["development"])
    times = {"passages": 4, "sentences": 4, "scifact": 4, "titles": 1, "asked": 1}
    order = [int(at) for at in learn for _ in range(times[groups.name(at)])]
    optimiser = torch.optim.AdamW(
        [p for p in model.parameters() if p.requires_grad], lr=options.rate, weight_decay=0.01
    )
    begin, shown, step = time.time(), time.time(), 0
    while True:
        dice.shuffle(order)
        for start in range(0, len(order), options.batch):
            share = (time.time() - begin) / 60 / options.minutes
            if share >= 1 or (options.limit and step >= options.limit):
                finish(model, groups, options, device, step)
                return
            for part in optimiser.param_groups:
                part["lr"] = options.rate * min(1.0, (step + 1) / 200) * max(0.02, 1 - share)
            chosen, truth = [], []
            for at in order[start : start + options.batch]:
                right, wrong = groups.part("right", at).tolist(), groups.part("wrong", at).tolist()
                close = wrong[: CANDIDATES * 2]
                dice.shuffle(close)
                picked = [dice.choice(right)] if right else []
                rest = close[: CANDIDATES - len(picked)]
                chosen.append((at, picked + rest))
                truth.append([1.0] * len(picked) + [0.0] * len(rest))
            ids, mask, claim = block(groups, chosen, device)
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                logits = model(ids, mask, claim)[0].float()
            aim = torch.tensor([x for line in truth for x in line], device=device)
            positive = torch.where(aim > 0, 3.0, 1.0)
            loss = F.binary_cross_entropy_with_logits(logits, aim, weight=positive)
            cursor, whole = 0, []
            for line in truth:
                part_ = logits[cursor : cursor + len(line)]
                if line and line[0] == 1.0 and len(line) > 1:
                    whole.append(torch.logsumexp(part_, 0) - part_[0])
                cursor += len(line)
            loss = loss + torch.stack(whole).mean()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            step += 1
            if time.time() - shown > 30:
                print(f"rank step {step}, loss {float(loss.detach()):.3f}, {time.time() - begin:.0f} s", flush=True)
                shown = time.time()


@torch.no_grad()
def finish(model: Judge, groups: Groups, options: argparse.Namespace, device: str, step: int) -> None:
    options.out.mkdir(parents=True, exist_ok=True)
    save_file(
        {n: v.detach().half().cpu().contiguous() for n, v in model.state_dict().items()},
        options.out / "model.safetensors",
    )
    model.eval()
    first: dict[str, list[bool]] = defaultdict(list)
    highest: dict[str, list[tuple[float, int]]] = defaultdict(list)
    kept = np.flatnonzero(groups.arrays["development"])
    # some of them are enough; an odd stride, for passages and sentences stand in turn
    for at in kept[:40] if options.limit else kept[:: len(kept) // 2000 | 1]:
        right, wrong = groups.part("right", at).tolist(), groups.part("wrong", at).tolist()
        candidates = [*right[:1], *wrong][:CANDIDATES]
        if len(candidates) < 2:
            continue
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            logits = model(*block(groups, [(int(at), candidates)], device))[0].float()
        highest[groups.name(int(at))].append((float(logits.max()), int(bool(right))))
        if right:
            first[groups.name(int(at))].append(bool(logits.argmax() == 0))
    print(
        f"rank: {step} steps; the answering one first",
        json.dumps({name: [round(float(np.mean(v)), 4), len(v)] for name, v in first.items()}),
        "; answered told from not answered, AUROC",
        json.dumps({name: round(pages.auroc(*map(list, zip(*v, strict=True))), 4) for name, v in highest.items()}),
        flush=True,
    )


def export(options: argparse.Namespace) -> None:
    """`--start` is the taught model's file; writes `model.onnx` and the tokenizer."""
    from training.export import write_judge
    from training.onnx_run import Batch, observe

    model = Judge(replace(MINILM, rest=options.rest), 0.0).eval()
    model.load_state_dict({name: value.float() for name, value in load_file(options.start).items()})
    groups = Groups(options.data)
    rows = np.linspace(0, len(groups.arrays["set"]) - 1, 96).astype(int)
    batches = []
    for at in rows:
        candidates = [*groups.part("right", at).tolist(), *groups.part("wrong", at).tolist()][:1]
        ids, mask, claim = (part.numpy() for part in block(groups, [(int(at), candidates)], "cpu"))
        size = int(mask.sum())
        batches.append(Batch(ids=ids[:, :size], mask=mask[:, :size], claim=claim[:, :size]))
    tokenizer = base_folder(options.work, "minilm") / "tokenizer.json"
    data = write_judge(model, "fixed", observe(model.encoder, batches), tokenizer, tokens=False)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "model.onnx").write_bytes(data)
    (options.out / "tokenizer.json").write_bytes(tokenizer.read_bytes())
    print(f"{len(data) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
