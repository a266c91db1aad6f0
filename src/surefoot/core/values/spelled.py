"""Numbers, months and weekdays written as words, with exact spans.

Most words of a text are none of these, so a set intersection over the whole text decides first what to look for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from surefoot.core.values.clock import NAMED_HOURS, is_told, past_the_hour
from surefoot.core.values.frequency import OPENING, Often, often
from surefoot.core.values.numerals import MULTIPLIERS, ORDINALS, SMALL
from surefoot.core.values.units import DURATIONS, MEASURES, MONTHS, WEEKDAYS


@dataclass(frozen=True, kw_only=True, slots=True)
class Word:
    """One run of number words, or one month or weekday."""

    start: int
    end: int
    kind: str
    """cardinal | ordinal | fraction | duration | frequency | time | month | weekday"""
    number: float = 0.0
    """Of a time the minutes since midnight."""
    unit: str = ""
    """What a duration is counted in."""
    often: Often | None = None


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
    if word in ORDINALS:
        return Word(start=start, end=start + len(word), kind="ordinal", number=ORDINALS[word])
    if word == "fortnight":
        article = _ARTICLE.search(lower[max(0, start - 3) : start])
        begin = start - len(article.group().lstrip()) if article else start
        end = start + len(word)
        return Word(start=begin, end=end, kind="duration", number=1.0, unit=word) if article else None
    if word in _PERIODS:
        return _one_period(lower, start, word)
    if word in OPENING:
        rhythm = often(lower, start)
        return None if rhythm is None else Word(start=start, end=rhythm.end, kind="frequency", often=rhythm)
    time = past_the_hour(lower, start) if word in _PARTS or word in SMALL else None
    if time is not None:
        return Word(start=start, end=time[1], kind="time", number=time[0])
    if word in _PARTS:
        return _part_of_a_unit(lower, start, _PARTS[word])
    if word in NAMED_HOURS:
        end = start + len(word)
        told = is_told(lower, start, end)
        return Word(start=start, end=end, kind="time", number=NAMED_HOURS[word]) if told else None
    return _cardinal(lower, start, run)


def _one_period(lower: str, start: int, word: str) -> Word | None:
    """`At least a week ahead`; in `£5 a week` and `twice a year` it is a rate's, and no value of its own."""
    before, end = _BEFORE_ONE.search(lower[max(0, start - 24) : start]), start + len(word)
    if before is None or not _BEHIND_ONE.match(lower, end):
        return None
    return Word(start=start - len(before.group(1)), end=end, kind="duration", number=1.0, unit=word)


def _part_of_a_unit(lower: str, start: int, part: float) -> Word | None:
    """`half an hour`, `a quarter of a kilo`, `half a dozen`, `a year and a half`."""
    before = _UNIT_AND_A.search(lower[max(0, start - 24) : start])
    if before is not None and before.group(1) in _UNITS:
        end = start + len("half" if part == 0.5 else "quarter")
        return Word(start=start - len(before.group()), end=end, kind="duration", number=1 + part, unit=before.group(1))
    word = "half" if part == 0.5 else "quarter"
    dozen = _DOZEN.match(lower, start)
    if dozen is not None:
        return Word(start=start, end=dozen.end(), kind="cardinal", number=12 * part)
    end = _unit_after(lower, start + len(word))
    return Word(start=start, end=end, kind="cardinal", number=part) if end else None


def _unit_after(lower: str, end: int) -> int:
    """Where the unit begins that a part is of, `of an` before it left out of it; 0 where there is none."""
    of_a = _OF_A.match(lower, end)
    return of_a.start(1) - 1 if of_a is not None and of_a.group(1) in _UNITS else 0


