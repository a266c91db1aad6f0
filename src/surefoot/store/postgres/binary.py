"""Rows as Postgres' binary COPY takes them: numbers as bytes, where text would cost more than all else of a write."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np

HEAD = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
TAIL = struct.pack(">h", -1)
TEXT, INTEGER = 25, 23
"""The types' numbers in the server's catalogue; they never change."""
EPOCH = date(2000, 1, 1)


def table(rows: Iterable[Sequence[bytes | None]]) -> bytes:
    """Everything one COPY … FROM STDIN (FORMAT binary) is sent."""
    return b"".join([HEAD, *(_row(fields) for fields in rows), TAIL])


def text(value: str) -> bytes:
    return value.encode()


def texts(values: Sequence[str]) -> bytes:
    return _array(TEXT, len(values), b"".join(_field(text(value)) for value in values))


def integers(values: Sequence[int]) -> bytes:
    each = np.full((len(values), 2), 4, dtype=">i4")  # its length in bytes, then the number
    each[:, 1] = values
    return _array(INTEGER, len(values), each.tobytes())


def day(value: date | None) -> bytes | None:
    return None if value is None else struct.pack(">i", (value - EPOCH).days)


def vector(values: Any) -> bytes:
    """pgvector's `vector`."""
    return struct.pack(">hh", len(values), 0) + np.asarray(values, dtype=">f4").tobytes()


def sparse(weights: Mapping[int, float], *, dimensions: int) -> bytes:
    """pgvector's `sparsevec`, whose numbers begin at 1 as text and at 0 here."""
    terms = np.asarray(sorted(weights), dtype=np.int64)
    values = np.asarray([weights[term] for term in terms.tolist()], dtype=">f4")
    return struct.pack(">iii", dimensions, len(terms), 0) + (terms - 1).astype(">i4").tobytes() + values.tobytes()


def _row(fields: Sequence[bytes | None]) -> bytes:
    return struct.pack(">h", len(fields)) + b"".join(map(_field, fields))


def _field(raw: bytes | None) -> bytes:
    return struct.pack(">i", -1) if raw is None else struct.pack(">i", len(raw)) + raw


def _array(kind: int, count: int, elements: bytes) -> bytes:
    if not count:
        return struct.pack(">iii", 0, 0, kind)
    return struct.pack(">iiiii", 1, 0, kind, count, 1) + elements
