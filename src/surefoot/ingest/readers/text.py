"""Plain text, as it is."""

from __future__ import annotations

from surefoot.core.hashing import sha256_bytes
from surefoot.core.types import Document
from surefoot.ingest.encoding import decode
from surefoot.ingest.limits import Limits


def read(data: bytes, source: str, limits: Limits) -> list[Document]:
    text, encoding = decode(data)
    metadata = {"title": _title(text, source), "encoding": encoding, "type": "text"}
    return [Document(source=source, text=text, sha256=sha256_bytes(data), metadata=metadata)]


def _title(text: str, source: str) -> str:
    """The first line when it looks like a title: short, and without a full stop."""
    first = next((line.strip() for line in text[:2000].splitlines() if line.strip()), "")
    if first and len(first) <= 100 and not first.endswith((".", ",", ";", ":")):
        return first
    return source.rsplit("/", 1)[-1].rsplit(".", 1)[0].replace("_", " ").replace("-", " ")
