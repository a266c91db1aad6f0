"""Texts as safe HTML: sentences by what they rest on, passages with their quote marked, drafts as differences.

Every colour comes with a sign and a word; everything a person or a source wrote is escaped.
"""

from __future__ import annotations

import difflib
import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from surefoot.ui import words

STYLE = f"<style>{(Path(__file__).parent / 'page.css').read_text(encoding='utf-8')}</style>"


@dataclass(frozen=True, kw_only=True)
class Quote:
    """A place in a source that a sentence rests on."""

    label: str
    """Its number and document, as a person sees it."""
    text: str
    """The passage."""
    span: tuple[int, int]
    file: str = ""
    passage: str = ""

    @property
    def address(self) -> str:
        """Of the document at this place; empty where the passage came from no document of the knowledge base."""
        if not self.file:
            return ""
        return "document?" + urlencode(
            {"name": self.file, "passage": self.passage, "from": self.span[0], "to": self.span[1]}
        )


def literal(text: object) -> str:
    """Words of a person or a source for a place that reads Markdown: shown as they are, no link, picture or colour."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", " ".join(str(text).split()))


def decision(name: str, reason: str | None) -> str:
    sign, title, meaning, kind = words.DECISIONS.get(name, ("?", name, "", "sf-plain"))
    said = words.of_code(reason)
    code = html.escape(reason or name, quote=True)
    why = f" {html.escape(said)}" if said and said != meaning else ""
    return (
        f'<div class="sf-decision {kind}" role="status" title="{code}"><b>{sign} {html.escape(title)}</b>'
        f"<div>{html.escape(meaning)}{why}</div></div>"
    )


def legend(kinds: Iterable[str] = ("quote", "derived", "proven", "supported", "critic", "nothing")) -> str:
    items = (words.RESTS_ON[kind] for kind in kinds)
    shown = "".join(
        f'<li class="{kind}"><span class="sf-verdict">{sign} {name}</span> {html.escape(meaning)}</li>'
        for sign, name, meaning, kind in items
    )
    return f'<ul class="sf-legend" aria-label="What the colours mean">{shown}</ul>'


def claim(text: str, rests_on: str | None, quotes: Sequence[Quote] = (), risk: float | None = None) -> str:
    """One sentence in the colour, sign and word of what it rests on; hover and tap show the source sentence. The rule
    under a table's names is no sentence."""
    if is_rule(text):
        return ""
    sign, word, meaning, kind = words.RESTS_ON.get(rests_on or "nothing", words.RESTS_ON["nothing"])
    if risk and rests_on == "supported":
        meaning += f"; chance of being wrong {risk:.0%}"
    verdict = f'<span class="sf-verdict" title="{html.escape(meaning)}">{sign} {word}</span>'
    if not quotes:
        return f'<div class="sf-claim {kind}">{_shaped(text)} {verdict}</div>'
    tip = f'<span class="sf-tip" aria-hidden="true">{_context(quotes[0])}</span>'
    opened = "".join(_opened(quote) for quote in quotes)
    return (
        f'<details class="sf-claim {kind}"><summary>{_shaped(text)} {verdict}{tip}</summary>'
        f'<div class="sf-peek">{opened}</div></details>'
    )


def is_rule(text: str) -> bool:
    return text.lstrip().startswith("|") and not any(map(str.isalnum, text))


def draft(text: str, claims: Sequence[Mapping[str, Any]]) -> str:
    """A draft with each claim in the colour of what was found out about it; its own order, nothing left out."""
    pieces, last = [], 0
    for one in sorted(claims, key=lambda one: int(one["span"][0])):
        start, end = int(one["span"][0]), int(one["span"][1])
        if start < last:
            continue
        found = words.RESTS_ON.get(one.get("rests_on") or "") or words.STATUSES.get(str(one.get("status")))
        sign, word, meaning, kind = found or words.RESTS_ON["nothing"]
        title = html.escape(words.of_code(one.get("issue")) or meaning, quote=True)
        pieces.append(html.escape(text[last:start]))
        pieces.append(
            f'<span class="sf-inline {kind}" title="{title}">{html.escape(text[start:end])}'
            f' <span class="sf-verdict">{sign} {word}</span></span>'
        )
        last = end
    return f'<div class="sf-diff">{"".join(pieces)}{html.escape(text[last:])}</div>'


def passage(text: str, span: tuple[int, int] | None) -> str:
    """A source passage with the quote marked."""
    return marked(text, [] if span is None else [span])


def marked(text: str, spans: Sequence[tuple[int, int]], place: str = "") -> str:
    """A text with these parts of it marked; they follow each other and do not overlap."""
    pieces, last = [], 0
    for start, end in spans:
        pieces.append(f"{_prose(text[last:start])}<mark>{html.escape(text[start:end])}</mark>")
        last = end
    name = f' id="{place}"' if place else ""
    shown = f"{''.join(pieces)}{_prose(text[last:])}"
    return f'<div class="sf-passage"{name} tabindex="0" role="region" aria-label="Source passage">{shown}</div>'


