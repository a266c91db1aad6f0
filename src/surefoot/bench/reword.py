"""A true sentence said otherwise, by code: other number forms, plain synonyms, contractions, another order."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from surefoot.core.values import Value, extract


def reword(sentence: str, rng: Random) -> str | None:
    """The sentence with up to three changes that keep its truth; None where nothing could be changed.

    A sentence with a web address is left alone: its words are part of the address too.
    """
    if "://" in sentence:
        return None
    text, made = sentence, 0
    for way in rng.sample(_WAYS, len(_WAYS)):
        changed = way(text)
        if changed is not None and changed != text:
            text, made = changed, made + 1
        if made == 3:
            break
    return text if made else None


def _numbers(sentence: str) -> str | None:
    for value in extract(sentence):
        other = _other_form(value)
        if other is not None and other != value.text:
            return sentence[: value.start] + other + sentence[value.end :]
    return None


def _other_form(value: Value) -> str | None:
    text = value.text
    if value.kind == "money" and text[0] in "€£$" and not value.is_range and value.scale == 1:
        match = re.fullmatch(r"[€£$]((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(\D.*)?", text, re.S)
        return f"{match.group(1)} {_CURRENCY[text[0]]}{match.group(2) or ''}" if match else None
    if value.kind == "percent" and text.endswith("%"):
        return f"{text[:-1].strip()} per cent"
    if value.kind == "date" and None not in value.when:
        year, month, day = value.when
        return f"{_MONTHS[(month or 1) - 1]} {day}, {year}"
    if value.kind in ("duration", "count") and not value.is_range and value.raw in _WORDS and text[0].isdigit():
        return re.sub(r"^\d+", _WORDS[int(value.raw)], text)
    return None


def _synonyms(sentence: str) -> str | None:
    text = sentence
    changed = 0
    for pattern, other in _SYNONYMS:
        text, made = pattern.subn(other, text, count=1)
        changed += made
        if changed == 2:
            break
    return text if changed else None


def _contraction(sentence: str) -> str | None:
    text = re.sub(r"\b(is|are|does|do|was|were|did|has|have) not\b", r"\1n't", sentence)
    text = re.sub(r"\bcannot\b", "can't", text)
    return text if text != sentence else None


def _condition(sentence: str) -> str | None:
    """'If A, B.' becomes 'B if A.'; 'In May, B.' becomes 'B in May.'"""
    match = re.fullmatch(r"(If|When|In|From|Since|After|Before) ([^,]{3,80}), ([^,]{12,})\.", sentence)
    if match is None:
        return None
    opening, clause, rest = match.groups()
    first = rest.split()[0]
    head = rest if first.isupper() else rest[0].upper() + rest[1:]
    return f"{head} {opening.lower()} {clause}."


def _opening(sentence: str) -> str | None:
    """A harmless lead-in, or one taken away."""
    match = re.match(r"(?:However|Also|In addition|Additionally|Therefore|Generally speaking), (\w)", sentence)
    if match:
        return match.group(1).upper() + sentence[match.end() :]
    return None


_WAYS: list[Callable[[str], str | None]] = [_numbers, _synonyms, _contraction, _condition, _opening]
_CURRENCY = {"€": "euro", "£": "pounds", "$": "dollars"}
_MONTHS = "January February March April May June July August September October November December".split()
_WORDS = dict(
    enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split(), start=2
    )
)
_SYNONYMS = [
    (re.compile(rf"\b{one}\b"), two)
    for one, two in (
        (r"must\b(?! not)", "have to"),
        ("receive", "get"),
        ("obtain", "get"),
        ("purchase", "buy"),
        ("assistance", "help"),
        ("commence", "start"),
        ("begin", "start"),
        ("begins", "starts"),
        ("also ", ""),
        ("such as", "for example"),
        ("in order to", "to"),
        ("however, ", ""),
        ("regarding", "about"),
        ("prior to", "before"),
        ("approximately", "about"),
        ("per week", "a week"),
        ("per month", "a month"),
        ("per year", "a year"),
        ("provided by", "given by"),
        ("are entitled to", "have a right to"),
        ("is entitled to", "has a right to"),
        ("can apply for", "may apply for"),
        ("requires", "needs"),
        ("require", "need"),
        ("ensure", "make sure"),
        ("children", "kids"),
        ("normally", "usually"),
        ("usually", "normally"),
        ("a number of", "several"),
        ("information", "details"),
        ("large", "big"),
        ("which is", "that is"),
        ("which are", "that are"),
        ("someone", "a person"),
        ("your employer", "the employer"),
    )
]
