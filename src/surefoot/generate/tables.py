"""Superlatives and counts over the rows of a table: worked out in code, shown with the rows they rest on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.core.kinds import Kind
from surefoot.core.questions import stem, terms
from surefoot.core.tabled import count_text, figure, highest_text, markdown_cells, told_cells
from surefoot.core.text import fold, squash, without_markers, words
from surefoot.generate.quotable import Quotable

_FEWEST = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Computed:
    text: str
    """The statement that follows from the rows, cited."""
    rows: tuple[Quotable, ...]
    named: bool = False
    """Whether the rows alone say it: a winner's row does, the rows of a count do not."""

    def stands_in(self, text: str) -> bool:
        """Whether a finished text still says it."""
        said = squash(without_markers(text))
        if squash(without_markers(self.text)).rstrip(".") in said:
            return True
        return self.named and all(squash(one.source or one.text).rstrip(". ") in said for one in self.rows)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Table:
    names: tuple[str, ...]
    rows: tuple[tuple[Quotable, tuple[str, ...]], ...]
    about: frozenset[str]


def computed(question: str, kind: Kind, candidates: Sequence[Quotable]) -> Computed | None:
    """What the question asks of a table's rows; None where no table of such things is there."""
    asked = terms(question)
    known = frozenset().union(*(one.terms | one.context for one in candidates))
    for table in sorted(_tables(candidates), key=lambda table: -len(asked & (table.about | _first(table)))):
        if not _first(table) & asked:
            continue
        found = _superlative(question, table) if kind is Kind.SUPERLATIVE else _count(question, table, known)
        if found is not None:
            return found
    return None


def rows_beside(one: Quotable, candidates: Sequence[Quotable]) -> tuple[Quotable, ...]:
    """All rows of the table that a row stands in, itself among them; nothing for what is no row of several."""
    names, _ = _cells(one)
    for table in _tables(candidates):
        rows = tuple(row for row, _ in table.rows)
        if table.names == names and one in rows:
            return rows
    return ()


def _tables(candidates: Sequence[Quotable]) -> list[_Table]:
    """Rows with the same column names and the same title, from however many passages; records that are told by their
    fields may each stand under a name of their own."""
    found: dict[tuple[str, tuple[str, ...]], list[tuple[Quotable, tuple[str, ...]]]] = {}
    for one in candidates:
        names, cells = _cells(one)
        if len(names) >= 2:
            about = one.about if one.kind == "row" else one.about.partition(" > ")[0]
            found.setdefault((about, names), []).append((one, cells))
    return [
        _Table(names=names, rows=tuple(rows), about=terms(about))
        for (about, names), rows in found.items()
        if len(rows) >= _FEWEST
    ]


def _cells(one: Quotable) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Column names and cells of a row, as Markdown or as a line `Office: Leeds; Staff: 23.`"""
    if one.kind == "row":
        cells = markdown_cells(one.source)
        return (one.table, cells) if len(cells) == len(one.table) else ((), ())
    return told_cells(one.text)


def _first(table: _Table) -> frozenset[str]:
    """What the rows are: the name of the first column, in one and in many."""
    return frozenset({stem(word) for word in words(table.names[0])})


def _superlative(question: str, table: _Table) -> Computed | None:
    match = _DEGREE.search(" ".join(words(question)))
    if match is None:
        return None
    word = match.group(1)
    column = _column(word, match.group(2), table, before=match.string[: match.start()])
    if column is None:
        return None
    numbers = [figure(cells[column]) for _, cells in table.rows]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return None
    down = word in _DOWN or (word in ("oldest", "earliest") and _is_year(known))
    best = min(known) if down else max(known)
    if word in ("newest", "youngest", "latest"):
        best = max(known) if _is_year(known) else min(known)
    winners = [(one, cells) for (one, cells), number in zip(table.rows, numbers, strict=True) if number == best]
    said = " ".join(
        highest_text(len(numbers), table.names[0], cells[0], table.names[column], cells[column], low=best == min(known))
        + f" {one.marker}."
        for one, cells in winners
    )
    return Computed(text=said, rows=tuple(one for one, _ in winners), named=True)


def _column(word: str, named: str, table: _Table, *, before: str) -> int | None:
    """The column a superlative speaks of: the one named behind it, else the one that its word or the verb before it
    ("costs the most") is a measure of."""
    wanted = terms(named)
    for at, name in enumerate(table.names[1:], 1):
        if wanted & {stem(part) for part in words(name)}:
            return at
    hint = _HINTS.get("expensive" if "expensive" in named.split()[:1] else word)
    if hint is None:
        hint = next((measure for verb, measure in _VERBS if verb.search(before)), None)
    if hint is None:
        return None
    fitting = [at for at, name in enumerate(table.names[1:], 1) if hint.search(fold(name))]
    return fitting[0] if fitting else None


def _count(question: str, table: _Table, known: frozenset[str]) -> Computed | None:
    """Where nothing restricts what is counted, or only what a column says: "how many offices are in France"."""
    match = _HOW_MANY.search(fold(question))
    if match is None or stem(match.group(1)) not in _first(table):
        return None
    owner = _OWNER.search(question)
    # whose they are is no restriction where the documents speak of that owner
    whose = terms(owner.group(1)) & known if owner else frozenset()
    left = terms(question) - _first(table) - table.about - _WHOSE - whose
    columns = range(1, len(table.names))
    found: list[tuple[str, list[tuple[Quotable, tuple[str, ...]]]]] = [("", list(table.rows))]
    if left:
        cases = [(at, cells[at]) for _, cells in table.rows for at in columns if terms(cells[at])]
        fitting = dict.fromkeys((at, cell) for at, cell in cases if left - _names(table, at) == terms(cell))
        found = [
            (f"{table.names[at]} {cell}", [row for row in table.rows if row[1][at] == cell]) for at, cell in fitting
        ]
    if len(found) != 1:
        return None
    case, rows = found[0]
    said = f"{count_text(match.group(1), [cells[0] for _, cells in rows], case)} {rows[0][0].marker}."
    return Computed(text=said, rows=tuple(one for one, _ in rows))


def _names(table: _Table, column: int) -> frozenset[str]:
    """The words of a column's name: "how many boats have 4 berths" says it beside the cell."""
    return terms(table.names[column])


