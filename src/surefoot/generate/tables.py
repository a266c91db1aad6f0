"""What a question asks over the rows of a table: worked out in code, shown with the rows it rests on.

Every word of the question must be accounted for: by what the rows are, by the column it measures, by a condition that
rows meet. Where one is left over, or two readings differ, nothing is worked out.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from surefoot.core.kinds import Kind
from surefoot.core.questions import asking, operands, stem, terms
from surefoot.core.tabled import (
    Condition,
    Followed,
    Sizes,
    Table,
    TableRow,
    compared,
    counted,
    first_of,
    is_of,
    is_size,
    one_of_many,
    sizes,
    tables,
    told_cells,
    total,
    values_in,
    without_asides,
)
from surefoot.core.taint import tainted
from surefoot.core.text import content_words, fold, squash, without_markers, words
from surefoot.core.types import Passage
from surefoot.core.values import extract
from surefoot.core.values.weekdays import weekdays
from surefoot.generate.quotable import Quotable, as_row, marker_of


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
        alone = self.named and bool(self.rows)
        return alone and all(_is_said(one, said) for one in self.rows)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Reading:
    """One way to understand the question."""

    followed: Followed
    fit: tuple[int, int]
    """What says that the rows are the things asked about, and how many of the question's words stand in the table's
    title, headings and names."""
    named: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """A question as it is read beside one table."""

    plain: str
    terms: frozenset[str]
    table: Table

    def left(self, *said: str) -> frozenset[str]:
        """The words that neither the table's name nor what is said account for."""
        over = (word for word in words(self.table.about) if one_of_many(word) in self.nouns)
        return self.terms - terms(" ".join(over)).union(*map(terms, said)) - _FILLER

    @property
    def nouns(self) -> frozenset[str]:
        return frozenset(map(one_of_many, self.plain.split()))

    def names(self, text: str) -> bool:
        """Whether the question has a noun of it."""
        return not self.nouns.isdisjoint(map(one_of_many, content_words(text)))

    def fit(self, key: int) -> tuple[int, int]:
        names = (stem(word) for name in self.table.names for word in words(name))
        fits = len(self.terms & (terms(self.table.about) | frozenset(names)))
        return int(self.names(self.table.names[key])), fits


@dataclass(frozen=True, kw_only=True, slots=True)
class _Measure:
    """What a word such as `cheapest` puts in order."""

    name: re.Pattern[str]
    """Of a column that measures it."""
    kinds: frozenset[str] = frozenset()
    """Of the cells of any column that does."""
    said: str = ""
    """The question's words for it."""
    beside: str = ""
    """What a column of that kind is named that measures something else."""

    def fits(self, name: str, kinds: Sequence[str]) -> bool:
        if self.beside and re.search(self.beside, fold(name)):
            return False
        by_kind = any(kind.partition(" ")[0] in self.kinds for kind in kinds)
        return by_kind or (bool(kinds) and self.name.search(fold(name)) is not None)


def computed(
    question: str, kind: Kind, passages: Sequence[Passage], candidates: Sequence[Quotable], *, style: str = "[S#]"
) -> Computed | None:
    """What the question asks of a table's rows; None where no table of such things is there, or it is not sure."""
    read = _reader(question, kind)
    if read is None:
        return None
    plain = " ".join(words(question))
    found = [
        reading
        for table in tables([one for one in passages if not tainted(one)])
        for reading in read(_Asked(plain=plain, terms=terms(question), table=table))
    ]
    best = [one for one in found if one.fit == max(other.fit for other in found)]
    if len({one.followed.text for one in best}) != 1:
        return None
    followed = best[0].followed
    places = {passage.id: at for at, passage in enumerate(passages)}
    marker = marker_of(places[followed.rows[0].passage], passages, style)
    if marker is None:
        return None
    by_place = {(one.position, one.start): one for one in candidates}
    rows = [by_place.get((places[row.passage], row.span[0])) for row in followed.rows]
    return Computed(
        text=f"{followed.text} {marker}.", rows=tuple(one for one in rows if one is not None), named=best[0].named
    )


