"""How well answers written from records are judged: AUROC over sentences and over whole answers.

    python benchmarks/records.py BENCH_FOLDER

Two sets. `generated`: answers a small language model wrote from invented records of 14 kinds, labelled by reading
(`labels/record_answers.jsonl` keeps ids, labels and the wrong words; the texts are in the bench folder). `business`:
overviews of business records, ours, with the mistakes language models make (`labels/business_overviews.jsonl`). Half
of the contexts were in view while the code was written ("seen"), the other half was not.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from surefoot.bench import grounding
from surefoot.bench.metrics import auroc
from surefoot.core.evidence import stems
from surefoot.core.types import Passage
from surefoot.packs.loader import load
from surefoot.settings import Settings
from surefoot.verify.binding import claim_line
from surefoot.verify.claims import claims_of
from surefoot.verify.features import any_of, features, shipped_model
from surefoot.verify.structured import Agreement, check_record, join
from surefoot.verify.submission import Submission
from surefoot.wiring import build

LABELS = Path(__file__).parent / "labels"
SAMPLES = 1000
"""Draws of contexts, with replacement, behind each interval."""
NOTE = (
    "The shipped grounders were trained on these generated contexts too, so their figures for `generated` flatter; "
    "the `business` records no training has seen."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    set: str
    context: str
    record: str
    sentences: tuple[str, ...]
    labels: tuple[int, ...]
    """Of each sentence: 1 = something in it is not supported."""

    @property
    def half(self) -> str:
        """The code was written with one half of the contexts in view."""
        return "unseen" if hashlib.sha256(self.context.encode()).digest()[0] % 2 else "seen"


@dataclass(frozen=True, kw_only=True, slots=True)
class Scores:
    sentences: tuple[float, ...]
    whole: float
    flagged: tuple[bool, ...] = ()
    """Sentences the gate would not approve."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path, help="the folder that holds train/generated_pairs.jsonl.gz")
    parser.add_argument("--judges", nargs="+", choices=list(JUDGES), default=list(JUDGES))
    parser.add_argument("--show", choices=["seen"], help="also print what each judge gets wrong in the half in view")
    options = parser.parse_args()
    answers = [*read_generated(options.bench / "train"), *read_business()]
    print(NOTE)
    for name in options.judges:
        scores = JUDGES[name](answers)
        for line in report(name, answers, scores):
            print(line, flush=True)
        if options.show:
            print(*mistakes(answers, scores), sep="\n")


def read_generated(folder: Path) -> Iterator[Answer]:
    """The labelled answers of held contexts, put together from the bench folder's sentences."""
    rows = [json.loads(line) for line in (LABELS / "record_answers.jsonl").read_text(encoding="utf-8").splitlines()]
    wanted = {row["id"] for row in rows}
    texts = {row["id"]: row["claim"] for row in _rows(folder / "generated_pairs.jsonl.gz") if row["id"] in wanted}
    contexts = dict.fromkeys(row["context"] for row in rows)
    records = {row["context_id"]: row for row in _rows(folder / "generated_contexts.jsonl.gz")}
    for context in contexts:
        own = [row for row in rows if row["context"] == context]
        yield Answer(
            set="generated",
            context=context,
            record=records[context]["text"],
            sentences=tuple(texts[row["id"]] for row in own),
            labels=tuple(row["label"] for row in own),
        )


