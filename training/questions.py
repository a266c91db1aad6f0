"""Build the re-ranker's rows: questions, the passage that answers each, and passages our search confuses with it.

    python -m training.questions --material … --scifact … --pages … --base … --tokenizer … --out …

Hard negatives come from BM25 and from the sentence embedder, the two halves of the search the re-ranker works behind.
Pages are cut into passages by the product's own ingest, headings, page furniture and all (tried, decision 0046).
"""

from __future__ import annotations

import argparse
import hashlib
import math
import random
import tomllib
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from surefoot.core.evidence import source_sentences, stems
from surefoot.core.gist import gist
from surefoot.core.passages import index_text
from surefoot.core.text import sentences, words
from surefoot.core.types import Passage
from surefoot.ingest.chunking import chunk
from surefoot.ingest.limits import Limits
from surefoot.ingest.reading import read
from training.dataset import Builder, Row
from training.encoder import SHAPES, Encoder, load_weights
from training.examples import context_sentences
from training.material import read_rows


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Passages to search and the questions asked of them."""

    name: str
    passages: list[list[str]]
    """Each passage as its sentences."""
    questions: list[str]
    answers: list[frozenset[int]]
    """The passages that answer each question."""
    held: list[bool]
    unsure: list[frozenset[int]] | None = None
    """Passages that may answer as well: neither right nor wrong."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, default=Path("training/configs/questions.toml"))
    parser.add_argument("--material", type=Path, required=True)
    parser.add_argument("--scifact", type=Path, required=True)
    parser.add_argument("--pages", type=Path, help="the pages that the citizens contexts come from, to ask them too")
    parser.add_argument("--base", type=Path, required=True, help="MiniLM weights")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=0)
    options = parser.parse_args()
    config = tomllib.loads(options.config.read_text())
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    tokenizer.no_padding()
    encoder = load_encoder(options.base)
    dice = random.Random(config["seed"])
    train, check = Builder(tokenizer=tokenizer), Builder(tokenizer=tokenizer)
    group = 0
    for corpus in (
        generated_corpus(options.material, config, options.limit),
        *([pages_corpus(options.pages, options.material, config, options.limit)] if options.pages else []),
        *scifact_corpora(options.scifact, options.limit),
    ):
        candidates = search(corpus, encoder, tokenizer, config["depth"])
        for number, question in enumerate(corpus.questions):
            right, found = corpus.answers[number], candidates[number]
            builder = check if corpus.held[number] else train
            unsure = corpus.unsure[number] if corpus.unsure else frozenset()
            ranked = [at for at in found if at not in right | unsure]
            if corpus.held[number]:
                chosen = [(at, float(at in right)) for at in found[: config["judged"]]]
            else:
                wrong = [at for at in ranked if not _same(corpus.passages[at], corpus.passages[next(iter(right))])]
                hard = dice.sample(wrong[: config["hard_from"]], min(config["hard"], len(wrong[: config["hard_from"]])))
                hard += dice.sample(range(len(corpus.passages)), config["easy"])
                chosen = [(dice.choice(sorted(right)), 1.0), *((at, 0.0) for at in hard if at not in right | unsure)]
            for rank, (at, label) in enumerate(chosen):
                text = gist(question, corpus.passages[at], tokens=config["passage_tokens"])
                builder.rows.append(
                    Row(
                        claim=question,
                        evidence=text,
                        label=label,
                        spans=None,
                        source=corpus.name,
                        group=group,
                        held=corpus.held[number],
                        prior=float(rank),
                        weight=config["weight"].get(corpus.name, 1.0),
                    )
                )
            group += 1
        print(corpus.name, len(corpus.passages), "passages", len(corpus.questions), "questions", flush=True)
    train.save(options.out / "rank_train.npz")
    check.save(options.out / "rank_dev.npz")


def load_encoder(base: Path) -> Encoder:
    encoder = Encoder(SHAPES["minilm"]).eval()
    load_weights(encoder, load_file(base))
    return encoder.to("cuda" if torch.cuda.is_available() else "cpu")


