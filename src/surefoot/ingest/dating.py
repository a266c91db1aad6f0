"""When a document was issued and which one it replaces, where its own first lines say so."""

from __future__ import annotations

import re
from dataclasses import replace

from surefoot.core.types import Document, Json

ISSUED = "issued"
"""Metadata: the ISO date the text gives itself. `date` is what its file or front matter says."""
REPLACES = "replaces"
"""Metadata: the ISO date or the file name of the document that this one takes the place of."""
_OPENING = 600


def dated(document: Document) -> Document:
    """The document with what its opening says of its age; front matter has the first word."""
    start = document.metadata.get("_body")
    opening = document.text[start if isinstance(start, int) else 0 :][:_OPENING]
    said: dict[str, Json] = {}
    if issued := _ISSUED.search(opening):
        said[ISSUED] = _iso(issued)
    given = document.metadata.get("supersedes") or document.metadata.get(REPLACES)
    if isinstance(given, str):
        said[REPLACES] = given
    elif taken := _REPLACES.search(opening):
        said[REPLACES] = _iso(taken)
    return replace(document, metadata={**document.metadata, **said}) if said else document


def _iso(match: re.Match[str]) -> str:
    if match["iso"]:
        return str(match["iso"])
    return f"{match['year']}-{_MONTHS.index(match['month'].lower()) + 1:02d}-{int(match['day']):02d}"


_MONTHS = "january february march april may june july august september october november december".split()
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_DATE = rf"(?:(?P<iso>\d{{4}}-\d\d-\d\d)|{_DAY} (?P<month>{'|'.join(_MONTHS)}) (?P<year>\d{{4}}))"
_ISSUED = re.compile(
    rf"\b(?:issued|valid from|in force from|effective(?: from)?|published|last updated|updated)(?: on| of)?:? {_DATE}",
    re.IGNORECASE,
)
_REPLACES = re.compile(rf"\b(?:replaces?|supersedes?)\b[^.\n]{{0,60}}?\b(?:of|from|dated) {_DATE}", re.IGNORECASE)
