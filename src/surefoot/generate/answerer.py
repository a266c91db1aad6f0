"""The answer without a language model: the statements that answer the question, each cited, with all they need.

A statement is chosen because it answers (see answering.py), not because it is near. One that leans brings the sentence
it leans on, a step brings the whole list, a row brings its column names; what is computed over a table shows its rows.
Where nothing answers, nothing is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from surefoot.core.followup import rests, whole_parts
from surefoot.core.kinds import Kind, holds, kind_of, names
from surefoot.core.pointing import bounds_what_stands_before
from surefoot.core.questions import sub_questions, terms
from surefoot.core.tabled import told_cells
from surefoot.core.text import row_end, sentences, words
from surefoot.core.types import Passage
from surefoot.core.verdict import verdict
from surefoot.generate.answering import Answering, lead, named_in
from surefoot.generate.comparison import compared, near, other_of_two
from surefoot.generate.lists import is_way, list_for, opposed, place, stands_out, things_beside, whole
from surefoot.generate.quotable import Quotable, as_row, leans_on_heading, points_back, quotables
from surefoot.generate.tables import Computed, computed, rows_beside
from surefoot.generate.together import BOTH, Pair, is_of_its_year, joined, pairs

IDENTITY = "answerer:2"


@dataclass(frozen=True, kw_only=True)
class Answerer:
    """core.ports.SafeWriter, for drafts."""

    answering: Answering
    limit: int = 2
    """Statements for one question, lists and what a statement leans on not counted."""
    follower: float = 0.9
    """A further statement must be at least this share as likely an answer as the first."""
    sure: float = 0.8
    """The chance of the first below which it is no sure answer, and a less likely one comes along."""
    doubtful_follower: float = 0.6

    def write(self, question: str | None, passages: Sequence[Passage], *, style: str = "[S#]") -> str:
        candidates = list(quotables(passages, style=style, rows=True))
        if not question or not question.strip():
            return _rendered(candidates[:2])
        said: list[Quotable] = []
        before = ""
        parts = whole_parts(question)
        for asked, part in zip(sub_questions(question), parts, strict=True):
            if part != parts[0] and rests(asked) and not (said or before):
                continue
            found = self._part(part, passages, candidates, style, alone=len(parts) == 1)
            if isinstance(found, Computed):
                before += f"{found.text}\n\n"
                found = list(found.rows)
            elif found and (settled := _settled(part, found[0])):
                before += f"{settled} {found[0].marker}. "
            whole_rules = dict.fromkeys(_with_other_cases(found, candidates, passages))
            said += [one for one in whole_rules if one not in said]
        return (before + _rendered(said)).strip()

    def _part(
        self, question: str, passages: Sequence[Passage], candidates: Sequence[Quotable], style: str, *, alone: bool
    ) -> list[Quotable] | Computed:
        kind = kind_of(question)
        if found := computed(question, kind, passages, candidates, style=style):
            return found
        if not candidates:
            return []
        read, beside = self.answering.chances(question, candidates), opposed(question, kind, candidates)
        chances = {
            one.order: 0.0 if one.order in beside else chance for one, chance in zip(candidates, read, strict=True)
        }
        if kind is Kind.COMPARISON and (pair := compared(self.answering, question, candidates)):
            return pair
        if kind in (Kind.STEPS, Kind.LIST) and (items := list_for(self.answering, question, kind, candidates, chances)):
            return items
        likely = sorted((one for one in candidates), key=lambda one: (-chances[one.order], one.order))
        best = likely[0]
        rivals = [one for one in likely if one is best or best.kind != "item" or place(one) != place(best)]
        weights = self.answering.weights
        if chances[best.order] < weights.least or lead([chances[one.order] for one in rivals]) < weights.stands:
            items = list_for(self.answering, question, kind, candidates, chances) if kind in _MAY_BE_LISTED else []
            # a part of a question has left words to the others, and a way has more than two steps
            paired = self._together(question, candidates, chances) if alone and kind is not Kind.STEPS else None
            return items or list(paired or ())
        if kind is Kind.SUPERLATIVE and (rows := rows_beside(best, candidates)):
            # which row is first is worked out or not known: one of them alone would be a guess
            return list(rows) if len(rows) <= _SMALL_TABLE else []
        if kind is Kind.COMPARISON and (other := other_of_two(question, likely, chances, self.answering.weights)):
            return [best, other]
        steps = [one for one in candidates if best.step and one.step and place(one) == place(best)]
        if steps and kind not in _ONE_THING and is_way(steps):  # a step alone misleads: others come before it, or warn
            return whole(steps, candidates)
        things = things_beside(best, candidates) if kind in (Kind.OTHER, Kind.LIST) else []
        if things and not stands_out([chances[one.order] for one in things], whole=0.0):
            return whole(things, candidates)
        if other := _completed(question, kind, best, likely):
            return [best, other]
        doubtful = alone and chances[best.order] < self.sure
        if doubtful and (both := self._together(question, candidates, chances, beside=best)):
            return list(both)
        chosen = [best]
        if exception := _excepted(question, best, candidates):
            return [best, exception]
        share = self.follower if chances[best.order] >= self.sure else self.doubtful_follower
        enough = max(self.answering.weights.least, share * chances[best.order])
        for one in likely[1:]:
            if len(chosen) == self.limit or chances[one.order] < enough:
                break
            if one.text not in best.lead and _to_the_point(question, kind, best, one):
                chosen.append(one)
        return chosen

    def _together(
        self,
        question: str,
        candidates: Sequence[Quotable],
        chances: dict[int, float],
        *,
        beside: Quotable | None = None,
    ) -> Pair | None:
        """Two statements of one section that are an answer together, where neither is one alone; or the one that makes
        the answer `beside` a likelier one."""
        if max(chances.values(), default=0.0) < _HALF:
            return None
        found = [pair for pair in pairs(candidates, [chances[one.order] for one in candidates]) if _may_stand(pair)]
        if beside is not None:
            found = [pair for pair in found if beside in pair and min(chances[one.order] for one in pair) >= _HALF]
        if not found:
            return None
        first = max(one.order for one in candidates) + 1
        wholes = [joined(pair, order) for order, pair in enumerate(found, first)]
        read = self.answering.chances(question, [*candidates, *wholes])[len(candidates) :]
        read = [chance * is_of_its_year(question, one) for chance, one in zip(read, wholes, strict=True)]
        chance, pair = max(zip(read, found, strict=True), key=lambda one: one[0])
        if beside is not None:
            return pair if chance >= chances[beside.order] else None
        others = [chances[one.order] for one in candidates if one.order not in (pair[0].order, pair[1].order)]
        stands = lead([chance, *others]) >= self.answering.weights.stands
        return pair if chance >= max(BOTH, self.answering.weights.least) and stands else None


def _with_other_cases(
    found: Sequence[Quotable], candidates: Sequence[Quotable], passages: Sequence[Passage]
) -> Iterator[Quotable]:
    """Each statement, and behind one of prose what its paragraph goes on to say of the other case."""
    for one in found:
        yield one
        if one.kind != "prose":
            continue
        behind = (other for other in candidates if other.position == one.position and other.start > one.start)
        following = min(behind, key=lambda other: other.start, default=None)
        if following is None or following.kind != "prose" or not bounds_what_stands_before(following.text):
            continue
        between = passages[one.position].text[one.start : following.start]
        if len(sentences(between)) == 1 and "\n\n" not in between:
            yield following


def _may_stand(pair: Pair) -> bool:
    """Two rows of a table are of two things, and one of them was asked about."""
    return not all(one.kind == "row" or told_cells(one.text)[0] for one in pair)


_MAY_BE_LISTED = (Kind.OTHER, Kind.PERSON, Kind.PLACE, Kind.REASON)
"""Kinds that a whole list may answer: who parks free, where to buy a ticket."""
_ONE_THING = (Kind.MONEY, Kind.COUNT, Kind.QUANTITY, Kind.TIME, Kind.DURATION, Kind.PERSON, Kind.PLACE)
"""Kinds of which one statement gives all that was asked for."""


def _to_the_point(question: str, kind: Kind, best: Quotable, one: Quotable) -> bool:
    """Asked for a number, nobody wants the others: what an adult card costs, not what the senior card does."""
    if kind in _ONE_THING and kind is not Kind.PLACE:
        return terms(question) & near(best) <= near(one) and one.kind == best.kind != "row"
    return one.kind != "row"


def _completed(question: str, kind: Kind, best: Quotable, likely: Sequence[Quotable]) -> Quotable | None:
    """The statement that goes on where the best one only leads to it: it speaks of somebody whom that one names, and
    says all of the question that it leaves open. "The yard was founded by Ms Lind." before "Ms Lind was born in Oslo."
    """
    opened = _beginnings(question) - _said_in(best)
    named = frozenset(names(best.text)) - frozenset(words(question))
    if not opened or not named or best.kind == "row":
        return None
    for one in likely:
        if one is best or one.kind == "row" or holds(kind, one.text, question=question) is False:
            continue
        if named & frozenset(names(one.text)) and opened <= _said_in(one) and not one.lead:
            return one
    return None


def _excepted(question: str, best: Quotable, candidates: Sequence[Quotable]) -> Quotable | None:
    """What the same passage says of the very name asked about, where the best statement is of all: "At Quarry Field no
    bonfires are allowed." behind "Bonfires are allowed from November on."."""
    named = frozenset(named_in(question))
    if not named or named & near(best):
        return None
    about = terms(question) - named
    for one in candidates:
        if (
            one.position == best.position
            and one.kind == "prose"
            and named <= one.terms
            and about & one.terms & best.terms
        ):
            return one
    return None


