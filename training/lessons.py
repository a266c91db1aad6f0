"""Lessons for the grounders: a context's passages with all the claims made about it, tokenised, in one small file.

    python -m training.lessons --bench ../shared/bench --out training/work/lessons

Three files come out: `train.npz`, `written.npz` (a tenth of the contexts of every kind of written rows, in no training)
and `held.npz` (the labelled sets that no training sees). Token ids are MiniLM's word pieces; mpnet uses the same
vocabulary shifted by four.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from surefoot.core.evidence import source_sentences
from surefoot.core.questions import asks
from surefoot.core.text import sentences
from surefoot.core.told import told
from training import rows
from training.material import Search, read_rows
from training.measure import ASKED
from training.weights import base_folder

SUPPORTED, UNSUPPORTED, SILENT, UNDECIDED = 0, 1, 2, -1
DEVELOPMENT = 10
"""One context in so many is kept for development."""
HELD_SETS = {"ragtruth_tr", "factcg", "scifact_tr"}
HELD_DOMAINS = {"podcast", "sales_email", "samsum"}
TOGETHER = {"t8:wiki24-b45": "t8:wiki24-b42", "t8:wiki24-b18": "t8:wiki24-b1"}
"""Contexts that share text stay on one side of the split."""
UNKNOWN = -1
OTHERS = 2
"""Sentences that have nothing to do with it, for each question."""
CROSSED = "crossed"
NEAREST, STRANGERS, EACH_LESSON = 6, 0.3, 24
"""Passages of other contexts that a question's words lead to; the share of questions that also meet any passage of the
same kind; questions beside one passage."""


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One claim of a lesson, before tokenising."""

    text: str
    label: int
    before: str = ""
    """The question and the sentence before, which tell what a pronoun stands for; no evidence."""
    spans: tuple[tuple[int, int], ...] | None = None
    """Unsupported characters; None = unknown."""
    twin: str | None = None
    bag: int = -1
    """Statements judged only together: the bag is bad if one of them is. In evaluation, the answer."""
    alone: bool = True
    """A single claim, not a sentence of an answer."""
    id: str = ""


@dataclass(kw_only=True)
class Lesson:
    source: str
    """The set or kind it comes from."""
    passages: list[list[str]]
    """Each passage as its sentences."""
    statements: list[Statement] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--written", type=Path, default=rows.HERE)
    parser.add_argument("--work", type=Path, default=Path("training/work"))
    parser.add_argument("--reader", type=Path, help="a GGUF language model: the same lessons in its word pieces too")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(base_folder(options.work, "minilm") / "tokenizer.json"))
    shared = options.bench / "train" / "written"
    own = [*shared_rows(shared), *own_rows(options.written), *asked_rows(shared, options.written)]
    kept = [each for name, each in own if is_development(name)]
    train = [each for name, each in own if not is_development(name)]
    train += list(crossed_rows(shared, options.written))
    domains = held_texts(options.bench / "grounding" / "summedits_dev.jsonl")
    train += list(labelled(options.bench / "train" / "pairs.jsonl.gz", domains))
    train += list(generated(options.bench / "train"))
    options.out.mkdir(parents=True, exist_ok=True)
    pieces = None
    if options.reader is not None:
        from training.borrow import tokenizer as reader_tokenizer  # needs gguf, which the rest does not

        pieces = reader_tokenizer(options.reader)
    for name, lessons in (("written", kept), ("train", train), ("held", list(held(options.bench / "grounding")))):
        save(options.out / f"{name}.npz", lessons, tokenizer)
        if pieces is not None:
            save(options.out / f"{name}_reader.npz", lessons, pieces)
        counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for each in lessons:
            counts[each.source][0] += 1
            counts[each.source][1] += len(each.statements)
        print(name, {source: tuple(count) for source, count in sorted(counts.items())}, flush=True)


def is_development(context: str) -> bool:
    context = TOGETHER.get(context, context)
    return hashlib.sha256(context.encode()).digest()[0] % DEVELOPMENT == 0


def own_rows(folder: Path) -> Iterator[tuple[str, Lesson]]:
    for context in rows.read_all(folder):
        passages = [source_sentences(text) for text in context.sources]
        if context.case:
            passages.insert(0, source_sentences(context.case))
        if context.profile:
            passages.append([told(json.loads(context.profile))])
        lesson = Lesson(source=f"w-{context.kind}", passages=passages)
        for at, each in enumerate(context.claims):
            lesson.statements.append(_of(each, name=f"{context.id}-c{at}"))
        for at, answer in enumerate(context.answers):
            before = answer.question
            for place, each in enumerate(answer.sentences):
                name = f"{context.id}-a{at}-{place}"
                lesson.statements.append(_of(each, name=name, before=before, alone=False, bag=at))
                before = f"{answer.question} {each.text}"
        yield context.id, lesson