def _month(text: str, start: int, word: str) -> Word | None:
    """A month's name is capitalised; 'may' and 'march' are words too, so they need a sign that a month is meant."""
    if not text[start].isupper():
        return None
    before = text[max(0, start - 12) : start]
    if word in _AMBIGUOUS_MONTHS and not _MONTH_BEFORE.search(before):
        first, second = _MONTH_AND_TO.search(before), _TO_MONTH.match(text, start + len(word))
        if not any(found and found.group(1).lower() in MONTHS for found in (first, second)):
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
        if word in SMALL:
            size = SMALL[word]
            # "nineteen ninety" is a year or two numbers, never their sum
            if current % 100 and not (20 <= current % 100 < 100 and current % 10 == 0 and 0 < size < 10):
                break
            current += size
        elif ORDINALS.get(word, 10) < 10 and not seen_scale and 20 <= current < 100 and current % 10 == 0:
            return Word(start=start, end=start + part.end(), kind="ordinal", number=current + ORDINALS[word])
        elif word in MULTIPLIERS:
            factor = MULTIPLIERS[word]
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
            share, after = current / _FRACTIONS[word], _unit_after(lower, start + part.end())
            if after:
                return Word(start=start, end=after, kind="cardinal", number=share)
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


_FRACTIONS = {"third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifths": 5, "fifth": 5, "tenths": 10}
_PERIODS = ("minute", "hour", "day", "week", "month", "year")
_BEFORE_ONE = re.compile(
    r"\b(?:(?:more|less|longer|shorter|fewer) than|least|most|within|after|over|under|about|around|nearly|almost|only"
    r"|just|up to|minimum of|maximum of|takes?|took|lasts?|lasted|waits?|waited|waiting) (an? )\Z"
)
_BEHIND_ONE = re.compile(
    r"(?=\s*(?:\Z|[.;:!?)–—]|,(?!\d))"
    r"|\s(?:ahead|before|beforehand|after|afterwards|from|in|at|to|until|if|when|once|on|by|off"
    r"|and(?! (?:an? |three[ -])(?:half|quarters?)\b)|of (?:notice|rest|leave|work))\b)"
)
_PARTS = {"half": 0.5, "quarter": 0.25}
_TRIGGERS = frozenset(
    word.encode()
    for word in (
        *SMALL,
        *MULTIPLIERS,
        *ORDINALS,
        *MONTHS,
        *WEEKDAYS,
        *_PARTS,
        *NAMED_HOURS,
        *OPENING,
        "fortnight",
        *_PERIODS,
    )
)
_SPLIT = bytes(code if chr(code).isalnum() else 32 for code in range(256))
_RUN = re.compile(r"[a-z]+(?:[ -](?:and )?[a-z]+){0,8}")
_FIRST_WORD = re.compile(r"[a-z]+")
_WORD = re.compile(r"[a-z]+")
_ARTICLE = re.compile(r"(?:^|\W)an? \Z")
_OF_A = re.compile(r"(?:(?: of)? an? |[ -](?=hour\b|year\b))([a-z]+)\b")
_DOZEN = re.compile(r"half(?: a)? dozen\b")
_UNITS = frozenset({*DURATIONS, *MEASURES})
_UNIT_AND_A = re.compile(r"(?<!\w)an? ([a-z]+) and an? \Z")
_AND_A_PART = re.compile(r"[ -]and[ -](?:a[ -](half|quarter)|(three[ -]quarters))\b")
_MONTH_AND_TO = re.compile(r"\b([A-Z][a-z]{2,8})\.?\s?[-–—/]\s?\Z")
_TO_MONTH = re.compile(r"\.?\s?[-–—/]\s?([A-Z][a-z]{2,8})\b")
_AMBIGUOUS_MONTHS = frozenset({"may", "march", "mar", "jan", "dec", "sep", "oct"})
_MONTH_BEFORE = re.compile(
    r"(?:\b(?:in|by|from|until|since|of|last|next|to|till|and|or|between|before|after|during|this|each|every|on|early"
    r"|mid|late)|\d(?:st|nd|rd|th)?)\s+\Z|\b(?:early|mid|late)-\Z",
    re.I,
)
