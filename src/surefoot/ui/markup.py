"""Texts as safe HTML: sentences by verdict, passages with their quote marked, drafts as differences.

Every colour comes with a sign and a word; everything a person or a source wrote is escaped.
"""

from __future__ import annotations

import difflib
import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

VERDICTS = {
    "proven": ("✓", "proven", "sf-proven"),
    "supported": ("≈", "supported", "sf-supported"),
    "not_factual": ("·", "no claim", "sf-plain"),
    "vouched_by_caller": ("◇", "vouched for by the caller", "sf-vouched"),
}
DECISIONS = {
    "approved": ("✓", "Approved", "every claim is proven as written", "sf-proven"),
    "revised": ("✎", "Revised", "repaired, then proven again", "sf-supported"),
    "fallback": ("↩", "Fallback", "the draft could not be proven as a whole: this is what can be", "sf-vouched"),
    "rejected": ("✕", "Rejected", "there is no answer that can be proven", "sf-bad"),
}
SEVERITIES = {"critical": "‼ critical", "high": "▲ high", "medium": "● medium", "low": "○ low"}
STYLE = """
<style>
.sf-proven{--c:#1b7f4b}.sf-supported{--c:#9a6700}.sf-vouched{--c:#5b5fc7}.sf-bad{--c:#b3261e}.sf-plain{--c:#6b7280}
.sf-claim{border-left:4px solid var(--c);padding:.2rem .6rem;margin:.1rem 0;
  background:color-mix(in srgb,var(--c) 9%,transparent);border-radius:0 .4rem .4rem 0;overflow-wrap:anywhere}
.sf-claim h4{margin:.2rem 0}
.sf-verdict{font-size:.78rem;color:var(--c);font-weight:600;white-space:nowrap}
.sf-decision{border:2px solid var(--c);border-radius:.6rem;padding:.5rem .8rem;margin:.4rem 0}
.sf-decision b{color:var(--c);font-size:1.15rem}
.sf-passage{border:1px solid #9ca3af66;border-radius:.5rem;padding:.7rem;white-space:pre-wrap;overflow-wrap:anywhere;
  max-height:26rem;overflow:auto;font-size:.92rem}
.sf-passage mark{background:#ffe58a;color:#111;border-bottom:2px solid #9a6700;padding:0 .1rem}
.sf-diff{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #9ca3af66;border-radius:.5rem;padding:.7rem}
.sf-diff del{color:#b3261e;background:#b3261e1a;text-decoration:line-through}
.sf-diff ins{color:#1b7f4b;background:#1b7f4b1a;text-decoration:underline}
.sf-table{width:100%;border-collapse:collapse;font-size:.88rem;overflow-wrap:anywhere}
.sf-table th,.sf-table td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #9ca3af55;vertical-align:top}
@media (max-width:600px){
.sf-table thead{position:absolute;left:-999rem}
.sf-table tr{display:block;border:1px solid #9ca3af66;border-radius:.5rem;margin:.4rem 0;padding:.2rem .4rem}
.sf-table td{display:flex;gap:.6rem;border:0;padding:.15rem .2rem}
.sf-table td:empty{display:none}
.sf-table td::before{content:attr(data-head);flex:0 0 5.5rem;color:#6b7280}
}
.sf-legend{font-size:.8rem;color:#6b7280}
</style>
"""


def decision(name: str, reason: str | None) -> str:
    sign, title, meaning, kind = DECISIONS.get(name, ("?", name, "", "sf-plain"))
    why = f" · {html.escape(reason)}" if reason else ""
    return (
        f'<div class="sf-decision {kind}" role="status"><b>{sign} {html.escape(title)}</b>'
        f'<div class="sf-legend">{html.escape(meaning)}{why}</div></div>'
    )


def claim(text: str, verdict: str | None) -> str:
    """One sentence in the colour, sign and word of its verdict."""
    sign, word, kind = VERDICTS.get(verdict or "", ("·", "not checked", "sf-plain"))
    stripped = text.strip()
    heading = re.match(r"#{1,6}\s+(.*)", stripped, re.DOTALL)
    item = re.match(r"[-*+•]\s+(.*)", stripped, re.DOTALL)
    shown = f"<h4>{_inline(heading.group(1))}</h4>" if heading else _inline(item.group(1) if item else stripped)
    bullet = "• " if item else ""
    return (
        f'<div class="sf-claim {kind}"><span>{bullet}{shown}</span> '
        f'<span class="sf-verdict" title="{word}">{sign} {word}</span></div>'
    )


def passage(text: str, span: tuple[int, int] | None) -> str:
    """A source passage with the quote marked."""
    return marked(text, [] if span is None else [span])


def marked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """A text with these parts of it marked; they follow each other and do not overlap."""
    if not spans:
        return f'<div class="sf-passage">{html.escape(text)}</div>'
    pieces, last = [], 0
    for start, end in spans:
        pieces.append(f"{html.escape(text[last:start])}<mark>{html.escape(text[start:end])}</mark>")
        last = end
    return f'<div class="sf-passage" tabindex="0">{"".join(pieces)}{html.escape(text[last:])}</div>'


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


def issues(found: list[Mapping[str, Any]]) -> str:
    rows = [
        [SEVERITIES.get(str(i["severity"]), i["severity"]), i["code"], i["location"], i["problem"], i.get("correction")]
        for i in found
    ]
    return table(["severity", "code", "where", "problem", "correction"], rows)


def table(heads: list[str], rows: list[list[Any]]) -> str:
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in heads)
    body = "".join(
        "<tr>" + "".join(_cell(name, cell) for name, cell in zip(heads, row, strict=True)) + "</tr>" for row in rows
    )
    return f'<table class="sf-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _cell(head: str, value: Any) -> str:
    return f'<td data-head="{html.escape(head)}">{html.escape("" if value is None else str(value))}</td>'


def _inline(text: str) -> str:
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(text))
