"""The corpus: what a dataset is made from, in a stable order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.core.errors import InputError
from surefoot.core.hashing import content_hash
from surefoot.core.text import sentences
from surefoot.core.types import Document


@dataclass(frozen=True, kw_only=True, slots=True)
class Corpus:
    title: str
    source: str
    """The folder's name with a slash, as the seed writes it: the same on every machine."""
    documents: tuple[Document, ...]

    @property
    def fingerprint(self) -> str:
        return content_hash([self.title, self.source, [[one.source, one.sha256] for one in self.documents]])


def make_corpus(documents: Sequence[Document], *, folder: str, title: str | None = None) -> Corpus:
    """Documents sorted by source; one without text has nothing to ask about and is left out."""
    kept = tuple(sorted((one for one in documents if one.text.strip()), key=lambda one: one.source))
    if not kept:
        raise InputError(f"corpus {folder!r} holds no readable document; put .txt or .md files there")
    name = folder.rstrip("/").rsplit("/", 1)[-1] or "corpus"
    words = re.sub(r"[_-]+", " ", name).strip().title()
    shown = title or (words if words.endswith("Corpus") else f"{words} Corpus")
    return Corpus(title=shown, source=f"{name}/", documents=kept)


def sample(documents: Sequence[Document], count: int) -> list[Document]:
    """So many documents, spread evenly over the whole."""
    if count >= len(documents):
        return list(documents)
    step = len(documents) / count
    return [documents[int(place * step)] for place in range(count)]


def title_of(document: Document) -> str:
    """What the reader said the title is, else the first heading, else the file's name in words."""
    given = document.metadata.get("title")
    if isinstance(given, str) and given.strip():
        return given.strip()
    for sentence in sentences(document.text[:4000]):
        if sentence.kind == "heading":
            return sentence.text.lstrip("# ").strip()
    stem = document.source.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return re.sub(r"[_-]+", " ", stem).strip().capitalize()


def licence_of(document: Document) -> str:
    for key in ("licence", "license"):
        given = document.metadata.get(key)
        if isinstance(given, str) and given.strip():
            return given.strip()
    return "not stated"


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_") or "dataset"
