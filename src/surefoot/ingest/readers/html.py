"""Web pages: the main text as Markdown, without menus and footers."""

from __future__ import annotations

from surefoot.core.errors import InputError, MissingExtraError
from surefoot.core.hashing import sha256_bytes
from surefoot.core.types import Document, Json
from surefoot.ingest.encoding import decode
from surefoot.ingest.limits import Limits


def read(data: bytes, source: str, limits: Limits) -> list[Document]:
    try:
        import trafilatura
    except ImportError as error:
        raise MissingExtraError("trafilatura", "documents") from error
    page, encoding = decode(data)
    main = trafilatura.bare_extraction(page, output_format="markdown", include_tables=True, with_metadata=True)
    text = trafilatura.extract(page, output_format="markdown", include_tables=True, include_formatting=True) or ""
    if len(text.strip()) < 40:
        text = trafilatura.html2txt(page) or ""
    if not text.strip():
        raise InputError("a web page without text")
    metadata: dict[str, Json] = {"type": "html", "encoding": encoding}
    for key in ("title", "date", "author", "url", "language"):
        value = getattr(main, key, None) if main is not None else None
        if value:
            metadata[key] = str(value)
    metadata.setdefault("title", source.rsplit("/", 1)[-1].rsplit(".", 1)[0])
    return [Document(source=source, text=text, sha256=sha256_bytes(data), metadata=metadata)]
