"""Fits the weights by which a statement is judged an answer, and those by which passages are judged relevant.

    python benchmarks/answers/fit.py --written DIR --pages DIR

Run it again whenever the re-ranker, the embedder or the accurate grounder changes. Its material: the questions of
`vets` and `staff` (`--bases`; never `boats`, which is kept for measuring), questions with answers and near misses
written over invented contexts (`--written`: contexts.jsonl.gz, questions.jsonl.gz), and the citizens' questions over
their pages (`--pages`). A question whose own document is taken away is one that nothing answers.

Two sets of weights for statements are fitted: without a reader, and with the accurate grounder as reader, for that very
grounder. Nobody looks whether it was taught questions: where it was not, leave it out (`--no-reader`).

Writes src/surefoot/generate/answering.json and src/surefoot/retrieve/relevance.json; with `--reader-only` nothing but
the weights with a reader, and what is fitted without one stays as it is.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import math
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.core.passages import document_of, index_text
from surefoot.core.plain import plain
from surefoot.core.text import squash
from surefoot.core.types import Passage, ScoredPassage
from surefoot.generate.answering import FEATURES, READER_FEATURES, Answering, lead
from surefoot.generate.quotable import quotables
from surefoot.generate.reader import Reader
from surefoot.retrieve.relevance import SIGNALS, signals
from surefoot.wiring import Surefoot, build

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STATEMENTS = ROOT / "src/surefoot/generate/answering.json"
PASSAGES = ROOT / "src/surefoot/retrieve/relevance.json"
K = 8
COLUMNS = (*FEATURES, *READER_FEATURES)
LEAST_CELLS = 4
PRICE, PRICE_READ = 1.5, 1.75
"""Refusals that a wrong answer costs. A reader tells them apart so well that a dearer one costs few right answers."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One question with the statements found for it."""

    group: str
    question: str
    answerable: bool
    statements: np.ndarray
    """A line of features for each; those of the reader are last."""
    labels: np.ndarray
    read: bool = False
    """Whether a reader has read them."""
    signals: dict[str, float] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--written", type=Path, help="the folder with contexts.jsonl.gz and questions.jsonl.gz")
    parser.add_argument("--pages", type=Path, help="the folder of the citizens' pages")
    parser.add_argument("--most", type=int, default=400, help="questions of the written ones that are used")
    parser.add_argument("--bases", nargs="*", default=["vets", "staff"], help="the knowledge bases beside this file")
    parser.add_argument("--keep", type=Path, help="keep the rows here as JSON; read from there while models stay")
    parser.add_argument("--no-reader", action="store_true", help="the accurate grounder was not taught questions")
    parser.add_argument("--reader-only", action="store_true", help="fit only the weights with a reader")
    options = parser.parse_args()
    made_of = _made_of(options)
    rows = load(options.keep, made_of) if options.keep else None
    if rows is None:
        rows = asyncio.run(gather(options))
        if options.keep:
            save(options.keep, made_of, rows)
    fit_statements(rows, grounder=made_of["grounder"], only=options.reader_only)
    if not options.reader_only:
        fit_passages(rows)


def _made_of(options: argparse.Namespace) -> dict[str, Any]:
    """What the rows depend on: models and material."""
    house = build(cache=False)
    accurate = None if options.no_reader else house.grounders[0]
    return {
        "embedder": house.embedder.identity,
        "reranker": house.reranker.identity if house.reranker else None,
        "grounder": accurate.identity if accurate else None,
        "material": [str(options.written), str(options.pages), options.most, list(options.bases)],
    }


async def gather(options: argparse.Namespace) -> list[Row]:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        for name in options.bases:
            rows += await _asked(Path(place) / name, name, reads=not options.no_reader)
        if options.pages:
            rows += await _citizens(Path(place) / "pages", options.pages, reads=not options.no_reader)
    if options.written:
        rows += _written(options.written, options.most, reads=not options.no_reader)
    return rows


