"""A deed that nobody told of: a clause says what somebody did in the words of a rule, and the account has none of it.

`You left rubbish about, so you have to pay` takes its first half from the rule as well. A grounder that reads account
and rule side by side believes it; code sees in which of them its values and words stand.
"""

from __future__ import annotations

import re

from surefoot.core.case import CASE, happened, is_case, reckoned, states_rule
from surefoot.core.text import STOPWORDS, without_markers
from surefoot.core.types import Claim
from surefoot.core.values import Comparison as How
from surefoot.core.values import Value, compare, equal, extract, lies_off
from surefoot.verify.read.alignment import stems_of
from surefoot.verify.read.submission import Submission

LEAST = 4
"""Words of a clause that is looked at."""


def untold(claim: Claim, submission: Submission) -> bool:
    """Whether a clause tells of a deed with a value, or in words, that only the rule beside it has."""
    if submission.case is None or CASE not in claim.cited or len(claim.cited) < 2:
        return False
    rules = " ".join(one.text for one in submission.evidence_for(claim) if not is_case(one))
    account = f"{submission.case} {reckoned(submission.case)}"
    return any(_is_untold(clause, account, rules) for clause in _clauses(submission.line(claim).sentence.text))


def _clauses(text: str) -> list[str]:
    return [clause.strip() for clause in _JOINS.split(without_markers(text)) if len(clause.split()) >= LEAST]


def _is_untold(clause: str, account: str, rules: str) -> bool:
    if not _SOMEBODY.match(clause) or not happened(clause) or states_rule(clause) or _SETS_AGAINST.search(clause):
        return False
    told = extract(account)
    values = [
        value for value in extract(clause) if value.unit and not value.approximate and not _lies_between(value, told)
    ]
    if any(not _has(value, told) and _has(value, extract(rules)) for value in values) and not _GRANTED.search(clause):
        return True
    said = stems_of(clause) - _BLAND
    return not values and not said & stems_of(account) and bool(said & stems_of(rules))


def _lies_between(value: Value, told: list[Value]) -> bool:
    """Whether a duration lies between two dates or times of the account."""
    return any(lies_off(one, told, [value]) is not None for one in told)


def _has(value: Value, others: list[Value]) -> bool:
    """Bare, in any period and under any bound."""
    bare = value._replace(comparator="", period="")
    return any(
        equal(bare, one._replace(comparator="", period=""))
        or compare(bare, one) is How.SAME
        or (not one.unit and one.low <= value.raw <= one.high)
        for one in others
    )


_JOINS = re.compile(
    r"[,;:]?\s+(?:so|but|although|though|because|since|while|whereas|as|which|and)\s+|[,;:]\s+", re.IGNORECASE
)
_SOMEBODY = re.compile(r"(?:you|he|she|they|it|your \w+|his \w+|her \w+|their \w+|the \w+|both)\b", re.IGNORECASE)
_SETS_AGAINST = re.compile(
    r"\b(?:not|no|never|nobody|nothing|neither|nor|without|longer|shorter|more|less|fewer|later|earlier|older|younger"
    r"|beyond|over|under|above|below|within|short|too|if|unless|would|until)\b|n't\b",
    re.IGNORECASE,
)
_GRANTED = re.compile(r"\bhad (?!your\b|the\b|his\b|her\b|their\b|its\b)", re.IGNORECASE)
"""`He had 24 hours` is what the rule gave him; `You had your eleven hours` is what was had."""
_BLAND = frozenset(STOPWORDS) | stems_of("had has have did was were been about said told this that")