def _beginnings(text: str) -> frozenset[str]:
    """Words by their first letters: who founded it is its founder."""
    return frozenset(word[:_BEGINNING] for word in terms(text))


def _said_in(one: Quotable) -> frozenset[str]:
    return _beginnings(" ".join([one.about, *one.lead, one.text]))


def _settled(question: str, one: Quotable) -> str:
    """Yes or No; it stands right before its statement, never before one that only leads up to it."""
    return "" if one.kind == "row" or one.lead else verdict(question, one.text, terms(one.about))


def _rendered(chosen: Sequence[Quotable]) -> str:
    """Prose runs on, and so does a sentence of a list alone; items and rows stand on lines of their own, a row under
    its column names, items of one list behind their labels, steps behind their numbers. A list of which an item says
    `you` or `it` stands under its heading; rows that are told, and are of one table, are drawn as one."""
    drawn = [as_row(one) for one in chosen]
    rows = Counter(map(_table, drawn))
    chosen = [row if rows[_table(row)] > 1 else one for one, row in zip(chosen, drawn, strict=True)]
    blocks: list[str] = []
    listed = Counter(place(one) for one in chosen if one.kind == "item")
    leaning = {place(one) for one in chosen if one.kind == "item" and leans_on_heading(one.text)}
    prose: list[str] = []
    table: tuple[int | str, tuple[str, ...]] | None = None
    opener = ""
    step: tuple[int, int] | None = None
    for one in chosen:
        among = listed[place(one)] > 1
        labelled = one.opener and one.opener != opener and (among or points_back(one.text))
        led = one.lead and not points_back(one.text)
        over = one.over_list if place(one) in leaning else ""
        sentence = one.kind == "item" and one.text[-1] in ".!" and not (among or led or labelled or over)
        if one.kind in ("prose", "") or sentence:
            prose += [text for text in (*(_cited(lead, one) for lead in one.lead), one.cited) if text not in prose]
            continue
        if prose:
            blocks.append(" ".join(prose))
            prose, step = [], None
        if one.kind == "row":
            if table != _table(one):
                # the names say nothing by themselves: the rows under them cite
                blocks += ["", "| " + " | ".join(one.table) + " |", "|" + "---|" * len(one.table)]
                table = _table(one)
            at = row_end(one.source)
            blocks.append(f"{one.source[:at]} {one.marker}{one.source[at:]}")
        else:
            leads = [_cited(lead, one) for lead in one.lead] or [over][: bool(over)]
            leads = [lead for lead in leads if not any(lead in block for block in blocks)]
            blocks += ["", *leads] if leads else []
            text = f"{one.opener} {one.cited}" if labelled else one.cited
            if one.step and not one.number and step == place(one) and not leads:
                blocks[-1] += f" {text}"
            else:
                blocks.append(f"{one.number}. {text}" if one.number and among else f"- {text}")
            step = place(one)
            opener = one.opener
    if prose:
        blocks.append(" ".join(prose))
    return "\n".join(blocks).strip()


def _table(one: Quotable) -> tuple[int | str, tuple[str, ...]]:
    """The table that a row is of; records that are told may each be a page of their own."""
    return (one.position if one.group >= 0 else one.about.partition(" > ")[0], one.table)


def _cited(text: str, one: Quotable) -> str:
    return one._replace(text=text).cited


_HALF = 0.1
"""The least chance of half an answer."""
_BEGINNING = 5
_SMALL_TABLE = 8
"""Rows that are shown whole where nobody can tell which of them is asked for."""
