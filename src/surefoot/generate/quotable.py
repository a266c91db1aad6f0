"""What may be quoted: whole statements of passages, each with its marker; no headings, questions, fragments, orders."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from surefoot.core.denied import calls_false, is_denied
from surefoot.core.passages import index_text
from surefoot.core.pointing import needs_what_stands_before
from surefoot.core.questions import terms
from surefoot.core.remember import by_text
from surefoot.core.tabled import told_cells
from surefoot.core.taint import carries_instructions, tainted
from surefoot.core.text import begins_inside, content_words, markers, sentences, squash, without_markers, words
from surefoot.core.types import Passage, Sentence

_MOST = 160
_LEADS = 2
"""Sentences a leaning one brings with it; who needs more is better read in the page."""
_LONGEST = 480
_LEANING = frozenset(
    "it they he she this these those that such its their however also but and so then none neither both either "
    "otherwise instead there".split()
)
_POINTING = frozenset("this that these those such".split())
_SOMEONE = frozenset("he she him her hers his".split())


def leans(text: str) -> bool:
    """Whether a sentence needs the one before it: 'It is closed', 'There is none for DVDs', 'In that period …'."""
    said = words(text)
    first = said[0] if said else ""
    if first == "there":
        return "none" in said[:4]
    return first in _LEANING or bool(_POINTING & set(said[1:3]))


@by_text(1024)
def points_back(text: str) -> bool:
    """Whether a sentence speaks of someone it does not name: 'On Thursdays she works …', 'Start them early.'"""
    said = words(text)
    return leans(text) or bool(_SOMEONE & set(said)) or needs_what_stands_before(text)


def leans_on_heading(text: str) -> bool:
    """Whether an item says too little without what stands over its list: "You pay half.", "They must be out."."""
    return "you" in words(text)[:3] or points_back(text)


class Quotable(NamedTuple):
    """A tuple: the safe text has a hundred of them to choose from."""

    text: str
    marker: str
    about: str
    """Headings above, a bold label before, a question answered: what the sentence is about."""
    terms: frozenset[str]
    context: frozenset[str]
    """Words of `about`, and of the label of its item."""
    position: int
    """Of the passage."""
    start: int
    """In the passage."""
    order: int
    lead: tuple[str, ...] = ()
    """The sentences right before it that one which leans needs: "Dr Pike is a vet." before "He speaks Welsh."; of an
    item the one that leads to its list: "You are not entitled to it if:". """
    label: str = ""
    """The nearest of what stands above it: a bold label, a question, a heading."""
    kind: str = "prose"
    """prose | item | row"""
    group: int = -1
    """The list or table of the passage it belongs to; -1: none."""
    step: bool = False
    """An item of a list with numbers: it says what to do at its place among the others."""
    number: int = 0
    """Its own, where it is the first sentence of one."""
    table: tuple[str, ...] = ()
    """A row's column names."""
    source: str = ""
    """A row as it stands in the passage."""
    opener: str = ""
    """The label of its item, which says nothing by itself: `Water.` of "Usage rose by 12%."; shown in a list."""
    beside: tuple[str, ...] = ()
    """What it is read beside by whoever wants to understand it: the passage it stands in, with what stands above."""

    @property
    def read(self) -> str:
        """The statement as a reader of the page takes it in: what it is about, what it leans on, itself."""
        said = " ".join([*self.lead, self.text])
        about = " > ".join(part for part in (self.about, self.opener.rstrip(".")) if part)
        return f"{about}: {said}" if about else said

    @property
    def over_list(self) -> str:
        """The heading over its list, to be shown above it; empty where there is none but the title."""
        headed = " > " in self.about and self.label[-1:] not in (".", "!", "?")
        return f"{self.label.rstrip(':')}:" if headed else ""

    @property
    def has_number(self) -> bool:
        return any(map(str.isdigit, self.text))

    @property
    def leans(self) -> bool:
        """Begins with a pronoun or a conjunction: it needs the sentence before it."""
        return leans(self.text)

    @property
    def cited(self) -> str:
        """The sentence with its marker inside the final full stop; a list item gets a full stop to end it."""
        if self.text[-1] in ".!:":
            return f"{self.text[:-1]} {self.marker}{self.text[-1]}"
        return f"{self.text} {self.marker}" if self.text[-1] in "\"'”’)]" else f"{self.text} {self.marker}."


