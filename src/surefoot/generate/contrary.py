"""The statement that contradicts what a question takes for granted, where code can tell.

On the same matter it has another figure, day or person in the same place, or says it with a `not`. A grounder cannot
tell this: it doubts a true premise, put roughly, as much as a false one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from surefoot.core.questions import terms
from surefoot.core.text import fold, words
from surefoot.core.values import Value, equal, extract
from surefoot.generate.quotable import Quotable

SAME_MATTER = 0.6
"""Share of the premise's words, figures, days and people aside, that stand in or above a statement on its matter."""


class Bearing(IntEnum):
    """How a statement bears on a premise; of two that contradict, the greater goes first."""

    NOT = 0
    AGREES = 1
    ANOTHER = 2
    DENIES = 3


def contrary(statement: str, candidates: Iterable[Quotable]) -> Quotable | None:
    """The statement that contradicts the premise; None where there is none, or where another one agrees with it."""
    premise = _read(_COUNTED.sub("one", statement))
    if not premise.matter:
        return None
    bearings = [(_bearing(premise, one), one) for one in candidates]
    if any(bearing is Bearing.AGREES for bearing, _ in bearings):
        return None
    found = [(how, one) for how, one in bearings if how is not Bearing.NOT and one.kind != "row" and not one.leans]
    if len(premise.matter) == 1 and len(found) > 1:
        return None  # one word is a matter only where a single statement speaks of it
    return max(found, key=lambda pair: pair[0])[1] if found else None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Read:
    """A text as what it is about, and what stands in its places."""

    matter: frozenset[str]
    values: tuple[Value, ...]
    days: frozenset[int]
    people: tuple[str, ...]
    denied: bool


def _read(text: str) -> _Read:
    values = tuple(value for value in extract(text) if value.kind in _KINDS)
    people = tuple(match.group() for match in _PERSON.finditer(text))
    placed = terms(" ".join([*(value.text for value in values), *people]))
    said = frozenset(_OPEN if term == _CLOSED else term for term in terms(_DAY.sub(" ", text)))
    return _Read(
        matter=said - placed - _WEAK,
        values=values,
        days=_days(text),
        people=people,
        denied=bool(_NEGATIONS & set(words(text))) or "n't" in text or "n’t" in text or _CLOSED in terms(text),
    )


def _bearing(premise: _Read, one: Quotable) -> Bearing:
    """What agrees is looked for generously, with all that stands above a statement; what contradicts, narrowly.

    For another figure every word of the premise must stand in the statement or its label: a DVD is no book. A `not`
    must be about nothing more than the premise: dogs that are never walked with others are walked.
    """
    said = _read(one.text)
    shared = premise.matter & said.matter
    covered = len(premise.matter & (said.matter | one.context)) / len(premise.matter)
    places = [place for place in _places(premise, said) if place is not None]
    if not shared or covered < SAME_MATTER:
        return Bearing.NOT
    if premise.denied == said.denied and places and all(places):
        return Bearing.AGREES
    if _CONDITION.search(fold(one.text)):
        return Bearing.NOT
    if premise.denied != said.denied:
        no_more = _read(_ALTERNATIVE.sub("", one.text)).matter <= premise.matter | terms(one.label)
        return Bearing.DENIES if no_more and all(places) and len(shared) > 1 else Bearing.NOT
    whole = premise.matter <= said.matter | terms(one.label)
    return Bearing.ANOTHER if places and whole and not premise.denied else Bearing.NOT


def _places(premise: _Read, said: _Read) -> list[bool | None]:
    """For each kind of place that both fill: whether with the same; None: one of them leaves it open."""
    found = [_agree([one for one in said.values if one.kind == value.kind], value) for value in premise.values]
    found.append(bool(premise.days & said.days) if premise.days and said.days else None)
    found.append(_any(premise.people, said.people, lambda one, other: bool(terms(one) & terms(other) - _TITLES)))
    return found


def _agree(values: Sequence[Value], wanted: Value) -> bool | None:
    return any(equal(wanted, value) or _within(wanted, value) for value in values) if values else None


def _within(wanted: Value, value: Value) -> bool:
    """Eight weeks are not contradicted by "at least four weeks"."""
    return bool(value.comparator) and value.comparator != wanted.comparator


def _any(these: Sequence[str], those: Sequence[str], alike: Callable[[str, str], bool]) -> bool | None:
    return any(alike(one, other) for one in these for other in those) if these and those else None


def _days(text: str) -> frozenset[int]:
    """The days of the week it names; "Tuesday to Saturday" names five."""
    found: set[int] = set()
    for match in _DAY.finditer(text):
        first = _WEEK.index(match.group(1).lower())
        last = _WEEK.index(match.group(2).lower()) if match.group(2) else first
        found |= {day % 7 for day in range(first, last + (1 if last >= first else 8))}
    return frozenset(found)


_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY = re.compile(rf"\b({'|'.join(_WEEK)})s?(?:\s*(?:to|until|till|through|[-–])\s*({'|'.join(_WEEK)})s?)?\b", re.I)
_KINDS = frozenset(("money", "percent", "duration", "time", "year", "ordinal"))
_PERSON = re.compile(r"\b(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? [A-Z][\w'’-]+|[A-Z][a-z'’-]+(?: [A-Z][a-z'’-]+)+)")
_TITLES = frozenset(("dr", "mr", "mrs", "ms", "prof"))
_COUNTED = re.compile(r"\b(?:a|an)(?= (?:minute|hour|day|week|fortnight|month|year)\b)", re.I)
_NEGATIONS = frozenset("not no never cannot nobody none neither nor".split())
_CONDITION = re.compile(r"\b(?:if|unless|except|only|until|when|without|but|however|otherwise|sometimes|usually)\b")
_OPEN, _CLOSED = "open", "clos"
_ALTERNATIVE = re.compile(r",?\s+n?or\s+[^,.;]{1,40}(?=[,.;]|$)")
"""What is denied beside it: "does not cover accidents or theft" denies each."""
_WEAK = terms("full become only just always every each per also never cannot nobody none neither nor")
