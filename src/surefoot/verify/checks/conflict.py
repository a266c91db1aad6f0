"""Sources that disagree with each other about a claim, and sources that have grown old."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from surefoot.core.case import is_case
from surefoot.core.taxonomy import issue_of
from surefoot.core.types import CheckReport, Claim, Finding, Passage, Severity
from surefoot.core.values import Value
from surefoot.verify.read.binding import Binding, Bound, span_in_draft
from surefoot.verify.read.reading import Line, differing, read
from surefoot.verify.read.submission import Submission

SAME_STATEMENT = 0.9
"""Share of the claim's words, values left out, that another source's sentence must hold to speak of the same."""
MUTUAL = 0.6
"""Share of that sentence's words that the claim must hold in turn."""


@dataclass(frozen=True)
class ConflictCheck:
    name: str = "conflict"
    version: str = "3"

    def run(self, submission: Submission) -> CheckReport:
        findings: list[Finding] = []
        for claim in submission.claims:
            if claim.factual:
                findings += _disagreements(claim, submission)
        findings += _stale(submission)
        return CheckReport(name=self.name, version=self.version, findings=tuple(findings))


def _disagreements(claim: Claim, submission: Submission) -> list[Finding]:
    bindings = [item for item in submission.bindings(claim) if item.bound is Bound.MATCHED and item.place is not None]
    if not bindings or len(submission.passages) < 2:
        return []
    line = submission.line(claim)
    words = line.skeleton
    if len(words) < 3:
        return []
    for place, number in submission.aligner.holding(words, SAME_STATEMENT):
        passage = submission.passages[place]
        if is_case(passage):
            continue  # what happened is no rival of what the rule is
        other = read(passage.text)[number]
        found = _rival(bindings, passage.id, other, line, words)
        if found is not None:
            return [_conflict(claim, *found, other, passage, submission)]
    return []


def _rival(
    bindings: Sequence[Binding], passage: str, other: Line, line: Line, words: frozenset[str]
) -> tuple[Binding, Value] | None:
    """The one value that differs between two sentences that otherwise state the same."""
    if any(binding.place is not None and binding.place.passage == passage for binding in bindings):
        return None
    theirs = other.skeleton
    if len(words & theirs) < MUTUAL * len(theirs) or len(other.values) != len(line.values):
        return None
    pairs = differing(line, other)
    if len(pairs) != 1 or pairs[0][0].kind != pairs[0][1].kind:
        return None
    mine, their = pairs[0]
    return next(((binding, their) for binding in bindings if binding.value is mine), None)


def _conflict(
    claim: Claim, binding: Binding, their: Value, other: Line, passage: Passage, submission: Submission
) -> Finding:
    assert binding.place is not None
    own = {one.id: one for one in submission.passages}[binding.place.passage]
    own_date, other_date = _dated(own), _dated(passage)
    # a newer source settles the matter in favour of what it says
    newer = own_date is not None and other_date is not None and own_date > other_date
    problem = f"{own.id!r} says {binding.place.value.text!r}, {passage.id!r} says {their.text!r}"
    problem += "; the newer one is followed" if newer else ""
    span, location = span_in_draft(claim, binding.value), binding.value.text
    issue = issue_of("source_conflict", span, location, problem, evidence=other.sentence.text)
    return Finding(issue=replace(issue, severity=Severity.LOW) if newer else issue)


def _stale(submission: Submission) -> list[Finding]:
    limit = submission.pack.thresholds.stale_after_days
    today = _iso(submission.today)
    if limit is None or today is None:
        return []
    findings, seen = [], set()
    for claim in submission.claims:
        if not claim.factual:
            continue
        cited = claim.cited or tuple(support.passage for support in submission.supports(claim)[:1])
        for passage in submission.passages:
            dated = _dated(passage)
            if passage.id in cited and passage.id not in seen and dated is not None and (today - dated).days > limit:
                seen.add(passage.id)
                age = (today - dated).days
                problem = f"{passage.id!r} is of {dated.isoformat()}, {age} days old; the pack allows {limit}"
                findings.append(Finding(issue=issue_of("stale_source", claim.span, claim.text, problem)))
    return findings


def _dated(passage: Passage) -> date | None:
    """The passage's own date: `date`, else when it was last updated or published."""
    for key in ("date", "updated", "last_updated", "published", "modified"):
        value = passage.metadata.get(key)
        if isinstance(value, str):
            found = _iso(value)
            if found is not None:
                return found
    return None


def _iso(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
