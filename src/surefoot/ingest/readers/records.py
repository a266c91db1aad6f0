"""JSON and JSON lines: each record its own document, so that a citation names the record and not the file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from surefoot.core.errors import InputError
from surefoot.core.hashing import sha256_bytes
from surefoot.core.types import Document, Json
from surefoot.ingest.encoding import decode
from surefoot.ingest.limits import Limits

TEXT_KEYS = ("text", "content", "body", "page_content", "chunk_text", "answer")
TITLE_KEYS = ("title", "name", "question", "heading")
ID_KEYS = ("_id", "id", "key")


def read(data: bytes, source: str, limits: Limits) -> list[Document]:
    text, _ = decode(data)
    lines = source.lower().endswith((".jsonl", ".ndjson"))
    records = _lines(text, limits) if lines else _whole(text, limits)
    digest = sha256_bytes(data)
    found = [_document(record, number, source, digest) for number, record in enumerate(records, start=1)]
    return [document for document in found if document.text.strip()]


def _lines(text: str, limits: Limits) -> list[Any]:
    records = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            records.append(_parse(line, f"line {number}"))
        if len(records) > limits.max_records:
            raise InputError(f"more than {limits.max_records:,} records")
    return records


def _whole(text: str, limits: Limits) -> list[Any]:
    content = _parse(text, "the file")
    if isinstance(content, dict):
        lists = [value for value in content.values() if isinstance(value, list) and value]
        if len(content) == 1 and lists and all(isinstance(item, dict) for item in lists[0]):
            content = lists[0]
    if isinstance(content, list) and content and all(isinstance(item, dict) for item in content):
        if len(content) > limits.max_records:
            raise InputError(f"more than {limits.max_records:,} records")
        return content
    return [content]


def _parse(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place} is not valid JSON") from error


def _document(record: Any, number: int, source: str, digest: str) -> Document:
    if not isinstance(record, dict):
        return Document(
            source=source, text=_flat(record), sha256=digest, metadata={"type": "json", "title": _name(source)}
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
        text = _flat(fields)
    metadata["title"] = str(fields[title_key]) if title_key else f"{_name(source)} {name}"
    return Document(source=f"{source}#{name}", text=text, sha256=digest, metadata=metadata)


def _flat(value: Any) -> str:
    """Nested values as lines of `path: value`."""
    return "\n".join(f"{path}: {leaf}" if path else str(leaf) for path, leaf in _leaves(value, ()))


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, str(key)))
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
