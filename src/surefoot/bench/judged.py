"""Questions whose answers are known, from a BEIR-layout folder or from a file of questions about a folder of pages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from surefoot.core.errors import InputError
from surefoot.core.plain import plain
from surefoot.core.types import Passage

ANSWER = "answer"
"""What every passage or page that answers a question is called: the same words on two pages are one find."""


def record_of(passage: Passage) -> str:
    return str(passage.metadata.get("record"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    id: str
    text: str
    relevant: Mapping[str, int]
    unit: Callable[[Passage], str] = record_of
    """What a found passage counts as; several passages of one unit count once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A line of a page, counted from one."""

    file: str
    line: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    id: str
    text: str
    answered_by: tuple[Place, ...]
    """Any of them will do."""


def read_queries(folder: Path, split: str | None = None, held_out: str | None = None) -> list[Query]:
    """Queries that have at least one relevant document in the split (default: test, else whatever is there)."""
    judged = _judgements(folder, split)
    queries = []
    for _, row in rows(folder / "queries.jsonl", ("_id", "text")):
        name = str(row["_id"])
        relevant = {doc: grade for doc, grade in judged.get(name, {}).items() if grade > 0}
        if relevant and (held_out is None or is_held_out(held_out, name)):
            queries.append(Query(id=name, text=str(row["text"]), relevant=relevant))
    if not queries:
        raise InputError(f"{str(folder)!r} has no judged query; check qrels/*.tsv against queries.jsonl")
    return queries


def is_held_out(dataset: str, query: str) -> bool:
    """The third of a dataset's queries that no model of ours was trained on, by hash."""
    return int(hashlib.sha256(f"{dataset}-{query}".encode()).hexdigest(), 16) % 3 == 0


def read_questions(file: Path) -> list[Question]:
    """Rows `{"id", "question", "answered_by": ["page.md:57", …]}`: the pages and lines at which the answer stands."""
    questions = []
    for number, row in rows(file, ("id", "question", "answered_by")):
        places = row["answered_by"]
        if not isinstance(places, list) or not places:
            raise InputError(f"{str(file)!r} line {number}: 'answered_by' must be a list such as [\"page.md:57\"]")
        answered_by = tuple(_place(str(place), file, number) for place in places)
        questions.append(Question(id=str(row["id"]), text=str(row["question"]), answered_by=answered_by))
    if not questions:
        raise InputError(f"{str(file)!r} has no question; write one JSON object a line")
    return questions


def by_page(questions: Sequence[Question]) -> list[Query]:
    """A question is answered by any passage of its pages."""

    def unit(pages: frozenset[str]) -> Callable[[Passage], str]:
        return lambda passage: ANSWER if _file(passage) in pages else _file(passage)

    return [_query(question, unit(frozenset(place.file for place in question.answered_by))) for question in questions]


def by_passage(questions: Sequence[Question], folder: Path) -> list[Query]:
    """A question is answered only by a passage that holds one of its lines."""
    starts: dict[str, list[int]] = {}
    for place in (place for question in questions for place in question.answered_by):
        if place.file not in starts:
            starts[place.file] = list(_line_starts(folder / place.file))
        if not 1 <= place.line <= len(starts[place.file]):
            raise InputError(f"{place.file!r} has no line {place.line}; the questions are about another version of it")

    def unit(spots: Sequence[tuple[str, int]]) -> Callable[[Passage], str]:
        return lambda passage: ANSWER if any(_holds(passage, *spot) for spot in spots) else passage.id

    return [
        _query(question, unit([(place.file, starts[place.file][place.line - 1]) for place in question.answered_by]))
        for question in questions
    ]


def _query(question: Question, unit: Callable[[Passage], str]) -> Query:
    return Query(id=question.id, text=question.text, relevant={ANSWER: 1}, unit=unit)


def _file(passage: Passage) -> str:
    return str(passage.metadata.get("file"))


def _holds(passage: Passage, file: str, offset: int) -> bool:
    start, end = passage.metadata.get("start"), passage.metadata.get("end")
    return _file(passage) == file and isinstance(start, int) and isinstance(end, int) and start <= offset < end


def _line_starts(page: Path) -> Iterator[int]:
    """Where the first character of each line that is not a space stands in what is read of the page: a passage is cut
    without leading blanks, and links are read as their words."""
    try:
        text = page.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{str(page)!r} cannot be read ({error}); the questions name it") from error
    at, seen = 0, plain(text)
    for line in text.split("\n"):
        yield seen.at(at + len(line) - len(line.lstrip()))
        at += len(line) + 1


def _place(text: str, file: Path, number: int) -> Place:
    name, _, line = text.rpartition(":")
    if not name or not line.isdecimal():
        raise InputError(f"{str(file)!r} line {number}: {text!r} is not a page and a line such as 'page.md:57'")
    return Place(file=name, line=int(line))


def _judgements(folder: Path, split: str | None) -> dict[str, dict[str, int]]:
    files = sorted((folder / "qrels").glob("*.tsv"))
    wanted = [file for file in files if file.stem == (split or "test")] or ([] if split else files)
    if not wanted:
        raise InputError(f"{str(folder / 'qrels')!r} has no {split or ''} .tsv file; a BEIR folder is needed")
    judged: dict[str, dict[str, int]] = {}
    for file in wanted:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()[1:], start=2):
            try:
                query, document, grade = line.split("\t")
                judged.setdefault(query, {})[document] = int(grade)
            except ValueError as error:
                raise InputError(f"{str(file)!r} line {number}: {line!r} is not query, document, grade") from error
    return judged


def rows(file: Path, keys: Sequence[str]) -> Iterator[tuple[int, dict[str, object]]]:
    """Each line's number and object, which has the keys."""
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{str(file)!r} cannot be read: {error}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{str(file)!r} line {number} is not JSON: {error}") from error
        missing = [key for key in keys if not isinstance(row, dict) or key not in row]
        if missing:
            raise InputError(f"{str(file)!r} line {number} lacks {', '.join(map(repr, missing))}")
        yield number, row