async def _asked(place: Path, name: str, *, reads: bool) -> list[Row]:
    house = build(kb=place, cache=False)
    rows = []
    try:
        await house.ingest([HERE / name / "docs"])
        for line in (HERE / name / "questions.jsonl").read_text(encoding="utf-8").splitlines():
            asked = json.loads(line)
            gold = asked.get("gold", []) if asked.get("answerable", True) else []
            hits = (await house.retriever.retrieve(asked["question"], k=K)).passages
            row = _row(house, name, asked["question"], hits, gold, reads=reads)
            rows.append(labelled(row, asked.get("requires", [])))
            if gold:
                left = [hit for hit in hits if not any(_inside(text, hit.passage.text) for text in gold)]
                rows.append(_row(house, f"{name}-without", asked["question"], left, [], reads=reads))
    finally:
        await house.close()
    return rows


async def _citizens(place: Path, pages: Path, *, reads: bool) -> list[Row]:
    from surefoot.bench.judged import by_passage, read_questions

    house = build(kb=place, cache=False)
    rows = []
    try:
        await house.ingest([pages])
        questions = read_questions(ROOT / "benchmarks/questions/citizens_information.jsonl")
        lines = {asked.id: [_line(pages / spot.file, spot.line) for spot in asked.answered_by] for asked in questions}
        for asked, query in zip(questions, by_passage(questions, pages), strict=True):
            hits = (await house.retriever.retrieve(asked.text, k=K)).passages
            rows.append(_row(house, "citizens", asked.text, hits, lines[asked.id], reads=reads, whole_line=True))
            files = {spot.file for spot in asked.answered_by}
            left = [hit for hit in hits if document_of(hit.passage) not in files]
            rows.append(_row(house, "citizens-without", asked.text, left, [], reads=reads))
            assert query.text == asked.text
    finally:
        await house.close()
    return rows


def _written(folder: Path, most: int, *, reads: bool) -> list[Row]:
    """Each question twice: over its own context among the nearest others of its kind, and over the others alone.

    One that its own context does not answer is read over both as `written-near`.
    """
    contexts = {row["id"]: row for row in _lines(folder / "contexts.jsonl.gz")}
    questions = [row for row in _lines(folder / "questions.jsonl.gz") if row["context"] in contexts]
    random.Random(1).shuffle(questions)
    house = build(cache=False)
    used = {row["context"].split(":")[0] for row in questions[:most]}
    # the nearest others of a kind are found among some hundred contexts as well as among a thousand
    wanted = {row["context"] for row in questions[:most]} | set(list(contexts)[::4])
    texts = [
        (name, number, text)
        for name, row in contexts.items()
        if name in wanted and name.split(":")[0] in used
        for number, text in enumerate(row["sources"])
    ]
    passages = [
        Passage(id=f"{name}.{number}", text=text, metadata={"file": name, "source": name})
        for name, number, text in texts
    ]
    trades = np.array([name.split(":")[0] for name, _, _ in texts])
    vectors = np.concatenate(
        [house.embedder.embed([text for _, _, text in texts[n : n + 64]]) for n in range(0, len(texts), 64)]
    )
    rows = []
    for number, asked in enumerate(questions[:most]):
        if number % 50 == 0:
            print(f"written: {number} of {most} questions", file=sys.stderr, flush=True)
        near = vectors @ house.embedder.embed([asked["question"]])[0]
        mine = [n for n, (name, _, _) in enumerate(texts) if name == asked["context"]]
        same = np.flatnonzero(trades == asked["context"].split(":")[0])
        others = [int(n) for n in same[np.argsort(-near[same])] if int(n) not in mine][:5]
        cases = [("written", [*mine, *others], asked["answers"]), ("written-without", others, [])]
        if not asked["answers"]:
            cases = [("written-near", [*mine, *others], [])]
        for group, chosen, gold in cases:
            ranked = sorted(chosen, key=lambda n: -near[n])[:K]
            hits = [
                ScoredPassage(passage=passages[n], score=float(near[n]), dense=float(near[n]), dense_rank=rank)
                for rank, n in enumerate(ranked, 1)
            ]
            chances = house.reranker.score(asked["question"], [index_text(hit.passage) for hit in hits])  # type: ignore[union-attr]
            hits = [
                ScoredPassage(
                    passage=hit.passage, score=hit.score, dense=hit.dense, dense_rank=hit.dense_rank, rerank=c
                )
                for hit, c in zip(hits, chances, strict=True)
            ]
            rows.append(_row(house, group, asked["question"], hits, gold, reads=reads))
    return rows