def _is_said(row: Quotable, said: str) -> bool:
    forms = (row.source or row.text, as_row(row).source)
    return any(form and squash(form).rstrip(". ") in said for form in forms)


def asks_of_rows(question: str, kind: Kind) -> bool:
    """Whether all rows of a table may have to be looked at."""
    return _reader(question, kind) is not None


def _reader(question: str, kind: Kind) -> Callable[[_Asked], Iterator[_Reading]] | None:
    plain = fold(question)
    if kind is Kind.COMPARISON or (_COMPARATIVE.search(plain) and operands(question) is not None):
        return _comparisons
    if _BOUNDS.search(plain):
        return None
    if _TOTAL.search(plain):
        return _totals
    if kind is Kind.SUPERLATIVE:
        return _superlatives
    if kind is Kind.COUNT:
        return _counts
    return _choices if kind in (Kind.LIST, Kind.OTHER) and _WHICH.search(asking(plain)) else None


def rows_beside(one: Quotable, candidates: Sequence[Quotable]) -> tuple[Quotable, ...]:
    """All rows of the table that a row stands in, itself among them; nothing for what is no row of several."""
    mine = _place(one)
    rows = tuple(other for other in candidates if _place(other) == mine) if mine else ()
    return rows if len(rows) > 1 else ()


def _place(one: Quotable) -> tuple[str, ...]:
    """The table a row is of: its title and names; records may each stand under a name of their own, and leave fields
    out."""
    if one.kind == "row":
        return (one.about, *one.table)
    names, _ = told_cells(one.text)
    return (one.about.partition(" > ")[0], *names[:1]) if names else ()


def _superlatives(asked: _Asked) -> Iterator[_Reading]:
    """For each column that may be meant the rows that come first; nothing where columns that fit as well differ."""
    match = _DEGREE.search(asked.plain)
    if match is None or len(_DEGREE.findall(asked.plain)) > 1:
        return
    table, word, before = asked.table, match.group(1), asked.plain[: match.start()]
    if match.group(2):
        word = "cheapest" if word == "least" else "dearest"
    measure = _MEASURES.get(word) or next((measure for verb, measure in _VERBS if verb.search(before)), None)
    columns = _measured(asked, measure, word)
    found: list[tuple[_Reading, int]] = []
    for at in columns:
        for key in _keys(asked):
            if key == at:
                continue
            left = asked.left(table.names[key], table.names[at], match.group(), measure.said if measure else "")
            for conditions in _conditions(asked, left, {at, key}):
                rows = table.under(conditions)
                measured = sizes(table.column(at, rows))
                if measured is None or not _things_named(asked, key, conditions):
                    return
                if measure is _TIME and measured.kind == "number" and not _are_years(measured.values):
                    return
                low = _is_low(word, measured.kind, measured.values)
                if (one := first_of(table, key, at, conditions, low=low)) is not None:
                    found.append((_Reading(followed=one, fit=asked.fit(key), named=True), at))
    winners = {frozenset(row.span for row in one.followed.rows) for one, _ in found}
    if len(winners) == 1 and {at for _, at in found} == set(columns):
        yield found[0][0]


def _measured(asked: _Asked, measure: _Measure | None, word: str) -> list[int]:
    """The columns a word may speak of: of those that it, or the verb before it ("costs the most"), is a measure of the
    ones that the question names."""
    table = asked.table
    fitting, overlaps = [], {}
    keys = _keys(asked)
    for at, name in enumerate(table.names):
        if at in keys:
            continue
        own = terms(name) - (terms(table.names[0]) if at else frozenset())
        overlaps[at] = len(asked.terms & own)
        kinds = [size.kind for cell in table.column(at) if (size := sizes((cell,))) is not None]
        named = overlaps[at] and word in _OF_NUMBERS and bool(kinds) and (measure is None or "number" in kinds)
        if named or (measure is not None and measure.fits(name, kinds)):
            fitting.append(at)
    most = max((overlaps[at] for at in fitting), default=0)
    return [at for at in fitting if overlaps[at] == most and (most or measure is not None)]


