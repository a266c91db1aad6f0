"""Numbers, months and weekdays written as words, with exact spans.

Most words of a text are none of these, so a set intersection over the whole text decides first what to look for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from surefoot.core.values.units import DURATIONS, MONTHS, WEEKDAYS


@dataclass(frozen=True, kw_only=True, slots=True)
class Word:
    """One run of number words, or one month or weekday."""

    start: int
    end: int
    kind: str
    """cardinal | ordinal | fraction | duration | time | month | weekday"""
    number: float
    """Of a time the minutes since midnight."""
    unit: str = ""
    """What a duration is counted in."""


def spelled(text: str, lower: str) -> list[Word]:
    """Every spelled value in order of appearance; `lower` is the text in lower case with equal offsets."""
    # bytes, because their translation is several times faster than that of strings
    present = _TRIGGERS.intersection(lower.encode("ascii", "replace").translate(_SPLIT).split())
    if not present:
        return []
    starts = sorted({start for word in present for start in _occurrences(lower, word.decode())})
    found: list[Word] = []
    last = 0
    for start in starts:
        if start < last:
            continue
        word = _read(text, lower, start)
        if word is not None:
            found.append(word)
            last = word.end
    return found


def _occurrences(lower: str, word: str) -> Iterator[int]:
    size = len(word)
    at = lower.find(word)
    while at >= 0:
        end = at + size
        if not (at and lower[at - 1].isalnum()) and not (end < len(lower) and lower[end].isalpha()):
            yield at
        at = lower.find(word, end)


def _read(text: str, lower: str, start: int) -> Word | None:
    run = _RUN.match(lower, start)
    assert run is not None
    first = _FIRST_WORD.match(run.group())
    word = first.group() if first else run.group()
    if word in MONTHS:
        return _month(text, start, word)
    if word in WEEKDAYS:
        end = start + len(word)
        return Word(start=start, end=end, kind="weekday", number=WEEKDAYS[word]) if text[start].isupper() else None
    if word in _ORDINALS:
        return Word(start=start, end=start + len(word), kind="ordinal", number=_ORDINALS[word])
    if word == "fortnight":
        article = _ARTICLE.search(lower[max(0, start - 3) : start])
        begin = start - len(article.group().lstrip()) if article else start
        end = start + len(word)
        return Word(start=begin, end=end, kind="duration", number=1.0, unit=word) if article else None
    if word in _PARTS:
        return _past_the_hour(lower, start) or _part_of_a_unit(lower, start, _PARTS[word])
    if word in _HOURS:
        end = start + len(word)
        told = _CLOCK_BEFORE.search(lower[max(0, start - 9) : start]) or _CLOCK_AFTER.match(lower, end)
        return Word(start=start, end=end, kind="time", number=_HOURS[word]) if told else None
    return _cardinal(lower, start, run)


def _past_the_hour(lower: str, start: int) -> Word | None:
    """`half past ten`, `quarter to 6`."""
    found = _PAST.match(lower, start)
    hour = 0 if found is None else int(found.group(3)) if found.group(3).isdigit() else _SMALL.get(found.group(3), 0)
    if found is None or not 1 <= hour <= 12:
        return None
    minutes = 30 if found.group(1) == "half" else 15 if found.group(2) == "past" else -15
    return Word(start=start, end=found.end(), kind="time", number=hour * 60.0 + minutes)


def _part_of_a_unit(lower: str, start: int, part: float) -> Word | None:
    """`half an hour`, `a quarter of an hour`, `a year and a half`."""
    before = _UNIT_AND_A.search(lower[max(0, start - 24) : start])
    if before is not None and before.group(1) in DURATIONS:
        end = start + len("half" if part == 0.5 else "quarter")
        return Word(start=start - len(before.group()), end=end, kind="duration", number=1 + part, unit=before.group(1))
    of_a = _OF_A.match(lower, start)
    if of_a is None or of_a.group(1) not in DURATIONS:
        return None
    return Word(start=start, end=of_a.start(1) - 1, kind="cardinal", number=part)


def _month(text: str, start: int, word: str) -> Word | None:
    """A month's name is capitalised; 'may' and 'march' are words too, so they need a sign that a month is meant."""
    if not text[start].isupper():
        return None
    before = text[max(0, start - 12) : start]
    if word in _AMBIGUOUS_MONTHS and not _MONTH_BEFORE.search(before):
        return None
    return Word(start=start, end=start + len(word), kind="month", number=MONTHS[word])


