"""What stands right of a number and belongs to it: scale, unit, period, 'or more'."""

from __future__ import annotations

import re
from dataclasses import dataclass

from surefoot.core.text import STOPWORDS
from surefoot.core.values.numerals import ANY_SMALL, size
from surefoot.core.values.units import (
    AFTER,
    AREA_WORDS,
    CURRENCY_WORDS,
    DURATION_ADJECTIVES,
    DURATIONS,
    MEASURES,
    MONTHS,
    PERIODS,
    SCALES,
    SHORT_SCALES,
    WORKING,
)


@dataclass(slots=True)
class Right:
    """Filled while reading; lives only inside extraction."""

    number_end: int
    """Where the number itself ends."""
    end: int
    """Where all that belongs to it ends."""
    kind: str = "number"
    scale: float = 1.0
    unit: str = ""
    factor: float = 1.0
    written: str = ""
    period: str = ""
    comparator: str = ""
    head: str = ""
    more: float = 0.0
    """What behind the unit adds to the number: `two dollars and a half`, `four euros fifty`."""
    about: bool = False
    """`or so` follows."""
    ordinal: bool = False
    month: bool = False


def read_right(text: str, lower: str, end: int, *, money: bool, number: float) -> Right:
    right = Right(end, end)
    if lower[end : end + 1] == "+":
        right.comparator = "at_least"
        right.number_end = right.end = end + 1
        following = _NEXT.match(lower, end + 1)
    else:
        following = _scale(lower, _NEXT.match(lower, end), money, right)
    if following is not None:
        _unit(text, lower, following, money, right)
    if right.end > right.number_end and right.unit:
        _more(lower, right)
    if not right.ordinal and not right.month:
        _tail(lower, right, money=money or right.kind == "money")
    return right


def _scale(lower: str, match: re.Match[str] | None, money: bool, right: Right) -> re.Match[str] | None:
    """Reads '%'-free scales: k, m, bn, thousand, million; returns the word to go on with."""
    if match is None or match.group(2) not in SCALES:
        return match
    word = match.group(2)
    if word in SHORT_SCALES:
        attached = not match.group(1)
        # "5 m" are metres; "5m people" and "R5 m" are millions
        if not (attached and (money or word in ("k", "bn", "tn"))) and not (money and word != "b"):
            return match
    right.scale = SCALES[word]
    right.number_end = right.end = match.end()
    again = _NEXT.match(lower, match.end())
    if again is not None and again.group(2) in SCALES and again.group(2) not in SHORT_SCALES:
        right.scale *= SCALES[again.group(2)]
        right.number_end = right.end = again.end()
        return _NEXT.match(lower, again.end())
    return again


def _unit(text: str, lower: str, match: re.Match[str], money: bool, right: Right) -> None:
    joint, word = match.groups()
    if word in ("st", "nd", "rd", "th") and not joint:
        right.ordinal, right.end = True, match.end()
        right.number_end = match.end()
        return
    if word in ("%", "percent", "percentage", "pc", "pp") or (word == "per" and _CENT.match(lower, match.end())):
        _percent(lower, match, right)
        return
    if money:
        if word in CURRENCY_WORDS:
            right.end = match.end()
        return
    if word in CURRENCY_WORDS:
        right.kind, right.unit, right.end = "money", CURRENCY_WORDS[word], match.end()
        return
    if word in ("pence", "penny") or (
        word == "p" and not joint and _PENCE.search(lower[max(0, match.start() - 6) : match.start()])
    ):
        right.kind, right.unit, right.factor, right.written, right.end = "money", "GBP", 0.01, word, match.end()
        return
    if word in MONTHS and text[match.start(2) : match.end(2)] not in ("may", "march"):
        right.month = True
        return
    if word in DURATION_ADJECTIVES or word in WORKING:
        second = _NEXT.match(lower, match.end())
        if second is not None and second.group(2) in DURATIONS:
            _duration(second.group(2), second.end(), right, working=word in WORKING)
            return
    if word in DURATIONS and (joint or word not in ("h", "m")):
        _duration(word, match.end(), right, working=False)
        return
    if word in AREA_WORDS:
        second = _NEXT.match(lower, match.end())
        if second is not None and second.group(2) in MEASURES:
            base, factor = MEASURES[second.group(2)]
            power = 3 if word == "cubic" else 2
            right.kind, right.unit, right.factor = "count", f"{base}{power}", factor**power
            right.written, right.end = f"{word} {second.group(2)}", second.end()
            return
    if word == "f" and not joint:
        right.kind, right.unit, right.written, right.end = "count", "degF", "°f", match.end()
        return
    if (
        word in MEASURES
        and not (word == "c" and joint)
        and not (word == "t" and not _TONNES.match(text, match.start(2)))
    ):
        base, factor = MEASURES[word]
        right.kind, right.unit, right.factor, right.written, right.end = "count", base, factor, word, match.end()
        _degrees(lower, right)
        _rate(lower, right)
        return
    if word not in STOPWORDS and word[0].isalpha() and word != "s":
        right.kind, right.head = "count", word


def _degrees(lower: str, right: Right) -> None:
    """'5 degrees Celsius': the scale follows."""
    scale = _SCALE_OF_DEGREES.match(lower, right.end) if right.unit == "degree" else None
    if scale is not None:
        right.unit = "degF" if scale.group(1).startswith("f") else "degC"
        right.written, right.end = right.unit, scale.end()


def _rate(lower: str, right: Right) -> None:
    """'10 mg/kg', '5 g per litre': so much of one measure for each of another. Time is the period's affair."""
    per = _PER_MEASURE.match(lower, right.end) or _A_MEASURE.match(lower, right.end)
    if per is None or per.group(1) not in MEASURES:
        return
    base, factor = MEASURES[per.group(1)]
    right.unit, right.factor = f"{right.unit}/{base}", right.factor / factor
    right.written, right.end = f"{right.written}/{per.group(1)}", per.end()


