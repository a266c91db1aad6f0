"""Stable hashes: the same value gives the same digest on every machine and in every run."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any


def sha256_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sha256_bytes(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces; the form every hash of a structure is taken of."""
    return json.dumps(plain(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def content_hash(value: Any) -> str:
    return sha256_text(canonical_json(value))


def request_key(request: Any) -> str:
    """The identity of a model request: everything that can change the reply, so not how long we would wait for it."""
    asked = plain(request)
    asked.pop("timeout_ms", None)
    return content_hash(asked)


def plain(value: Any) -> Any:
    """Frozen values, enums, mappings and tuples as plain JSON data."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is list or kind is tuple:  # what most of a result is made of, ahead of the slower questions
        return [item if type(item) in _PLAIN else plain(item) for item in value]
    if kind is dict:
        return {
            key if type(key) is str else str(key): item if type(item) in _PLAIN else plain(item)
            for key, item in value.items()
        }
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in _field_names(value.__class__)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(plain(item) for item in value)
    return value


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


_PLAIN = frozenset((str, int, float, bool, type(None)))