def _of(each: rows.Sentence, *, name: str, before: str = "", alone: bool = True, bag: int = -1) -> Statement:
    label = SILENT if each.type == "silent" else each.label
    spans = (each.span,) if each.span else (None if each.label else ())
    return Statement(
        text=each.text, label=label, before=before, spans=spans, twin=each.twin, alone=alone, bag=bag, id=name
    )


def shared_rows(folder: Path) -> Iterator[tuple[str, Lesson]]:
    """The rows that lie in the shared bench, by context."""
    lessons: dict[str, Lesson] = {}
    for row in read_rows(folder / "contexts.jsonl.gz"):
        passages = [source_sentences(text) for text in row["sources"]]
        if row.get("profile"):
            passages.append([told(row["profile"])])
        lessons[row["id"]] = Lesson(source=f"w-{row['id'].split(':')[0]}", passages=passages)
    for row in read_rows(folder / "claims.jsonl.gz"):
        lessons[row["context"]].statements.append(_row(row, "claim", name=row["id"], twin=row.get("twin")))
    for at, row in enumerate(read_rows(folder / "answers.jsonl.gz")):
        before = row["question"]
        for place, each in enumerate(row["answer"]):
            name = f"{row['id']}-{place}"
            lessons[row["context"]].statements.append(_row(each, "text", name=name, before=before, alone=False, bag=at))
            before = f"{row['question']} {each['text']}"
    yield from lessons.items()


def _row(
    row: dict, key: str, *, name: str, before: str = "", twin: str | None = None, alone: bool = True, bag: int = -1
) -> Statement:
    text, label = row[key], SILENT if row["type"] == "silent" and not row["label"] else row["label"]
    spans: tuple[tuple[int, int], ...] | None = () if not row["label"] else None
    if row.get("span") and row["span"] in text:
        start = text.index(row["span"])
        spans = ((start, start + len(row["span"])),)
    return Statement(text=text, label=label, before=before, spans=spans, twin=twin, alone=alone, bag=bag, id=name)


def asked_questions(shared: Path, own: Path) -> tuple[dict[str, list[str]], dict[str, list[rows.Question]]]:
    """The sources of every written context, and its questions."""
    contexts = {row["id"]: row["sources"] for row in read_rows(shared / "contexts.jsonl.gz")}
    questions: dict[str, list[rows.Question]] = defaultdict(list)
    for row in read_rows(shared / "questions.jsonl.gz"):
        asked = rows.Question(text=row["question"], answers=tuple(row["answers"]), near=tuple(row["near"]))
        questions[row["context"]].append(asked)
    for context in rows.read_all(own):
        contexts[context.id] = context.sources
        questions[context.id] += context.questions
    return contexts, questions


def asked_rows(shared: Path, own: Path) -> Iterator[tuple[str, Lesson]]:
    """Questions over written contexts: each sentence that answers, those that look so, and some that do not."""
    contexts, questions = asked_questions(shared, own)
    dice = random.Random(8)
    for name, asked in questions.items():
        lesson = Lesson(source=ASKED, passages=[source_sentences(text) for text in contexts[name]])
        single = [sentence for passage in lesson.passages for sentence in passage]
        for at, each in enumerate(asked):
            told = {*each.answers, *each.near}
            others = [one for one in single if not any(one in text or text in one for text in told)]
            wrong = [*each.near, *dice.sample(others, min(OTHERS, len(others)))]
            for label, texts in ((SUPPORTED, each.answers), (UNSUPPORTED, wrong)):
                for place, text in enumerate(texts):
                    twin = f"{name}-q{at}" if place == 0 and each.answers and wrong else None
                    claim = asks(each.text, text)
                    lesson.statements.append(Statement(text=claim, label=label, twin=twin, id=f"{name}-q{at}"))
        if lesson.statements:
            yield name, lesson


