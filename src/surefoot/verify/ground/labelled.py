"""Labelled items and rows said as sentences (`core/labelled.py`), where nothing around them takes them back."""

from __future__ import annotations

from surefoot.core.denied import is_denied
from surefoot.core.labelled import Spoken, spoken
from surefoot.core.types import Claim, Passage, Span
from surefoot.verify.ground.scope import calls_false, stated, takes_rows_back
from surefoot.verify.read.alignment import bare_form
from surefoot.verify.read.reading import Line, read
from surefoot.verify.read.submission import Submission


def said_of(line: Line, passage: Passage, submission: Submission) -> str | None:
    """The sentence that an item, a row or a field makes."""
    found = next((one for one in spoken(passage.text) if one.span == line.sentence.span), None)
    return found.text if found is not None and _stands(found, passage, submission) else None


def is_said(claim: Claim, submission: Submission) -> tuple[str, Span] | None:
    """The item, row or field of the evidence whose sentence a claim is."""
    said = bare_form(claim.text)
    for passage in submission.evidence_for(claim) if ": " in said else ():
        for one in spoken(passage.text):
            if bare_form(one.text) == said and _stands(one, passage, submission):
                return passage.id, one.span
    return None


def _stands(one: Spoken, passage: Passage, submission: Submission) -> bool:
    lines = read(passage.text)
    line = next(line for line in lines if line.sentence.span == one.span)
    if calls_false(one.named) or is_denied(passage, one.span[0]):
        return False
    below = [other.sentence for other in lines if other.sentence.start > one.span[0] and other.sentence.kind == "prose"]
    if any(takes_rows_back(other.text, [one.named]) for other in below):
        return False
    return line.sentence.kind == "prose" or stated(line, submission)
