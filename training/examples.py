"""Build the grounder's training and development rows from the material and write them as arrays.

python -m training.examples --bench ../shared/bench --out training/work/data
"""

from __future__ import annotations

import argparse
import hashlib
import random
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from surefoot.core.evidence import EvidencePool, estimate_tokens, source_sentences
from surefoot.core.silence import says_only_silence
from surefoot.core.text import sentences
from surefoot.core.types import Passage
from surefoot.packs.loader import load
from surefoot.verify.claims import claims_of
from training.dataset import FOLDS, Builder, Row
from training.material import read_rows
from training.synthesis import Claim, Source, make_claim, twins
from training.weights import base_folder

NULL = float("nan")
READ_TOKENS = 800
"""What the reader is shown of a source at most."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, default=Path("training/configs/grounder.toml"))
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("training/work"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--reader", type=Path, help="a GGUF model: the same rows in its word pieces too")
    parser.add_argument("--development", action="store_true", help="only the development rows")
    parser.add_argument("--limit", type=int, default=0, help="rows of each kind, for a quick try")
    options = parser.parse_args()
    config = tomllib.loads(options.config.read_text())
    tokenizer = Tokenizer.from_file(str(base_folder(options.work, "minilm") / "tokenizer.json"))
    train = options.bench / "train"
    domains = held_texts(options.bench / "grounding" / "summedits_dev.jsonl", set(config["held_domains"]))
    makers = {
        "pairs": lambda: labelled(train / "pairs.jsonl.gz", config, domains),
        "generated": lambda: generated(train, config),
        "synthetic": lambda: synthetic(train, config),
        "restated": lambda: restated(train, config),
    }
    builder = Builder(tokenizer=tokenizer)
    for name, make in () if options.development else makers.items():
        before = len(builder.rows)
        for row in make():
            builder.rows.append(row)
            if options.limit and len(builder.rows) - before >= options.limit:
                break
        print(name, len(builder.rows) - before, flush=True)
    if not options.development:
        builder.save(options.out / "train.npz")
    development = Builder(tokenizer=tokenizer)
    for path in sorted((options.bench / "grounding").glob("*.jsonl")):
        rows = answers(path, first_group=len(development.rows))
        development.rows += list(rows)[: options.limit or None]
    development.save(options.out / "dev.npz")
    print("development", len(development.rows))
    if options.reader is not None:
        from training.borrow import tokenizer as read_tokenizer  # needs torch and gguf, which the rest does not

        pieces = read_tokenizer(options.reader)
        for name, rows in (("train", builder.rows), ("dev", development.rows)):
            seen_whole = [replace(row, evidence=row.whole) for row in rows]
            Builder(tokenizer=pieces, rows=seen_whole).save(options.out / f"{name}_reader.npz")


def held_texts(path: Path, domains: set[str]) -> set[str]:
    """Starts of the SummEdits documents whose domain the fold models must not see."""
    return {_start(row["sources"][0]) for row in read_rows(path) if row["task"] in domains}


def _start(text: str) -> str:
    return "".join(text.split())[:60]


def fold(text: str) -> int:
    """The same fold for the same text, wherever it comes from."""
    return hashlib.sha256(_start(text)[:40].encode()).digest()[0] % FOLDS


def labelled(path: Path, config: dict[str, Any], held_starts: set[str]) -> Iterator[Row]:
    """The labelled pairs, with evidence cut to what the claim needs."""
    dice = random.Random(config["seed"])
    bags: dict[str, int] = {}
    pools: dict[str, EvidencePool] = {}
    for row in read_rows(path):
        name = row["set"]
        if dice.random() >= config["keep"].get(name, 1.0):
            continue
        held = name in config["held_sets"] or (name == "summedits" and _start(" ".join(row["evidence"])) in held_starts)
        key = hashlib.sha256("\n".join(row["evidence"]).encode()).hexdigest()
        if key not in pools:
            pools = {key: EvidencePool(row["evidence"])}
        evidence = pick(pools[key], row["claim"], row["previous"] or "", dice, config)
        spans = None if row["spans"] is None else tuple(map(tuple, row["spans"]))
        bag = bags.setdefault(row["bag"], len(bags)) if row["bag"] is not None and row["label"] else -1
        yield Row(
            claim=row["claim"],
            evidence=evidence,
            whole=read_whole(pools[key], row["claim"]),
            # no grounder shall learn that a source's silence is proven: the gate has no quote for it
            label=NULL if says_only_silence(row["claim"]) else float(row["label"]),
            spans=spans,
            source=name,
            held=held,
            fold=fold(" ".join(row["evidence"])),
            group=bag,
            weight=config["weight"].get(name, 1.0),
        )


def generated(train: Path, config: dict[str, Any]) -> Iterator[Row]:
    """Claims written by a language model; undecided ones are kept for the teacher."""
    dice = random.Random(config["seed"] + 1)
    contexts = {row["context_id"]: context_sentences(row) for row in read_rows(train / "generated_contexts.jsonl.gz")}
    names = sorted(contexts)
    name, pool = "", EvidencePool(())
    for row in read_rows(train / "generated_pairs.jsonl.gz"):
        if row["context_id"] != name:
            name = row["context_id"]
            found = contexts[name]
            if dice.random() < config["distractors"]:
                other = contexts[dice.choice(names)]
                found = other + found if dice.random() < 0.5 else found + other
            pool = EvidencePool(found)
        held = int(hashlib.sha256(name.encode()).hexdigest(), 16) % 100 < config["held_contexts_percent"]
        hint = f"{row['question'] or ''} {row['previous'] or ''}"
        evidence = pick(pool, row["claim"], hint, dice, config)
        likely = row["checks"].get("llm_yes")
        yield Row(
            claim=row["claim"],
            evidence=evidence,
            whole=read_whole(pool, row["claim"]),
            label=NULL if row["label"] is None else float(row["label"]),
            spans=tuple(map(tuple, row["spans"] or ())) or None,
            partial=row["checks"].get("base") != "source sentence",
            source=f"generated_{row['kind']}",
            held=held,
            prior=NULL if likely is None else 1.0 - likely,
            weight=config["weight"].get(f"generated_{row['made']}", 1.0),
        )
        if row["label"] == 0 and row["made"] != "verbatim" and dice.random() < config["mutate_generated"]:
            yield from _mutated(
                row["claim"], contexts[name], contexts[dice.choice(names)], pool, hint, held, dice, config
            )


def _mutated(
    text: str,
    ours: list[str],
    other: list[str],
    pool: EvidencePool,
    hint: str,
    held: bool,
    dice: random.Random,
    config: dict[str, Any],
) -> Iterator[Row]:
    claim = make_claim(text, 0, Source(sentences=ours, foreign=other), dice)
    if claim is not None and claim.label == 1 and not claim.drop:
        evidence = pick(pool, claim.text, hint, dice, config)
        yield Row(
            claim=claim.text,
            evidence=evidence,
            whole=read_whole(pool, claim.text),
            label=1.0,
            spans=claim.spans,
            source="synthetic",
            held=held,
        )


def synthetic(train: Path, config: dict[str, Any]) -> Iterator[Row]:
    """Mutated and reworded sentences of the documents."""
    dice = random.Random(config["seed"] + 2)
    for _round in range(config["synthetic_rounds"]):
        for sentence, at, source, both in _told(train, config, config["synthetic_each"], dice):
            claim = make_claim(sentence, at, source, dice)
            if claim is None:
                continue
            seen = [s for number, s in enumerate(both.sentences) if number not in claim.drop]
            yield _made(claim, EvidencePool(seen) if claim.drop else both, "synthetic", dice, config)


def restated(train: Path, config: dict[str, Any]) -> Iterator[Row]:
    """Sentences in other forms, each beside the same with one error."""
    dice = random.Random(config["seed"] + 3)
    for sentence, _at, source, both in _told(train, config, config["restated_each"], dice):
        for claim in twins(sentence, source, dice):
            yield _made(claim, both, "restated", dice, config)


def _told(
    train: Path, config: dict[str, Any], each: int, dice: random.Random
) -> Iterator[tuple[str, int, Source, EvidencePool]]:
    """Some sentences of every document: their place, the document beside another one, and what may be evidence."""
    documents = [row["sentences"] for row in read_rows(train / "documents.jsonl.gz")]
    documents += [
        row["sentences"] for row in read_rows(train / "generated_contexts.jsonl.gz") if row["source"] == "citizens"
    ]
    for document in documents:
        other = dice.choice(documents)
        both = EvidencePool([*document, *other] if dice.random() < config["distractors"] else document)
        for at in dice.sample(range(len(document)), min(len(document), each)):
            if 5 <= len(document[at].split()) <= 60:
                yield document[at], at, Source(sentences=document, foreign=other), both


def _made(claim: Claim, pool: EvidencePool, source: str, dice: random.Random, config: dict[str, Any]) -> Row:
    return Row(
        claim=claim.text,
        evidence=pick(pool, claim.text, "", dice, config),
        whole=read_whole(pool, claim.text),
        label=float(claim.label),
        spans=claim.spans,
        source=source,
        weight=config["weight"].get(source, 1.0),
    )


def answers(path: Path, *, first_group: int) -> Iterator[Row]:
    """Development answers, cut into sentences; one group per answer. What claims nothing weighs nothing."""
    for number, row in enumerate(read_rows(path)):
        pool = EvidencePool([sentence for source in row["sources"] for sentence in source_sentences(source)])
        before = ""
        passages = [Passage(id=f"S{at}", text=text) for at, text in enumerate(row["sources"], 1)]
        claims = claims_of(row["answer"], passages, load("default"), question=row["question"])
        for sentence, claim in zip(sentences(row["answer"]), claims, strict=True):
            spans = [
                (max(a, sentence.start) - sentence.start, min(b, sentence.end) - sentence.start)
                for a, b in row["spans"] or ()
            ]
            evidence = pool.evidence(sentence.text, hint=f"{row['question']} {before}")
            before = sentence.text
            yield Row(
                claim=sentence.text,
                evidence=evidence,
                whole=read_whole(pool, sentence.text),
                label=float(row["label"]),
                source=f"{path.stem}/{row['task']}",
                spans=tuple((a, b) for a, b in spans if a < b),
                group=first_group + number,
                weight=float(claim.factual and not says_only_silence(sentence.text)),
                fold=fold(" ".join(row["sources"])),
            )


def context_sentences(row: dict[str, Any]) -> list[str]:
    return list(row["sentences"]) if row.get("sentences") else source_sentences(row["text"])


def pick(pool: EvidencePool, claim: str, hint: str, dice: random.Random, config: dict[str, Any]) -> tuple[str, ...]:
    return pool.evidence(claim, hint=hint, tokens=dice.choice(config["evidence_tokens"]))


def read_whole(pool: EvidencePool, claim: str) -> tuple[str, ...]:
    """The whole source where a language model can read it, else what the claim needs of it."""
    if sum(map(estimate_tokens, pool.sentences)) <= READ_TOKENS:
        return pool.sentences
    return pool.evidence(claim, tokens=READ_TOKENS)


if __name__ == "__main__":
    main()
