"""PDF files: page by page, so that a citation can name the page, with headings and tables as Markdown."""

from __future__ import annotations

import re
from typing import Any

from surefoot.core.errors import InputError, MissingExtraError
from surefoot.core.hashing import sha256_bytes
from surefoot.core.types import Document, Json
from surefoot.ingest.chunking import PAGES
from surefoot.ingest.limits import Limits
from surefoot.ingest.readers.layout import Line, as_markdown, body_size, lines_of


def read(data: bytes, source: str, limits: Limits) -> list[Document]:
    try:
        import pypdfium2
    except ImportError as error:
        raise MissingExtraError("pypdfium2", "documents") from error
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise InputError(_reason(str(error))) from error
    try:
        if len(pdf) > limits.max_pages:
            raise InputError(f"{len(pdf)} pages; at most {limits.max_pages} are read")
        text, starts = _pages(pdf, limits)
        metadata: dict[str, Json] = {"type": "pdf", "page_count": len(starts), PAGES: list(starts)}
        metadata |= _properties(pdf, source, text)
    except pypdfium2.PdfiumError as error:
        raise InputError(_reason(str(error))) from error
    finally:
        pdf.close()
    if not text.strip():
        raise InputError("a PDF without text (a scan?); run text recognition on it first")
    return [Document(source=source, text=text, sha256=sha256_bytes(data), metadata=metadata)]


def _pages(pdf: Any, limits: Limits) -> tuple[str, list[int]]:
    lines: list[list[Line]] = []
    read = 0
    for page in pdf:
        lines.append(lines_of(page.get_textpage()))
        read += sum(len(line.text) for line in lines[-1])
        if read > limits.max_characters:
            raise InputError(f"more than {limits.max_characters:,} characters of text")
    body = body_size(line for page in lines for line in page)
    pieces: list[str] = []
    starts: list[int] = []
    size = 0
    for page in lines:
        piece = as_markdown(page, body).rstrip() + "\n\n"
        starts.append(size)
        pieces.append(piece)
        size += len(piece)
    return "".join(pieces), starts


def _properties(pdf: Any, source: str, text: str) -> dict[str, Json]:
    given = pdf.get_metadata_dict(skip_empty=True)
    heading = re.search(r"^# (.+)$", text[:2000], re.MULTILINE)
    named = heading.group(1) if heading else source.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    found: dict[str, Json] = {"title": given.get("Title") or named}
    if given.get("Author"):
        found["author"] = given["Author"]
    made = re.match(r"D:(\d{4})(\d{2})(\d{2})", given.get("ModDate") or given.get("CreationDate") or "")
    if made:
        found["date"] = "-".join(made.groups())
    return found


def _reason(error: str) -> str:
    if "password" in error.lower():
        return "an encrypted PDF; remove its password first"
    return "a broken PDF"
