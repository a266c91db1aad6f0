"""Labelled items and rows said as sentences (`core/labelled.py`), where nothing around them takes them back."""

from __future__ import annotations

from surefoot.core.denied import is_denied
from surefoot.core.labelled import spoken
from surefoot.core.types import Claim, Passage, Span
from surefoot.verify.ground.scope import calls_false, stated, takes_rows_back
from surefoot.verify.read.alignment import bare_form
from surefoot.verify.read.reading import Line, read
from surefoot.verify.read.submission import Submission


def said_of(line: Line, passage: Passage, submission: Submission) -> str | None:
    """The sentence that an item, a row or a field makes."""
    found = spoken(passage.text).get(line.sentence.span)
    if found is None or calls_false(found.named) or is_denied(passage, found.span[0]):
        return None
    below = (one.sentence for one in read(passage.text) if one.sentence.start > found.span[0])
    back = any(one.kind == "prose" and takes_rows_back(one.text, [found.named]) for one in below)
    stands = line.sentence.kind == "prose" or stated(line, passage, submission, shown=found.led)
    return found.text if stands and not back else None


def is_said(claim: Claim, submission: Submission) -> tuple[str, Span] | None:
    """The item, row or field of the evidence whose sentence a claim is."""
    said = bare_form(claim.text)
    for passage in submission.evidence_for(claim) if ": " in said else ():
        spans = {span for span, one in spoken(passage.text).items() if bare_form(one.text) == said}
        line = next((one for one in read(passage.text) if one.sentence.span in spans), None)
        if line is not None and said_of(line, passage, submission):
            return passage.id, line.sentence.span
    return None
