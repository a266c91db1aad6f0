"""Web pages: the main text as Markdown, without menus and footers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from surefoot.core.day import day_of
from surefoot.core.errors import InputError, MissingExtraError
from surefoot.core.hashing import sha256_bytes
from surefoot.core.plain import plain
from surefoot.core.text import squash
from surefoot.core.types import Document, Json
from surefoot.ingest.encoding import decode
from surefoot.ingest.limits import Limits
from surefoot.ingest.readers.terms import with_terms


def read(data: bytes, source: str, limits: Limits) -> list[Document]:
    try:
        import trafilatura
    except ImportError as error:
        raise MissingExtraError("trafilatura", "documents") from error
    page, encoding = decode(data)
    main = trafilatura.bare_extraction(page, output_format="markdown", include_tables=True, with_metadata=True)
    text = plain(_main_text(with_terms(page))).text
    if len(text.strip()) < 40:
        text = trafilatura.html2txt(page) or ""
    if not text.strip():
        raise InputError("a web page without text")
    metadata: dict[str, Json] = {"type": "html", "encoding": encoding}
    for key in ("title", "author", "url", "language"):
        value = getattr(main, key, None) if main is not None else None
        if value:
            metadata[key] = str(value)
    if day := day_of(page):
        metadata["date"] = day
    metadata.setdefault("title", source.rsplit("/", 1)[-1].rsplit(".", 1)[0])
    return [Document(source=source, text=text, sha256=sha256_bytes(data), metadata=metadata)]


def _main_text(page: str) -> str:
    """The main text; where its headings and list items got lost, all of what the page marks as its main part, or of the
    body where it marks none.

    Of a short page, and of one without `main`, `article` or the like, only bare paragraphs are taken for text: the
    steps vanish and the warnings stand under no heading.
    """
    from trafilatura.utils import load_html

    text, tree = _extracted(page), load_html(page)
    main = _main_part(tree) if tree is not None else None
    if main is None:
        return text
    parts = [squash(part.text_content()) for part in main.xpath(_STRUCTURE)]
    if _held(parts, text) >= _MOST * len(parts):
        return text
    whole = _whole(main)
    return whole if _held(parts, whole) > _held(parts, text) else text


def _main_part(tree: Any) -> Any:
    """None where there are several: which of them is the page, others know better."""
    marked = tree.xpath("//main | //*[@role='main']") or tree.xpath("//article") or tree.xpath("//body")
    return marked[0] if len(marked) == 1 else None


def _whole(main: Any) -> str:
    """A part of the page as Markdown, without menus, footers and what nobody sees."""
    from lxml.etree import strip_elements, tostring
    from markdownify import markdownify

    strip_elements(main, *_UNREAD, with_tail=False)
    for menu in [*main.xpath(_NAMED_MENUS), *main.xpath(_MENUS)]:
        menu.drop_tree()
    page = tostring(main, encoding="unicode", method="html", with_tail=False)
    try:
        return str(markdownify(page, heading_style="ATX", strip=["a", "img"], table_infer_header=True)).strip()
    except RecursionError:  # nested a thousand deep: what was extracted has to do
        return ""


def _extracted(page: Any) -> str:
    import trafilatura

    return trafilatura.extract(page, output_format="markdown", include_tables=True, include_formatting=True) or ""


def _held(parts: Sequence[str], text: str) -> int:
    """How many of them are headings or list items of the text."""
    lines = [match.group(1).translate(_EMPHASIS) for match in _MARKED_LINE.finditer(text)]
    said = frozenset(map(squash, lines))
    return sum(part in said for part in parts)


_MARKED_LINE = re.compile(r"^\s*(?:#{1,6}|[-*+]|\d+[.)])\s+(.+)$", re.MULTILINE)
_EMPHASIS = str.maketrans("", "", "*_`")
_STRUCTURE = (
    ".//*[self::h1 or self::h2 or self::h3 or self::h4 or self::li][normalize-space()]"
    "[not(ancestor::nav or ancestor::header or ancestor::footer or ancestor::aside or ancestor::form)]"
    "[not(self::li and count(*) = 1 and a and normalize-space() = normalize-space(a))]"
)
"""Headings and list items outside menus; an item that is a link alone is one of a menu."""
_MOST = 0.5
_UNREAD = ("nav", "header", "footer", "aside", "form", "script", "style", "noscript", "template", "button", "svg")
_MENUS = ".//ul[li][not(li[not(count(*) = 1 and a and normalize-space() = normalize-space(a))])]"
_NAMED = " or ".join(
    f"contains(concat(' ', @class, ' ', @id, ' ', @role, ' '), ' {name} ')"
    for name in "menu nav navbar navigation".split()
)
_NAMED_MENUS = f".//*[self::div or self::ul][{_NAMED}][following::h1][not(preceding::h1)][not(.//h1 or .//p)]"
"""Above the heading of the page: below it a menu may be what the kitchen serves."""