def _is_low(word: str, kind: str, values: Sequence[float]) -> bool:
    year = kind == "date" or (kind == "number" and _are_years(values))
    if word in ("oldest", "newest", "youngest"):
        return (word == "oldest") == year
    return word in _DOWN


def _are_years(values: Sequence[float]) -> bool:
    return all(1500 <= size <= 2200 and size == int(size) for size in values)


def _counts(asked: _Asked) -> Iterator[_Reading]:
    match = _HOW_MANY.search(asked.plain)
    if match is None:
        return
    things, table = match.group(1), asked.table
    for key in _keys(asked):
        for conditions in _conditions(asked, asked.left(table.names[key]), {key}):
            if is_of(things, table, conditions) and (one := counted(table, key, things, conditions)) is not None:
                yield _Reading(followed=one, fit=asked.fit(key))


def _choices(asked: _Asked) -> Iterator[_Reading]:
    """The rows that a condition leaves: "Which trips run on Sundays?"."""
    match = _WHICH.search(asked.plain)
    if match is None:
        return
    things, table = match.group(1), asked.table
    for key in _keys(asked):
        for conditions in _conditions(asked, asked.left(table.names[key]), {key}):
            if conditions and is_of(things, table, conditions):
                one = counted(table, key, things, conditions)
                if one is not None and len(one.rows) < len(table.rows):
                    yield _Reading(followed=one, fit=asked.fit(key))


def _totals(asked: _Asked) -> Iterator[_Reading]:
    """What a column comes to over the rows that are named, or over those that a condition leaves."""
    table = asked.table
    numbers = [value for value in extract(asked.plain) if value.kind in ("count", "number") and not value.unit]
    numerals = frozenset().union(*(terms(value.text.split()[0]) for value in numbers))
    for key, at in itertools.product(_keys(asked), range(len(table.names))):
        named = _named(asked, key)
        measured = sizes(table.column(at, named or None)) or _NO_SIZES
        meant = terms(table.names[at]) & asked.terms or (
            measured.kind.startswith("money") and _is_only_money(table, at)
        )
        if at == key or not meant:
            continue
        left = asked.left(table.names[key], table.names[at], _SUMMED, *table.column(key, named)) - numerals
        for conditions in _conditions(asked, left, {key, at}):
            rows = table.under(conditions) if conditions or not named else named
            counts = all(value.low == len(rows) and is_of(value.head, table, conditions) for value in numbers)
            if counts and not (named and conditions) and (one := total(table, key, at, rows)) is not None:
                yield _Reading(followed=one, fit=asked.fit(key))


def _is_only_money(table: Table, at: int) -> bool:
    return [n for n in range(len(table.names)) if _is_money(table, n)] == [at]


def _is_money(table: Table, at: int) -> bool:
    return any(value.kind == "money" for cell in table.column(at) for value in extract(cell))


def _comparisons(asked: _Asked) -> Iterator[_Reading]:
    """Which of two rows has more of what the question's comparative measures."""
    match = _COMPARATIVE.search(asked.plain)
    if match is None or _DENIED.search(asked.plain):
        return
    table, word = asked.table, _COMPARATIVES.get(match.group(), "dearest")
    measure = _MEASURES.get(word)
    for key in _keys(asked):
        named, columns = _named(asked, key), _measured(asked, measure, word)
        if len(named) != 2:
            continue
        found = [compared(table, key, at, *named) for at in columns]
        ways = {one.way for one in found if one is not None}
        said = (match.group(), measure.said if measure else "", *table.column(key, named))
        left = asked.left(table.names[key], *(table.names[at] for at in columns[:1]), *said)
        if found and found[0] is not None and None not in found and len(ways) == 1 and not left:
            yield _Reading(followed=found[0], fit=asked.fit(key))


