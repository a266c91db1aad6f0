"""JSON and JSON lines: each record its own document, so that a citation names the record and not the file."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from surefoot.core.errors import InputError
from surefoot.core.hashing import sha256_bytes
from surefoot.core.tabled import told_cells
from surefoot.core.types import Document, Json
from surefoot.ingest.encoding import decode
from surefoot.ingest.limits import Limits
from surefoot.ingest.readers.table import in_words

TEXT_KEYS = ("text", "content", "body", "page_content", "chunk_text", "answer")
TITLE_KEYS = ("title", "name", "question", "heading")
ID_KEYS = ("_id", "id", "key")
_SHORT = 160
"""Characters of a value that stands in a row among the others."""
_SENTENCES = re.compile(r"[.!?][\"'”’)]*(?:\s|$)|; ")
"""What would end the row, or be taken for its next field."""


def read(data: bytes, source: str, limits: Limits) -> list[Document]:
    text, _ = decode(data)
    lines = source.lower().endswith((".jsonl", ".ndjson"))
    records = _lines(text, limits) if lines else _whole(text, limits)
    digest = sha256_bytes(data)
    found = [_document(record, number, source, digest) for number, record in enumerate(records, start=1)]
    return _tabled([document for document in found if document.text.strip()])


def _tabled(documents: list[Document]) -> list[Document]:
    """Records that are told by their fields know the table they are rows of: its columns and how many rows it has."""
    rows = {one.source: names for one in documents if (names := _names_of(one.text))}
    tables: dict[str, dict[str, None]] = {}
    for names in rows.values():
        tables.setdefault(names[0], {}).update(dict.fromkeys(names))
    counts = Counter(names[0] for names in rows.values())
    return [
        replace(
            one,
            metadata={**one.metadata, "columns": list(tables[first]), "rows": counts[first]},
        )
        if (first := rows.get(one.source, ("",))[0]) and counts[first] > 1
        else one
        for one in documents
    ]


def _names_of(text: str) -> tuple[str, ...]:
    """The names of the fields that stand in a row."""
    told = (told_cells(line)[0] for line in text.splitlines())
    return next((names for names in told if names), ())


def _lines(text: str, limits: Limits) -> list[Any]:
    records = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            records.append(_parse(line, f"line {number}"))
        if len(records) > limits.max_records:
            raise InputError(f"more than {limits.max_records:,} records")
    return records


def _whole(text: str, limits: Limits) -> list[Any]:
    """A list of records, or several lists under names with what stands beside them; else the file as one record."""
    content = _parse(text, "the file")
    records = [content]
    if isinstance(content, dict):
        lists = {key: value for key, value in content.items() if _is_list_of_records(value)}
        beside = {key: value for key, value in content.items() if key not in lists}
        if lists:
            named = [_under(key, record) if len(content) > 1 else record for key in lists for record in lists[key]]
            records = [*([beside] if beside else []), *named]
    elif _is_list_of_records(content):
        records = content
    if len(records) > limits.max_records:
        raise InputError(f"more than {limits.max_records:,} records")
    return records


def _under(name: str, record: dict[str, Any]) -> dict[str, Any]:
    """A record that says of which list it is: `Cancelled / Title: Swan Lake`."""
    if any(isinstance(record.get(key), str) and record[key].strip() for key in TEXT_KEYS):
        return record
    return {f"{name} / {key}" if at == 0 else key: value for at, (key, value) in enumerate(record.items())}


def _is_list_of_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _parse(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place} is not valid JSON") from error


def _document(record: Any, number: int, source: str, digest: str) -> Document:
    if not isinstance(record, dict):
        return Document(
            source=source, text=_flat(record, ""), sha256=digest, metadata={"type": "json", "title": _name(source)}
        )
    fields = {str(key): value for key, value in record.items()}
    text_key = next((key for key in TEXT_KEYS if isinstance(fields.get(key), str) and fields[key].strip()), None)
    title_key = next((key for key in TITLE_KEYS if isinstance(fields.get(key), str) and fields[key].strip()), None)
    id_key = next((key for key in ID_KEYS if isinstance(fields.get(key), str | int)), None)
    name = str(fields[id_key]) if id_key else str(number)
    metadata: dict[str, Json] = {"type": "json", "record": name}
    if text_key:
        metadata |= {key: _scalar(value) for key, value in fields.items() if key != text_key and _is_scalar(value)}
        text = fields[text_key]
    else:
        text = _flat(fields, str(fields[title_key]) if title_key else "")
    # records that are told by their fields are rows of one table, and called by it
    metadata["title"] = str(fields[title_key]) if title_key and text_key else _name(source)
    return Document(source=f"{source}#{name}", text=text, sha256=digest, metadata=metadata)


def _flat(value: Any, name: str) -> str:
    """Short values as one row, `Opens: 3 May; Adult price: £16.`; what says more stands below it, under the record's
    name."""
    row: list[str] = []
    paragraphs: list[str] = []
    for path, leaf in _leaves(value, ()):
        said = {True: "yes", False: "no"}[leaf] if isinstance(leaf, bool) else " ".join(str(leaf).split())
        if not said:
            continue
        told = f"{path}: {said}" if path else said
        (row if len(said) <= _SHORT and not _SENTENCES.search(said) else paragraphs).append(told)
    whole = ["; ".join(row) + "."] if row else []
    heading = [f"## {' '.join(name.split())}"] if name and paragraphs else []
    return "\n\n".join([*heading, *whole, *paragraphs])


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, in_words(str(key))))
    elif isinstance(value, list) and all(_is_scalar(item) for item in value):
        yield " / ".join(path), ", ".join(str(item) for item in value)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, path)
    elif value is not None:
        yield " / ".join(path), value


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float | bool) and len(str(value)) <= 1000


def _scalar(value: Any) -> Json:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _name(source: str) -> str:
    return source.rsplit("/", 1)[-1].rsplit(".", 1)[0].replace("_", " ").replace("-", " ")
