"""Frozen values back from plain JSON data: the way back of `hashing.plain`. Strict: a wrong shape is an error."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


class ShapeError(ValueError):
    """The data are not the plain form of the wanted value."""


def revive(kind: type[T], data: object) -> T:
    """The value of that class whose plain form the data are."""
    value: T = _build(kind, data)
    return value


def _build(kind: Any, data: object) -> Any:
    if kind is Any or kind is object or isinstance(kind, str):
        return data
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _union(kind, data)
    if origin is tuple:
        return _tuple(kind, data)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(data, dict):
            raise ShapeError(f"expected an object, not {type(data).__name__}")
        return dict(data)
    if dataclasses.is_dataclass(kind):
        return _value(kind, data)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(data)
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if isinstance(kind, type) and (not isinstance(data, kind) or (isinstance(data, bool) and kind is not bool)):
        raise ShapeError(f"expected {kind.__name__}, not {type(data).__name__}")
    return data


def _union(kind: Any, data: object) -> Any:
    choices = get_args(kind)
    if data is None and type(None) in choices:
        return None
    for choice in choices:
        if choice is type(None):
            continue
        try:
            return _build(choice, data)
        except (ShapeError, ValueError):
            continue
    raise ShapeError(f"{type(data).__name__} fits none of {kind}")


def _tuple(kind: Any, data: object) -> Any:
    if not isinstance(data, list | tuple):
        raise ShapeError(f"expected a list, not {type(data).__name__}")
    inner = get_args(kind)
    if len(inner) == 2 and inner[1] is Ellipsis:
        return tuple(_build(inner[0], item) for item in data)
    if len(inner) != len(data):
        raise ShapeError(f"expected {len(inner)} items, not {len(data)}")
    return tuple(_build(item_kind, item) for item_kind, item in zip(inner, data, strict=True))


def _value(kind: Any, data: object) -> Any:
    hints = _hints(kind)
    if not isinstance(data, dict) or not set(data) <= set(hints):
        raise ShapeError(f"these are not the fields of {kind.__name__}")
    try:
        return kind(**{name: _build(hints[name], item) for name, item in data.items()})
    except TypeError as error:
        raise ShapeError(f"{kind.__name__}: {error}") from error


@cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}
