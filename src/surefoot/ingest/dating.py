"""When a document was issued and which one it replaces, where its own first lines say so."""

from __future__ import annotations

import re
from dataclasses import replace

from surefoot.core.day import DATE, iso
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
        said[ISSUED] = iso(issued)
    given = document.metadata.get("supersedes") or document.metadata.get(REPLACES)
    if isinstance(given, str):
        said[REPLACES] = given
    elif taken := _REPLACES.search(opening):
        said[REPLACES] = iso(taken)
        if what := " ".join(taken["what"].split()):
            said[REPLACED] = what
    return replace(document, metadata={**document.metadata, **said}) if said else document


def _headed(opening: str) -> re.Match[str] | None:
    """The date at the end of the first line, or a whole date at the end of one below it before the text begins:
    `Adopted on 19 May 2022`, but not `Founded 1986`."""
    head = opening.strip().split("\n\n", 1)[0].splitlines()[:_HEAD]
    for number, line in enumerate(head):
        match = None if _REPLACES.search(line) else _TITLED.match(line)
        if match is not None and (number == 0 or match["iso"] or match["day"]):
            return match
    return None


_ISSUED = re.compile(
    r"(?:\b(?:issued|valid from|in force from|effective(?: from)?|published|last updated|updated)(?: on| of)?:?"
    rf"|^[*_ ]*dated:?) {DATE}",
    re.IGNORECASE | re.MULTILINE,
)
_TITLED = re.compile(
    rf"\s*(?:#+ )?[^\n.]{{3,80}}?(?:,| [-–—]|\(| of| from| dated)? ?{DATE}\)? *(?:\n|$)", re.IGNORECASE
)
"""A line that ends with a date: `Terms of hire, January 2022`."""
_REPLACES = re.compile(
    rf"\b(?:replaces?|supersedes?)\b(?P<what>(?:[^.\n]|\.(?=\d)){{0,60}}?)\b(?:of|from|dated|the|our) {DATE}",
    re.IGNORECASE,
)