def _is_year(numbers: Sequence[float]) -> bool:
    return all(1500 <= number <= 2200 and number == int(number) for number in numbers)


_DEGREE = re.compile(
    r"\b(most|least|fewest|largest|biggest|smallest|highest|lowest|longest|shortest|oldest|newest|youngest|earliest|"
    r"latest|cheapest|dearest|heaviest|lightest|fastest|slowest|tallest|deepest|widest)\b\s*(.*)"
)
_DOWN = frozenset("least fewest smallest lowest shortest cheapest lightest slowest".split())
_MONEY = re.compile(r"price|cost|fee|rate|charge|rent|salary|per (?:week|month|day|night|year)")
_HINTS = {
    "expensive": _MONEY,
    "cheapest": _MONEY,
    "dearest": _MONEY,
    "oldest": re.compile(r"built|opened|founded|year|age|since|date|born|made"),
    "newest": re.compile(r"built|opened|founded|year|age|since|date|made"),
    "youngest": re.compile(r"age|born|year"),
    "earliest": re.compile(r"date|year|opened|opens|start|from|time"),
    "latest": re.compile(r"date|year|opened|closes|end|until|time"),
    "longest": re.compile(r"length|long|duration|lasts|distance|time"),
    "shortest": re.compile(r"length|long|duration|lasts|distance|time"),
    "largest": re.compile(r"area|size|capacity|volume|population"),
    "biggest": re.compile(r"area|size|capacity|volume|population"),
    "smallest": re.compile(r"area|size|capacity|volume|population"),
    "heaviest": re.compile(r"weight|mass"),
    "lightest": re.compile(r"weight|mass"),
    "fastest": re.compile(r"speed"),
    "slowest": re.compile(r"speed"),
    "tallest": re.compile(r"height"),
    "deepest": re.compile(r"depth"),
    "widest": re.compile(r"width"),
}
_VERBS = (
    (re.compile(r"\bcosts?(?: the)? $"), _MONEY),
    (re.compile(r"\bweighs?(?: the)? $"), _HINTS["heaviest"]),
    (re.compile(r"\b(?:lasts?|takes?)(?: the)? $"), re.compile(r"length|long|duration|lasts|time")),
    (re.compile(r"\b(?:carry|carries|holds?|takes?)(?: the)? $"), re.compile(r"capacity|payload|load|volume|seats")),
)
"""What is measured by the verb right before `the most`."""
_OWNER = re.compile(r"\b(?:does|do|did|has|have) (.+?) (?:have|own|run|operate|offer|employ|got)\b", re.I)
_HOW_MANY = re.compile(r"\bhow many (\w+)\b")
_WHOSE = frozenset("company firm business organisation organization list total all".split()) | frozenset(
    map(stem, "company have has there exist offered".split())
)
