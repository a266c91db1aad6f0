"""The tables of passages, and what follows from their rows: a first, a count, a total, the dearer of two.

Who writes such a statement and who checks it build it here from the rows alone, so that it is known word for word.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from surefoot.core.passages import document_of
from surefoot.core.questions import terms
from surefoot.core.remember import by_word
from surefoot.core.text import fold, sentences, squash, words
from surefoot.core.types import Passage, Sentence, Span
from surefoot.core.values import Value, extract, half_named, minutes
from surefoot.core.values.weekdays import weekdays

CUT_ROWS = "cut_rows"
"""Metadata of a passage at whose edges a table was cut: `before`, `after`."""
_FEWEST = 2
_LONGEST_NAME = 40
_MOST_CONDITIONS = 2
_RULE = re.compile(r":?-{2,}:?")
_LINE = re.compile(r"[^\n]+")
_DIGITS = re.compile(r"\d(?:[\d., \u00a0]*\d)?")
_ASIDE = re.compile(r"\([^()]*\)")
_ITEMS = re.compile(r"[,;/|]| and | or | & ")
_SUM = re.compile(r"(?:grand |sub-?)?totals?|sum|average|mean|overall|altogether|all", re.I)
_MAYBE_SUM = re.compile(r"(?:grand |sub-?)?totals?\b", re.I)

Condition = tuple[int, str]
"""A column and what a row says there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TableRow:
    names: tuple[str, ...]
    cells: tuple[str, ...]
    span: Span
    """Where it stands in the text of its passage."""
    passage: str = ""
    """Its id."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table of which every row is at hand."""

    names: tuple[str, ...]
    rows: tuple[TableRow, ...]
    heading: str
    """The nearest of what stands over it: a heading, else the title of its document."""
    about: str
    """The title and all headings over it."""

    def column(self, at: int, rows: Iterable[TableRow] | None = None) -> tuple[str, ...]:
        return tuple(row.cells[at] for row in (self.rows if rows is None else rows))

    def tells_apart(self, at: int) -> bool:
        """Whether rows may be called by what they say here."""
        cells = [cell.casefold() for cell in self.column(at)]
        return all(cells) and len(set(cells)) == len(cells)

    def under(self, conditions: Sequence[Condition]) -> tuple[TableRow, ...]:
        """The rows that meet them all; none where it cannot be told of some row."""
        for at, wanted in conditions:
            if any(_perhaps(cell, wanted) for cell in self.column(at)):
                return ()
        return tuple(row for row in self.rows if all(meets(row.cells[at], wanted) for at, wanted in conditions))


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """A column that can be put in order."""

    kind: str
    """money, time, date, duration, number …, or the unit of a measure"""
    values: tuple[float, ...]

    @property
    def degrees(self) -> tuple[str, str]:
        return _DEGREES.get(self.kind, ("lowest", "highest"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Followed:
    """A statement that follows from rows."""

    text: str
    rows: tuple[TableRow, ...]
    """Those it names."""
    way: int = 0
    """Of two rows: which of them has more; 0: neither."""


def tables(passages: Sequence[Passage]) -> list[Table]:
    """Those of which all rows are there: one of whose passages is missing, or whose rows are not all alike, is none."""
    files: dict[str, list[Passage]] = {}
    for passage in passages:
        files.setdefault(table_file(passage), []).append(passage)
    found: list[Table] = []
    for pages in files.values():
        pages.sort(key=_start)
        found += [*_drawn(pages), *_told(pages)]
    return found


def table_file(passage: Passage) -> str:
    """What a table stands in: a page, or the file of which a record is a row."""
    file = document_of(passage)
    return file.partition("#")[0] if passage.metadata.get("type") == "json" else file


def _start(passage: Passage) -> int:
    start = passage.metadata.get("start")
    return start if isinstance(start, int) else 0


def _drawn(pages: Sequence[Passage]) -> Iterator[Table]:
    for over, run in _runs(pages):
        rows = [
            TableRow(names=names, cells=cells, span=run[at][1].span, passage=run[at][0].id)
            for at, names, cells in under_names([line.text for _, line in run])
        ]
        if rows and len(rows) == len(run) - 2:  # names, one rule, and nothing but rows
            yield from _whole(rows[0].names, rows, over)


def _runs(pages: Sequence[Passage]) -> Iterator[tuple[Sequence[str], list[tuple[Passage, Sentence]]]]:
    """Lines of tables that stand together, over the edges of passages too, each with what stands above it."""
    run: list[tuple[Passage, Sentence]] = []
    lost, end = False, -1
    for page in pages:
        cut = page.metadata.get(CUT_ROWS)
        cuts = cut if isinstance(cut, list) else []
        if "before" in cuts and not (run and 0 <= _start(page) - end <= 2):
            run, lost = [], True
        elif "before" not in cuts:
            run, lost = [], False
        over = _over(page)
        for line in sentences(page.text):
            if line.kind == "row":
                run.append((page, line))
                continue
            if run and not lost:
                yield over, run
            run, lost = [], False
            over = [*_over(page), line.text.lstrip("# ")] if line.kind == "heading" else over
        if "after" in cuts:
            end = _start(page) + len(page.text)
        else:
            if run and not lost:
                yield over, run
            run, end = [], -1


def _over(page: Passage) -> list[str]:
    headings = page.metadata.get("headings")
    path = [str(one) for one in headings] if isinstance(headings, list) else []
    return [part for part in (str(page.metadata.get("title") or ""), *path) if part]


def _told(pages: Sequence[Passage]) -> Iterator[Table]:
    found: dict[tuple[str, ...], list[TableRow]] = {}
    promised: dict[tuple[str, ...], int] = {}
    for page in pages:
        given, count = page.metadata.get("columns"), page.metadata.get("rows")
        columns = tuple(map(str, given)) if isinstance(given, list) else ()
        if not columns and page.metadata.get("type") == "json":  # how many there are is not known
            continue
        for line in _LINE.finditer(page.text):
            names, cells = told_cells(line.group(), columns)
            if names:
                row = TableRow(names=names, cells=cells, span=(line.start(), line.end()), passage=page.id)
                found.setdefault(names, []).append(row)
                if columns:
                    promised[names] = count if isinstance(count, int) else -1
    for names, rows in found.items():
        # a row without one of the cells of another belongs to the same table, and nobody knows to which
        alike = any(names != other and {*names} & {*other} for other in found)
        if (names in promised and promised[names] != len(rows)) or alike:
            continue
        yield from _whole(names, rows, _over(pages[0]))


def _whole(names: tuple[str, ...], rows: Sequence[TableRow], over: Sequence[str]) -> Iterator[Table]:
    if len(names) < 2 or any(len(row.cells) != len(names) or not any(row.cells[1:]) for row in rows):
        return
    rows = [row for row in rows if not _SUM.fullmatch(row.cells[0].strip("*_ "))]
    if len(rows) >= _FEWEST and not any(_MAYBE_SUM.match(row.cells[0]) for row in rows):
        yield Table(names=names, rows=tuple(rows), heading="".join(over[-1:]), about=" ".join(over))


def under_names(lines: Iterable[str]) -> Iterator[tuple[int, tuple[str, ...], tuple[str, ...]]]:
    """The rows among the lines of a drawn table: the number of each, the names over it and its cells. Names are what
    stands above a rule."""
    names: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    for at, line in enumerate(lines):
        cells = cells_of(line)
        if is_rule(cells):
            names = before
        elif names:
            yield at, names, cells
        before = cells


def cells_of(line: str) -> tuple[str, ...]:
    """The cells of a drawn row."""
    return tuple(" ".join(cell.split()) for cell in line.strip().strip("|").split("|"))


def is_rule(cells: Sequence[str]) -> bool:
    """Whether they are `---`, the line under a table's names."""
    return all(map(_RULE.fullmatch, cells))


def told_cells(text: str, columns: Sequence[str] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and cells of a line `Office: Leeds; Staff: 23.`; nothing for any other. Of a table whose columns are known
    a line may leave some out, and a value may hold a semicolon."""
    parts = [part.partition(": ") for part in " ".join(text.split()).rstrip(".").split("; ")]
    if not columns:
        if len(parts) < _FEWEST or not all(value and len(name) <= _LONGEST_NAME for name, _, value in parts):
            return (), ()
        return tuple(name for name, _, _ in parts), tuple(value for _, _, value in parts)
    found: dict[str, str] = {}
    last = ""
    for name, colon, value in parts:
        if colon and name in columns and name not in found:
            found[name], last = value, name
        elif last:
            found[last] += f"; {name}{colon}{value}"
        else:
            return (), ()
    return tuple(columns), tuple(found.get(name, "") for name in columns)


def meets(cell: str, wanted: str) -> bool:
    """Whether a cell says it, as a whole, as one of several things, or as a day among its days."""
    if squash(wanted) in _said(cell):
        return True
    days, day = weekdays(cell), weekdays(wanted)
    return days is not None and day is not None and day <= days


@by_word(4_096)
def _said(cell: str) -> frozenset[str]:
    return frozenset(map(squash, (cell, *_ITEMS.split(cell))))


def _perhaps(cell: str, wanted: str) -> bool:
    """Whether a cell speaks of it in a way that nobody can be sure of: `Sunday, in summer` where Sundays are wanted."""
    if meets(cell, wanted):  # `under overhaul` is no bound where that very thing is wanted
        return squash(cell) != squash(wanted) and bool(_BOUND.search(fold(cell)))
    if weekdays(wanted) is not None:
        return weekdays(cell) is None
    return not cell or (bool(terms(wanted)) and terms(wanted) <= terms(cell))


def sizes(cells: Sequence[str]) -> Sizes | None:
    """What a column measures; None where a cell is empty, holds a range, a bound or several values, or where they are
    not of one kind, currency, unit and wording."""
    found = [value for value in map(_sized, cells) if value is not None]
    if not found or len(found) < len(cells):
        return None
    if any(value.kind == "time" and not half_named(value) for value in found):
        return None
    kinds = {(_kind(value), value.period, _besides(cell, value)) for cell, value in zip(cells, found, strict=True)}
    if len(kinds) > 1:
        return None
    return Sizes(kind=_kind(found[0]), values=tuple(map(_size, found)))


@by_word(4_096)
def _sized(cell: str) -> Value | None:
    values = extract(cell)
    if len(values) != 1:
        return None
    value = values[0]
    if value.is_range or value.comparator or value.approximate or value.kind in _NO_SIZE or _BOUND.search(fold(cell)):
        return None
    return None if value.kind == "date" and None in value.when else value


def is_size(cell: str) -> bool:
    """Whether a cell is a value and says nothing else."""
    value = _sized(cell)
    return value is not None and not _besides(cell, value)


def _kind(value: Value) -> str:
    if value.kind == "money":
        return f"money {value.unit}"
    if value.kind == "duration":
        return "duration" if value.unit == "day" else f"duration {value.unit}"
    if value.kind in ("number", "year", "count"):
        return value.unit or "number"
    return value.kind


def _size(value: Value) -> float:
    if value.kind == "date":
        year, month, day = (part or 0 for part in value.when)
        return (year * 12 + month) * 31.0 + day
    since = minutes(value) if value.kind == "time" else None
    return value.low if since is None else since


def _besides(cell: str, value: Value) -> str:
    """What a cell says besides its value: a price per person and one per group are not compared."""
    return squash(without_asides(f"{cell[: value.start]} {cell[value.end :]}")).strip(" .")


def without_asides(cell: str) -> str:
    """Without what stands in brackets: `Weekly boarder (Sunday to Friday)` is called a weekly boarder."""
    return _ASIDE.sub("", cell)


def first_of(table: Table, key: int, at: int, conditions: Sequence[Condition], *, low: bool) -> Followed | None:
    """The rows with the lowest or highest of a column, all of them that have it."""
    rows = table.under(conditions)
    measured = sizes(table.column(at, rows))
    if len(rows) < _FEWEST or measured is None or not table.tells_apart(key):
        return None
    best = min(measured.values) if low else max(measured.values)
    winners = tuple(row for row, size in zip(rows, measured.values, strict=True) if size == best)
    if len(winners) == len(rows):
        return None
    names, has = _listed(table.column(key, winners)), "has" if len(winners) == 1 else "have"
    value = _listed(tuple(dict.fromkeys(table.column(at, winners))))
    text = (
        f"Of the {len(rows)} listed by {table.names[key].lower()}{_with(table, conditions)}, {names} {has} the "
        f"{measured.degrees[not low]} {table.names[at].lower()} ({value})"
    )
    return Followed(text=text, rows=winners)


def counted(table: Table, key: int, things: str, conditions: Sequence[Condition]) -> Followed | None:
    """How many rows there are, all or those that say something."""
    rows = table.under(conditions)
    if not rows or not table.tells_apart(key):
        return None
    many = f"{len(rows)} {things} are" if len(rows) != 1 else f"Of the {things} 1 is"
    text = f"{many} listed{_with(table, conditions)}: {_listed(table.column(key, rows))}"
    return Followed(text=text, rows=rows)


def total(table: Table, key: int, at: int, rows: Sequence[TableRow]) -> Followed | None:
    """What a column comes to over some rows."""
    cells = table.column(at, rows)
    measured = sizes(cells)
    if len(rows) < _FEWEST or measured is None or not _adds_up(measured.kind) or not table.tells_apart(key):
        return None
    written = _summed(cells)
    if written is None:
        return None
    text = f"The {table.names[at].lower()} of {_listed(table.column(key, rows))} together is {written}"
    return Followed(text=text, rows=tuple(rows))


def _adds_up(kind: str) -> bool:
    return kind not in ("time", "date", "percent", "%", "points")


def _summed(cells: Sequence[str]) -> str | None:
    """The sum, written as the cells are; None where they are not all written alike."""
    values = [_sized(cell) for cell in cells]
    digits = [_DIGITS.search(cell) for cell in cells]
    frames = {(cell[: one.start()], cell[one.end() :]) for cell, one in zip(cells, digits, strict=True) if one}
    written = [one.group() for one in digits if one]
    if len(frames) != 1 or any(value is None or value.low != value.raw * _scale(values[0]) for value in values):
        return None
    places = max(len(one.rpartition(".")[2]) if "." in one else 0 for one in written)
    plain = f"{sum(value.raw for value in values if value is not None):,.{places}f}"
    before, after = frames.pop()
    grouping = next((mark for mark in (",", " ", "\u00a0") if any(mark in one for one in written)), ",")
    return f"{before}{plain.replace(',', grouping)}{after}"


def _scale(value: Value | None) -> float:
    return value.low / value.raw if value is not None and value.raw else 1.0


def compared(table: Table, key: int, at: int, one: TableRow, other: TableRow) -> Followed | None:
    """Which of two rows has more of a column."""
    cells = table.column(at, (one, other))
    measured = sizes(cells)
    if measured is None or not table.tells_apart(key):
        return None
    pair, column = _listed(table.column(key, (one, other))), table.names[at].lower()
    low, high = measured.values
    if low == high:
        return Followed(text=f"Of {pair}, both have the same {column} ({cells[0]})", rows=(one, other))
    more, less = (0, 1) if low > high else (1, 0)
    winner = (one, other)[more].cells[key]
    degree = _COMPARED.get(measured.degrees[1], "higher")
    text = f"Of {pair}, {winner} has the {degree} {column} ({cells[more]} against {cells[less]})"
    return Followed(text=text, rows=(one, other), way=more + 1)


def follows(said: str, table: Table) -> TableRow | None:
    """The row that a statement about a table rests on, where it follows from the rows; None where it does not."""
    return next((one.rows[0] for one in _statements(said, table) if one.text == said), None)


def _statements(said: str, table: Table) -> Iterator[Followed]:
    """What can be said of the table in the words of a statement."""
    columns = range(len(table.names))
    keys = [at for at in columns if table.tells_apart(at)]
    measured = [at for at in columns if table.names[at].lower() in said]
    named = {key: tuple(row for row in table.rows if row.cells[key] in said) for key in keys}
    for key, at in itertools.product(keys, measured):
        if at == key:
            continue
        if " together is " in said:
            yield from _some(total(table, key, at, _in_order(named[key], key, said)))
        if said.startswith("Of "):
            pairs = itertools.permutations(named[key][:_MOST_COMPARED], 2)
            for one, other in pairs:
                yield from _some(compared(table, key, at, one, other))
    things = _THINGS.match(said)
    for conditions in _conditions(said, table):
        for key in keys:
            if f" by {table.names[key].lower()}" in said:
                for at, low in itertools.product(measured, (True, False)):
                    yield from _some(first_of(table, key, at, conditions, low=low))
            if things is not None and " listed" in said:
                thing = things.group(1)
                if is_of(thing, table, conditions):
                    yield from _some(counted(table, key, thing, conditions))


def _in_order(rows: Sequence[TableRow], key: int, said: str) -> list[TableRow]:
    """Those whose name is not merely part of another's."""
    longest = [row for row in rows if not any(row is not one and row.cells[key] in one.cells[key] for one in rows)]
    return sorted(longest, key=lambda row: said.find(row.cells[key]))


def _conditions(said: str, table: Table) -> Iterator[tuple[Condition, ...]]:
    told = [
        (at, value)
        for at, name in enumerate(table.names)
        for value in dict.fromkeys(itertools.chain.from_iterable(map(values_in, table.column(at))))
        if f"{name} {value}" in said
    ]
    yield ()
    for many in range(1, _MOST_CONDITIONS + 1):
        yield from itertools.combinations(told, many)


def values_in(cell: str) -> tuple[str, ...]:
    """What may be wanted of a row: the cell, each of several things in it, each of its days."""
    items = [item.strip() for item in _ITEMS.split(cell)]
    days = weekdays(cell)
    return tuple(value for value in (cell, *items, *(_DAYS[day - 1] for day in sorted(days or ()))) if value)


def is_of(thing: str, table: Table, conditions: Sequence[Condition] = ()) -> bool:
    """Whether the rows are such things, in one or in many: by the name of a column that tells them apart, by what
    stands over them, or by the very condition they were chosen by. What a column measures is no such thing: the hours
    of some days are not what is listed."""
    if any(_is_measured(table, at) and one_of_many(thing) in _nouns(table.names[at]) for at in range(len(table.names))):
        return False
    keys = (name for at, name in enumerate(table.names) if table.tells_apart(at))
    told = (table.heading, *keys, *(value for _, value in conditions))
    return any(one_of_many(thing) in _nouns(text) for text in told)


def _is_measured(table: Table, at: int) -> bool:
    """Whether a column behind the first says sizes or times: `£5`, `2 to 6`, `9 am to 1 pm`."""
    return at > 0 and any(map(_is_values, table.column(at)))


@by_word(4_096)
def _is_values(cell: str) -> bool:
    values = extract(cell)
    rest = cell
    for value in reversed(values):
        rest = f"{rest[: value.start]} {rest[value.end :]}"
    known = bool(values) and all(value.kind not in _NO_SIZE for value in values)
    return known and _BETWEEN.issuperset(words(without_asides(rest)))


def _nouns(text: str) -> frozenset[str]:
    return frozenset(map(one_of_many, words(text)))


def one_of_many(noun: str) -> str:
    """A noun in the singular, roughly; nearer than its stem, which a guide has in common with what is guided."""
    plain = fold(noun)
    for ending, put in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x"), ("s", "")):
        if plain.endswith(ending) and not plain.endswith("ss") and len(plain) > len(ending) + 1:
            return plain.removesuffix(ending) + put
    return plain


def _with(table: Table, conditions: Sequence[Condition]) -> str:
    return f" with {' and '.join(f'{table.names[at]} {value}' for at, value in conditions)}" if conditions else ""


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _some(found: Followed | None) -> tuple[Followed, ...]:
    return () if found is None else (found,)


_BETWEEN = frozenset("to and or from until till".split())
"""What stands between the values of a cell that says nothing else."""
_DEGREES = {
    "time": ("earliest", "latest"),
    "date": ("earliest", "latest"),
    "duration": ("shortest", "longest"),
    "duration month": ("shortest", "longest"),
}
_COMPARED = {"latest": "later", "longest": "longer"}
_NO_SIZE = frozenset(("token", "weekday", "ordinal", "frequency"))
_BOUND = re.compile(
    r"\b(?:from|up to|at (?:least|most)|under|over|about|around|approx\w*|min(?:imum)?|max(?:imum)?|not|except|only|"
    r"unless|until further|varies|or more|or less|onwards)\b|[+~<>≤≥]"
)
_THINGS = re.compile(r"(?:\d+|Of the) (\w+)")
_MOST_COMPARED = 4
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
