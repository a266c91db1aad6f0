"""The rows of tables in a text: Markdown rows under their names, and lines such as `Office: Leeds; Staff: 23.`"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from surefoot.core.questions import stem
from surefoot.core.text import sentences
from surefoot.core.types import Span

_FEWEST = 2
_LONGEST_NAME = 40
_RULE = re.compile(r":?-{2,}:?")
_THINGS = re.compile(r"(?:\d+|Of the) (\w+)")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, kw_only=True, slots=True)
class TableRow:
    names: tuple[str, ...]
    cells: tuple[str, ...]
    span: Span
    """Where it stands in the text."""


def table_rows(text: str) -> Iterator[TableRow]:
    """Every row that has as many cells as its table has names."""
    names: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    for sentence in sentences(text):
        if sentence.kind != "row":
            names, before = (), ()
            said, cells = told_cells(sentence.text)
            if said:
                yield TableRow(names=said, cells=cells, span=sentence.span)
            continue
        cells = markdown_cells(sentence.text)
        if all(_RULE.fullmatch(cell) for cell in cells):
            names = before
            continue
        if names and len(cells) == len(names):
            yield TableRow(names=names, cells=cells, span=sentence.span)
        before = cells


def markdown_cells(line: str) -> tuple[str, ...]:
    return tuple(" ".join(cell.split()) for cell in line.strip().strip("|").split("|"))


def told_cells(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and cells of a line `Office: Leeds; Staff: 23.`; nothing for any other."""
    parts = [part.partition(": ") for part in " ".join(text.split()).rstrip(".").split("; ")]
    if len(parts) < _FEWEST or not all(value and len(name) <= _LONGEST_NAME for name, _, value in parts):
        return (), ()
    return tuple(name for name, _, _ in parts), tuple(value for _, _, value in parts)


def figure(cell: str) -> float | None:
    """The first number in a cell."""
    match = _NUMBER.search(cell)
    return float(match.group().replace(",", "")) if match else None


def highest_text(rows: int, thing: str, name: str, column: str, value: str, *, low: bool) -> str:
    """What follows from a column of figures, in the words that `follows` knows again."""
    degree = "lowest" if low else "highest"
    return f"Of the {rows} listed by {thing.lower()}, {name} has the {degree} {column.lower()} ({value})"


def count_text(things: str, names: Sequence[str], case: str = "") -> str:
    """How many rows there are, all or those with one cell."""
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
    counted = f"{len(names)} {things} are" if len(names) != 1 else f"Of the {things} 1 is"
    return f"{counted} listed{f' with {case}' if case else ''}: {listed}"


def follows(said: str, rows: Sequence[TableRow]) -> TableRow | None:
    """The row that a statement about a whole table rests on, where it follows from these rows; None where it does not.

    Only what `highest_text` and `count_text` write is known; the rows are all that there are of the table.
    """
    match = _THINGS.match(said)
    things = match.group(1) if match else ""
    for names in dict.fromkeys(row.names for row in rows):
        table = [row for row in rows if row.names == names]
        for row in table:
            if _is_highest(said, row, table):
                return row
        cases = [("", table)]
        for at, name in enumerate(names[1:], 1):
            for cell in dict.fromkeys(row.cells[at] for row in table):
                cases.append((f"{name} {cell}", [row for row in table if row.cells[at] == cell]))
        for case, some in cases:
            counted = count_text(things, [row.cells[0] for row in some], case)
            if things and _is_of(things, names[0]) and said == counted:
                return some[0]
    return None


def _is_highest(said: str, row: TableRow, table: Sequence[TableRow]) -> bool:
    for at, name in enumerate(row.names[1:], 1):
        figures = [figure(one.cells[at]) for one in table]
        mine = figure(row.cells[at])
        if mine is None or None in figures:
            continue
        known = [one for one in figures if one is not None]
        for low in (False, True):
            if mine == (min(known) if low else max(known)) and said == highest_text(
                len(table), row.names[0], row.cells[0], name, row.cells[at], low=low
            ):
                return True
    return False


def _is_of(things: str, name: str) -> bool:
    """Whether rows named by this column are such things, in one or in many."""
    return any(stem(word) == stem(things.lower()) for word in name.lower().split())
