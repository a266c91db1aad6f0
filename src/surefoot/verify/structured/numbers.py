"""Numbers and the lengths of lists against what a claim says of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from surefoot.core.evidence import Field, stem
from surefoot.core.types import Json, Span
from surefoot.verify.structured.fields import Record, path_stems
from surefoot.verify.structured.verdict import Agreement, FieldVerdict, verdict_of
from surefoot.verify.structured.words import NEAR, Word, mention, number_of, same_word

BESIDE = 2
"""Words between a field's name and a number that is meant for it, even where another field has that number."""


def check_numbers(words: Sequence[Word], record: Record) -> Iterable[FieldVerdict]:
    """Verdicts on the numbers and lists the claim names. A number that a remark of the record tells is left alone."""
    for field, place in _named(words, record):
        if isinstance(field.value, list):
            verdict = _check_count(field, field.value, words, *place)
        else:
            verdict = _check_number(field, _other_numbers(words, field, record.fields), record.numbers, words, *place)
        if verdict is not None and (verdict.agreement is Agreement.SUPPORTED or verdict.claimed not in record.remarks):
            yield verdict


def check_exchange(words: Sequence[Word], record: Record) -> list[FieldVerdict]:
    """Fields that the claim gives one another's numbers: `there are 3 rooms on 12 floors` of 12 rooms on 3 floors.

    Names and numbers are paired in the order they are said. Only where the claim says exactly the numbers of the
    fields it names, each of them elsewhere in the claim, so that a number of something else changes nothing.
    """
    found = [
        (place, value, field) for field, place in _named(words, record) if (value := _float(field.value)) is not None
    ]
    named = sorted(found, key=lambda one: one[0])
    numbers = [(at, number) for at in range(len(words)) if (number := _stated(words, at)) is not None]
    if len(named) < 2 or sorted(value for _, value, _ in named) != sorted(number for _, number in numbers):
        return []
    return [
        verdict_of(field, False, words[at].text, words, min(place[0], at), max(place[1], at))
        for (place, value, field), (at, number) in zip(named, numbers, strict=True)
        if value != number
    ]


def meant_rightly(words: Sequence[Word], record: Record, start: int) -> bool:
    """Whether the number that begins at a character is that of the fields named nearest to it, all of them."""
    at = next((at for at, word in enumerate(words) if word.start == start), None)
    named = [
        (min(abs(at - first), abs(at - last)), _count_or_number(field.value))
        for field, (first, last) in _named(words, record)
        if at is not None
    ]
    nearest = min((far for far, _ in named), default=None)
    return at is not None and all(value == _stated(words, at) for far, value in named if far == nearest)


def _count_or_number(value: Json) -> float | None:
    return float(len(value)) if isinstance(value, list) else _float(value)


def _named(words: Sequence[Word], record: Record) -> Iterable[tuple[Field, Span]]:
    """The fields with a number or a list that the claim names, and where it does."""
    for field in record.fields:
        if isinstance(field.value, bool) or not isinstance(field.value, int | float | list):
            continue
        stems = dict.fromkeys(path_stems(field.path))
        telling = tuple(word for word in stems if word not in record.common and not word.isdigit())
        place = mention(words, telling) or (_rating(words) if telling == _STARS else None)
        if place is not None:
            yield field, place


def _rating(words: Sequence[Word]) -> Span | None:
    """`rated 4.5 out of 5`: stars that are not called so."""
    for at, word in enumerate(words):
        soon = words[at + 1 : at + 4]
        if word.text in _RATED and any((number_of(near) or 6.0) <= 5.0 for near in soon):
            return at, at
    return None


def _other_numbers(words: Sequence[Word], field: Field, fields: Sequence[Field]) -> frozenset[float]:
    """What other fields say that the claim may mean instead.

    Those are fields with a word of the claim in their own name (`serves` is not `protein per serving`) and, where the
    claim speaks of one of several, like-named ones.
    """
    said = {word.stem for word in words}
    own = path_stems(field.path)
    several = not said.isdisjoint(_ONE_OF_SEVERAL)
    found: set[float | None] = set()
    for other in fields:
        stems = path_stems(other.path)
        if not said.isdisjoint(set(stems) - set(own)) or (several and stems[-1:] == own[-1:]):
            found.add(_float(other.value))
    return frozenset(number for number in found if number is not None)


def _float(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _check_number(
    field: Field, elsewhere: frozenset[float], held: frozenset[float], words: Sequence[Word], first: int, last: int
) -> FieldVerdict | None:
    """The field's own number agrees; one that may be meant of another field says nothing; else the nearest disagrees,
    unless it is another field's that merely stands in reach."""

    def far(at: int) -> int:
        return min(abs(at - first), abs(at - last))

    around = range(max(0, first - NEAR), min(len(words), last + NEAR + 1))
    near = {at: number for at in around if (number := _stated(words, at)) is not None}
    agreeing = [at for at, number in near.items() if number == _float(field.value)]
    if not agreeing and any(number in elsewhere for number in near.values()):
        return None
    others = [
        at
        for at, number in near.items()
        if not _of_another_kind(words, at, field) and (number not in held or far(at) <= BESIDE)
    ]
    if not agreeing and not others:
        return None
    at = min(agreeing or others, key=lambda at: (far(at), at))
    return verdict_of(field, bool(agreeing), words[at].text, words, min(first, at), max(last, at))


def _stated(words: Sequence[Word], at: int) -> float | None:
    """The number at a place; `four and a half` is one."""
    number = number_of(words[at])
    half = [word.text for word in words[at + 1 : at + 4]] == ["and", "a", "half"]
    return number + 0.5 if number is not None and half else number


def _of_another_kind(words: Sequence[Word], at: int, field: Field) -> bool:
    """`45 minutes before serving` does not say how many it serves, and `11 January` is a date."""
    before, after = (words[near].stem if 0 <= near < len(words) else "" for near in (at - 1, at + 1))
    unit = after in _UNITS and not any(same_word(part, after) for part in path_stems(field.path))
    return unit or not _MONTHS.isdisjoint((before, after))


def _check_count(
    field: Field, items: Sequence[Json], words: Sequence[Word], first: int, last: int
) -> FieldVerdict | None:
    """`three sizes` against a list of sizes."""
    before = words[first - 1] if first else None
    count = number_of(before) if before else None
    if before is None or count is None or count > 50:
        return None
    return verdict_of(field, int(count) == len(items), before.text, words, first - 1, last)


_ONE_OF_SEVERAL = frozenset(
    stem(word) for word in "review reviewer customer guest diner patron user visitor one another some gave each".split()
)
_STARS = (stem("stars"),)
_RATED = frozenset(("rating", "rated", "score", "scores"))
_UNITS = frozenset(stem(word) for word in "seconds minutes hours days weeks months years percent".split())
_MONTHS = frozenset(
    stem(word) for word in "january february march april june july august september october november december".split()
)
