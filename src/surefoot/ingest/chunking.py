"""Documents to passages: cut by structure, with exact offsets and the heading path of each cut."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from surefoot.core.passages import passage_id
from surefoot.core.tabled import CUT_ROWS
from surefoot.core.types import Document, Json, Passage, Span

CHUNKER_VERSION = "7"
"""Raise it when cuts, or what is read of a file, change: every knowledge base is then cut again."""

CHARACTERS = (400, 900)
"""Sizes of a chunk: about what the embedder reads before it cuts off (256 tokens)."""

WINDOW = 8_000
"""The splitter's time grows with the square of a text without structure; it is fed windows of this size."""

BODY = "_body"
"""Document metadata: where the text begins, after front matter."""
PAGES = "_pages"
"""Document metadata: the offset at which each page begins."""
LINKS = "_links"
"""Document metadata: (offset, address) of each link; a passage lists the addresses that it leads to."""
INTERNAL = (BODY, PAGES, LINKS, "headings")
"""What is not copied to the passages."""
OURS = ("file", "start", "end", "page", "page_end", "external", "retrieved", CUT_ROWS)
"""What we say of a passage, and no document of itself: where it stands, and that it came from the open internet."""
MAX_SOURCE = 200
MAX_ROW = 4_000
"""Characters of a table's row that are looked at."""


def chunk(document: Document) -> list[Passage]:
    """Every passage satisfies `document.text[start:end] == passage.text`."""
    text = document.text
    given = document.metadata.get(BODY)
    body = given if isinstance(given, int) else 0
    headings = [heading for heading in _headings(text) if heading[0] >= body]
    starts = [at for at, _, _ in headings]
    pages, links = _page_starts(document), _links(document)
    shared = {key: value for key, value in document.metadata.items() if key not in (*INTERNAL, *OURS)}
    source = _named_source(shared.get("source"), document.source)
    passages = []
    for start, end in _cuts(text, body, starts):
        metadata: dict[str, Json] = {**shared, "source": source, "file": document.source}
        metadata |= {"start": start, "end": end}
        path = _path(headings[: bisect_right(starts, _after_headings(text, starts, start))])
        if path:
            metadata["headings"] = list(path)
        if leads := [url for at, url in links if start <= at <= end]:
            metadata["links"] = list(dict.fromkeys(leads))
        if pages:
            metadata["page"] = bisect_right(pages, start)
            metadata["page_end"] = bisect_right(pages, max(start, end - 1))
        if cut_rows := _cut_rows(text, start, end):
            metadata[CUT_ROWS] = list(cut_rows)
        cut = text[start:end]
        passages.append(Passage(id=passage_id(document.source, start, end, cut), text=cut, metadata=metadata))
    return passages


def _cut_rows(text: str, start: int, end: int) -> tuple[str, ...]:
    """The edges at which a table goes on in the passage before or behind."""
    before = _ROW_BEFORE.search(text, max(0, start - MAX_ROW), start) if text.startswith("|", start) else None
    last = text.rfind("\n", start, end) + 1 or start
    behind = _ROW_BEHIND.match(text, end) if text.startswith("|", last) else None
    return (*(("before",) if before else ()), *(("after",) if behind else ()))


def _named_source(claimed: Json, file: str) -> str:
    """Who a document says it is from, such as a department; never another file or address: readers would look there."""
    shown = unicodedata.normalize("NFKC", claimed).strip() if isinstance(claimed, str) else ""
    shown = "".join(char for char in shown if unicodedata.category(char) not in ("Cf", "Cc"))
    return file if not 0 < len(shown) <= MAX_SOURCE or _LIKE_A_PLACE.search(shown) else shown


def _cuts(text: str, begin: int, headings: Sequence[int]) -> Iterator[Span]:
    splitter = _splitter()
    for opening, closing in _sections(text, begin, headings):
        for start, end in _windows(text, opening, closing):
            for offset, piece in splitter.chunk_indices(text[start:end]):
                if any(char.isalnum() for char in piece) and not _BLOB.fullmatch(piece):
                    yield start + offset, start + offset + len(piece)


def _sections(text: str, begin: int, headings: Sequence[int]) -> Iterator[Span]:
    """From heading to heading: what a section says is found by its own words, not by those of its neighbours.

    A heading with nothing under it opens the section behind it.
    """
    for at in headings:
        if at > begin and _says_something(text[begin:at]):
            yield begin, at
            begin = at
    if begin < len(text):
        yield begin, len(text)