def quotables(passages: Sequence[Passage], *, style: str, rows: bool = False) -> Iterator[Quotable]:
    """Every statement that may be quoted, each once, in the order of the passages; the first hundred or so."""
    return itertools.islice(_quotables(passages, style, rows), _MOST)


def _quotables(passages: Sequence[Passage], style: str, rows: bool) -> Iterator[Quotable]:
    seen: set[str] = set()
    order = 0
    for position, passage in enumerate(passages):
        marker = marker_of(position, passages, style)
        if marker is None or tainted(passage):
            continue
        whole = " ".join(passage.text.split())
        beside = (index_text(passage),)
        for text, start, about, more in _statements(passage, rows=rows):
            key = squash(f"{more.label} {text}" if more.kind == "row" else text)
            # the passage carries none; what was made of it by taking markers out or telling a row is looked at again
            own = passage.text.startswith(text, start) or text in whole
            if key in seen or (not own and carries_instructions(text)) or is_denied(passage, start):
                continue
            seen.add(key)
            one = Quotable(
                text=text,
                marker=marker,
                about=about,
                terms=terms(text),
                context=terms(f"{about} {more.opener}") if about or more.opener else _NOTHING,
                position=position,
                start=start,
                order=order,
                lead=more.lead,
                label=more.label,
                kind=more.kind,
                group=more.group,
                step=more.step,
                number=more.number,
                table=more.table,
                source=more.source,
                opener=more.opener,
                beside=beside,
            )
            # A marker must not tear its sentence in two; one without an inner full stop cannot be torn.
            if not _INNER_STOP.search(text) or len(sentences(one.cited)) == 1:
                order += 1
                yield one


def as_one(items: Sequence[Quotable]) -> Quotable:
    """A list as one statement, with what leads to it and stands above it: its items alone do not say what they are,
    nor does `Please tell us:` say when."""
    first = items[0]
    said = [f"{first.label}:" if first.label else "", *first.lead]
    for opener, ones in itertools.groupby(items, key=lambda one: one.opener):
        said += [opener, *(one.text for one in ones)]
    own = frozenset().union(*map(terms, said))
    return first._replace(text=" ".join(filter(None, said))[:_LIST_READ], lead=(), opener="", terms=own)


def as_row(one: Quotable) -> Quotable:
    """What is told as `Office: Leeds; Staff: 23.` as the row of a table; any other statement as it is."""
    names, cells = told_cells(one.text)
    if one.kind != "prose" or not names or "|" in one.text:
        return one
    return one._replace(kind="row", table=names, source=f"| {' | '.join(cells)} |")


class _More(NamedTuple):
    """What surrounds a statement."""

    lead: tuple[str, ...] = ()
    label: str = ""
    kind: str = "prose"
    group: int = -1
    step: bool = False
    number: int = 0
    table: tuple[str, ...] = ()
    source: str = ""
    opener: str = ""


