"""Files the house hands out or reads whole: a pack's knowledge base, a corpus, the standalone re-verifier."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from surefoot.core.errors import InputError
from surefoot.core.types import (
    Document,
    Passage,
)
from surefoot.ingest.discovery import discover
from surefoot.ingest.limits import Limits as ReadLimits
from surefoot.ingest.reading import read
from surefoot.packs import loader
from surefoot.packs.schema import Pack
from surefoot.verify.prove import recheck


def builtin_documents(pack: str) -> Path:
    """The folder of a shipped pack's knowledge base."""
    return loader.BUILTIN / pack / "kb"


def read_corpus(corpus: Path) -> list[Document]:
    """The same files under the same names as ingestion has them; what it skips is skipped here."""
    limits = ReadLimits()
    documents: list[Document] = []
    for file in discover([corpus], limits).files:
        with suppress(InputError):
            documents += read(file.path, file.name, limits)
    return documents


def pack_texts(pack: Pack) -> list[Passage]:
    """A pack's own knowledge base as whole texts, for the judge's references."""
    folder = Path(pack.folder or "") / "kb"
    documents = read_corpus(folder) if pack.folder and folder.is_dir() else []
    return [Passage(id=document.source, text=_body(document), metadata=document.metadata) for document in documents]


def _body(document: Document) -> str:
    """The text without the front matter, whose keys nobody should read as a reference."""
    start = document.metadata.get("_body")
    return document.text[start:] if isinstance(start, int) else document.text


def recheck_script() -> Path:
    """The standalone re-verifier, as a file to run or to hand on."""
    return Path(recheck.__file__)


def recheck_result(result: object) -> list[str]:
    """What is wrong with a result and its certificate, by the standalone re-verifier; empty when it holds."""
    return recheck.problems_of(result)


def recheck_file(file: str) -> int:
    """Runs the standalone re-verifier on a file and returns its exit code."""
    return recheck.main([file])