def generated_corpus(material: Path, config: dict, limit: int) -> Corpus:
    """Language-model questions over the contexts; a share of contexts is held for development."""
    contexts = list(read_rows(material / "generated_contexts.jsonl.gz"))
    place = {row["context_id"]: at for at, row in enumerate(contexts)}
    rows = [row for row in read_rows(material / "generated_questions.jsonl.gz") if row["answerable"]]
    rows = rows[: limit or None]
    held = [_held(row["context_id"], config) for row in rows]
    return Corpus(
        name="generated",
        passages=[context_sentences(row) for row in contexts],
        questions=[row["question"] for row in rows],
        answers=[frozenset({place[row["context_id"]]}) for row in rows],
        held=held,
    )


def pages_corpus(pages: Path, material: Path, config: dict, limit: int) -> Corpus:
    """The same questions about the pages as the product cuts them: the passage of the section that answers best."""
    found = [passage for path in sorted(pages.glob("*.md")) for passage in _passages(path)]
    runs = [_runs(passage.text) for passage in found]
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, grams in enumerate(runs):
        for gram in grams:
            holders[gram].append(at)
    sections = {
        row["context_id"]: _inside(_runs(" ".join(row["sentences"])), runs, holders)
        for row in read_rows(material / "generated_contexts.jsonl.gz")
        if row["source"] == "citizens"
    }
    known = [frozenset(stems(index_text(passage))) for passage in found]
    rows = [
        row
        for row in read_rows(material / "generated_questions.jsonl.gz")
        if row["answerable"] and sections.get(row["context_id"])
    ][: limit or None]
    best = [_best(row, sections[row["context_id"]], known) for row in rows]
    return Corpus(
        name="pages",
        passages=[source_sentences(index_text(passage), links=True) for passage in found],
        questions=[row["question"] for row in rows],
        answers=[frozenset({at}) for at in best],
        held=[_held(row["context_id"], config) for row in rows],
        unsure=[frozenset(sections[row["context_id"]]) for row in rows],
    )


def _passages(path: Path) -> list[Passage]:
    return [passage for document in read(path, path.name, Limits()) for passage in chunk(document)]


def _runs(text: str) -> set[tuple[str, ...]]:
    """Every four words in a row."""
    found = words(text)
    return {tuple(found[at : at + 4]) for at in range(len(found) - 3)}


def _inside(
    section: set[tuple[str, ...]], runs: list[set[tuple[str, ...]]], holders: dict[tuple[str, ...], list[int]]
) -> list[int]:
    """The passages whose words are mostly the section's."""
    shared = Counter(at for gram in section for at in holders.get(gram, ()))
    return [at for at, count in shared.items() if count >= 0.5 * len(runs[at])]


def _best(row: dict, passages: list[int], known: list[frozenset[str]]) -> int:
    """The passage that says most of the answer, and of the question."""
    asked, answered = set(stems(row["question"])), set(stems(row["answer"] or ""))
    return max(passages, key=lambda at: (2 * len(known[at] & answered) + len(known[at] & asked), -at))


def scifact_corpora(folder: Path, limit: int) -> list[Corpus]:
    """SciFact's train claims (a third held), and of its abstracts the titles and one finding each as questions."""
    documents = list(read_rows(folder / "corpus.jsonl"))
    place = {row["_id"]: at for at, row in enumerate(documents)}
    texts = {row["_id"]: row["text"] for row in read_rows(folder / "queries.jsonl")}
    right: dict[str, set[int]] = defaultdict(set)
    for line in (folder / "qrels" / "train.tsv").read_text().splitlines()[1:]:
        query, document, score = line.split("\t")
        if int(score) > 0:
            right[query].add(place[document])
    queries = sorted(right, key=int)[: limit or None]
    bodies = [[sentence.text for sentence in sentences(row["text"])] for row in documents]
    claims = Corpus(
        name="scifact",
        passages=[[row["title"], *body] for row, body in zip(documents, bodies, strict=True)],
        questions=[texts[query] for query in queries],
        answers=[frozenset(right[query]) for query in queries],
        held=[is_held_query(query) for query in queries],
    )
    titled = range(len(documents))[: limit or None]
    titles = Corpus(
        name="scifact_titles",
        passages=bodies,
        questions=[documents[at]["title"] for at in titled],
        answers=[frozenset({at}) for at in titled],
        held=[False for _ in titled],
    )
    findings = [(at, found) for at, body in enumerate(bodies) if (found := _finding(body)) is not None]
    findings = findings[: limit or None]
    taken = dict(findings)
    told = Corpus(
        name="scifact_findings",
        passages=[
            [row["title"], *(sentence for sentence in body if sentence != taken.get(at))]
            for at, (row, body) in enumerate(zip(documents, bodies, strict=True))
        ],
        questions=[sentence for _, sentence in findings],
        answers=[frozenset({at}) for at, _ in findings],
        held=[False for _ in findings],
    )
    return [claims, titles, told]


