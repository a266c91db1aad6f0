"""Labelled items and rows of tables as sentences of their own, with what stands over them: `- Adults: £12` under
`# Entry prices` as `Entry prices – Adults: £12.`"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from surefoot.core.evidence import cut_source
from surefoot.core.remember import by_text
from surefoot.core.tabled import cells_of, is_rule, told_cells, under_names
from surefoot.core.text import markers, sentences, words
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
    led: Span | None
    """The words that lead to its list, which it says with it."""


@by_text(1024)
def spoken(text: str) -> dict[Span, Spoken]:
    """All of a text by their places. One that would be said of two things is left out, and whatever lacks a label, a
    value or, for an item, what its list is about."""
    rows = dict(_rows(text)) if "|" in text else {}
    found = list(_spoken(text, rows)) if ":" in text or rows else []
    said = Counter(one.text.lower() for one in found)
    return {one.span: one for one in found if said[one.text.lower()] == 1}


def _rows(text: str) -> Iterator[tuple[Span, tuple[Sequence[str], Sequence[str]]]]:
    """Every row of a table, drawn or told, with the names of its cells."""
    for drawn, run in groupby(sentences(text), key=lambda line: line.kind == "row"):
        if drawn:
            for lines in _unparted(text, run):
                rows = _under_names([line.text for line in lines])
                yield from ((lines[at].span, (names, cells)) for at, names, cells in rows if len(names) == len(cells))
        else:
            yield from ((line.span, told) for line in run if (told := told_cells(line.text))[0])


def _under_names(lines: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...], tuple[str, ...]]]:
    """The rows of a drawn table. Where no rule is drawn a first row without figures names the columns, if one of them
    has figures in most rows and none of its words comes again below."""
    table = [cells_of(line) for line in lines]
    if len(table) < _FEWEST_ROWS or any(map(is_rule, table)):
        yield from under_names(lines)
        return
    names, *rows = table
    again = {cell.lower() for row in rows for cell in row}
    if any(map(_HAS_FIGURE.search, names)) or any(name.lower() in again for name in names):
        return
    if any(2 * sum(map(bool, map(_HAS_FIGURE.search, column))) > len(rows) for column in zip(*rows, strict=False)):
        yield from ((at, names, cells) for at, cells in enumerate(rows, 1))


def _unparted(text: str, rows: Iterable[Sentence]) -> list[list[Sentence]]:
    """Rows by their tables: an empty line parts two, and the names over one stand over none of the other."""
    found: list[list[Sentence]] = []
    for row in rows:
        if found and text.count("\n", found[-1][-1].end, row.start) < 2:
            found[-1].append(row)
        else:
            found.append([row])
    return found


def _spoken(text: str, rows: Mapping[Span, tuple[Sequence[str], Sequence[str]]]) -> Iterator[Spoken]:
    heading: Sentence | None = None
    above: Sentence | None = None
    for line in cut_source(text):
        names, cells = rows.get(line.span, ((), ()))
        label = _LABELLED.fullmatch(line.text.strip()) if line.kind == "item" or _is_field(text, line) else None
        if label:
            names, cells = (label["label"],), (label["value"].strip("*_ "),)
        led = above if line.kind == "item" and above and above.text.rstrip("* ").endswith(":") else None
        over = _said_over(led or heading)
        named = over is not None and (over or line.kind != "item")
        if names and named and all(map(_is_label, names)) and all(map(_is_value, cells)):
            told = "; ".join(f"{name}: {cell}" for name, cell in zip(names, cells, strict=True)).rstrip(".")
            told = " ".join((f"{over} – {told}." if over else f"{told}.").split())
            if len(words(told)) <= LONGEST and not markers(told):
                names_it = " ".join((over or "", *names))
                yield Spoken(text=told, span=line.span, named=names_it, led=led.span if led else None)
        heading = line if line.kind == "heading" or line.text.startswith("#") else heading
        above = above if line.kind == "item" else line


def _is_field(text: str, line: Sentence) -> bool:
    """Whether a line is no sentence, and no part of one: `passage 1: It opens in May.` only begins like a field."""
    begun, rest = text[: line.start].rpartition("\n")[2], text[line.end :].partition("\n")[0]
    whole = not (begun.strip() or rest.strip())
    return line.kind == "prose" and line.text[-1:] not in (".", "!") and whole


def _said_over(line: Sentence | None) -> str | None:
    """A heading, or the words that lead to a list; empty where there is none, None where they say nothing by
    themselves."""
    text = line.text.replace("**", "").strip("#: ") if line is not None else ""
    plain = _is_value(text) and len(words(text)) <= LONGEST_OVER and not _POINTS.match(text)
    return text if plain or line is None else None


def _is_label(name: str) -> bool:
    return len(name) > 1 and any(map(str.isalpha, name)) and not _NO_LABEL.search(name)


def _is_value(text: str) -> bool:
    """Not a question, more than one sentence, an address, or something with a label of its own."""
    return any(map(str.isalnum, text)) and not _UNSAID.search(text)


_LABELLED = re.compile(
    r"(?:\*\*|__)?(?P<label>[^\W\d][^:;|.!?*\n]{0,40}?)(?::(?:\*\*|__)|(?:\*\*|__)?:)[ \t]+(?P<value>\S[^\n]*)"
)
_FEWEST_ROWS = 3
"""With the names; of two nobody knows which has them."""
_HAS_FIGURE = re.compile(r"\d")
_UNSAID = re.compile(r"[?!<|]|:(?!\d)|[.;]\s")
_NO_LABEL = re.compile(
    r"(?i)\b(?:questions?|answers?|options?|choices?|guess\w*|examples?|statements?)\b"
    r"|\A\W*(?:q|a|e\.g|notes?|quotes?|titles?|sources?|authors?|see|tips?)\b"
)
"""What names nothing that its value would be said of; of a quiz, the answers may all be wrong."""
_POINTS = re.compile(r"(?i)(?:it|its|they|their|this|these|those|that|he|she|his|her|here|there|such|then|otherwise)\b")
