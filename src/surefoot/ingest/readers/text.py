"""Plain text, as it is; only headings are marked, so that they join no sentence and are known to what follows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from surefoot.core.hashing import sha256_bytes
from surefoot.core.text import heads, titled
from surefoot.core.types import Document, Json
from surefoot.ingest.chunking import BODY
from surefoot.ingest.encoding import decode
from surefoot.ingest.limits import Limits
from surefoot.ingest.readers.mail import of_mail
from surefoot.ingest.readers.underlined import marked


def read(data: bytes, source: str, limits: Limits) -> list[Document]:
    text, encoding = decode(data)
    begin, said = of_mail(text)
    metadata: dict[str, Json] = {"title": _title(text, source), "encoding": encoding, "type": "text", **said}
    if begin:
        metadata[BODY] = begin
    text = text[:begin] + _with_headings(marked(text[begin:]))
    return [Document(source=source, text=text, sha256=sha256_bytes(data), metadata=metadata)]


def _title(text: str, source: str) -> str:
    """The first line when it looks like a title: short, and without a full stop. A line in capitals may name the house
    that it is from; the line below goes with it where that is in capitals too, or underlined."""
    if found := _UNDER_A_NAME.match(text[:2000]):
        return f"{found['name']}: {found['title']}"
    first = next((line.strip() for line in text[:2000].splitlines() if line.strip()), "")
    if first and len(first) <= 100 and not first.endswith((".", ",", ";", ":")):
        return first
    return source.rsplit("/", 1)[-1].rsplit(".", 1)[0].replace("_", " ").replace("-", " ")


def _with_headings(text: str) -> str:
    """`Opening hours` over `The counter is open …` would be read as the beginning of that sentence, and the `1.` of
    `1. Children` as the first of the steps."""
    widest = max(map(len, text.splitlines()), default=0)
    blocks = _BETWEEN.split(text)
    lines = [one.strip().splitlines() for one in blocks]
    return "".join(
        f"## {one}" if _is_headed(lines[n], widest) or _is_heading(lines[n], lines[n + 1 :]) else one
        for n, one in enumerate(blocks)
    )


def _is_headed(lines: Sequence[str], widest: int) -> bool:
    """Whether the first line is short, ends no sentence and breaks none: the next word had room on it."""
    if len(lines) < 2:
        return False
    room = max(map(len, lines[1:])) if len(lines) > 2 else widest
    return lines[-1].rstrip().endswith(_ENDS) and heads(lines[0].rstrip(), lines[1].strip(), room)


def _is_heading(lines: Sequence[str], behind: Sequence[Sequence[str]]) -> bool:
    """Whether a line that stands alone is short, ends no sentence and has a paragraph or a list under it."""
    under = next((block for block in behind if block), None)
    if len(lines) != 1 or under is None or not is_title(lines[0].strip()):
        return False
    return _ITEM.match(under[0]) is not None or " ".join(under).rstrip().endswith(_ENDS)


def is_title(line: str) -> bool:
    """Whether a line that stands alone could be a heading, by itself."""
    return _HEADING.fullmatch(line) is not None and not _STATES.search(line)


_UNDER_A_NAME = re.compile(
    r"\s*(?P<name>[A-Z][^a-z\n]{1,60}[^a-z\s.,;:])[ \t\r]*\n"
    r"[ \t]*(?P<title>[A-Z](?:[^a-z\n]{1,60}[^a-z\s.,;:]|[^\n]{1,60}[^\s.,;:](?=[ \t\r]*\n([=~^-])\3{2,}\s*\n)))"
    r"[ \t\r]*\n"
)
_BETWEEN = re.compile(r"((?:\A|\n)\s*\n|\A\s+)")
"""Empty lines, kept by the split."""
_HEADING = titled()
_STATES = re.compile(
    r"(?i)^\s*(?!(?:what|how|why|who|when|where|which|about|if)\b).*(?:[£€$]|\b(?:is|are|was|were|may|must|can|cannot|"
    r"costs?|not|no|never|will|has|have|do|does|free|allowed|forbidden|until|pays?|gets?)\b)"
)
"""A line that says something itself, `Dogs are not allowed`, is no heading."""
_ITEM = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)])\s+\S")
_ENDS = (".", "!", "?", '."', ".)", ".”")