def _named(asked: _Asked, key: int) -> tuple[TableRow, ...]:
    """The rows the question names; none where one name is part of another."""
    found = [
        (row, own) for row in asked.table.rows if (own := terms(without_asides(row.cells[key]))) and own <= asked.terms
    ]
    if any(own <= other for row, own in found for rival, other in found if row is not rival):
        return ()
    return tuple(row for row, _ in found)


def _keys(asked: _Asked) -> list[int]:
    """The column that rows are called by: the one that the question names, else the first."""
    table = asked.table
    apart = [at for at in range(len(table.names)) if table.tells_apart(at)]
    able = [at for at in apart if not any(map(is_size, table.column(at)))] or [at for at in apart if at == 0]
    named = [at for at in able if asked.names(table.names[at])]
    return named[:1] or able[:1]


def _things_named(asked: _Asked, key: int, conditions: Sequence[Condition]) -> bool:
    """Whether the question says what the rows are, be it only `who`."""
    table = asked.table
    if asked.plain.startswith("who "):
        return bool(terms(table.names[key]) & _PERSONS)
    return any(map(asked.names, (table.heading, table.names[key], *(value for _, value in conditions))))


def _conditions(asked: _Asked, left: frozenset[str], used: set[int]) -> Iterator[tuple[Condition, ...]]:
    """The conditions that account for every word left over; nothing where a word may be two of them, or none."""
    table = asked.table
    denied = bool(_DENIED.search(asked.plain))
    if not left:
        if not denied:
            yield ()
        return
    found: dict[int, str] = {}
    for at in range(len(table.names)):
        if at in used:
            continue
        cells = table.column(at)
        if {squash(cell) for cell in cells} <= _YES_NO:
            if terms(table.names[at]) and terms(table.names[at]) <= left:
                found[at] = "no" if denied else "yes"
            continue
        values = dict.fromkeys(itertools.chain.from_iterable(map(values_in, cells)))
        meant = [value for value in values if terms(value) and terms(value) <= left | terms(table.names[at])]
        meant = [value for value in meant if terms(value) & left]
        if meant:
            found[at] = max(meant, key=lambda value: (len(terms(value)), weekdays(value) is not None, len(value)))
            if not frozenset().union(*map(terms, meant)) <= terms(found[at]):
                return
    chosen = tuple(found.items())
    if denied and not any(value == "no" for _, value in chosen):
        return
    met = [terms(value) | terms(table.names[at]) for at, value in chosen]
    own = [terms(value) & left for _, value in chosen]
    twice = any(one & other for one, other in itertools.combinations(own, 2))
    if chosen and not twice and left <= frozenset().union(*met) and len(chosen) <= _MOST_CONDITIONS:
        yield chosen


