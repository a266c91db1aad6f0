"""What of a text may be shown before the critic has spoken: its first sentences, proven, on their own.

A critic is asked only about texts that stages 1 and 2 could not prove throughout. The sentences before the first
doubtful one are read again as a text of their own; where they are a text that the gate would approve without asking
any critic, they may go ahead. Nothing shown is taken back, so everything in doubt waits for the decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from surefoot.core.types import Claim, Decision, Shown, Status
from surefoot.packs.schema import Pack
from surefoot.verify.decision import Text, Verdict
from surefoot.verify.examined import Examined
from surefoot.verify.mend.repair import repair
from surefoot.verify.prove.certificate import Basis


def decides_first(pack: Pack) -> bool:
    """Whether the pack looks at the whole answer, or writes into it, so that no sentence stands alone."""
    return pack.looks_at_whole_answer or pack.citations.show


def proven_start(examined: Examined) -> str:
    """The text up to the first sentence that is not proven or that any finding, however mild, speaks of."""
    submission = examined.submission
    proven = _proven(examined)
    noted = min((finding.issue.span[0] for finding in examined.findings), default=len(submission.draft))
    end = 0
    for claim in submission.claims:
        if claim.index not in proven or noted < claim.span[1]:
            break
        end = claim.span[1]
    start = submission.draft[:end]
    # A later repair tidies white space: what would not survive that is not shown early.
    return start if repair(submission.draft, submission.claims, ()).text.startswith(start) else ""


def stands_alone(alone: Examined, whole: Examined) -> bool:
    """Whether the start, read as a text of its own, is proven throughout and is cut into the same sentences."""
    claims = alone.submission.claims
    return (
        alone.fault is None
        and alone.rejecting is None
        and not alone.findings
        and bool(claims)
        and _proven(alone) == {claim.index for claim in claims}
        and _spans(claims) == _spans(whole.submission.claims[: len(claims)])
    )


def basis_of(shown: Shown) -> Basis:
    return Basis(text=shown.text, claims=shown.claims, reports=shown.reports, passages=shown.passages)


def keeping(shown: Shown | None, verdict: Verdict, text: str | None, *, reason: str | None) -> Verdict:
    """The verdict on an answer that has begun: a text that does not go on from what was shown ends it there."""
    if shown is None or (verdict.text in (Text.DRAFT, Text.MENDED) and (text or "").startswith(shown.text)):
        return verdict
    if verdict.decision in (Decision.APPROVED, Decision.REVISED):
        return Verdict(decision=Decision.FALLBACK, reason=reason or "critical_failure", text=Text.SHOWN)
    return replace(verdict, text=Text.SHOWN)


def _proven(examined: Examined) -> set[int]:
    """Claims with a proof."""
    return {
        one.claim
        for one in examined.judgements
        if one.status is Status.PROVEN and examined.submission.claims[one.claim].factual
    }


def _spans(claims: Sequence[Claim]) -> list[tuple[int, int]]:
    return [claim.span for claim in claims]
