"""One file to documents: the table of formats, and the limits every one of them is held to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

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
    ".parquet": "surefoot.ingest.readers.parquet",
    ".json": "surefoot.ingest.readers.records",
    ".jsonl": "surefoot.ingest.readers.records",
    ".ndjson": "surefoot.ingest.readers.records",
}
"""Suffix to the module whose `read(data, source, limits)` knows it; imported when first met."""


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


def refuse_large(size: int, limits: Limits) -> None:
    if size > limits.max_bytes:
        raise InputError(f"larger than {limits.max_bytes:,} bytes")


def held(documents: list[Document], limits: Limits) -> list[Document]:
    """The documents, once they are known to be non-empty and within bounds."""
    size = sum(len(document.text) for document in documents)
    if size > limits.max_characters:
        raise InputError(f"{size:,} characters of text; at most {limits.max_characters:,} are read")
    kept = [cleaned(document) for document in documents if document.text.strip()]
    if not kept:
        raise InputError("no text in it")
    return kept


def cleaned(document: Document) -> Document:
    """Control characters become spaces, one for one so that offsets hold: a NUL in an answer breaks who stores it."""
    return replace(document, text=document.text.translate(_CONTROLS), metadata=_cleaned(document.metadata))


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return value.translate(_CONTROLS)
    if isinstance(value, Mapping):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, list | tuple) else value


def _bytes(path: Path, limits: Limits) -> bytes:
    """At most the limit plus one byte is read, whatever the file system says its size is."""
    with path.open("rb") as file:
        data = file.read(limits.max_bytes + 1)
    refuse_large(len(data), limits)
    if not data.strip():
        raise InputError("an empty file")
    return data


_CONTROLS = {code: " " for code in range(32) if chr(code) not in "\t\n\v\f\r"} | {0x7F: " "}
