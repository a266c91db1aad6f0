"""A document that replaces another one has the last word: passages of the old one are no evidence beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from surefoot.core.passages import document_of
from surefoot.core.questions import terms
from surefoot.core.text import squash
from surefoot.core.types import Passage, ScoredPassage


def without_replaced(found: Sequence[ScoredPassage]) -> tuple[tuple[ScoredPassage, ...], tuple[str, ...]]:
    """What is still in force, and for each document left out a line that says by what it was replaced."""
    documents = {document_of(hit.passage): hit.passage for hit in found}
    replaced: dict[str, str] = {}
    for new, newer in documents.items():
        for old, older in documents.items():
            others = [passage for name, passage in documents.items() if name not in (new, old)]
            if new != old and _replaces(newer, older, others):
                replaced[old] = new
    kept = tuple(hit for hit in found if document_of(hit.passage) not in replaced)
    return kept, tuple(f"{old} is replaced by {new}" for old, new in sorted(replaced.items()))


def _replaces(newer: Passage, older: Passage, others: Sequence[Passage]) -> bool:
    """By file name, or by the date of the older document, of the same title or called what the newer one calls it."""
    named = str(newer.metadata.get("replaces") or newer.metadata.get("supersedes") or "")
    if not named:
        return False
    if named in (document_of(older), document_of(older).rsplit("/", 1)[-1]):
        return True
    dates = [str(older.metadata.get(key) or "") for key in ("date", "issued")]
    agreed = [date for date in dates if _agree(named, date)]
    if not agreed:
        return False
    exact = len(named) == _DAY and named in agreed
    return _undated(newer) == _undated(older) or _is_meant(newer, older) or (exact and _alike(newer, older, others))


def _is_meant(newer: Passage, older: Passage) -> bool:
    """Whether the older document is what the newer one says it replaces: `the notice of October 2022` is
    `parking-notice-2022` where the newer one is of parking too, and not `rent-notice-2022`."""
    called, names = _called(newer), _named(older)
    rest = names - called
    return bool(called) and called <= names and (len(called) > 1 or not rest or bool(rest & _named(newer)))


def _alike(newer: Passage, older: Passage, others: Sequence[Passage]) -> bool:
    """Of the very day that is given, one word is enough, be it of both file names, where no other document has it:
    `museum-hours` is no older `museum-fees` in the house of `museum-access`."""
    shared = (_called(newer) | terms(_file(newer))) & _named(older)
    return bool(shared.difference(*map(_named, others)))


def _called(newer: Passage) -> frozenset[str]:
    return terms(str(newer.metadata.get("replaces_what") or ""))


def _named(passage: Passage) -> frozenset[str]:
    return terms(f"{_file(passage)} {_undated(passage)}")


def _file(passage: Passage) -> str:
    """The words of a file's name: `rent-rises-2021.txt` is of rent rises."""
    name = document_of(passage).rsplit("/", 1)[-1].partition(".")[0]
    return re.sub(r"[\W\d_]+", " ", name)


def _agree(named: str, date: str) -> bool:
    """Whether two dates are one, as far as the less exact of them goes: `2022-01` and `2022-01-15`."""
    return bool(date) and (date.startswith(named) or named.startswith(date))


def _undated(passage: Passage) -> str:
    """The title without its date: `Terms of hire, March 2025` has the title of `Terms of hire, January 2022`."""
    return " ".join(_DATE.sub(" ", squash(str(passage.metadata.get("title")))).split())


_DAY = len("2024-03-01")
_DATE = re.compile(
    r"\b(?:19|20)\d\d(?:-\d\d){0,2}\b|\b\d{1,2}(?:st|nd|rd|th)?(?= \w+ (?:19|20))|"
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|[^\w\s]|_"
)
