"""An item of a source's list, word for word, under words of the draft that belong to another list of the sources.

`Sepsis` stands under `Only doctors treat:`; a draft that puts it under `A pharmacist can treat the following:` quotes
twice and says what no source says.
"""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.core.text import squash
from surefoot.core.types import Claim
from surefoot.verify.read.alignment import bare_form
from surefoot.verify.read.claims import RULE, cells, columns
from surefoot.verify.read.reading import Line, read
from surefoot.verify.read.submission import Submission


def under_other_names(claim: Claim, line: Line, submission: Submission) -> bool:
    """Whether a draft puts a source's row under names of columns that do not stand over it in the source."""
    names = columns(claim, submission.claims)
    if not names or line.sentence.kind != "row":
        return False
    at: Line | None = line
    while at is not None and at.sentence.kind == "row" and not RULE.fullmatch(at.sentence.text):
        at = at.above
    header = at.above if at is not None and at.sentence.kind == "row" else None
    return header is None or list(map(squash, names)) != list(map(squash, cells(header.sentence.text)))


def misplaced(claim: Claim, item: Line, submission: Submission) -> bool:
    """Whether the draft's words over an item are nearer to what stands over another list than over its own."""
    over = next(iter(_over(_drafted(claim, submission))), None)
    if over is None or item.sentence.kind != "item":
        return False
    own = _over(item)
    if bare_form(over.sentence.text) in {bare_form(line.sentence.text) for line in own}:
        return False
    said = over.stems
    lists = [_over(line) for passage in submission.passages for line in _firsts(read(passage.text))]
    return max((_shared(said, other) for other in lists), default=0) > _shared(said, own)


def _drafted(claim: Claim, submission: Submission) -> Line | None:
    """The item of the draft that a claim is."""
    start, end = claim.span
    lines = read(submission.draft)
    return next((one for one in lines if one.sentence.kind == "item" and start < one.sentence.end <= end + 1), None)


def _over(item: Line | None) -> list[Line]:
    """What stands over a list: the sentence that leads to it and its heading."""
    line = item
    while line is not None and line.sentence.kind == "item":
        line = line.above
    found = [line] if line is not None and line.sentence.kind in ("prose", "heading") else []
    while line is not None and line.sentence.kind != "heading":
        line = line.above
    return [*found, line] if line is not None and line not in found else found


def _firsts(lines: tuple[Line, ...]) -> Iterator[Line]:
    """The first item of each list."""
    for line in lines:
        if line.sentence.kind == "item" and (line.above is None or line.above.sentence.kind != "item"):
            yield line


def _shared(said: frozenset[str], over: list[Line]) -> int:
    return len(said & frozenset().union(*(line.stems for line in over)))
