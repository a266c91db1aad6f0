"""Parquet files: a table as CSV is one, each row a line that names its columns."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from surefoot.core.errors import InputError, MissingExtraError
from surefoot.core.hashing import sha256_bytes
from surefoot.core.types import Document
from surefoot.ingest.limits import Limits
from surefoot.ingest.readers.table import table, told

_ROWS = 1000
"""Unpacked at a time: a small file can hold one long text a million times."""
_PANDAS = "__index_level_"
"""How pandas names a column that only numbers the rows."""


def read(data: bytes, source: str, limits: Limits) -> list[Document]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet") from error
    try:
        file = parquet.ParquetFile(pyarrow.BufferReader(data))
        header = _header(file, limits)
        lines = list(_lines(file, limits))
    except (InputError, MemoryError):
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise InputError("a broken Parquet file") from error
    if not lines:
        raise InputError("a table without rows under its header")
    return [table(header, lines, source, sha256_bytes(data))]


def _header(file: Any, limits: Limits) -> list[str]:
    header = [name for _, name in _columns(file.schema_arrow)]
    if len(header) > limits.max_columns:
        raise InputError(f"{len(header):,} columns; at most {limits.max_columns:,} are read")
    if file.metadata.num_rows > limits.max_records:
        raise InputError(f"more than {limits.max_records:,} rows")
    return header


def _columns(schema: Any) -> list[tuple[int, str]]:
    """By place: two columns may have one name."""
    return [(at, str(name)) for at, name in enumerate(schema.names) if not str(name).startswith(_PANDAS)]


def _lines(file: Any, limits: Limits) -> Iterator[str]:
    """Rows and characters are counted on the way: what a file says of its own size can lie."""
    rows = size = 0
    for batch in file.iter_batches(batch_size=_ROWS, use_threads=False):
        columns = _columns(batch.schema)
        header = [name for _, name in columns]
        for row in zip(*(_texts(batch.column(at)) for at, _ in columns), strict=True):
            line = told(header, row)
            rows, size = rows + 1, size + len(line)
            if rows > limits.max_records:
                raise InputError(f"more than {limits.max_records:,} rows")
            if size > limits.max_characters:
                raise InputError(f"more than {limits.max_characters:,} characters of text")
            if line:
                yield line


def _texts(values: Any) -> list[str]:
    values = _in_microseconds(values)
    narrow = str(values.type) in ("float", "halffloat")  # 0.1 kept in 32 bits is not 0.10000000149011612 to a reader
    return [_cell(np.float32(value) if narrow and value is not None else value) for value in values.to_pylist()]


def _in_microseconds(values: Any) -> Any:
    """Times as Python has them; their zone is kept."""
    import pyarrow

    kind = str(values.type)
    if kind.startswith("timestamp[ns"):
        return values.cast(pyarrow.timestamp("us", tz=values.type.tz), safe=False)
    if kind in ("duration[ns]", "time64[ns]"):
        return values.cast(kind.replace("ns", "us"), safe=False)
    return values


def _cell(value: Any) -> str:
    """A value as a person would write it; nothing for what is missing or not text."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")  # some writers do not mark text as text
        except UnicodeDecodeError:
            return ""
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {said}" for key, item in value.items() if (said := _cell(item)))
    if isinstance(value, list | tuple):
        return ", ".join(filter(None, map(_cell, value)))
    return str(value)
