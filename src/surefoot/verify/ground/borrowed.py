"""A value put where another one belongs: `with 14 days' notice`, of a source that asks for one month's, and pays back
something else within 14 days.

The value stands in the source and so does every word, so a grounder believes it. Of 83,000 written rows 228 are such
ones, 195 of them wrong.
"""

from __future__ import annotations

from surefoot.core.types import Claim
from surefoot.core.values import Value
from surefoot.verify.read.binding import Binding, Bound, Place, agrees, alike
from surefoot.verify.read.reading import DENYING, Line, read
from surefoot.verify.read.submission import Submission

LEAST_WORDS, MANY_WORDS = 2, 4
"""Words of a claim, values aside, where no label stands before the value. A bare number is looked at only among many:
it may count anything."""
BARE = frozenset({"number", "count", "ordinal"})
SHARED = 0.34
"""Of the claim's words: a sentence with more of them may be the one that it was taken from."""


def borrowed(claim: Claim, submission: Submission) -> bool:
    """Whether all sentences with a claim's words give another value of the kind, and what has its value shares next to
    nothing with it."""
    line = submission.line(claim)
    said = line.skeleton - DENYING
    if not said or (len(said) < LEAST_WORDS and ": " not in claim.text):
        return False
    values = [one.value for one in submission.bindings(claim) if _stands_elsewhere(one, line, said)]
    lines = _holding(said, claim, submission) if values else []
    return bool(lines) and any(all(_gives_another(value, near) for near in lines) for value in values)


def _stands_elsewhere(found: Binding, line: Line, said: frozenset[str]) -> bool:
    """Whether a value, the only one of its kind in the claim, stands among other words in the source."""
    counts = found.value.kind in BARE and len(said) < MANY_WORDS
    if found.bound is not Bound.MATCHED or found.place is None or counts or len(alike(found.value, line)) != 1:
        return False
    return len(said & found.place.line.skeleton) <= SHARED * len(said)


def _holding(said: frozenset[str], claim: Claim, submission: Submission) -> list[Line]:
    cited = {passage.id for passage in submission.evidence_for(claim)}
    found = [(submission.passages[at], number) for at, number in submission.aligner.holding(said, 1.0)]
    return [read(passage.text)[number] for passage, number in found if passage.id in cited]


def _gives_another(value: Value, line: Line) -> bool:
    others = alike(value, line)
    return bool(others) and not any(agrees(value, Place("", line, other)) for other in others)
