"""What the result says of each sentence of the draft: its status, its risk, what it rests on, what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from surefoot.core.spans import Spans
from surefoot.core.taxonomy import issue_of
from surefoot.core.types import Claim, ClaimResult, Finding, Issue, Judgement, Quote, Severity, Status
from surefoot.verify.examined import Examined, worst_code


def claim_results(examined: Examined, issues: Sequence[Issue]) -> tuple[ClaimResult, ...]:
    submission = examined.submission
    texts = {passage.id: passage.text for passage in submission.passages}
    found = []
    for one in examined.judgements:
        claim = submission.claims[one.claim]
        own = [issue for issue in issues if Spans([claim.span]).overlap(issue.span)]
        leaves = one.status in (Status.PROVEN, Status.SUPPORTED)
        quotes = (
            (Quote(source=one.passage, span=one.span, text=texts[one.passage][slice(*one.span)]),)
            if leaves and one.passage in texts and one.span is not None
            else ()
        )
        found.append(
            ClaimResult(
                text=claim.text,
                span=claim.span,
                status=one.status,
                risk=round(one.risk, 4),
                rests_on=rests_on(one),
                evidence=quotes,
                issue=worst_code(own),
            )
        )
    return tuple(found)


def rests_on(one: Judgement) -> str | None:
    """quote, derived, proven, supported or critic."""
    if one.status not in (Status.PROVEN, Status.SUPPORTED):
        return None
    return one.method if one.method in ("quote", "derived", "critic") else one.status.value


def doubt(claim: Claim, one: Judgement) -> Issue:
    """Why a claim that nothing speaks against may not leave."""
    problem = {
        Status.SUPPORTED: "the sources support this, but do not prove it",
        Status.DOUBTFUL: "the sources do not say this clearly enough",
    }.get(one.status, "no source supports the claim")
    return replace(issue_of("evidence_miss", claim.span, claim.text, problem), severity=Severity.MEDIUM)


def told(finding: Finding, examined: Examined) -> Issue:
    """A critic's remark. On a quote it is only told: no critic un-proves what a source says word for word."""
    span = Spans([finding.issue.span])
    touched = [one for one in examined.judgements if span.overlap(examined.submission.claims[one.claim].span)]
    quoted = bool(touched) and all(one.method == "quote" for one in touched)
    return replace(finding.issue, severity=Severity.LOW) if quoted else finding.issue