def _cardinal(lower: str, start: int, run: re.Match[str]) -> Word | None:
    total, current, end, seen_scale = 0.0, 0.0, start, False
    for part in _WORD.finditer(run.group()):
        word = part.group()
        if word == "and":
            if not seen_scale:
                break
            continue
        if word in _SMALL:
            size = _SMALL[word]
            # "nineteen ninety" is a year or two numbers, never their sum
            if current % 100 and not (20 <= current % 100 < 100 and current % 10 == 0 and 0 < size < 10):
                break
            current += size
        elif word in _MULTIPLIERS:
            factor = _MULTIPLIERS[word]
            if not current:
                if not _ARTICLE.search(lower[max(0, start - 3) : start]):
                    return None
                current = 1.0
            if factor >= 1000:
                total, current = total + current * factor, 0.0
            else:
                current *= factor
            seen_scale = True
        elif word in _FRACTIONS and current:
            share = current / _FRACTIONS[word]
            return Word(start=start, end=start + part.end(), kind="fraction", number=share * 100)
        else:
            break
        end = start + part.end()
    if end == start:
        return None
    more, end = and_a_part(lower, end)
    return Word(start=start, end=end, kind="cardinal", number=total + current + more)


def and_a_part(lower: str, end: int) -> tuple[float, int]:
    """What a half or a quarter behind a number adds to it, and where it ends: `two and a half`."""
    found = _AND_A_PART.match(lower, end) if lower.startswith((" and ", "-and-"), end) else None
    if found is None:
        return 0.0, end
    return 3 * _PARTS["quarter"] if found.group(2) else _PARTS[found.group(1)], found.end()


_SMALL = {
    **{
        name: number
        for number, name in enumerate(
            "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen".split(),
            start=1,
        )
    },
    **{
        name: number * 10
        for number, name in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
    },
}
_MULTIPLIERS = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
_FRACTIONS = {"third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifths": 5, "fifth": 5, "tenths": 10}
_ORDINALS = {
    name: number
    for number, name in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), start=1
    )
}
_PARTS = {"half": 0.5, "quarter": 0.25}
_HOURS = {"midnight": 0.0, "noon": 720.0, "midday": 720.0}
_TRIGGERS = frozenset(
    word.encode() for word in (*_SMALL, *_MULTIPLIERS, *_ORDINALS, *MONTHS, *WEEKDAYS, *_PARTS, *_HOURS, "fortnight")
)
_SPLIT = bytes(code if chr(code).isalnum() else 32 for code in range(256))
_RUN = re.compile(r"[a-z]+(?:[ -](?:and )?[a-z]+){0,8}")
_FIRST_WORD = re.compile(r"[a-z]+")
_WORD = re.compile(r"[a-z]+")
_ARTICLE = re.compile(r"(?:^|\W)an? \Z")
_PAST = re.compile(r"(half|quarter) (past|to) ([a-z]+|\d{1,2})\b")
_OF_A = re.compile(r"(?:half|quarter)(?: of)? an? ([a-z]+)\b")
_UNIT_AND_A = re.compile(r"(?<!\w)an? ([a-z]+) and an? \Z")
_AND_A_PART = re.compile(r"[ -]and[ -](?:a[ -](half|quarter)|(three[ -]quarters))\b")
_CLOCK_BEFORE = re.compile(
    r"(?<!\w)(?:at|by|until|till|before|after|past|from|to|and|or|than|is|was|about|around|since|between|12|twelve) \Z"
)
_CLOCK_AFTER = re.compile(r" (?:is|was)\b")
"""What stands beside an hour that has a name: a midnight snack is none."""
_AMBIGUOUS_MONTHS = frozenset({"may", "march", "mar", "jan", "dec", "sep", "oct"})
_MONTH_BEFORE = re.compile(
    r"(?:\b(?:in|by|from|until|since|of|last|next|to|till|and|or|between|before|after|during|this|each|every|on)|\d(?:st|nd|rd|th)?)\s+\Z",
    re.I,
)
