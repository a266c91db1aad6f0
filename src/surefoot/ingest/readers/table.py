"""Tables: each row becomes a line that names its columns, so that it can be read and cited alone."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from surefoot.core.errors import InputError
from surefoot.core.evidence import spell_key
from surefoot.core.hashing import sha256_bytes
from surefoot.core.types import Document, Json
from surefoot.ingest.encoding import decode
from surefoot.ingest.limits import Limits

_SAMPLE = 16_384
_CODED = re.compile(r"\w_\w|^[a-z]+[A-Z][a-z]")


def read(data: bytes, source: str, limits: Limits) -> list[Document]:
    text, encoding = decode(data)
    rows = _rows(text, source, limits)
    if len(rows) < 2:
        raise InputError("a table without rows under its header")
    header, *body = rows
    lines = [line for line in (told(header, row) for row in body) if line]
    return [table(header, lines, source, sha256_bytes(data), encoding=encoding)]


def table(header: Sequence[str], lines: Sequence[str], source: str, sha256: str, **said: Json) -> Document:
    """The document of a table's lines, whatever kind of file they came from."""
    metadata: dict[str, Json] = {
        "type": "table",
        **said,
        "title": source.rsplit("/", 1)[-1].rsplit(".", 1)[0].replace("_", " ").replace("-", " "),
        "columns": [in_words(cell) for cell in header if cell.strip()],
        "rows": len(lines),
    }
    return Document(source=source, text="\n\n".join(lines), sha256=sha256, metadata=metadata)


def told(header: Sequence[str], row: Sequence[str]) -> str:
    """A row as a sentence of `column: value`; nothing where it is empty."""
    cells = []
    for at, cell in enumerate(row):
        value = " ".join(cell.split())
        if value:
            name = in_words(header[at]) if at < len(header) else ""
            cells.append(f"{name}: {value}" if name else value)
    return "; ".join(cells) + "." if cells else ""


def in_words(name: str) -> str:
    """A column's name as a person would write it: `collection_day` and `collectionDay` are `Collection day`."""
    said = spell_key(name) if _CODED.search(name.strip()) else " ".join(name.split())
    return said[:1].upper() + said[1:]


def _rows(text: str, source: str, limits: Limits) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text, source)):
            if len(row) > limits.max_columns:
                raise InputError(f"{len(row):,} columns; at most {limits.max_columns:,} are read")
            if any(cell.strip() for cell in row):
                rows.append(row)
            if len(rows) > limits.max_records:
                raise InputError(f"more than {limits.max_records:,} rows")
    except csv.Error as error:
        raise InputError(f"a broken table: {error}") from error
    return rows


def _delimiter(text: str, source: str) -> str:
    if source.lower().endswith(".tsv"):
        return "\t"
    first = next((line for line in text[:_SAMPLE].splitlines() if line.strip()), "")
    return max(",;\t|", key=first.count)
