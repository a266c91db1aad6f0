"""One true sentence into false ones, one class of error at a time, and into a reworded one that stays true."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from surefoot.core.values import Value, compare, equal, extract
from surefoot.core.values.compare import Comparison

T = TypeVar("T")

CLASSES = (
    "digit",
    "swap",
    "unit",
    "currency",
    "period",
    "date",
    "entity",
    "negation",
    "comparator",
    "url",
    "citation",
    "baseless",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Material:
    """What a mutation may draw on."""

    passage: str
    """The cited passage."""
    names: Sequence[str]
    """Names of the same document that the sentence does not hold."""
    foreign_names: Sequence[str]
    """Names of other documents."""
    foreign_sentences: Sequence[str]


def mutate(kind: str, sentence: str, material: Material, rng: Random) -> str | None:
    """The sentence with one error of the class; None where the sentence offers no place for it."""
    maker = _MAKERS.get(kind)
    made = maker(sentence, material, rng) if maker else None
    return made if made is not None and made != sentence else None


def _digit(sentence: str, material: Material, rng: Random) -> str | None:
    values = [value for value in extract(sentence) if value.kind != "token" and re.search(r"\d", value.text)]
    if not values:
        return None
    value = rng.choice(values)
    places = [at for at in range(value.start, value.end) if sentence[at].isdigit()]
    at = rng.choice(places)
    alone = not sentence[at - 1 : at].isdigit() and at == places[0]
    choices = [digit for digit in "0123456789" if digit != sentence[at] and not (alone and digit == "0")]
    made = sentence[:at] + rng.choice(choices) + sentence[at + 1 :]
    again = [other for other in extract(made) if other.start == value.start]
    return made if again and not equal(again[0], value) else None


def _swap(sentence: str, material: Material, rng: Random) -> str | None:
    ours = [
        value for value in extract(sentence) if value.kind in ("money", "percent", "duration", "count", "year", "date")
    ]
    theirs = extract(material.passage)
    options = [
        (value, other)
        for value in ours
        for other in theirs
        if other.kind == value.kind and compare(value, other) is Comparison.DIFFERENT and not equal(other, value)
    ]
    if not options:
        return None
    value, other = rng.choice(options)
    return _put(sentence, value, other.text)


def _unit(sentence: str, material: Material, rng: Random) -> str | None:
    for value in _shuffled(extract(sentence), rng):
        if value.kind == "percent" and value.text.endswith("%"):
            return _put(sentence, value, value.text[:-1] + " percentage points")
        if value.kind in ("duration", "count") and value.written_unit in _UNITS:
            pattern = re.compile(rf"\b{re.escape(value.written_unit)}(s?)\b", re.I)
            other = rng.choice(_UNITS[value.written_unit])
            changed = pattern.sub(rf"{other}\1", value.text, count=1)
            if changed != value.text:
                return _put(sentence, value, changed)
    return None


def _currency(sentence: str, material: Material, rng: Random) -> str | None:
    values = [value for value in extract(sentence) if value.kind == "money" and value.text[0] in "€£$R"]
    if not values:
        return None
    value = rng.choice(values)
    other = rng.choice([sign for sign in "€£$R" if sign != value.text[0]])
    return _put(sentence, value, value.text.replace(value.text[0], other))


def _period(sentence: str, material: Material, rng: Random) -> str | None:
    values = [value for value in extract(sentence) if value.period in _PERIODS]
    if not values:
        return None
    value = rng.choice(values)
    other = rng.choice([period for period in _PERIODS if period != value.period])
    changed = re.sub(rf"\b{value.period}\b", other, value.text)
    return _put(sentence, value, changed) if changed != value.text else None


def _date(sentence: str, material: Material, rng: Random) -> str | None:
    values = [value for value in extract(sentence) if value.kind in ("date", "year") and not value.is_range]
    if not values:
        return None
    value = rng.choice(values)
    ways: list[Callable[[], str]] = []
    month = _MONTH.search(value.text)
    year = _YEAR.search(value.text)
    if month:
        others = [name for name in _MONTHS if name != month.group()]
        ways.append(lambda: value.text.replace(month.group(), rng.choice(others)))
    if year:
        ways.append(
            lambda: value.text.replace(year.group(), str(int(year.group()) + rng.choice([-3, -2, -1, 1, 2, 3])))
        )
    return _put(sentence, value, rng.choice(ways)()) if ways else None


def _entity(sentence: str, material: Material, rng: Random) -> str | None:
    own = capitalised(sentence)
    if not own:
        return None
    name = rng.choice(own)
    pool = list(material.names if rng.random() < 0.5 and material.names else material.foreign_names)
    pool = [other for other in pool if other not in sentence and (" " in other) == (" " in name) and name not in other]
    return sentence.replace(name, rng.choice(pool), 1) if pool else None


def _negation(sentence: str, material: Material, rng: Random) -> str | None:
    if _NOT.search(sentence) and rng.random() < 0.5:
        return _NOT.sub(lambda match: "can" if match.group().lower() == "cannot" else "", sentence, count=1).replace(
            "  ", " "
        )
    for word in _shuffled(list(_AUXILIARIES), rng):
        match = re.search(rf"\b{word}\b(?!\s+not\b)", sentence)
        if match:
            return sentence[: match.start()] + _AUXILIARIES[word] + sentence[match.end() :]
    return None


def _comparator(sentence: str, material: Material, rng: Random) -> str | None:
    for phrase in _shuffled(list(_FLIPS), rng):
        match = re.search(rf"\b{phrase}\b", sentence, re.I)
        if match:
            flipped = _FLIPS[phrase]
            flipped = flipped.capitalize() if match.group()[0].isupper() else flipped
            return sentence[: match.start()] + flipped + sentence[match.end() :]
    return None


def _url(sentence: str, material: Material, rng: Random) -> str | None:
    match = _URL.search(sentence)
    if match is None:
        return None
    address = match.group().rstrip(".,;)")
    letters = [at for at, char in enumerate(address) if char.isalpha() and at > address.find("://") + 3]
    at = rng.choice(letters)
    changed = (
        address[:at]
        + rng.choice([c for c in "abcdefghijklmnopqrstuvwxyz" if c != address[at].lower()])
        + address[at + 1 :]
    )
    return sentence.replace(address, changed)


def _baseless(sentence: str, material: Material, rng: Random) -> str | None:
    if rng.random() < 0.5 and material.foreign_sentences:
        return rng.choice(material.foreign_sentences)
    return rng.choice(_INVENTED)


def capitalised(text: str) -> list[str]:
    """Names inside a sentence: runs of capitalised words that do not open it."""
    found = [match.group() for match in _NAME.finditer(text)]
    return [name for name in dict.fromkeys(found) if name.split()[0] not in _NO_NAMES and name not in _MONTHS]


def _put(sentence: str, value: Value, text: str) -> str:
    return sentence[: value.start] + text + sentence[value.end :]


def _shuffled(items: Sequence[T], rng: Random) -> list[T]:
    return rng.sample(list(items), len(items))


_MAKERS: dict[str, Callable[[str, Material, Random], str | None]] = {
    "digit": _digit,
    "swap": _swap,
    "unit": _unit,
    "currency": _currency,
    "period": _period,
    "date": _date,
    "entity": _entity,
    "negation": _negation,
    "comparator": _comparator,
    "url": _url,
    "baseless": _baseless,
}
_UNITS = {
    "day": ("week", "month", "hour"),
    "week": ("day", "month", "year"),
    "month": ("week", "year", "day"),
    "year": ("month", "week"),
    "hour": ("day", "minute", "week"),
    "minute": ("hour", "second"),
    "kg": ("g", "tonne"),
    "km": ("mile", "m"),
    "g": ("kg",),
    "metre": ("kilometre", "centimetre"),
    "metres": ("kilometres", "centimetres"),
    "litre": ("millilitre",),
    "litres": ("millilitres",),
    "miles": ("metres",),
}
_PERIODS = ("hour", "day", "week", "month", "year")
_MONTHS = "January February March April May June July August September October November December".split()
_MONTH = re.compile("|".join(_MONTHS))
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_URL = re.compile(r"https?://[^\s)]+")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-zA-Z’']+(?: (?:of (?:the )?|and )?[A-Z][a-zA-Z’']+)*")
_NO_NAMES = frozenset({"I", "The", "A", "You", "If", "It", "In", "Your"})
_NOT = re.compile(r"\bnot |\bcannot\b")
_AUXILIARIES = {
    "is": "is not",
    "are": "are not",
    "can": "cannot",
    "must": "must not",
    "will": "will not",
    "was": "was not",
    "were": "were not",
    "should": "should not",
    "has": "has not",
    "may": "may not",
}
_FLIPS = {
    "at least": "at most",
    "at most": "at least",
    "more than": "less than",
    "less than": "more than",
    "no more than": "no less than",
    "up to": "at least",
    "over": "under",
    "under": "over",
    "before": "after",
    "after": "before",
    "minimum": "maximum",
    "maximum": "minimum",
    "above": "below",
    "below": "above",
    "within": "after",
    "fewer than": "more than",
    "higher": "lower",
    "lower": "higher",
}
_INVENTED = (
    "Applicants must attend an interview at a regional office every spring.",
    "The scheme was first proposed by a committee of retired judges.",
    "Most people who apply are refused on their first attempt.",
    "A special discount is available to owners of electric vehicles.",
    "The programme is funded mainly by the national lottery.",
    "Critics have called the rules confusing and unfair.",
    "Payments are doubled for residents of coastal islands.",
    "The procedure was copied from a similar law in Denmark.",
    "Records are kept on paper and destroyed by hand.",
    "Members receive a free bicycle when they join.",
    "The office is closed during the summer holidays.",
    "A medical examination by two doctors is always required.",
    "Experts expect the system to be abolished soon.",
    "Volunteers with a pilot licence are given priority.",
    "The form can only be obtained at a police station.",
    "Foreign students are exempt because of a royal decree.",
)
