"""One file to passages: read, cleaned, cut, and held to bounds. Runs in a child process, see isolation.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from surefoot.core.errors import InputError
from surefoot.core.invisible import INVISIBLE
from surefoot.core.types import Document, Json, Passage
from surefoot.ingest.chunking import INTERNAL, chunk
from surefoot.ingest.dating import dated
from surefoot.ingest.limits import Limits
from surefoot.ingest.reading import read


@dataclass(frozen=True, kw_only=True, slots=True)
class Cut:
    sha256: str
    """Of the file's bytes."""
    passages: tuple[Passage, ...]
    """None of them: no words in it."""


def cut(path: Path, source: str, limits: Limits, tags: Mapping[str, Json]) -> Cut:
    """The passages of a file; an InputError says, for the report, why there are none. Tags go on every one."""
    passages: dict[str, Passage] = {}
    documents = read(path, source, limits)
    for document in map(dated, documents):
        tagged = replace(document, metadata={**_shortened(document, limits), **tags})
        for passage in chunk(tagged):
            passages[passage.id] = passage
        if len(passages) > limits.max_passages:
            raise InputError(f"more than {limits.max_passages:,} passages; split the file")
    return Cut(sha256=documents[0].sha256, passages=tuple(passages.values()))


def _shortened(document: Document, limits: Limits) -> dict[str, Json]:
    """Metadata goes on every passage of its document, so that what is long in it is long a thousand times."""
    metadata = dict(document.metadata)
    title = metadata.get("title")
    if isinstance(title, str):
        seen = " ".join(INVISIBLE.sub("", title).split())  # nothing that turns what a reader sees around
        metadata["title"] = seen if len(seen) <= limits.max_title else seen[: limits.max_title].rstrip() + "…"
    size = sum(len(key) + len(str(value)) for key, value in metadata.items() if key not in INTERNAL)
    if size > limits.max_metadata:
        raise InputError(
            f"{size:,} characters beside its text (front matter, columns, fields); at most {limits.max_metadata:,}"
        )
    return metadata