def _statements(passage: Passage, *, rows: bool) -> Iterator[tuple[str, int, str, _More]]:
    """(text, start, what it is about, its surroundings); a question lends its words to what follows it."""
    headings = passage.metadata.get("headings")
    above = [str(item) for item in headings] if isinstance(headings, list) else []
    above.insert(0, str(passage.metadata.get("title") or ""))
    asked, ends, columns, before, group, last, step = "", -1, _Columns(), _Before(), -1, "prose", False
    number, unsaid, lead_in, promised, opening_said, opener = 0, 0, "", "", "", ""
    found = sentences(passage.text)
    for sentence, behind in itertools.zip_longest(found, found[1:]):
        text = " ".join(without_markers(sentence.text).split())
        if 0 <= ends < sentence.start:
            asked, ends = "", -1
        label = _LABEL.match(text)
        opening = _line_before(passage.text, sentence)
        opens = sentence.kind == "item" and _OPENS_ITEM.fullmatch(opening) is not None
        count = int("".join(filter(str.isdigit, opening)) or 0) if opens else 0
        # what stands between step 2 and step 3 does not end the list
        goes_on = opens and step and number > 0 and count == number + 1
        if sentence.kind in ("item", "row") and sentence.kind != last and not goes_on:
            group += 1
            columns = _Columns()
        if opens:
            step, number, unsaid, opening_said = count > 0, count, count, text
            opener = text if _names_item(text, passage.text, behind) else ""
        if sentence.kind == "prose" and last == "item":
            promised = ""
        last = sentence.kind
        nearest = asked or next((part for part in reversed(above) if part), "")
        question = text.rstrip("*_").endswith("?")
        if sentence.kind == "heading" and (text.startswith("#") or not question):
            above.append(text.lstrip("# "))
            asked, number, lead_in, promised = "", 0, "", ""
        elif sentence.kind == "row":
            told = columns.told(text)
            if rows and told:
                more = _More(label=nearest, kind="row", group=group, table=columns.names, source=sentence.text)
                yield told, sentence.start, _about(above, ""), more
        elif opens and opener:
            continue
        elif not asked and _runs_in(sentence, opening, behind, passage.text):
            asked, lead_in = ("" if calls_false(text) else text.rstrip(".")), ""
            ends = passage.text.find("\n\n", sentence.end)
        elif question:
            asked, lead_in = text.strip("*_"), ""
        elif sentence.kind == "prose" and text.endswith(":") and not _LABEL.fullmatch(text + " ."):
            lead_in = text if _leads_in(text) else ""
        elif sentence.kind == "prose" and _PROMISES.search(text) and _list_follows(passage.text, sentence.end):
            promised = text
        elif label and calls_false(label.group(1)):
            asked, lead_in = "", ""
        elif label and _is_statement(text[label.end() :], sentence):
            asked, lead_in = label.group(1), ""
            before.take(text[label.end() :], sentence.end)
            yield text[label.end() :], sentence.start + label.end(), _about(above, asked), _More(label=asked)
        elif _is_statement(text, sentence) or (rows and _is_thing(text, sentence)):
            item = sentence.kind == "item"
            if item and not opens and not step and _NAMED_ITEM.match(opening_said):
                # "Dr Pike: Partner. Speaks Welsh.": the second sentence is of whom the first one names
                before.take(text, sentence.end)
                yield text, sentence.start, _about(above, asked), _More(lead=(opening_said,), label=nearest)
                continue
            if item:
                # "Assistance dogs are welcome. No other dogs may come in.": both stand in one item
                opened = opening_said if not opens and not opener and points_back(text) else ""
                lead: tuple[str, ...] = tuple(filter(None, (lead_in or promised, opened)))
            else:
                lead, lead_in = before.needed_by(text, passage.text[before.end : sentence.start]), ""
            before.take(text, sentence.end)
            more = _More(
                lead=lead,
                label=nearest,
                kind=sentence.kind,
                group=group if item else -1,
                step=item and step,
                number=unsaid if item else 0,
                opener=opener if item else "",
            )
            unsaid = 0 if item else unsaid
            yield text, sentence.start, _about(above, asked), more


def _names_item(opening: str, text: str, behind: Sentence | None) -> bool:
    """Whether the first words of an item are its label: `Water.` before "Usage rose by 12%." in the same item."""
    if behind is None or behind.kind != "item" or _OPENS_ITEM.fullmatch(_line_before(text, behind)):
        return False
    return _NAMES_ITEM.fullmatch(opening) is not None and not _SAYS.search(opening)


def _runs_in(sentence: Sentence, opening: str, behind: Sentence | None, text: str) -> bool:
    """Whether a paragraph begins with a label that says nothing: `Opening hours. Monday to Friday …`"""
    if sentence.kind != "prose" or opening.strip() or behind is None or "\n" in text[sentence.end : behind.start]:
        return False
    return _NAMES_ITEM.fullmatch(sentence.text) is not None and not _SAYS.search(sentence.text)


def _line_before(text: str, sentence: Sentence) -> str:
    """What stands before a sentence on its line."""
    return text[text.rfind("\n", 0, sentence.start) + 1 : sentence.start]


class _Before:
    """The sentences before, as far back as the last one that stands on its own."""

    def __init__(self) -> None:
        self._said: list[str] = []
        self.end = 0

    def needed_by(self, text: str, between: str) -> tuple[str, ...]:
        """What a sentence leans on: nothing where it stands on its own or a heading parts it from the others."""
        if not points_back(text) or "#" in between:
            return ()
        return tuple(self._said[-_LEADS:])

    def take(self, text: str, end: int) -> None:
        self._said = [*self._said, text] if self._said and points_back(text) else [text]
        self.end = end