def _row(
    house: Surefoot,
    group: str,
    question: str,
    hits: Sequence[ScoredPassage],
    gold: Sequence[str],
    *,
    reads: bool,
    whole_line: bool = False,
) -> Row:
    answering = _answering(house, reads)
    found = list(quotables([hit.passage for hit in hits], style="[S#]", rows=True))
    without = answering.features(question, found)
    read = answering.read(question, found, without)
    table = [[row.get(name, 0.0) for name in COLUMNS] for row in read or without]
    labels = [any(_same(one.source or one.text, text, whole_line=whole_line) for text in gold) for one in found]
    return Row(
        group=group,
        question=question,
        answerable=bool(gold),
        statements=np.array(table).reshape(-1, len(COLUMNS)),
        labels=np.array(labels, bool),
        read=read is not None,
        signals=signals(question, hits),
        texts=[one.text for one in found],
    )


@lru_cache(maxsize=1)
def _answering(house: Surefoot, reads: bool) -> Answering:
    """The weights as they are choose what is read; what takes long is waited for."""
    accurate = house.grounders[0] if reads else None
    reader = Reader(grounder=accurate, seconds=math.inf) if accurate is not None else None
    return Answering(embedder=house.embedder, scorer=house.scorer, reader=reader)


def labelled(row: Row, requires: Sequence[str]) -> Row:
    """What the bench calls right too: one of several things asked for, since a list comes whole, and a statement that
    sets a false premise right, though such a question may be refused as well."""
    held = np.array([[any(each in text for each in one.split("|")) for one in requires] for text in row.texts], bool)
    if not held.size:
        return row
    if row.answerable:
        return replace(row, labels=row.labels | held.any(axis=1)) if len(requires) > 1 else row
    return replace(row, labels=held.all(axis=1))


def _same(text: str, gold: str, *, whole_line: bool) -> bool:
    one, other = _bare(text), _bare(gold)
    alike = bool(one) and (one in other if whole_line else one in other or other in one) and len(one) > 8
    return alike or (not whole_line and _tells(set(one.split()), set(other.split())))


def _tells(said: set[str], row: set[str]) -> bool:
    """Whether a row is told with its column names: `Urology,Fri,Red` as `Clinic: Urology; Days: Fri; Zone: Red.`"""
    return len(row) >= LEAST_CELLS and len(row & said) >= 0.9 * len(row)


def _inside(text: str, whole: str) -> bool:
    return _bare(text) in _bare(whole)


def _bare(text: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in squash(text)).split())


def _line(page: Path, number: int) -> str:
    return plain(page.read_text(encoding="utf-8").split("\n")[number - 1]).text


def _lines(file: Path) -> list[dict]:
    return [json.loads(line) for line in gzip.open(file, "rt", encoding="utf-8")]


