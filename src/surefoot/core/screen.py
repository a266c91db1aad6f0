"""A result on one screen: as text for a terminal, as HTML for a notebook. Everything shown is escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

MARKS = {"proven": "✓", "supported": "~", "doubtful": "?", "unsupported": "✗", "no_claim": "·"}
_COLOURS = {
    "proven": "#d7f2dc",
    "supported": "#eef6d2",
    "doubtful": "#fdeecb",
    "unsupported": "#fbd9d6",
    "no_claim": "transparent",
}
_DECISIONS = {"approved": "#1a7f37", "revised": "#9a6700", "fallback": "#bc4c00", "rejected": "#cf222e"}
_WIDE = 100


class Line(NamedTuple):
    """One sentence of a draft, its status and what it rests on."""

    status: str
    text: str
    evidence: Sequence[tuple[str, str]] = ()
    """Source id and quote."""
    issue: str | None = None


class Screen(NamedTuple):
    """All that one result shows."""

    decision: str
    reason: str | None
    confidence: float
    text: str
    claims: Sequence[Line] = ()
    issues: Sequence[str] = ()
    changes: Sequence[tuple[str, str]] = ()
    question: str | None = None

    def as_text(self) -> str:
        lines = [f"question: {_flat(self.question)}"] if self.question else []
        lines += [_flat(self._headline()), "", *(_visible(line) for line in self.text.splitlines())]
        if self.claims:
            lines += ["", "the draft, sentence by sentence:", *(_line(claim) for claim in self.claims)]
        if self.issues:
            lines += ["", "issues:", *(f"  {_flat(issue)}" for issue in self.issues)]
        if self.changes:
            lines += ["", "changes:"]
        for before, after in self.changes:
            lines += [f"  - {_flat(before) or '(nothing)'}", f"  + {_flat(after) or '(dropped)'}"]
        return "\n".join(lines)

    def as_html(self) -> str:
        colour = _DECISIONS.get(self.decision, "#57606a")
        parts = [f"<p><em>{escape(self.question)}</em></p>"] if self.question else []
        parts.append(f'<p><strong style="color:{colour}">{escape(self._headline())}</strong></p>')
        parts.append(f'<p style="white-space:pre-wrap">{escape(self.text)}</p>')
        if self.claims:
            parts.append(f"<p><small>the draft:</small><br>{' '.join(_span(claim) for claim in self.claims)}</p>")
        if self.issues:
            parts.append("<ul>" + "".join(f"<li>{escape(issue)}</li>" for issue in self.issues) + "</ul>")
        return f'<div class="surefoot" style="max-width:60em">{"".join(parts)}</div>'

    def _headline(self) -> str:
        reason = f" ({self.reason})" if self.reason else ""
        return f"{self.decision}{reason}, confidence {self.confidence:.2f}"


def _line(claim: Line) -> str:
    sources = ", ".join(dict.fromkeys(_flat(source) for source, _ in claim.evidence))
    note = f"  <- {sources}" if sources else f"  ({claim.issue})" if claim.issue else ""
    return f"  {MARKS.get(claim.status, '?')} {_short(claim.text)}{note}"


def _span(claim: Line) -> str:
    """The sentence on its colour; the quotes it rests on are shown on hover."""
    said = [f"{claim.status}{': ' + claim.issue if claim.issue else ''}"]
    said += [f"{source}: “{_flat(quote)}”" for source, quote in claim.evidence]
    colour = _COLOURS.get(claim.status, "transparent")
    return (
        f'<span title="{escape(chr(10).join(said))}" style="background:{colour};color:#1f2328;padding:0 .2em">'
        f"{escape(_flat(claim.text))}</span>"
    )


def _short(text: str) -> str:
    flat = _flat(text)
    return flat if len(flat) <= _WIDE else flat[: _WIDE - 1] + "…"


def _flat(text: str) -> str:
    return " ".join(_visible(text).split())


def _visible(text: str) -> str:
    """Without the control characters that would move a terminal's cursor or change its colours."""
    return _CONTROL.sub("�", text)


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
