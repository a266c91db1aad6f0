"""Word documents: headings, lists and tables as Markdown. The zip is weighed before it is opened."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence

from surefoot.core.errors import InputError, MissingExtraError
from surefoot.core.hashing import sha256_bytes
from surefoot.core.plain import plain
from surefoot.core.types import Document, Json
from surefoot.ingest.chunking import LINKS
from surefoot.ingest.limits import Limits
from surefoot.ingest.readers.text import is_title


def read(data: bytes, source: str, limits: Limits) -> list[Document]:
    weigh(data, limits)
    try:
        import mammoth
        from markdownify import markdownify
    except ImportError as error:
        raise MissingExtraError("mammoth", "documents") from error
    try:
        page = mammoth.convert_to_html(io.BytesIO(data)).value
        seen = plain(_headed(markdownify(page, heading_style="ATX", strip=["img"], table_infer_header=True)))
    except MemoryError:
        raise
    except Exception as error:
        raise InputError("a broken Word document") from error
    metadata: dict[str, Json] = {"type": "docx", "title": _title(seen.text, source)}
    metadata[LINKS] = [[at, url] for at, url in seen.links]
    return [Document(source=source, text=seen.text, sha256=sha256_bytes(data), metadata=metadata)]


def weigh(data: bytes, limits: Limits) -> None:
    """Unpacks every member into nothing, counting: sizes in a zip's own index can lie."""
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise InputError("an encrypted or pre-2007 Word document; save it as .docx without a password")
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if "word/document.xml" not in archive.namelist():
                raise InputError("not a Word document inside")
            for member in archive.infolist():
                with archive.open(member) as content:
                    while piece := content.read(1 << 20):
                        total += len(piece)
                        if total > limits.max_expanded_bytes:
                            raise InputError(f"unpacks to more than {limits.max_expanded_bytes:,} bytes")
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise InputError("a broken Word document") from error
    except (ValueError, IndexError) as error:
        raise InputError("a broken Word document") from error


def _headed(text: str) -> str:
    """A bold line over a paragraph or a list is a heading without a style, below the styled one before it."""
    level = 0
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if styled := _STYLED.match(line):
            level = len(styled.group())
        elif (bold := _BOLD.fullmatch(line)) and is_title(bold["line"]) and _UNDER.match(_next(lines, at)):
            lines[at] = f"{'#' * min(level + 1, 6)} {bold['line']}"
    return "\n".join(lines)


def _next(lines: Sequence[str], at: int) -> str:
    return next((line for line in lines[at + 1 :] if line.strip()), "")


def _title(text: str, source: str) -> str:
    first = next((line for line in text[:2000].splitlines() if line.strip()), "").strip(" #*")
    return first if 0 < len(first) <= 100 else source.rsplit("/", 1)[-1].rsplit(".", 1)[0]


_STYLED = re.compile(r"#{1,6}(?= )")
_BOLD = re.compile(r"\*\*(?P<line>[^*]+)\*\*\s*")
_UNDER = re.compile(r"(?:[*+-]|\d{1,2}\.)\s|(?![#|>]).*[.!?][\"”)]?\s*$")
"""An item of a list, or a line of sentences."""
