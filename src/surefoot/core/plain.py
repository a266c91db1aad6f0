"""Markdown as a reader of the page sees it: links as words, no asterisks inside a sentence, no marks of quotation.

What gives a text its structure stays: headings, lists, tables, bold labels before a paragraph, code.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Plain:
    text: str
    links: tuple[tuple[int, str], ...]
    """Where in `text` a link's words end, and the address it leads to; only whole addresses."""
    _cuts: tuple[tuple[int, int], ...] = ()
    """From which offset of the given text on, and how many characters are gone up to there."""

    def at(self, offset: int) -> int:
        """Where a place of the given text stands in `text`."""
        before = bisect_right(self._cuts, (offset, len(self.text) + offset))
        return offset - self._cuts[before - 1][1] if before else offset


def plain(text: str) -> Plain:
    pieces: list[str] = []
    links: list[tuple[int, str]] = []
    cuts: list[tuple[int, int]] = []
    last = length = 0
    for match in _MARKED.finditer(text):
        if match["code"]:
            continue
        words = _words(match)
        pieces += [text[last : match.start()], words]
        length += match.start() - last + len(words)
        address = "".join((match["target"] or "").split()).strip("<>")
        if words and _WHOLE.match(address):
            links.append((length, address))
        last = match.end()
        cuts.append((last, last - length))
    pieces.append(text[last:])
    return Plain(text="".join(pieces), links=tuple(links), _cuts=tuple(cuts))


def _words(match: re.Match[str]) -> str:
    """What is left to see."""
    if match["words"] is not None:
        return _PICTURE.sub(r"\1", match["words"]).strip()
    if match["label"] is not None:
        return match["opens"] + match["label"]
    return match["said"] or match["strong"] or match["stressed"] or ""


_PICTURE = re.compile(r"!\[([^\[\]]{0,500})\]\([^()]{0,2000}\)")
_MARKED = re.compile(
    r"(?P<code>^(?P<fence>```|~~~).*?(?:^(?P=fence)|\Z)|`[^`\n]+`)"
    r"|(?<![\w\]])!?\[(?P<words>(?=[^\[\]]*[^\W\d_]|!\[)"
    r"(?:!\[[^\[\]]{0,500}\]\([^()]{0,2000}\)|\\.|[^\[\]\\]){0,1000})\]"
    r"\(\s{0,20}(?P<target><[^<>]{0,2000}>|(?:[^\s()\"']|\([^\s()]{0,500}\)|\n(?=\S)){0,2000})"
    r"(?:\s{1,20}(?:\"[^\"]{0,500}\"|'[^']{0,500}'))?\s{0,20}\)(?:[ \t]+(?=[.,;:!?)]))?"
    r"|!\[[^\w\[\]]{0,20}\]\([^()\s]{0,2000}\)"
    r"|^[ \t]{0,3}>(?:[ \t]?>){0,8}[ \t]?(?=[^\W\d]|[*_\"'“‘#\[-])"
    r"|^(?P<opens>[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+)\*\*(?P<label>[^\s*][^*\n]{0,80}?)\*\*(?=:?[ \t]*\S)"
    r"|^[ \t]{0,3}\*\*(?=(?:[^\s*]+ ){5})(?P<said>[^*\n]{1,400}[.!?])\*\*(?=[ \t]+\S)"
    r"|(?<=[\w,;:)’”] )(?:\*\*(?=[^\s*])(?P<strong>[^*\n]{1,200}?)(?<=[^\s*])\*\*"
    r"|(?P<mark>[*_])(?=[^\s*_])(?P<stressed>[^*_\n]{1,200}?)(?<=[^\s*_])(?P=mark))(?!\w)",
    re.DOTALL | re.MULTILINE,
)
"""In this order: code in fences or backticks; a link or a picture, its address perhaps wrapped or followed by a title,
with the space that some writers leave before the full stop (a footnote's number behind a figure is none: it would make
another figure); a picture without words; the mark of a quotation, which is none before a figure; a bold label that
opens an item; a bold sentence before others, longer than a label; words in bold or italics inside a sentence."""
_WHOLE = re.compile(r"https?://|mailto:", re.IGNORECASE)