def _about(above: Sequence[str], asked: str) -> str:
    parts = [part for part in (*above[:1], *above[1:][-2:], asked) if part]
    return " > ".join(dict.fromkeys(parts)) if parts else ""


def _is_statement(text: str, sentence: Sentence) -> bool:
    # the pattern is sure of three words and quick; only what it is not sure of is counted
    if not _THREE_WORDS.search(text) and len(words(text)) < 3:
        return False
    if len(text) > _LONGEST or markers(text):
        return False
    if text.endswith((":", "...", "…")):
        return False
    if sentence.kind == "item":
        return True
    return not begins_inside(text) and text.rstrip("\"'”’)]*_")[-1:] in (".", "!")


def _leads_in(text: str) -> bool:
    """Whether the items behind it need it: "You are not entitled to it if:", "Landlords must provide:"."""
    return len(words(text)) >= 3 and len(text) <= _LONGEST and not markers(text) and not begins_inside(text)


def _list_follows(text: str, end: int) -> bool:
    """Whether a list comes before the next heading."""
    item, heading = _NEXT_ITEM.search(text, end), text.find("\n#", end)
    return item is not None and (heading < 0 or item.start() <= heading)


def _is_thing(text: str, sentence: Sentence) -> bool:
    """An item of one or two words, such as `A lock`: it says nothing alone, and its list is not whole without it."""
    return sentence.kind == "item" and bool(content_words(text)) and not markers(text) and text[-1] not in ":?…"


class _Columns:
    """A Markdown table told row by row: `Books: loan period 21 days, renewals 2.`"""

    def __init__(self) -> None:
        self._before: list[str] = []
        self._names: list[str] = []

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._names)

    def told(self, line: str) -> str | None:
        """The row as a sentence; None for the header, the rule below it and what is no table."""
        if "|" not in line:
            self._before, self._names = [], []
            return None
        cells = [" ".join(cell.split()) for cell in line.strip().strip("|").split("|")]
        if all(_RULE.fullmatch(cell) for cell in cells):
            self._names = self._before
            return None
        self._before = cells
        if len(cells) != len(self._names) or len(cells) < 2 or not cells[0]:
            return None
        pairs = zip(self._names[1:], cells[1:], strict=True)
        return f"{cells[0]}: " + ", ".join(f"{name} {cell}".strip() for name, cell in pairs if cell) + "."


def marker_of(position: int, passages: Sequence[Passage], style: str) -> str | None:
    """The marker that leads back to this passage; None where another passage's id is in the way.

    A marker means the passage with that id first and only then the passage at that place.
    """
    passage = passages[position]
    ids = {other.id for index, other in enumerate(passages) if index != position}
    number = str(position + 1)
    names = {number, f"S{number}", f"s{number}"}
    if not names & ids:
        return f"[{number}]" if style == "[n]" else f"[S{number}]"
    own = passage.id
    if own not in ids and (own.isdigit() or (own[:1] in "Ss" and own[1:].isdigit())):
        return f"[{own}]"
    return None


_LIST_READ = 600
_NOTHING: frozenset[str] = frozenset()
_LABEL = re.compile(r"\*\*([^*]{2,60}?)[.:]?\*\*[.:]?\s+(?=\S)")
_PROMISES = re.compile(
    r"\b(?:the following|as follows|listed below)\b(?! (?:day|morning|week|month|year|term)\b)", re.I
)
"""A sentence that says nothing without the list behind it."""
_NEXT_ITEM = re.compile(r"\n[ \t]*(?:[-*•+]|\d{1,3}[.)])\s")
_NAMES_ITEM = re.compile(r"[A-Z][^\W\d]*(?:[-’'][^\W\d]+)*(?: [^\W\d]+)?\.")
_SAYS = re.compile(r"(?i)\b(?:no|not|never|only|free|open|closed|us|it|me|\w{3,}ed|\w+den)\b")
"""`No smoking.`, `Dogs allowed.`: short, and yet a statement."""
_NAMED_ITEM = re.compile(r"[^:.!?]{2,60}: \S")
_RULE = re.compile(r":?-{2,}:?")
_OPENS_ITEM = re.compile(r"\s*(?:[-*•+]|\d{1,3}[.)])\s+")
_THREE_WORDS = re.compile(r"[a-zA-Z0-9]{2,}(?:[^\w'’.,]+[a-zA-Z0-9]{2,}){2}")
_INNER_STOP = re.compile(r"[.!?…].")
