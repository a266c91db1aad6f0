"""The very last word, for when the gate itself cannot speak: a refusal that says nothing about the question."""

from __future__ import annotations

from surefoot.core.taxonomy import CODES
from surefoot.core.types import (
    DONT_KNOW,
    Decision,
    Issue,
    ResultMetadata,
    RuleStatus,
    VerificationResult,
    VerifyInput,
)
from surefoot.packs.schema import Pack
from surefoot.verify.certificate import Basis, certify


def refusal(fault: str, pack: Pack) -> VerificationResult:
    """A sealed fallback made of the "I don't know" sentence alone."""
    kind, severity, problem = CODES[fault]
    basis = Basis(text=DONT_KNOW, claims=(), reports=(), passages=())
    certificate = certify(
        decision=Decision.FALLBACK,
        reason=fault,
        basis=basis,
        request=VerifyInput(draft_answer=""),
        pack=pack,
        configuration={},
    )
    return VerificationResult(
        success=False,
        decision=Decision.FALLBACK,
        final_answer=DONT_KNOW,
        metadata=ResultMetadata(
            processing_time_ms=0.0,
            stages_completed=(),
            issues_detected=(
                Issue(type=kind, severity=severity, code=fault, location="", span=(0, 0), problem=problem),
            ),
            revisions_applied=(),
            sources_used=(),
            llm_model=None,
            fallback_reason=fault,
            rule_status=RuleStatus.FAIL,
            confidence=0.0,
            certificate=certificate,
        ),
    )
