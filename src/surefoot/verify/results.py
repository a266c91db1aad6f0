"""What the result says of each sentence of the draft: its status, its risk, what it rests on, what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from surefoot.core.spans import Spans
from surefoot.core.taxonomy import issue_of
from surefoot.core.types import Claim, ClaimResult, Finding, Issue, Judgement, Quote, Revision, Severity, Status
from surefoot.verify.examined import Examined, worst_code
from surefoot.verify.read.alignment import bare_form


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


def doubts(examined: Examined, held_back: Sequence[Claim]) -> list[Issue]:
    """An issue in plain words for each claim that may not leave and that no finding speaks of."""
    said = Spans(finding.issue.span for finding in examined.blocking)
    judged = {one.claim: one for one in examined.judgements}
    return [_doubt(claim, judged[claim.index]) for claim in held_back if not said.overlap(claim.span)]


def _doubt(claim: Claim, one: Judgement) -> Issue:
    """Why a claim that nothing speaks against may not leave."""
    problem = {
        Status.SUPPORTED: "the sources support this, but do not prove it",
        Status.DOUBTFUL: "the sources do not say this clearly enough",
    }.get(one.status, "no source supports the claim")
    return replace(issue_of("evidence_miss", claim.span, claim.text, problem), severity=Severity.MEDIUM)


def met_in_mending(
    issues: Sequence[Issue],
    examined: Examined,
    held_back: Sequence[Claim],
    revisions: Sequence[Revision],
    *,
    of: Examined,
) -> list[Issue]:
    """An issue for each claim of the draft that a round of mending took and that none of the issues speaks of.

    What it stood on went before, so it was found wanting only then; or it leans on a sentence that goes, which is no
    fault of its own. `examined` is the text of that round, `of` the draft, where the issues have their places.
    """
    said = Spans(issue.span for issue in issues if issue.blocking)
    free = {bare_form(one.text): one for one in reversed(of.submission.claims) if not said.overlap(one.span)}
    speaks = {one.claim: one for one in examined.judgements if one.status is not Status.SILENT}
    held = {claim.index for claim in held_back}
    made = [revision for revision in revisions if revision.span[0] < revision.span[1]]
    taken = Spans(revision.span for revision in made)
    found = []
    for claim in examined.submission.claims:
        own = free.get(bare_form(claim.text))
        if own is None or claim.index not in speaks or not taken.overlap(claim.span):
            continue
        if any(claim.text in revision.after for revision in made):
            continue  # it stands elsewhere
        issue = next((one.issue for one in examined.blocking if Spans([claim.span]).overlap(one.issue.span)), None)
        if issue is not None:
            found.append(replace(issue, span=own.span, location=own.text))
        elif claim.index in held:
            found.append(_doubt(own, speaks[claim.index]))
        else:
            problem = "it leans on a sentence that had to go"
            found.append(replace(issue_of("evidence_miss", own.span, own.text, problem), severity=Severity.LOW))
    return found


def told(finding: Finding, examined: Examined) -> Issue:
    """A critic's remark. On a quote it is only told: no critic un-proves what a source says word for word."""
    span = Spans([finding.issue.span])
    touched = [one for one in examined.judgements if span.overlap(examined.submission.claims[one.claim].span)]
    quoted = bool(touched) and all(one.method == "quote" for one in touched)
    return replace(finding.issue, severity=Severity.LOW) if quoted else finding.issue