def difference(before: str, after: str) -> str:
    """Word by word: struck out what went, underlined what came."""
    old, new = re.findall(r"\s+|[^\s]+", before), re.findall(r"\s+|[^\s]+", after)
    pieces = []
    for tag, a, b, c, d in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        gone, come = html.escape("".join(old[a:b])), html.escape("".join(new[c:d]))
        if tag == "equal":
            pieces.append(gone)
            continue
        pieces.append((f"<del>{gone}</del>" if gone else "") + (f"<ins>{come}</ins>" if come else ""))
    return f'<div class="sf-diff">{"".join(pieces)}</div>'


def changes(found: Sequence[Mapping[str, Any]]) -> str:
    """What was changed or cut, one under the other, each with its reason."""
    items = []
    for one in found:
        before, after = str(one.get("before") or ""), str(one.get("after") or "")
        code = str(one.get("code") or "")
        reason = str(one.get("reason") or code)
        said = words.of_code(reason) if re.fullmatch(r"[a-z_]+(?::[\w-]+)?", reason) else reason
        what = "Cut" if before and not after else "Added" if after and not before else "Changed"
        items.append(
            f'<li><b>{what}</b> <span class="sf-why" title="{html.escape(code or reason, quote=True)}">'
            f"{html.escape(said)}</span>{difference(before, after)}</li>"
        )
    return f'<ul class="sf-changes">{"".join(items)}</ul>'


def issues(found: Sequence[Mapping[str, Any]]) -> str:
    """Every finding in plain words, with the code on hover."""
    rows = []
    for one in found:
        said, detail = words.of_code(str(one["code"])), str(one["problem"])
        problem = f'<span title="{html.escape(str(one["code"]), quote=True)}">{html.escape(said)}</span>'
        more = f'<div class="sf-why">{html.escape(detail)}</div>' if detail.rstrip(".") not in said else ""
        rows.append(
            [
                html.escape(words.SEVERITIES.get(str(one["severity"]), str(one["severity"]))),
                problem + more,
                html.escape(str(one["location"])),
                html.escape(str(one.get("correction") or "")),
            ]
        )
    return table_of(["how bad", "what", "where", "correction"], rows)


def table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    return table_of(heads, [[html.escape("" if cell is None else str(cell)) for cell in row] for row in rows])


def table_of(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose cells are HTML already."""
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in heads)
    body = "".join(
        "<tr>"
        + "".join(f'<td data-head="{html.escape(name)}">{cell}</td>' for name, cell in zip(heads, row, strict=True))
        + "</tr>"
        for row in rows
    )
    return f'<table class="sf-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _opened(quote: Quote) -> str:
    link = (
        f' <a href="{html.escape(quote.address, quote=True)}" target="_blank" rel="noopener">Open the document here</a>'
        if quote.address
        else ""
    )
    return f'<div class="sf-where">{html.escape(quote.label)}{link}</div>{passage(quote.text, quote.span)}'


def _context(quote: Quote, around: int = 90) -> str:
    """The quote with a few words of its passage on either side."""
    start, end = quote.span
    left, right = quote.text[max(0, start - around) : start], quote.text[end : end + around]
    before = ("…" if start > around else "") + (left.split(" ", 1)[-1] if start > around else left)
    after = (right.rsplit(" ", 1)[0] + "…") if len(quote.text) > end + around else right
    where = f"<b>{html.escape(quote.label)}</b>"
    return f"{where} {html.escape(before)}<mark>{html.escape(quote.text[start:end])}</mark>{html.escape(after)}"


def _shaped(text: str) -> str:
    """Headings and list items keep their shape; of a table's row its cells are shown."""
    stripped = text.strip()
    if stripped.startswith("|"):
        return f"<span>{' · '.join(_inline(cell.strip()) for cell in stripped.strip('|').split('|'))}</span>"
    heading = re.match(r"#{1,6}\s+(.*)", stripped, re.DOTALL)
    item = re.match(r"[-*+•]\s+(.*)", stripped, re.DOTALL)
    if heading:
        return f'<b class="sf-heading">{_inline(heading.group(1))}</b>'
    return f"<span>{'• ' if item else ''}{_inline(item.group(1) if item else stripped)}</span>"


def _prose(text: str) -> str:
    """A stretch of a source: its headings and bold words as such, everything else as it is written."""
    return re.sub(r"(?m)^#{1,6} +(.+)$", r"<b>\1</b>", _inline(text))


def _inline(text: str) -> str:
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(text))
