"""A value of the case set against one of a reference: `three weeks is longer than the 14 days of the guide`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from surefoot.core.types import Claim
from surefoot.core.values import Value, equal, extract
from surefoot.verify.read.submission import Submission

CLEARLY = 0.05
"""Share by which two values must differ before one is called the greater; months are not equally long."""
DAYS = {"day": 1.0, "month": 30.44}


def outcome(claim: Claim, submission: Submission) -> bool | None:
    """Whether the comparison a claim makes is right; None where it sets no case against a reference or none is clear.

    The first value must stand in the case and the second in a reference that the claim is bound to, or the reverse.
    """
    if submission.case is None:
        return None
    compared = [found for pair in pairwise(submission.line(claim).values) if (found := _compared(*pair, claim.text))]
    if len(compared) != 1:
        return None
    one, other, more = compared[0]
    if not _apart(one, other, claim, submission):
        return None
    first, second = _size(one, other), _size(other, one)
    if first is None or second is None:
        return None
    if first[1] < second[0] * (1 - CLEARLY):
        return not more
    return more if first[0] * (1 - CLEARLY) > second[1] else None


def _compared(one: Value, other: Value, text: str) -> tuple[Value, Value, bool] | None:
    """Two values of which the text between them says that the first is more, or that it is less."""
    between = text[one.end : other.start]
    more, less = _MORE.search(between) is not None, _LESS.search(between) is not None
    return None if more == less or _NOT.search(between) else (one, other, more)


def _apart(one: Value, other: Value, claim: Claim, submission: Submission) -> bool:
    told = extract(submission.case or "")
    written = [value for passage in submission.evidence_for(claim) for value in extract(passage.text)]
    return (_among(one, told) and _among(other, written)) or (_among(other, told) and _among(one, written))


def _among(value: Value, others: Sequence[Value]) -> bool:
    """Whether a value stands there: `longer than six hours` does not where somebody says nine."""
    bare = value._replace(comparator="", period="")
    return any(equal(bare, other._replace(comparator="")) for other in others)


def _size(value: Value, other: Value) -> tuple[float, float] | None:
    """Its ends, in what both can be measured by."""
    if value.kind != other.kind:
        return None
    if value.unit == other.unit:
        return value.low, value.high
    if not {value.unit, other.unit} <= DAYS.keys():
        return None
    return value.low * DAYS[value.unit], value.high * DAYS[value.unit]


_MORE = re.compile(r"\b(?:longer|more|greater|higher|later|older|over|above|beyond|exceed(?:s|ed|ing)?|past)\b", re.I)
_LESS = re.compile(r"\b(?:shorter|less|fewer|lower|earlier|younger|under|below|within|short of)\b", re.I)
_NOT = re.compile(r"\b(?:not|no|never|neither|hardly)\b|n't\b", re.I)