def _percent(lower: str, match: re.Match[str], right: Right) -> None:
    word, end = match.group(2), match.end()
    if word == "per":
        cent = _CENT.match(lower, end)
        assert cent is not None
        end = cent.end()
    points = _POINTS.match(lower, end)
    right.kind, right.unit, right.end = "percent", "%", end
    if word == "pp" or points:
        right.kind, right.unit = "points", "pp"
        right.end = points.end() if points else end
    elif word == "percentage":
        right.kind, right.unit, right.end = "number", "", right.number_end


def _duration(word: str, end: int, right: Right, *, working: bool) -> None:
    base, factor = DURATIONS[word]
    right.kind, right.factor, right.end = "duration", factor, end
    right.unit = f"working {base}" if working else base
    right.written = word.rstrip("s") if len(word) > 2 else word


def _more(lower: str, right: Right) -> None:
    part = _AND_A_PART.match(lower, right.end)
    if part is not None:
        beside = _NEXT.match(lower, part.end())
        if beside is None or beside.group(2) not in (*DURATIONS, *MEASURES, "dozen", "of", "a", "an"):
            right.more, right.end = (0.5 if part.group(1) == "half" else 0.25), part.end()
        return
    cents = _CENTS.match(lower, right.end) if right.kind == "money" and right.factor == 1.0 else None
    if cents is not None and size(cents.group(1)) >= LEAST_CENTS:
        right.more, right.end = size(cents.group(1)) / 100, cents.end()


def _price_of_a_measure(lower: str, right: Right) -> None:
    """'R23 per litre', 'R23/l', 'R30 a kilo': due for each measure, as others are for each month."""
    per = _PER_MEASURE.match(lower, right.end) or _A_MEASURE.match(lower, right.end)
    if per is not None and per.group(1) in MEASURES:
        base, factor = MEASURES[per.group(1)]
        right.period, right.end = f"{factor:g} {base}", per.end()


def _tail(lower: str, right: Right, *, money: bool) -> None:
    """A period ('per month', 'p.a.', 'a week') and a comparator that follows ('or more')."""
    period = _PERIOD.match(lower, right.end)
    if period is None and money:
        _price_of_a_measure(lower, right)
    if period is None and right.head:
        things = _THINGS_A_PERIOD.match(lower, right.number_end)
        if things is not None and STOPWORDS.isdisjoint(things.group(1).split()):
            right.period = PERIODS[things.group(2)]
    if period is not None:
        word = period.group(1) or period.group(2) or period.group(3) or period.group(4)
        right.period = PERIODS.get(word.lstrip("p").strip(". ") if period.group(2) else word, "")
        if right.period:
            right.end = period.end()
            if not right.unit and right.kind in ("number", "count"):
                right.head = ""
    place = right.end
    if right.head and not right.unit:
        place = right.number_end
    right.about = _ABOUT.match(lower, right.end) is not None
    after = _AFTER.match(lower, place)
    if after is not None:
        right.comparator = AFTER.get(" ".join(after.group(1).split()), right.comparator)


_NEXT = re.compile(r"([ \u00a0\u202f-]?|\s)(%|[^\W\d_]+[²³]?|°\s?[cf]?|m[23]\b)")
_TONNES = re.compile(r"t(?![-'’])")
"""No `T-shirts`."""
_PENCE = re.compile(r"(?<![\d.,])\d{1,2}(?:\.\d{1,2})?\Z")
LEAST_CENTS = 10
_AND_A_PART = re.compile(r" and an? (half|quarter)\b")
_CENTS = re.compile(
    rf" ({ANY_SMALL}|\d\d)"
    r"(?=[.,;:!?)]|\s*\Z| (?:an?|per|each|for|in|if|when|and|or|at|on|to|more|less|extra|altogether)\b)"
)
_ABOUT = re.compile(r",? (?:or so|or thereabouts|near enough|more or less|give or take)\b")
_CENT = re.compile(r"\s+cent\b")
_POINTS = re.compile(r"[\s-]+points?\b")
_PERIOD = re.compile(
    r"\s*(?:(?:\bper|\ba|\ban|\beach|\bevery)\s+|/\s?)"
    r"(hour|day|week|fortnight|month|year|annum|night|term|semester|quarter|minute|second)\b"
    r"|\s*(p\.?\s?[amwh]\b\.?)|\s+(hourly|daily|weekly|fortnightly|monthly|annually|yearly|quarterly)\b"
    r"|\s?/\s?(h|hr|min|s|sec|d|wk|mth|yr)\b"
)
_THINGS_A_PERIOD = re.compile(
    r"((?: [^\W\d_]+){1,2}) (?:an?|per|each|every) (hour|day|week|fortnight|month|quarter|year)\b"
    r"(?! (?:ago|before|after|later|earlier|old|long|in advance|and a)\b)"
)
"""`24 plasma donations a year`."""
_PER_MEASURE = re.compile(r"(?:\s?/\s?|\s+per\s+)([^\W\d_]+[²³]?|m[23])(?![\w²³])")
_A_MEASURE = re.compile(r"\s+(?:a|an|each)\s+(kg|km|ml|[^\W\d_]{4,})\b")
_SCALE_OF_DEGREES = re.compile(r"\s?(celsius|centigrade|fahrenheit|c|f)\b")
_AFTER = re.compile(r"(?:\s+years?(?:\s+(?:of age|old))?)?,?\s+((?:or|and)\s+[a-z]+)\b")
