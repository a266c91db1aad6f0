"""The files of a dataset: FILE.jsonl by the seed's schema, FILE.audit.jsonl with everything else, the journal."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from surefoot.core.errors import InputError
from surefoot.core.types import Json
from surefoot.dataset.build import Built
from surefoot.dataset.corpus import licence_of, title_of
from surefoot.dataset.pair import Failure, Pair, pair_from_json, pair_to_json
from surefoot.dataset.schema import to_line
from surefoot.dataset.session import cited_sources, conversation_id, session_line


@dataclass(frozen=True, kw_only=True, slots=True)
class Paths:
    out: Path

    @property
    def audit(self) -> Path:
        return self.out.with_name(f"{_stem(self.out)}.audit.jsonl")

    @property
    def journal(self) -> Path:
        return self.out.with_name(f"{_stem(self.out)}.journal.sqlite")

    @property
    def knowledge(self) -> Path:
        return self.out.with_name(f"{_stem(self.out)}.kb")


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One pair with its place in the dataset."""

    name: str
    conversation: str
    aspect: str
    pair: Pair
    sources: tuple[str, ...]
    review: Mapping[str, Json] | None = None

    @property
    def kept(self) -> bool:
        """Accepted by the loop and not rejected or corrected by a person; a correction was never verified.

        A person's yes cannot lift what the gate refused.
        """
        return self.pair.accepted and (self.review is None or self.review.get("verdict") == "accept")


@dataclass(frozen=True, kw_only=True, slots=True)
class Audit:
    build: Mapping[str, Json]
    rows: tuple[Row, ...]
    failures: tuple[Mapping[str, Json], ...]
    reviews: Mapping[str, Mapping[str, Json]]


def write_dataset(paths: Paths, built: Built, about: Mapping[str, Json]) -> None:
    """Both files, each whole or not at all; what people have noted in the audit stays."""
    lines = [to_line(session_line(built.corpus, session)) for session in built.sessions if session.pairs]
    reviews = read_reviews(paths)
    _replace(paths.out, lines)
    records = [_build_record(built, about), *_pair_records(built), *_failure_records(built), *reviews.values()]
    _replace(paths.audit, [json.dumps(record, ensure_ascii=False) for record in records])


def read_audit(paths: Paths) -> Audit:
    records = list(_records(paths.audit))
    build = next((one for one in records if one.get("kind") == "build"), None)
    if build is None:
        raise InputError(f"no audit {str(paths.audit)!r} for {str(paths.out)!r}; build the dataset first")
    reviews = {str(one["row"]): one for one in records if one.get("kind") == "review"}
    rows = tuple(_row(one, reviews) for one in records if one.get("kind") == "pair")
    failures = tuple(one for one in records if one.get("kind") == "failure")
    return Audit(build=build, rows=rows, failures=failures, reviews=reviews)


def add_review(paths: Paths, row: str, verdict: str, note: str) -> Mapping[str, Json]:
    """A person's word on a row, appended to the audit; the last one counts."""
    if verdict not in ("accept", "reject"):
        raise InputError(f"review verdict {verdict!r} is not known; give accept or reject")
    if row not in {one.name for one in read_audit(paths).rows}:
        raise InputError(f"dataset {str(paths.out)!r} has no row {row!r}; rows are named session.question, as in 1.2")
    record: dict[str, Json] = {"kind": "review", "row": row, "verdict": verdict, "note": note}
    with paths.audit.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record, ensure_ascii=False) + "\n")
    return record


def read_reviews(paths: Paths) -> dict[str, Mapping[str, Json]]:
    if not paths.audit.is_file():
        return {}
    return {str(one["row"]): one for one in _records(paths.audit) if one.get("kind") == "review"}


def find_row(audit: Audit, name: str) -> Row:
    for row in audit.rows:
        if name in (row.name, f"{row.conversation}.{row.pair.question.number}"):
            return row
    known = ", ".join(row.name for row in audit.rows[:6])
    raise InputError(f"there is no row {name!r}; rows are named session.question, such as {known}")


def _build_record(built: Built, about: Mapping[str, Json]) -> dict[str, Json]:
    documents: list[Json] = [
        {"source": one.source, "title": title_of(one), "sha256": one.sha256, "licence": licence_of(one)}
        for one in built.corpus.documents
    ]
    used = {source for pair in built.pairs if pair.accepted for source in cited_sources(pair)}
    touched = {str(one.metadata.get("source")) for pair in built.pairs for one in pair.passages}
    types = Counter(pair.question.type.value for pair in built.pairs)
    accepted = Counter(pair.question.type.value for pair in built.pairs if pair.accepted)
    reasons = Counter(code for pair in built.pairs for code in pair.final_critique.codes)
    return {
        "kind": "build",
        "title": built.corpus.title,
        "corpus": built.corpus.source,
        "fingerprint": built.corpus.fingerprint,
        "ended": built.ended,
        "pairs": len(built.pairs),
        "accepted": built.accepted,
        "failed": len(built.failures),
        "duplicates_dropped": built.duplicates,
        "by_type": {kind: {"pairs": types[kind], "accepted": accepted[kind]} for kind in sorted(types)},
        "reject_reasons": dict(sorted(reasons.items())),
        "coverage": {
            "documents": len(documents),
            "retrieved": len(touched & {one.source for one in built.corpus.documents}),
            "cited": len(used & {one.source for one in built.corpus.documents}),
        },
        **about,
        "documents": documents,
    }


def _pair_records(built: Built) -> Iterable[dict[str, Json]]:
    for session in built.sessions:
        for pair in session.pairs:
            yield {
                "kind": "pair",
                "row": pair.question.row,
                "conversation_id": conversation_id(built.corpus, session.number),
                "aspect": session.aspect.text,
                "accepted": pair.accepted,
                "sources": list(cited_sources(pair)),
                "pair": pair_to_json(pair),
            }


def _failure_records(built: Built) -> Iterable[dict[str, Json]]:
    for failure in built.failures:
        yield _failure_record(failure)


def _failure_record(failure: Failure) -> dict[str, Json]:
    return {
        "kind": "failure",
        "row": failure.question.row,
        "question": failure.question.text,
        "step": failure.step,
        "code": failure.code,
        "problem": failure.problem,
    }


def _row(record: Mapping[str, Json], reviews: Mapping[str, Mapping[str, Json]]) -> Row:
    pair, sources = record["pair"], record["sources"]
    assert isinstance(pair, dict)
    assert isinstance(sources, list)
    return Row(
        name=str(record["row"]),
        conversation=str(record["conversation_id"]),
        aspect=str(record["aspect"]),
        pair=pair_from_json(pair),
        sources=tuple(str(one) for one in sources),
        review=reviews.get(str(record["row"])),
    )


def _records(file: Path) -> Iterable[dict[str, Json]]:
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise InputError(f"there is no audit {str(file)!r}; build the dataset first") from None
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise InputError(f"{file}:{number}: not JSON ({error}); rebuild the dataset") from error


def _replace(file: Path, lines: Iterable[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    half = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    half.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    half.replace(file)


def _stem(out: Path) -> str:
    return out.name.removesuffix(".jsonl")