def read_business() -> Iterator[Answer]:
    for line in (LABELS / "business_overviews.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for overview in row["overviews"]:
            yield Answer(
                set="business",
                context=row["record"]["name"],
                record=json.dumps(row["record"], ensure_ascii=False),
                sentences=tuple(sentence["text"] for sentence in overview),
                labels=tuple(int(bool(sentence["wrong"])) for sentence in overview),
            )


def _rows(path: Path) -> Iterator[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def by_novelty(answers: Sequence[Answer]) -> list[Scores]:
    """The share of words that the record does not hold."""

    def share(text: str, known: frozenset[str]) -> float:
        said = stems(text)
        return sum(stem not in known for stem in said) / max(1, len(said))

    found = []
    for answer in answers:
        known = frozenset(stems(answer.record))
        each = tuple(share(sentence, known) for sentence in answer.sentences)
        found.append(Scores(sentences=each, whole=share(" ".join(answer.sentences), known)))
    return found


def by_code(answers: Sequence[Answer]) -> list[Scores]:
    """The fields alone, from a grounder that does not know."""
    return [_any(join(0.5, check_record(text, answer.record)) for text in answer.sentences) for answer in answers]


def by_features(answers: Sequence[Answer]) -> list[Scores]:
    """The counted features alone, without the fields."""
    model, pack = shipped_model(), load("default")
    found = []
    for answer in answers:
        passages = (Passage(id="S1", text=answer.record),)
        each = []
        for text in answer.sentences:
            claim = claims_of(text, passages, pack)[0]
            submission = Submission(draft=text, claims=(claim,), passages=passages, pack=pack, today="2026-01-01")
            counted = features(
                claim_line(claim), submission.supports(claim), passages, submission.bindings(claim), submission.weights
            )
            each.append(model.unsupported(counted))
        found.append(_any(each))
    return found


def by_gate(size: str) -> Callable[[Sequence[Answer]], list[Scores]]:
    """The score of `surefoot bench grounding`, with the grounder of this size; a sentence is an answer of its own."""

    def judge(answers: Sequence[Answer]) -> list[Scores]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "rows.jsonl"
            rows = [
                json.dumps({"answer": text, "sources": [answer.record], "label": 0})
                for answer in answers
                for text in (*answer.sentences, " ".join(answer.sentences))
            ]
            file.write_text("\n".join(rows), encoding="utf-8")
            judged = asyncio.run(grounding.run(file, build(Settings(grounder_size=size)).gate))
        found = []
        for answer in answers:
            each, whole, judged = (
                judged[: len(answer.labels)],
                judged[len(answer.labels)],
                judged[len(answer.labels) + 1 :],
            )
            scores, flags = tuple(item.score for item in each), tuple(item.flagged for item in each)
            found.append(Scores(sentences=scores, whole=whole.score, flagged=flags))
        return found

    return judge


def _any(chances: Iterable[float]) -> Scores:
    each = tuple(chances)
    return Scores(sentences=each, whole=any_of(each))


def report(judge: str, answers: Sequence[Answer], scores: Sequence[Scores]) -> Iterator[str]:
    for name in ("generated", "business"):
        for half in ("seen", "unseen", "both"):
            chosen = [
                pair
                for pair in zip(answers, scores, strict=True)
                if pair[0].set == name and half in (pair[0].half, "both")
            ]
            sentences, whole = _auroc(chosen, whole=False), _auroc(chosen, whole=True)
            count = sum(len(answer.labels) for answer, _ in chosen)
            yield (
                f"{judge:9} {name:9} {half:6}  {count:3} sentences {sentences} {_interval(chosen, whole=False)}"
                f"  {len(chosen):3} answers {whole} {_interval(chosen, whole=True)}{_flagged(chosen)}"
            )


def _auroc(chosen: Sequence[tuple[Answer, Scores]], *, whole: bool) -> str:
    if whole:
        pairs = [(scores.whole, max(answer.labels)) for answer, scores in chosen]
    else:
        pairs = [pair for answer, scores in chosen for pair in zip(scores.sentences, answer.labels, strict=True)]
    return f"{auroc([score for score, _ in pairs], [label for _, label in pairs]):.3f}"


def _flagged(chosen: Sequence[tuple[Answer, Scores]]) -> str:
    pairs = [
        pair for answer, scores in chosen if scores.flagged for pair in zip(scores.flagged, answer.labels, strict=True)
    ]
    if not pairs:
        return ""
    right, wrong = ([flag for flag, label in pairs if label == kind] for kind in (0, 1))
    return f"  not approved: {sum(wrong)}/{len(wrong)} wrong, {sum(right)}/{len(right)} right"


def _interval(chosen: Sequence[tuple[Answer, Scores]], *, whole: bool) -> str:
    """95 % of the draws of contexts."""
    contexts: dict[str, list[tuple[Answer, Scores]]] = {}
    for pair in chosen:
        contexts.setdefault(pair[0].context, []).append(pair)
    dice, groups = random.Random(1), list(contexts.values())
    drawn = sorted(
        _auroc([pair for group in dice.choices(groups, k=len(groups)) for pair in group], whole=whole)
        for _ in range(SAMPLES)
    )
    return f"({drawn[int(0.025 * SAMPLES)]}–{drawn[int(0.975 * SAMPLES)]})"


def mistakes(answers: Sequence[Answer], scores: Sequence[Scores]) -> Iterator[str]:
    """Of the half in view: wrong sentences scored low, right ones scored high, with what the fields say."""
    for answer, score in zip(answers, scores, strict=True):
        if answer.half != "seen":
            continue
        for text, label, chance in zip(answer.sentences, answer.labels, score.sentences, strict=True):
            if (chance >= 0.58) != bool(label):
                verdicts = [
                    f"{verdict.path}: says {verdict.claimed}, is {verdict.found}"
                    for verdict in check_record(text, answer.record)
                    if verdict.agreement is not Agreement.SUPPORTED
                ]
                yield f"{'missed' if label else 'alarm'} {chance:.2f} {answer.context}: {text} {verdicts or ''}"


JUDGES: dict[str, Callable[[Sequence[Answer]], list[Scores]]] = {
    "novelty": by_novelty,
    "code": by_code,
    "features": by_features,
    "none": by_gate("none"),
    "fast": by_gate("fast"),
    "accurate": by_gate("accurate"),
}
"""`none`, `fast` and `accurate` are the gate with that grounder: features, grounder and fields as one."""


if __name__ == "__main__":
    main()
