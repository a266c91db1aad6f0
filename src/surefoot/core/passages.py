"""What makes a passage findable: its stable id, and the text that both indexes see."""

from __future__ import annotations

from surefoot.core.hashing import sha256_text
from surefoot.core.types import Passage

INDEX_VERSION = "1"
"""Raise it when index_text changes: every knowledge base is then indexed again."""


def passage_id(source: str, start: int, end: int, text: str) -> str:
    """The same words at the same place of the same source have the same id, on every machine."""
    return sha256_text(f"{source}\n{start}\n{end}\n{sha256_text(text)}")[:16]


def document_of(passage: Passage) -> str:
    """The page or record that a passage is cut from; a passage that says nothing of it stands alone."""
    return str(passage.metadata.get("file") or passage.metadata.get("source") or passage.id)


def index_text(passage: Passage) -> str:
    """Title and heading path before the text: a paragraph alone often does not name what it speaks of."""
    title = str(passage.metadata.get("title") or "")
    headings = passage.metadata.get("headings")
    path = [str(heading) for heading in headings] if isinstance(headings, list) else []
    lead = [part for part in dict.fromkeys([title, *path]) if part and not passage.text.startswith(part)]
    return "\n".join([*lead, passage.text])
