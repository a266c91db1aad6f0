"""How a passage lies in Qdrant: one point with a dense and a sparse vector. Shared by both adapters."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from surefoot.core.errors import StoreError
from surefoot.core.types import Json, Passage, SearchFilter

DENSE = "dense"
LEXICAL = "bm25"
LABELS = "labels"
"""Payload field that every filter looks at: metadata as `key=value` words under one index, whatever the keys are."""
DATE = "date"
UNLABELLED = ("start", "end", "body", "encoding")
LONGEST_LABEL = 200

_NAMESPACE = uuid.UUID("6f6d2f6b-0c43-5a3e-9a43-9d0a5f3f7f10")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def point_id(passage_id: str) -> str:
    """Qdrant wants a UUID; ours is made of the passage's own id."""
    return str(uuid.uuid5(_NAMESPACE, passage_id))


def payload_of(passage: Passage) -> dict[str, Json]:
    payload: dict[str, Json] = {"id": passage.id, "text": passage.text, "meta": dict(passage.metadata)}
    payload[LABELS] = list(dict.fromkeys(_labels(passage.metadata)))
    date = passage.metadata.get("date")
    if isinstance(date, str) and _ISO_DATE.match(date):
        payload[DATE] = date[:10]
    return payload


def passage_of(payload: Mapping[str, Any] | None) -> Passage:
    try:
        assert payload is not None
        return Passage(id=str(payload["id"]), text=str(payload["text"]), metadata=dict(payload["meta"]))
    except (AssertionError, KeyError, TypeError, ValueError) as error:
        raise StoreError("the store holds a point that Surefoot did not write; use a collection of its own") from error


def conditions(where: SearchFilter | None) -> list[dict[str, Any]]:
    """What must hold, in Qdrant's JSON: for each key one of its values, and the date within its bounds."""
    if where is None:
        return []
    must: list[dict[str, Any]] = []
    for key, values in where.equals.items():
        wanted = [label(key, value) for value in values]
        if key == "source":
            wanted += [label("file", value) for value in values]
        must.append({"key": LABELS, "match": {"any": wanted}})
    span = {bound: value for bound, value in (("gte", where.since), ("lte", where.until)) if value}
    if span:
        must.append({"key": DATE, "range": span})
    return must


def label(key: str, value: Json) -> str:
    """Truth values are written as JSON does; long values are cut on both sides of the comparison."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{key}={text}"[:LONGEST_LABEL]


def _labels(metadata: Mapping[str, Json]) -> Iterator[str]:
    for key, value in metadata.items():
        if key in UNLABELLED:
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str | int | float | bool):
                yield label(key, item)
