"""What no source says word for word and code can work out: a verdict before its quote, a superlative, a count."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from surefoot.core.followup import whole_parts
from surefoot.core.questions import terms
from surefoot.core.remember import by_text
from surefoot.core.tabled import Table, TableRow, follows, table_file, tables
from surefoot.core.text import sentences, squash, without_markers
from surefoot.core.types import Claim, Passage, Span
from surefoot.core.verdict import asks_openly, verdict
from surefoot.verify.read.claims import cells, columns
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
    """A bare Yes or No."""
    return _VERDICT.fullmatch(_bare(claim)) is not None


def settled(claim: Claim, quoted: tuple[str, Span], submission: Submission) -> bool:
    """Whether a bare Yes or No is what the sentence quoted right behind it says to the question."""
    passage = next(one for one in submission.passages if one.id == quoted[0])
    return _settles(passage.text[slice(*quoted[1])], _VERDICT.fullmatch(_bare(claim)), submission, _above(passage))


Cells = frozenset[tuple[str, str]]
"""(name of the column, cell), squashed."""


class Led(NamedTuple):
    """What a sentence says behind a Yes or No to the question: `No, on weekends from May.`"""

    rest: str
    settled: bool
    """What it says settles the verdict."""


def behind_verdict(claim: Claim, submission: Submission) -> Led | None:
    """None for a sentence that leads with no verdict, or where no question is known. `Right, so …` is none where the
    question asks only what, when or how; `No, …` and `Correct, …` speak of what it takes for granted."""
    found = _VERDICT.match(claim.text)
    rest = claim.text[found.end() :] if found else ""
    if not submission.question or found is None or _SAYS_MORE.match(rest) is None:
        return None
    if found["opener"] and asks_openly(submission.question):
        return None
    rest = rest.lstrip(_BETWEEN)
    return Led(rest[:1].upper() + rest[1:], _settles(without_markers(rest), found, submission))


def _settles(
    text: str, found: re.Match[str] | None, submission: Submission, above: frozenset[str] = frozenset()
) -> bool:
    parts = whole_parts(submission.question) if submission.question else ()
    said = "No" if found is not None and found["no"] else "Yes"
    return any(verdict(part, text, above) == said for part in parts)


def worked_out(claim: Claim, submission: Submission) -> TableRow | None:
    """The row on which a statement about a table rests, where it follows from the rows, or a row of the draft is taken
    from: of a table that is not whole nothing does."""
    said, names = _bare(claim), columns(claim, submission.claims)
    if not names and _FOLLOWS.search(said) is None:
        return None
    found = _tables(claim, submission)
    if names:
        rows = (row for table in found for row, told, own in _beside(said, names, table) if told <= own)
        return next((row for row in rows), None)
    return next((row for table in found if (row := follows(said, table)) is not None), None)


def against_its_row(claim: Claim, submission: Submission) -> bool:
    """Whether a row of the draft has another cell than its row in the sources under a name that both have."""
    names = columns(claim, submission.claims)
    found = _tables(claim, submission) if names else []
    beside = [(told, own) for table in found for _, told, own in _beside(_bare(claim), names, table)]
    return any(dict(own).get(name, cell) != cell for told, own in beside for name, cell in told)


def _tables(claim: Claim, submission: Submission) -> list[Table]:
    files = {table_file(one) for one in submission.evidence_for(claim)}
    return tables([one for one in submission.passages if table_file(one) in files])


def _beside(said: str, names: Sequence[str], table: Table) -> Iterator[tuple[TableRow, Cells, Cells]]:
    """A row of a table for each that a drafted row has the first cell of, by which the rows are told apart, and the
    cells of both with their names. What else the drafted one leaves out bounds nothing."""
    if len(cells(said)) != len(names) or not table.tells_apart(0):
        return
    told = frozenset(zip(map(squash, names), map(squash, cells(said)), strict=True))
    for row in table.rows:
        if any(cell == squash(row.cells[0]) for _, cell in told):
            yield row, told, frozenset(zip(map(squash, row.names), map(squash, row.cells), strict=True))


def _bare(claim: Claim) -> str:
    return _bare_text(claim.text)


@by_text(512)
def _bare_text(text: str) -> str:
    return " ".join(without_markers(text).split()).rstrip(". ")


def _above(passage: Passage) -> frozenset[str]:
    """Terms of the title and the headings: what a sentence of the passage is about."""
    given = passage.metadata.get("headings")
    headings = [str(one) for one in given] if isinstance(given, list) else []
    headings += [one.text for one in sentences(passage.text) if one.kind == "heading"]
    return terms(" ".join([str(passage.metadata.get("title") or ""), *headings]))


_VERDICT = re.compile(
    r"[\s*_\"“]*(?:(?P<no>no|nope|nee|non|nein|(?:of course|certainly|absolutely|definitely|sadly|probably) not"
    r"|not at all|by no means)|(?P<opener>yes|yeah|yep|yup|ja|oui|sure|absolutely|certainly|definitely|of course|right)"
    r"|correct|indeed|exactly|that(?:'s| is) (?:right|correct|true))(?![^\W_])"
    r"(?:,? (?:indeed|sure|certainly|definitely|absolutely|of course)(?![^\W_]))?[*_\"”!]*",
    re.IGNORECASE,
)
"""One word that answers a question, in all the ways it is said."""
_BETWEEN = " \t,;:–—-"
_SAYS_MORE = re.compile(r"\s*[,;:–—]|\s+-\s")
_FOLLOWS = re.compile(r"^Of | listed\b| together is ")
"""In the words of core.tabled."""