def _says_something(section: str) -> bool:
    lines = [line for line in section.splitlines() if line.strip()]
    return any(not _HEADING.match(line) and any(map(str.isalnum, line)) for line in lines) and len(lines) > 1


def _windows(text: str, begin: int, close: int) -> Iterator[Span]:
    """Stretches of at most WINDOW characters, ended at a heading, a blank line, a line or a space if there is one."""
    while begin < close:
        end = min(begin + WINDOW, close)
        if end < close:
            end = _boundary(text, begin, end)
        yield begin, end
        begin = end


def _boundary(text: str, begin: int, end: int) -> int:
    window = text[begin:end]
    least = WINDOW // 4
    for boundary in _BOUNDARIES:
        ends = [match.end() for match in boundary.finditer(window, least)]
        if ends:
            return begin + ends[-1]
    return end


def _headings(text: str) -> list[tuple[int, int, str]]:
    """Markdown headings as (offset, level, words), outside fenced code."""
    found = []
    fences = [match.start() for match in _FENCE.finditer(text)]
    for match in _HEADING.finditer(text):
        if bisect_right(fences, match.start()) % 2:
            continue
        if match.group(1):
            level, words = len(match.group(1)), match.group(2)
        else:
            level, words = (1 if match.group(4).startswith("=") else 2), match.group(3)
        words = words[:300].strip(" #*`_\t\r")
        if words:
            found.append((match.start(), level, words))
    return found


def _after_headings(text: str, starts: list[int], start: int) -> int:
    """Where the chunk's own words begin: headings that open it are part of its path."""
    first = bisect_right(starts, start)
    if not first or starts[first - 1] != start:
        return start
    for at in starts[first:]:
        line_end = text.find("\n", start)
        if line_end < 0 or text[line_end:at].strip():
            break
        start = at
    return start


def _path(headings: list[tuple[int, int, str]]) -> tuple[str, ...]:
    """The headings in force: walking back, each one of a higher rank than the last taken."""
    path: list[str] = []
    rank = 7
    for _, level, words in reversed(headings):
        if level < rank:
            path.insert(0, words)
            rank = level
        if rank == 1:
            break
    return tuple(path)


def _page_starts(document: Document) -> list[int]:
    pages = document.metadata.get(PAGES)
    starts = [at for at in pages if isinstance(at, int)] if isinstance(pages, list) else []
    return starts if all(a <= b for a, b in pairwise(starts)) else []


def _links(document: Document) -> list[tuple[int, str]]:
    given = document.metadata.get(LINKS)
    pairs = [pair for pair in given if isinstance(pair, list)] if isinstance(given, list) else []
    return [(at, url) for at, url in pairs if isinstance(at, int) and isinstance(url, str)]


@lru_cache(maxsize=1)
def _splitter() -> Any:
    from semantic_text_splitter import MarkdownSplitter

    return MarkdownSplitter(CHARACTERS)


_BOUNDARIES = [re.compile(pattern) for pattern in (r"\n(?=#{1,6}\s)", r"\n[ \t\r]*\n", r"\n", r"[.!?]\s", r"\s")]
_HEADING = re.compile(r"^(#{1,6})[ \t]+(\S.*)$|^(\S[^\n]{0,150})\n(={3,}|-{3,})[ \t\r]*$", re.MULTILINE)
_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_BLOB = re.compile(r"[^\s]{0,40}[A-Za-z0-9+/=_-]{300,}[^\s]{0,3}")
"""An encoded picture or key: no words, and nobody asks for it."""
_LIKE_A_PLACE = re.compile(
    r"\w:\S|^www\.|\S[/\\]|[/\\]\S|[\[\]<>]|^S?\d+$|\w[.。·]\w+[.。·]\w|(?-i:[a-z\d][.。·][a-z]{2})|^localhost\b|"
    r"\.\s?(?:txt|text|md|markdown|html?|pdf|docx?|csv|tsv|parquet|jsonl?|ndjson|xlsx?|pptx?|rtf|odt)\b",
    re.IGNORECASE,
)
"""An address, a path, a marker, or a name with a file's ending."""
_ROW_BEFORE = re.compile(r"(?:^|\n)\|[^\n]*\n[ \t]*\Z")
_ROW_BEHIND = re.compile(r"[ \t]*\n[ \t]*\||[^\n]+\|[ \t]*(?:\n|\Z)")
