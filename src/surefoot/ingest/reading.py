"""One file to documents: the table of formats, and the limits every one of them is held to."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from surefoot.core.errors import InputError
from surefoot.core.types import Document
from surefoot.ingest.limits import Limits

Reader = Callable[[bytes, str, Limits], list[Document]]

READERS: dict[str, str] = {
    ".txt": "surefoot.ingest.readers.text",
    ".text": "surefoot.ingest.readers.text",
    ".md": "surefoot.ingest.readers.markdown",
    ".markdown": "surefoot.ingest.readers.markdown",
    ".html": "surefoot.ingest.readers.html",
    ".htm": "surefoot.ingest.readers.html",
    ".pdf": "surefoot.ingest.readers.pdf",
    ".docx": "surefoot.ingest.readers.docx",
    ".csv": "surefoot.ingest.readers.table",
    ".tsv": "surefoot.ingest.readers.table",
    ".json": "surefoot.ingest.readers.records",
    ".jsonl": "surefoot.ingest.readers.records",
    ".ndjson": "surefoot.ingest.readers.records",
}
"""Suffix to the module whose `read(data, source, limits)` knows it; imported when first met."""


ISOLATED = frozenset({".html", ".htm", ".pdf", ".docx"})
"""Formats whose parsers are large, old or written in C: they run in a child process."""


def read(path: Path, source: str, limits: Limits) -> list[Document]:
    """The documents of a file; an InputError says, for the report, why there are none."""
    refuse_unknown(path)
    data = _bytes(path, limits)
    reader: Reader = import_module(READERS[path.suffix.lower()]).read
    return held(reader(data, source, limits), limits)


def refuse_unknown(path: Path) -> None:
    suffix = path.suffix.lower()
    if suffix not in READERS:
        raise InputError(f"files of type {suffix!r} are not read" if suffix else "a file without a type")


def held(documents: list[Document], limits: Limits) -> list[Document]:
    """The documents, once they are known to be non-empty and within bounds."""
    size = sum(len(document.text) for document in documents)
    if size > limits.max_characters:
        raise InputError(f"{size:,} characters of text; at most {limits.max_characters:,} are read")
    kept = [document for document in documents if document.text.strip()]
    if not kept:
        raise InputError("no text in it")
    return kept


def _bytes(path: Path, limits: Limits) -> bytes:
    """At most the limit plus one byte is read, whatever the file system says its size is."""
    with path.open("rb") as file:
        data = file.read(limits.max_bytes + 1)
    if len(data) > limits.max_bytes:
        raise InputError(f"larger than {limits.max_bytes:,} bytes")
    if not data.strip():
        raise InputError("an empty file")
    return data
