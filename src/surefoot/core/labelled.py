"""Labelled items and rows of tables as sentences of their own, with what stands over them: `- Adults: £12` under
`# Entry prices` as `Entry prices – Adults: £12.`"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from surefoot.core.evidence import cut_source
from surefoot.core.remember import by_text
from surefoot.core.tabled import table_rows
from surefoot.core.text import markers, words
from surefoot.core.types import Sentence, Span

LONGEST, LONGEST_OVER = 40, 12
"""Words of such a sentence, and of what stands over it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spoken:
    text: str
    span: Span
    """Of the item or the row."""
    named: str
    """What stands over it and its labels: by these words its source may take it back."""


@by_text(1024)
def spoken(text: str) -> tuple[Spoken, ...]:
    """All of a text. One that would be said of two things is left out, and whatever lacks a label, a value or, for
    an item, what its list is about."""
    rows = {row.span: (row.names, row.cells) for row in table_rows(text)} if "|" in text else {}
    lines = cut_source(text) if ":" in text or rows else []
    found = list(_spoken(lines, rows))
    said = [one.text.lower() for one in found]
    return tuple(one for one in found if said.count(one.text.lower()) == 1)


def _spoken(lines: Sequence[Sentence], rows: dict[Span, tuple[tuple[str, ...], tuple[str, ...]]]) -> Iterator[Spoken]:
    for at, line in enumerate(lines):
        names, cells = rows.get(line.span, ((), ()))
        label = _LABELLED.fullmatch(line.text.strip()) if line.kind in ("item", "prose") else None
        if label:
            names, cells = (label["label"],), (label["value"].strip("*_ "),)
        over = _over(lines, at)
        if not names or over is None or not all(map(_is_label, names)) or not all(map(_is_value, cells)):
            continue
        told = "; ".join(f"{name}: {cell}" for name, cell in zip(names, cells, strict=True)).rstrip(".")
        told = f"{over} – {told}." if over else f"{told}."
        if len(words(told)) <= LONGEST and not markers(told):
            yield Spoken(text=" ".join(told.split()), span=line.span, named=" ".join((over, *names)))


def _over(lines: Sequence[Sentence], at: int) -> str | None:
    """The words that lead to a list, else the heading. A row or a field may do without; None for an item without, and
    where the words say nothing by themselves."""
    above = [line for line in reversed(lines[:at]) if line.kind != "item" or lines[at].kind != "item"]
    leads = lines[at].kind == "item" and bool(above) and above[0].text.rstrip("* ").endswith(":")
    heading = next((one for one in above if leads or one.kind == "heading" or one.text.startswith("#")), None)
    if heading is None:
        return None if lines[at].kind == "item" else ""
    text = heading.text.replace("**", "").strip("#: ")
    return text if _is_value(text) and len(words(text)) <= LONGEST_OVER and not _POINTS.match(text) else None


def _is_label(name: str) -> bool:
    return len(name) > 1 and any(map(str.isalpha, name)) and not _NO_LABEL.search(name)


def _is_value(text: str) -> bool:
    """Not a question, more than one sentence, an address, or something with a label of its own."""
    return any(map(str.isalnum, text)) and not _UNSAID.search(text)


_LABELLED = re.compile(
    r"(?:\*\*|__)?(?P<label>[^\W\d][^:;|.!?*\n]{0,40}?)(?::(?:\*\*|__)|(?:\*\*|__)?:)[ \t]+(?P<value>\S[^\n]*)"
)
_UNSAID = re.compile(r"[?!<|]|:(?!\d)|[.;]\s")
_NO_LABEL = re.compile(
    r"(?i)\b(?:questions?|answers?|options?|choices?|guess\w*|examples?|statements?)\b"
    r"|\A\W*(?:q|a|e\.g|notes?|quotes?|titles?|sources?|authors?|see|tips?)\b"
)
"""What names nothing that its value would be said of; of a quiz, the answers may all be wrong."""
_POINTS = re.compile(r"(?i)(?:it|its|they|their|this|these|those|that|he|she|his|her|here|there|such|then|otherwise)\b")
