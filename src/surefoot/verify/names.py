"""Proper names in a text: what a capital letter inside a sentence stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from surefoot.core.text import STOPWORDS, fold
from surefoot.core.values.units import MONTHS, WEEKDAYS


@dataclass(frozen=True, kw_only=True, slots=True)
class Name:
    text: str
    start: int
    end: int
    words: tuple[str, ...]
    """Its capitalised words, folded; small words between them left out."""
    sure: bool
    """Not just one capitalised word, and not just the start of a sentence."""


@lru_cache(maxsize=4096)
def names(text: str) -> tuple[Name, ...]:
    """Every run of capitalised words, joined over 'of', 'and the' and the like."""
    found: list[Name] = []
    if _headline(text):
        return ()
    for match in _NAME.finditer(text):
        start, end = match.span()
        words = _CAPITAL.findall(match.group())
        opening = _opens_sentence(text, start)
        if opening and (fold(words[0]) in STOPWORDS or (len(words) > 1 and fold(words[0]) in _OPENERS)):
            start += len(words[0]) + 1
            words = words[1:]
            lead = _SMALL_LEAD.match(text, start)
            if lead:
                start = lead.end()
            opening = False
        folded = tuple(
            part for word in words if fold(word) not in STOPWORDS for part in _bare(word).split("-") if len(part) > 1
        )
        if not folded or start >= end or all(word in MONTHS or word in WEEKDAYS for word in folded):
            continue
        if opening and len(folded) == 1 and not words[0].isupper():
            continue
        sure = len(folded) > 1 or (not opening and len(folded[0]) > 2)
        found.append(Name(text=text[start:end], start=start, end=end, words=folded, sure=sure))
    return tuple(found)


def _headline(text: str) -> bool:
    """Whether most words are capitalised: capitals then say nothing."""
    words = [word for word in text.split() if word[:1].isalpha() and word.lower() not in STOPWORDS]
    return len(words) > 2 and sum(word[0].isupper() for word in words) > 0.75 * len(words)


def _opens_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \t\"'“‘(*_[")
    return not before or before[-1] in ".!?:;\n•-–"


def _bare(word: str) -> str:
    return fold(word).removesuffix("'s").strip("'.-&")


_CAPITAL = re.compile(r"[A-ZÀ-ÖØ-Þ][\w'’&.-]*\w|[A-ZÀ-ÖØ-Þ]")
_NAME = re.compile(
    r"\b[A-ZÀ-ÖØ-Þ][\w'’&-]*(?:\s+(?:(?:of|for|and|de|van|der|du|la|&)\s+(?:the\s+)?)?[A-ZÀ-ÖØ-Þ][\w'’&-]*)*"
)
_SMALL_LEAD = re.compile(r"(?:(?:of|for|and|the|de|van|der)\s+)+")
_OPENERS = frozenset(
    "if when while since although because according contact see visit read under between during however all some many "
    "most each every both also only people applicants students children parents employers employees tenants landlords "
    "please note".split()
)