def crossed_rows(shared: Path, own: Path) -> Iterator[Lesson]:
    """Questions beside passages of other contexts, as a search finds them: mostly no answer, but nobody has said so.

    In use a statement is read beside its own passage, which is seldom the one the question was written over. What
    stands there may answer by chance, so the labels are left to the tutor.
    """
    contexts, questions = asked_questions(shared, own)
    texts = {text: name for name, sources in contexts.items() if not is_development(name) for text in sources}
    by_kind: dict[str, list[str]] = defaultdict(list)
    for text, name in texts.items():
        by_kind[name.split(":")[0]].append(text)
    asked = [(name, each.text) for name, some in questions.items() if not is_development(name) for each in some]
    dice = random.Random(9)
    beside: dict[str, list[str]] = defaultdict(list)
    nearest = Search(list(texts)).many([question for _, question in asked], NEAREST)
    for (name, question), found in zip(asked, nearest, strict=True):
        strangers = [text for text in found if texts[text] != name]
        chosen = [dice.choice(strangers)] if strangers else []
        if dice.random() < STRANGERS:
            chosen.append(dice.choice(by_kind[name.split(":")[0]]))
        for text in chosen:
            if texts[text] != name:
                beside[text].append(question)
    for text, some in beside.items():
        passage = source_sentences(text)
        own_words = [frozenset(sentence.casefold().split()) for sentence in passage]
        for start in range(0, len(some), EACH_LESSON):
            lesson = Lesson(source=CROSSED, passages=[passage])
            for question in some[start : start + EACH_LESSON]:
                said = frozenset(question.casefold().split())
                likest = max(range(len(passage)), key=lambda at: (len(own_words[at] & said), dice.random()))
                claim = asks(question, passage[likest])
                lesson.statements.append(Statement(text=claim, label=UNDECIDED))
            yield lesson


def held_texts(path: Path) -> set[str]:
    return {_start(row["sources"][0]) for row in read_rows(path) if row["task"] in HELD_DOMAINS}


def _start(text: str) -> str:
    return "".join(text.split())[:60]


def labelled(path: Path, held_starts: set[str]) -> Iterator[Lesson]:
    """The labelled pairs, one lesson for each evidence."""
    lessons: dict[str, Lesson] = {}
    bags: dict[str, int] = {}
    for row in read_rows(path):
        name, evidence = row["set"], row["evidence"]
        if name in HELD_SETS or (name == "summedits" and _start(" ".join(evidence)) in held_starts):
            continue
        key = name + hashlib.sha256("\n".join(evidence).encode()).hexdigest()
        lesson = lessons.setdefault(key, Lesson(source=name, passages=[list(evidence)]))
        bag = bags.setdefault(row["bag"], len(bags)) if row["bag"] is not None and row["label"] else -1
        spans = None if row["spans"] is None else tuple(map(tuple, row["spans"]))
        if not row["label"]:
            spans = ()
        lesson.statements.append(
            Statement(
                text=row["claim"],
                label=row["label"],
                before=row["previous"] or "",
                spans=spans or (None if row["label"] else ()),
                bag=bag,
            )
        )
    yield from lessons.values()


def generated(train: Path) -> Iterator[Lesson]:
    """Claims written by a small language model; undecided ones wait for the tutor."""
    lessons: dict[str, Lesson] = {}
    for row in read_rows(train / "generated_contexts.jsonl.gz"):
        passage = source_sentences(row["text"]) if "text" in row else row["sentences"]
        lessons[row["context_id"]] = Lesson(source=f"generated_{row['source']}", passages=[passage])
    for row in read_rows(train / "generated_pairs.jsonl.gz"):
        if row["label"] is None:
            found = Statement(
                text=row["claim"],
                label=UNDECIDED,
                before=f"{row['question'] or ''} {row['previous'] or ''}".strip(),
                alone=False,
            )
            lessons[row["context_id"]].statements.append(found)
            continue
        complete = row["checks"].get("base") in {None, "source sentence"}
        spans = tuple(map(tuple, row["spans"] or ())) if row["label"] else ()
        lessons[row["context_id"]].statements.append(
            Statement(
                text=row["claim"],
                label=row["label"],
                before=f"{row['question'] or ''} {row['previous'] or ''}".strip(),
                spans=(spans or None) if row["label"] and complete else (None if row["label"] else ()),
                alone=row["made"] != "answer",
            )
        )
    yield from (each for each in lessons.values() if each.statements)


