"""When a document was issued and which one it replaces, where its own first lines say so."""

from __future__ import annotations

import re
from dataclasses import replace

from surefoot.core.types import Document, Json

ISSUED = "issued"
"""Metadata: the ISO date the text gives itself. `date` is what its file or front matter says."""
REPLACES = "replaces"
"""Metadata: the ISO date or the file name of the document that this one takes the place of."""
REPLACED = "replaces_what"
"""Metadata: what it calls that document: `the price list` of 1 March 2023."""
_OPENING = 600
_HEAD = 5
"""Lines of a title with what stands directly below it."""


def dated(document: Document) -> Document:
    """The document with what its opening says of its age; front matter has the first word."""
    start = document.metadata.get("_body")
    opening = document.text[start if isinstance(start, int) else 0 :][:_OPENING]
    said: dict[str, Json] = {}
    if issued := _ISSUED.search(opening) or _headed(opening):
        said[ISSUED] = _iso(issued)
    given = document.metadata.get("supersedes") or document.metadata.get(REPLACES)
    if isinstance(given, str):
        said[REPLACES] = given
    elif taken := _REPLACES.search(opening):
        said[REPLACES] = _iso(taken)
        if what := " ".join(taken["what"].split()):
            said[REPLACED] = what
    return replace(document, metadata={**document.metadata, **said}) if said else document


def stamped(text: str) -> str | None:
    """The latest whole date beside words that begin a sentence and tell of the page: `Last updated 3 March 2025`."""
    return max((_iso(found) for found in _STAMPED.finditer(text) if found["iso"] or found["day"]), default=None)


def _headed(opening: str) -> re.Match[str] | None:
    """The date at the end of the first line, or a whole date at the end of one below it before the text begins:
    `Adopted on 19 May 2022`, but not `Founded 1986`."""
    head = opening.strip().split("\n\n", 1)[0].splitlines()[:_HEAD]
    for number, line in enumerate(head):
        match = None if _REPLACES.search(line) else _TITLED.match(line)
        if match is not None and (number == 0 or match["iso"] or match["day"]):
            return match
    return None


def _iso(match: re.Match[str]) -> str:
    """As exact as it was said: a day, a month or a year."""
    if match["iso"]:
        return str(match["iso"])
    month = f"-{_MONTHS.index(match['month'].lower()) + 1:02d}" if match["month"] else ""
    return f"{match['year']}{month}" + (f"-{int(match['day']):02d}" if match["day"] else "")


_MONTHS = "january february march april may june july august september october november december".split()
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_DATE = (
    rf"(?:(?P<iso>\d{{4}}-\d\d-\d\d)|(?:(?:{_DAY} )?(?P<month>{'|'.join(_MONTHS)}),? )?(?P<year>(?:19|20)\d\d))"
    r"(?![\w-])"
)
_ISSUED = re.compile(
    r"(?:\b(?:issued|valid from|in force from|effective(?: from)?|published|last updated|updated)(?: on| of)?:?"
    rf"|^[*_ ]*dated:?) {_DATE}",
    re.IGNORECASE | re.MULTILINE,
)
_STAMPED = re.compile(
    r"(?<!\w)(?-i:(?=[A-Z]))(?:(?:this )?page )?(?:was )?(?:last (?:update|change|review|revision)|(?:last )?"
    r"(?:updated|reviewed|changed|checked|modified|revised|edited|issued|published|dated))(?: on| of)?:? "
    rf"{_DATE}",
    re.IGNORECASE,
)
_TITLED = re.compile(
    rf"\s*(?:#+ )?[^\n.]{{3,80}}?(?:,| [-–—]|\(| of| from| dated)? ?{_DATE}\)? *(?:\n|$)", re.IGNORECASE
)
"""A line that ends with a date: `Terms of hire, January 2022`."""
_REPLACES = re.compile(
    rf"\b(?:replaces?|supersedes?)\b(?P<what>(?:[^.\n]|\.(?=\d)){{0,60}}?)\b(?:of|from|dated|the|our) {_DATE}",
    re.IGNORECASE,
)
