"""What no source says word for word and code can work out: a verdict before its quote, a superlative, a count."""

from __future__ import annotations

import re

from surefoot.core.followup import whole_parts
from surefoot.core.questions import terms
from surefoot.core.tabled import TableRow, follows, table_file, tables
from surefoot.core.text import sentences, without_markers
from surefoot.core.types import Claim, Passage, Span
from surefoot.core.verdict import verdict
from surefoot.verify.read.reading import quoted_line
from surefoot.verify.read.submission import Submission


def is_derived(claim: Claim, submission: Submission) -> bool:
    """Whether code works it out: its figures and its marker are then held against no single sentence."""
    if not is_verdict(claim):
        return worked_out(claim, submission) is not None
    following = submission.claims[claim.index + 1 : claim.index + 2]
    quote = quoted_line(following[0].text, submission.evidence_for(following[0])) if following else None
    return quote is not None and settled(claim, (quote[0], quote[1].sentence.span), submission)


def is_verdict(claim: Claim) -> bool:
    """A bare Yes or No: whether it is one, no grounder can read."""
    return _bare(claim) in ("Yes", "No")


def settled(claim: Claim, quoted: tuple[str, Span], submission: Submission) -> bool:
    """Whether a bare Yes or No is what the sentence quoted right behind it says to the question."""
    passage = next(one for one in submission.passages if one.id == quoted[0])
    text = passage.text[slice(*quoted[1])]
    parts = whole_parts(submission.question) if submission.question else ()
    return any(verdict(part, text, _above(passage)) == _bare(claim) for part in parts)


def worked_out(claim: Claim, submission: Submission) -> TableRow | None:
    """The row on which a statement about a table rests, where it follows from the rows: of a table that is not whole
    nothing does."""
    said = _bare(claim)
    if _FOLLOWS.search(said) is None:
        return None
    files = {table_file(one) for one in submission.evidence_for(claim)}
    pages = [one for one in submission.passages if table_file(one) in files]
    return next((row for table in tables(pages) if (row := follows(said, table)) is not None), None)


def _bare(claim: Claim) -> str:
    return " ".join(without_markers(claim.text).split()).rstrip(". ")


def _above(passage: Passage) -> frozenset[str]:
    """Terms of the title and the headings: what a sentence of the passage is about."""
    given = passage.metadata.get("headings")
    headings = [str(one) for one in given] if isinstance(given, list) else []
    headings += [one.text for one in sentences(passage.text) if one.kind == "heading"]
    return terms(" ".join([str(passage.metadata.get("title") or ""), *headings]))


_FOLLOWS = re.compile(r"^Of | listed\b| together is ")
"""In the words of core.tabled."""