_MOST_CONDITIONS = 2
_NO_SIZES = Sizes(kind="", values=())
_DEGREES = (
    "most least fewest largest biggest smallest highest lowest longest shortest oldest newest youngest earliest latest "
    "cheapest dearest heaviest lightest fastest slowest tallest deepest widest"
).split()
_DEGREE = re.compile(rf"\b({'|'.join(_DEGREES)})\b ?(expensive|costly|dear)?")
_DOWN = frozenset("least fewest smallest lowest shortest cheapest lightest slowest earliest".split())
_OF_NUMBERS = frozenset("most least fewest largest biggest smallest highest lowest longest shortest".split())
"""Words that a column of plain numbers is put in order by, where the question names it."""
_MONEY = _Measure(
    name=re.compile(r"price|cost|fee|rate|charge|rent|salary|per (?:week|month|day|night|year)"),
    kinds=frozenset(("money",)),
    said="cost costs price priced pay charge money",
    beside=r"\b(?:deposit|discount|refund|saving)",
)
_LASTING = _Measure(
    name=re.compile(r"length|long|duration|lasts|distance|time|wait|\byears\b"),
    kinds=frozenset(("duration", "m")),
    said="last lasts take takes work works worked wait",
)
_TIME = _Measure(
    name=re.compile(r"\b(?:date|year|open|close|start|end|from|until|time)"), kinds=frozenset(("time", "date"))
)
_AGE = _Measure(
    name=re.compile(r"\b(?:built|opened|founded|year|age\b|since|date|born|made)"), kinds=frozenset(("date",))
)
_AREA = _Measure(name=re.compile(r"area|size|capacity|volume|population"))
_WEIGHT = _Measure(name=re.compile(r"weight|mass"), kinds=frozenset(("g",)), said="weigh weighs")
_SPEED = _Measure(name=re.compile(r"speed"))
_MEASURES = {
    "cheapest": _MONEY,
    "dearest": _MONEY,
    "oldest": _AGE,
    "newest": _AGE,
    "youngest": _AGE,
    "earliest": _TIME,
    "latest": _TIME,
    "longest": _LASTING,
    "shortest": _LASTING,
    "largest": _AREA,
    "biggest": _AREA,
    "smallest": _AREA,
    "heaviest": _WEIGHT,
    "lightest": _WEIGHT,
    "fastest": _SPEED,
    "slowest": _SPEED,
    "tallest": _Measure(name=re.compile("height")),
    "deepest": _Measure(name=re.compile("depth")),
    "widest": _Measure(name=re.compile("width")),
}
_VERBS = (
    (re.compile(r"\bcosts?(?: the)? $"), _MONEY),
    (re.compile(r"\bweighs?(?: the)? $"), _WEIGHT),
    (re.compile(r"\b(?:lasts?|takes?)(?: the)? $"), _LASTING),
    (
        re.compile(r"\b(?:carry|carries|holds?|takes?)(?: the)? $"),
        _Measure(name=re.compile(r"capacity|payload|load|volume|seats"), said="carry carries hold holds"),
    ),
)
"""What is measured by the verb right before `the most`."""
_COMPARATIVES = {f"{word[:-3]}er": word for word in _DEGREES if word.endswith("est") and word != "fewest"}
_COMPARATIVE = re.compile(rf"\b({'|'.join(_COMPARATIVES)}|more expensive|less expensive)\b")
_HOW_MANY = re.compile(r"\bhow many (?:of (?:the|your|our) )?(?:different )?(\w+)\b")
_WHICH = re.compile(r"^(?:which|what)(?: of (?:the|your|our))? (?:\w+ ){0,2}?(\w{2,}s)\b")
_TOTAL = re.compile(r"\b(?:together|altogether|in total|in all|combined|add(?:s|ed)? up|sum of|total of)\b")
_SUMMED = "together altogether total add up come comes sum combined cost costs price pay amount"
_BOUNDS = re.compile(
    r"\b(?:(?:under|over)(?: (?:an?|the|age|of))* \W?(?:\d|ten|twelve|twenty|thirty|forty|fifty|hundred|thousand)|"
    r"than|above|below|between|before|after|until|within|at least|at most|up to|(?:no|not) more|less|fewer|except|"
    r"apart|besides|other|another|neither|nor|either)\b"
)
"""What bounds a number or takes rows out: no condition that a cell meets."""
_DENIED = re.compile(r"\b(?:without|no|not|never|none|nobody|cannot|lacks?|lacking|isn't|aren't|don't|doesn't|can't)\b")
_YES_NO = frozenset(("yes", "no"))
_PERSONS = frozenset(map(stem, "name person people staff member employee colleague".split()))
_FILLER = frozenset(
    map(
        stem, "company firm business organisation organization list listed have has got exist offer offered run".split()
    )
) | frozenset(map(stem, "held happen available one ones go come came without lacking take whats".split()))