def fit_statements(rows: Sequence[Row], *, grounder: str | None, only: bool, file: Path = STATEMENTS) -> None:
    """Which of the statements answers, or none: a choice with an empty place, over all questions at once."""
    use = [_possible(row) for row in rows if len(row.statements) and (row.labels.any() or not row.answerable)]
    use = [row for row in use if len(row.statements)]
    out = json.loads(file.read_text(encoding="utf-8"))
    if not only:
        weights, least = _fitted([replace(row, statements=row.statements[:, : len(FEATURES)]) for row in use])
        out = {**_named(FEATURES, weights), "least": round(least, 3), "stands": out["stands"]}
    out.pop("reader", None)
    read = [row for row in use if row.read]
    if read and grounder is not None:
        weights, least = _fitted(read)
        # one bar for both: chances with and without a reader may stand side by side
        weights[0] += _odds(out["least"]) - _odds(least)
        asked = [row for row in read if not row.group.endswith("-without")]
        leads = partial(_lead, least=out["least"])
        out["stands"] = round(threshold(asked, weights, price=PRICE_READ, sure=leads), 3)
        out["reader"] = {"grounder": grounder, **_named(COLUMNS, weights)}
    elif only:
        raise SystemExit("no reader has read anything; is the accurate grounder installed?")
    file.write_text(json.dumps(out, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(out))


def _lead(chances: Sequence[float], *, least: float) -> float:
    return lead(chances) if max(chances) >= least else 0.0


def _fitted(rows: Sequence[Row]) -> tuple[np.ndarray, float]:
    weights, reads = choice(rows), rows[0].statements.shape[1] > len(FEATURES)
    price = PRICE_READ if reads else PRICE
    least = threshold([row for row in rows if not row.group.endswith("-without")], weights, price=price)
    print(f"with a reader, least {least:.2f}" if reads else f"least {least:.2f}")
    report_statements(rows, weights, least)
    return weights, least


def _named(names: Sequence[str], weights: np.ndarray) -> dict[str, Any]:
    return {
        "bias": round(float(weights[0]), 4),
        "weights": {name: round(float(value), 4) for name, value in zip(names, weights[1:], strict=True)},
    }


def _odds(chance: float) -> float:
    return math.log(chance / (1 - chance))


def _possible(row: Row) -> Row:
    """Without the statements that lack the kind asked for: they are no answer whatever the weights say."""
    keep = row.statements[:, FEATURES.index("kind_missing")] == 0
    return replace(row, statements=row.statements[keep], labels=row.labels[keep])


def choice(rows: Sequence[Row], *, steps: int = 500, ridge: float = 0.002) -> np.ndarray:
    """Conditional logit with an empty place of score 0, by gradient steps; every group of questions weighs alike."""
    every = np.concatenate([row.statements for row in rows])
    mean, spread = every.mean(axis=0), every.std(axis=0) + 1e-6
    tables = [np.column_stack([np.ones(len(row.labels)), (row.statements - mean) / spread]) for row in rows]
    sizes = Counter(row.group for row in rows)
    share = np.array([sizes[row.group] ** -0.5 for row in rows])
    share /= share.sum()
    weights = np.zeros(every.shape[1] + 1)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for _ in range(steps):
        slope = -ridge * np.concatenate([[0.0], weights[1:]])
        for table, row, each in zip(tables, rows, share, strict=True):
            score = np.clip(table @ weights, -30, 30)
            odds = np.exp(score)
            pull = -odds / (1.0 + odds.sum())
            if row.labels.any():
                right = np.where(row.labels, odds, 0.0)
                pull = pull + right / right.sum()
            slope += each * (table.T @ pull)
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        weights = weights + 0.05 * first / (np.sqrt(second) + 1e-8)
    plain = weights[1:] / spread
    return np.concatenate([[weights[0] - plain @ mean], plain])


def threshold(
    rows: Sequence[Row], weights: np.ndarray, *, price: float, sure: Callable[[Sequence[float]], float] = max
) -> float:
    """The bar that costs least over all questions, a wrong answer costing `price` refusals: for the likeliest
    statement's chance, or for its lead."""
    sizes = Counter(row.group for row in rows)
    tops = []
    for row in rows:
        chance = predict(weights, row.statements)
        top = int(chance.argmax())
        tops.append((sure(chance.tolist()), bool(row.labels[top]), row.answerable, 1.0 / sizes[row.group]))

    def cost(least: float) -> float:
        return sum(
            each * (price * (not right) if chance >= least else float(answerable))
            for chance, right, answerable, each in tops
        )

    return float(min(np.arange(0.05, 0.96, 0.01), key=cost))


def report_statements(rows: Sequence[Row], weights: np.ndarray, least: float) -> None:
    for group in sorted({row.group for row in rows}):
        mine = [row for row in rows if row.group == group]
        best = [predict(weights, row.statements) for row in mine]
        first = [bool(row.labels[int(chance.argmax())]) for row, chance in zip(mine, best, strict=True)]
        tops = np.array([chance.max() for chance in best])
        right, said = np.sum(np.array(first) & (tops >= least)), np.sum(tops >= least)
        print(f"{group:18} {len(mine):4} questions, first is an answer {np.mean(first):.3f}, ", end="")
        print(f"right {right}, wrong {said - right}, ", end="")
        print(", ".join(f"best >= {t}: {np.mean(tops >= t):.2f}" for t in (0.3, 0.4, 0.5, 0.6, 0.7)))


def fit_passages(rows: Sequence[Row]) -> None:
    """Whether the passages hold an answer at all, before anybody writes: it lets through what may be one.

    Every row is there a second time as it looks where no re-ranker is installed.
    """
    unread = [replace(row, signals=row.signals | {"reads": 0.0, "reads_second": 0.0, "unread": 1.0}) for row in rows]
    rows = [*rows, *unread]
    table = np.array([[row.signals.get(name, 0.0) for name in SIGNALS] for row in rows])
    labels = np.array([bool(row.labels.any()) for row in rows])
    groups = np.array([row.group for row in rows])
    share = np.array([1.0 / np.sum(groups == group) for group in groups])
    share = np.where(labels, share / share[labels].sum(), share / share[~labels].sum()) * len(rows) / 2
    weights = logistic(table, labels, share)
    missing = SIGNALS.index("kind_missing")
    if weights[1 + missing] > 0:  # that something is missing never speaks for a passage
        table[:, missing] = 0.0
        weights = logistic(table, labels, share)
    chance = predict(weights, table)
    # nothing relevant is final: at most one answerable question in fifty may end there
    least = float(np.quantile(chance[labels], 0.02))
    for group in sorted(set(groups)):
        print(f"{group:18} refused as irrelevant: {np.mean(chance[groups == group] < least):.3f}")
    out = {
        "bias": round(float(weights[0]), 4),
        "weights": {name: round(float(value), 4) for name, value in zip(SIGNALS, weights[1:], strict=True)},
        "least": round(least, 3),
    }
    PASSAGES.write_text(json.dumps(out, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(out))


def predict(weights: np.ndarray, features: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-(weights[0] + features @ weights[1:])))


def logistic(features: np.ndarray, labels: np.ndarray, share: np.ndarray, *, ridge: float = 0.02) -> np.ndarray:
    """Weighted logistic regression by Newton's method."""
    matrix = np.column_stack([np.ones(len(features)), features])
    weights = np.zeros(matrix.shape[1])
    for _ in range(60):
        chance = 1 / (1 + np.exp(-matrix @ weights))
        slope = matrix.T @ (share * (labels - chance)) - ridge * weights
        curve = matrix.T @ (matrix * (share * chance * (1 - chance))[:, None]) + ridge * np.eye(len(weights))
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def save(file: Path, made_of: dict[str, Any], rows: Sequence[Row]) -> None:
    kept = [{**row.__dict__, "statements": row.statements.tolist(), "labels": row.labels.tolist()} for row in rows]
    file.write_text(json.dumps({"made_of": made_of, "rows": kept}), encoding="utf-8")


def load(file: Path, made_of: dict[str, Any]) -> list[Row] | None:
    """The rows kept before; None where there are none, or other models or material made them."""
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"made_of": None}
    if kept["made_of"] != made_of:
        return None
    return [
        Row(
            **{
                **row,
                "statements": np.array(row["statements"]).reshape(-1, len(COLUMNS)),
                "labels": np.array(row["labels"], bool),
            }
        )
        for row in kept["rows"]
    ]


if __name__ == "__main__":
    main()
