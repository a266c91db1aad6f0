"""A day that a verdict counts from one of the case by the time a rule gives: `by 13 March` where somebody moved out on
6 February and the rule gives five weeks. Neither source has that day, so code counts it."""

from __future__ import annotations

import re

from surefoot.core.case import CASE, is_case, states_rule
from surefoot.core.types import Claim
from surefoot.core.values import equal, extract, lies_off
from surefoot.verify.read.reading import denials
from surefoot.verify.read.submission import Submission


def counted(claim: Claim, submission: Submission) -> bool | None:
    """Whether the day by which a sentence says something must or may be done is that day; None where it names none, or
    where account or rules name it themselves."""
    line = submission.line(claim)
    if submission.case is None or CASE not in claim.cited or not states_rule(claim.text) or denials(line):
        return None
    days = [value for value in line.values if value.kind == "date" and None not in value.when[1:]]
    told = [value for value in extract(submission.case) if value.kind == "date" and None not in value.when[1:]]
    rules = [value for one in submission.evidence_for(claim) if not is_case(one) for value in extract(one.text)]
    if len(days) != 1 or not told or any(equal(days[0], one) for one in (*told, *rules)):
        return None
    if not _BY.search(line.sentence.text[: days[0].start]):
        return None
    return lies_off(days[0], told, rules) is not None


_BY = re.compile(r"\b(?:by|until|till|before)\s+(?:the\s+)?$", re.IGNORECASE)
