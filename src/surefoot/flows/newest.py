"""A document that replaces another one has the last word: passages of the old one are no evidence beside it."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.core.passages import document_of
from surefoot.core.text import squash
from surefoot.core.types import Passage, ScoredPassage


def without_replaced(found: Sequence[ScoredPassage]) -> tuple[tuple[ScoredPassage, ...], tuple[str, ...]]:
    """What is still in force, and for each document left out a line that says by what it was replaced."""
    replaced: dict[str, str] = {}
    for newer in (hit.passage for hit in found):
        for older in (hit.passage for hit in found):
            if document_of(newer) != document_of(older) and _replaces(newer, older):
                replaced[document_of(older)] = document_of(newer)
    kept = tuple(hit for hit in found if document_of(hit.passage) not in replaced)
    return kept, tuple(f"{old} is replaced by {new}" for old, new in sorted(replaced.items()))


def _replaces(newer: Passage, older: Passage) -> bool:
    """By file name, or by the date of the older document of the same title."""
    named = str(newer.metadata.get("replaces") or newer.metadata.get("supersedes") or "")
    if not named:
        return False
    if named in (document_of(older), document_of(older).rsplit("/", 1)[-1]):
        return True
    dates = (older.metadata.get("date"), older.metadata.get("issued"))
    return named in dates and squash(str(newer.metadata.get("title"))) == squash(str(older.metadata.get("title")))
