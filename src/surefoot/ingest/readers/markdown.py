"""Markdown with optional YAML front matter; links are their words, else the text is the file's own."""

from __future__ import annotations

import datetime
import math
import re
from typing import Any

import yaml

from surefoot.core.errors import InputError
from surefoot.core.hashing import sha256_bytes
from surefoot.core.plain import plain
from surefoot.core.types import Document, Json
from surefoot.ingest.chunking import BODY, LINKS
from surefoot.ingest.encoding import decode
from surefoot.ingest.limits import Limits
from surefoot.ingest.readers.underlined import marked

_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#{1,2}[ \t]+(.+?)[ \t]*#*[ \t]*\r?$", re.MULTILINE)
_MAX_FRONT = 65_536


def read(data: bytes, source: str, limits: Limits) -> list[Document]:
    text, encoding = decode(data)
    front = _FRONT.match(text)
    body = front.end() if front else 0
    seen = plain(marked(text[body:]))
    text = text[:body] + seen.text
    metadata: dict[str, Json] = {"encoding": encoding, "type": "markdown"}
    if front:
        metadata |= front_matter(front.group(1))
        metadata[BODY] = body
    metadata[LINKS] = [[body + at, url] for at, url in seen.links]
    if not metadata.get("title"):
        heading = _HEADING.search(text, body)
        metadata["title"] = plain_heading(heading.group(1)) if heading else _from_name(source)
    return [Document(source=source, text=text, sha256=sha256_bytes(data), metadata=metadata)]


def front_matter(block: str) -> dict[str, Json]:
    """The keys of a front matter block. Anchors are refused: a few lines of them can unfold to gigabytes."""
    if len(block) > _MAX_FRONT:
        raise InputError(f"front matter of {len(block)} characters; keep it under {_MAX_FRONT}")
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(block, Loader=yaml.SafeLoader)):
            raise InputError("front matter with YAML aliases; write the values out")
        loaded = yaml.safe_load(block)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", 0) + 2
        raise InputError(f"front matter is not valid YAML near line {line}; fix it or remove it") from error
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise InputError("front matter is not a list of 'key: value' lines; fix it or remove it")
    return {str(key): as_json(value) for key, value in loaded.items()}


def as_json(value: Any) -> Json:
    """YAML's dates as ISO text; anything else JSON knows as it is."""
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [as_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def plain_heading(text: str) -> str:
    """A heading without its emphasis."""
    return text[:300].replace("*", "").replace("`", "").strip()


def _from_name(source: str) -> str:
    return source.rsplit("/", 1)[-1].rsplit(".", 1)[0].replace("_", " ").replace("-", " ")
