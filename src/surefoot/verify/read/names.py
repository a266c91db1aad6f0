"""Proper names in a text: what a capital letter inside a sentence stands for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from surefoot.core.language import language_of
from surefoot.core.remember import by_text
from surefoot.core.text import STOPWORDS, fold
from surefoot.core.types import Passage
from surefoot.core.values.units import MONTHS, WEEKDAYS
from surefoot.verify.read.ordinary import ORDINARY
from surefoot.verify.read.reading import tokens_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Name:
    text: str
    start: int
    end: int
    words: tuple[str, ...]
    """Its capitalised words, folded; small words between them left out."""
    sure: bool
    """Not just one capitalised word, and not just the start of a sentence."""


@by_text(4096)
def names(text: str) -> tuple[Name, ...]:
    """Every run of capitalised words, joined over 'of', 'and the' and the like. Where capitals say nothing, none: in a
    headline and in German, which writes every noun so."""
    found: list[Name] = []
    if _headline(text) or language_of([text]) == "German":
        return ()
    for match in _NAME.finditer(text):
        start, end = match.span()
        capital = _CAPITAL.findall(match.group())
        opening = _opens_sentence(text, start)
        if opening and (_is_small(capital[0]) or (len(capital) > 1 and fold(capital[0]) in _OPENERS)):
            start += len(capital[0]) + 1
            capital = capital[1:]
            lead = _SMALL_LEAD.match(text, start)
            if lead:
                start = lead.end()
            opening = False
        if opening and len(capital) > 1 and _may_be_ordinary(capital[0], capital[1], text, start):
            start = text.index(capital[1], start + len(capital[0]))
            capital, opening = capital[1:], False
        folded = _folded(capital)
        if not folded or start >= end or all(word in MONTHS or word.rstrip("s") in WEEKDAYS for word in folded):
            continue
        opening = opening and not _is_title(capital[0])  # who has a title is named
        if opening and len(folded) == 1 and not capital[0].isupper():
            continue
        if len(folded) == 1 and folded[0] in ORDINARY and text[:start].rstrip().endswith("|"):
            continue
        sure = len(folded) > 1 or (not opening and len(folded[0]) > 2)
        found.append(Name(text=text[start:end], start=start, end=end, words=folded, sure=sure))
    return tuple(found)


def each_of(name: Name) -> list[Name]:
    """The names that an `and` joins: `TUT and UJ`, `Maths and Physical Sciences`."""
    return [replace(name, text=part, words=_folded(_CAPITAL.findall(part))) for part in _JOINED.split(name.text)]


def _folded(capital: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        _bare(part)
        for word in capital
        if not _is_small(word) and not _is_title(word)
        for part in word.split("-")
        if len(_bare(part)) > 1 and part[0].isupper()
    )


def written(called: Sequence[str], passages: Sequence[Passage]) -> bool:
    """Whether every word of a name stands in the passages as it is written, whatever it is grown together with.

    Asked last, because it reads the passages once more: 'NF-κB' and 'NIH 3T3' are no words like others.
    """
    texts = [fold(passage.text) for passage in passages]
    return all(any(_stands(word, text) for text in texts) for word in called)


@by_text(1024)
def initials(text: str) -> str:
    """First letters of all words in order; 'chronic kidney disease' holds ckd."""
    return "".join(token.word[0] for token in tokens_of(text) if token.word not in ("of", "the", "and", "for"))


def _stands(word: str, text: str) -> bool:
    return word in text and re.search(rf"(?<![^\W\d_]){re.escape(word)}(?![^\W\d_])", text) is not None


def _may_be_ordinary(word: str, following: str, text: str, start: int) -> bool:
    """Whether a sentence's first word is capital only for its place: 'Lack of insulin', 'Reducing VAT', 'Two MEPs'."""
    if word[1:] != word[1:].lower() or any(map(str.isdigit, word)):
        return False
    lower = word.lower()
    if following.isupper() and len(following) > 1:
        return True
    return lower.endswith(("ing", "ly")) or lower in ORDINARY or bool(_OF.match(text, start + len(word)))


def _headline(text: str) -> bool:
    """Whether most words are capitalised: capitals then say nothing."""
    if text.rstrip().endswith((".", "!", "?")):
        return False
    spoken = [word for word in text.split() if word[:1].isalpha() and word.lower() not in STOPWORDS]
    return len(spoken) > 2 and sum(word[0].isupper() for word in spoken) > 0.75 * len(spoken)


def _opens_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \t\"'“‘(*_[#>").removesuffix("'n").removesuffix("’n").rstrip()
    return not before or before[-1] in ".!?:;\n•-–"


def _is_small(word: str) -> bool:
    """`The`, `I`, `That's`, `I'm`."""
    return fold(word) in STOPWORDS or fold(word).replace("’", "'").partition("'")[0] in STOPWORDS


def _is_title(word: str) -> bool:
    return fold(word).rstrip(".") in _TITLES


def _bare(word: str) -> str:
    return fold(word).removesuffix("'s").strip("'.-&")


_CAPITAL = re.compile(r"[A-ZÀ-ÖØ-Þ][\w'’&.-]*\w|[A-ZÀ-ÖØ-Þ]")
_NAME = re.compile(
    r"\b[A-ZÀ-ÖØ-Þ][\w'’&-]*(?:\s+(?:(?:of|for|and|de|van|der|du|la|&)\s+(?:the\s+)?)?[A-ZÀ-ÖØ-Þ][\w'’&-]*)*"
)
_JOINED = re.compile(r"\s+and\s+(?:the\s+)?")
_SMALL_LEAD = re.compile(r"(?:(?:of|for|and|the|de|van|der)\s+)+")
_OF = re.compile(r"\s+(?:of|in|for)\s")
_TITLES = frozenset("mr mrs ms miss dr prof professor sir madam".split())
_OPENERS = frozenset(
    "if when while since although because according contact see visit read under between during however all some many "
    "most each every both also only people applicants students children parents employers employees tenants landlords "
    "please note".split()
)