def held(folder: Path) -> Iterator[Lesson]:
    """The labelled sets no training sees, answers cut into sentences; a sentence is bad where a span touches it."""
    for path in sorted(folder.glob("*.jsonl")):
        for row in read_rows(path):
            if path.stem.startswith("summedits") and row["task"] not in HELD_DOMAINS:
                continue
            name = path.stem.split("_")[0] + (
                f"-{row['task']}" if path.stem.startswith(("ragtruth", "summedits")) else ""
            )
            lesson = Lesson(source=name, passages=[source_sentences(text) for text in row["sources"]])
            before = row["question"] or ""
            for place, each in enumerate(sentences(row["answer"])):
                spans = [
                    (max(0, s - each.start), e - each.start)
                    for s, e in row["spans"] or ()
                    if s < each.end and e > each.start
                ]
                label = int(bool(spans)) if row["spans"] else row["label"]
                text = row["answer"][each.start : each.end]
                lesson.statements.append(
                    Statement(
                        text=text,
                        label=label,
                        before=before,
                        spans=tuple(spans),
                        bag=0,
                        alone=False,
                        id=f"{row['id']}-{place}",
                    )
                )
                before = f"{row['question'] or ''} {text}"
            if lesson.statements:
                # the answer's own label rides on the first statement's id
                first = lesson.statements[0]
                lesson.statements[0] = Statement(**{**first.__dict__, "id": f"{first.id}|{row['label']}"})
                yield lesson


def save(path: Path, lessons: Iterable[Lesson], tokenizer: Tokenizer) -> None:
    tokenizer.no_padding()
    tokenizer.no_truncation()
    lessons = [each for each in lessons if each.statements and any(each.passages)]
    sets = sorted({each.source for each in lessons})
    number = np.uint16 if tokenizer.get_vocab_size() <= 65536 else np.uint32
    texts, claims, befores, marks = Ragged(number), Ragged(number), Ragged(number), Ragged(np.int8)
    passage_ends, lesson_ends, statement_ends = [0], [0], [0]
    columns: dict[str, list] = defaultdict(list)
    twins: dict[str, int] = {}
    for each in lessons:
        for passage in each.passages:
            for encoded in tokenizer.encode_batch(passage, add_special_tokens=False):
                texts.add(encoded.ids)
            passage_ends.append(len(texts))
        lesson_ends.append(len(passage_ends) - 1)
        found = tokenizer.encode_batch([s.text for s in each.statements], add_special_tokens=False)
        before = tokenizer.encode_batch([s.before for s in each.statements], add_special_tokens=False)
        for statement, encoded, context in zip(each.statements, found, before, strict=True):
            claims.add(encoded.ids)
            befores.add(context.ids)
            marks.add(token_marks(statement, encoded.offsets))
            columns["label"].append(statement.label)
            columns["twin"].append(twins.setdefault(statement.twin, len(twins)) if statement.twin else -1)
            columns["bag"].append(statement.bag)
            columns["alone"].append(statement.alone)
            columns["id"].append(statement.id)
        statement_ends.append(len(columns["label"]))
        columns["set"].append(sets.index(each.source))
    np.savez_compressed(
        path,
        **texts.arrays("text"),
        **claims.arrays("claim"),
        **befores.arrays("before"),
        **marks.arrays("mark"),
        passage_ends=np.array(passage_ends, np.int64),
        lesson_ends=np.array(lesson_ends, np.int64),
        statement_ends=np.array(statement_ends, np.int64),
        label=np.array(columns["label"], np.int8),
        twin=np.array(columns["twin"], np.int32),
        bag=np.array(columns["bag"], np.int32),
        alone=np.array(columns["alone"], bool),
        id=np.array(columns["id"]),
        set=np.array(columns["set"], np.int16),
        sets=np.array(sets),
    )


def token_marks(statement: Statement, offsets: list[tuple[int, int]]) -> list[int]:
    """1 for a token inside an unsupported span, 0 for a supported one, UNKNOWN where nobody said."""
    if statement.label in (SUPPORTED, SILENT):
        return [0] * len(offsets)
    if statement.label == UNDECIDED or not statement.spans:
        return [UNKNOWN] * len(offsets)
    return [int(any(start < right and left < end for left, right in statement.spans)) for start, end in offsets]


class Ragged:
    def __init__(self, kind: type) -> None:
        self.kind, self.parts, self.ends = kind, [], [0]

    def __len__(self) -> int:
        return len(self.ends) - 1

    def add(self, values: list[int]) -> None:
        self.parts.append(np.array(values, self.kind))
        self.ends.append(self.ends[-1] + len(values))

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        joined = np.concatenate(self.parts) if self.parts else np.zeros(0, self.kind)
        return {f"{name}_data": joined, f"{name}_ends": np.array(self.ends, np.int64)}


if __name__ == "__main__":
    main()
