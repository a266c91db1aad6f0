"""A value of the case set against one of a reference: `three weeks is longer than the 14 days of the guide`."""

from __future__ import annotations

import re

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
    line = submission.line(claim)
    if submission.case is None or len(line.values) != 2:
        return None
    one, other = line.values
    between = claim.text[one.end : other.start]
    more, less = _MORE.search(between) is not None, _LESS.search(between) is not None
    if more == less or _NOT.search(between) or not _apart(one, other, claim, submission):
        return None
    first, second = _size(one, other), _size(other, one)
    if first is None or second is None or abs(first - second) < CLEARLY * max(first, second):
        return None
    return (first > second) == more


def _apart(one: Value, other: Value, claim: Claim, submission: Submission) -> bool:
    told = extract(submission.case or "")
    written = [value for passage in submission.evidence_for(claim) for value in extract(passage.text)]
    return (_among(one, told) and _among(other, written)) or (_among(other, told) and _among(one, written))


def _among(value: Value, others: tuple[Value, ...] | list[Value]) -> bool:
    return any((value.low == other.low and value.unit == other.unit) or equal(value, other) for other in others)


def _size(value: Value, other: Value) -> float | None:
    if value.kind != other.kind or value.is_range:
        return None
    if value.unit == other.unit:
        return value.low
    return value.low * DAYS[value.unit] if {value.unit, other.unit} <= DAYS.keys() and value.low is not None else None


_MORE = re.compile(r"\b(?:longer|more|greater|higher|later|older|over|above|beyond|exceed(?:s|ed|ing)?|past)\b", re.I)
_LESS = re.compile(r"\b(?:shorter|less|fewer|lower|earlier|younger|under|below|within|short of)\b", re.I)
_NOT = re.compile(r"\b(?:not|no|never|neither|hardly)\b|n't\b", re.I)