def _finding(body: list[str]) -> str | None:
    """The last sentence of an abstract that is about as long as a claim; the passage goes without it."""
    return next((sentence for sentence in reversed(body[1:]) if 7 <= len(sentence.split()) <= 26), None)


def _held(context: str, config: dict) -> bool:
    return int(hashlib.sha256(context.encode()).hexdigest(), 16) % 100 < config["held_percent"]


def is_held_query(query: str) -> bool:
    """A third of SciFact's train queries, by hash, is kept for measuring."""
    return int(hashlib.sha256(f"scifact-{query}".encode()).hexdigest(), 16) % 3 == 0


def search(corpus: Corpus, encoder: Encoder, tokenizer: Tokenizer, depth: int) -> list[list[int]]:
    """Candidates of each question by reciprocal rank fusion of BM25 and embedding."""
    passages = [" ".join(passage) for passage in corpus.passages]
    lexical = Bm25([stems(text) for text in passages])
    found = []
    ours, asked = (embed(encoder, tokenizer, texts) for texts in (passages, corpus.questions))
    for question, dense in zip(corpus.questions, nearest(ours, asked, depth), strict=True):
        score: Counter[int] = Counter()
        for ranking in (dense, lexical.top(stems(question), depth)):
            for rank, at in enumerate(ranking):
                score[int(at)] += 1.0 / (60 + rank)
        found.append(sorted(score, key=lambda at: (-score[at], at))[:depth])
    return found


def nearest(ours: np.ndarray, asked: np.ndarray, depth: int) -> np.ndarray:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    passages = torch.from_numpy(ours).to(device)
    parts = [
        (torch.from_numpy(asked[at : at + 2048]).to(device) @ passages.T).topk(min(depth, len(ours)), 1).indices.cpu()
        for at in range(0, len(asked), 2048)
    ]
    return torch.cat(parts).numpy()


class Bm25:
    def __init__(self, documents: list[list[str]]) -> None:
        self.count = len(documents)
        lengths = np.array([len(document) for document in documents], np.float32)
        self.norm = 1.2 * (0.25 + 0.75 * lengths / max(1.0, float(lengths.mean())))
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for at, document in enumerate(documents):
            for term, times in Counter(document).items():
                postings[term].append((at, times))
        self.postings = {
            term: (np.array([a for a, _ in p]), np.array([t for _, t in p], np.float32)) for term, p in postings.items()
        }

    def top(self, terms: list[str], depth: int) -> np.ndarray:
        score = np.zeros(self.count, np.float32)
        for term in set(terms) & self.postings.keys():
            at, times = self.postings[term]
            rarity = math.log(1 + (self.count - len(at) + 0.5) / (len(at) + 0.5))
            score[at] += rarity * times * 2.2 / (times + self.norm[at])
        best = np.argpartition(-score, min(depth, self.count - 1))[:depth]
        return best[np.argsort(-score[best], kind="stable")]


def embed(encoder: Encoder, tokenizer: Tokenizer, texts: list[str]) -> np.ndarray:
    device = next(encoder.parameters()).device
    ids = [[101, *encoded.ids[:254], 102] for encoded in tokenizer.encode_batch(texts, add_special_tokens=False)]
    order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
    out = np.zeros((len(ids), encoder.shape.hidden), np.float32)
    for start in range(0, len(order), 128):
        part = order[start : start + 128]
        longest = max(len(ids[at]) for at in part)
        tokens = torch.zeros((len(part), longest), dtype=torch.long)
        mask = torch.zeros((len(part), longest), dtype=torch.long)
        for row, at in enumerate(part):
            tokens[row, : len(ids[at])] = torch.tensor(ids[at])
            mask[row, : len(ids[at])] = 1
        with torch.no_grad():
            states = encoder(tokens.to(device), mask.to(device)).float().cpu()
        mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        out[part] = torch.nn.functional.normalize(mean, dim=-1).numpy()
    return out


def _same(first: list[str], second: list[str]) -> bool:
    """Near-duplicate pages are no negatives."""
    shared = len(set(first) & set(second))
    return shared >= 0.4 * min(len(first), len(second))


if __name__ == "__main__":
    main()
