"""The very last word, for when the gate itself cannot speak: a refusal that says nothing about the question."""

from __future__ import annotations

from surefoot.core.taxonomy import CODES
from surefoot.core.types import (
    DONT_KNOW,
    Decision,
    Issue,
    ResultMetadata,
    RuleStatus,
    Shown,
    VerificationResult,
    VerifyInput,
)
from surefoot.packs.schema import Pack
from surefoot.verify.prove.certificate import Basis, certify
from surefoot.verify.release import basis_of


def refusal(
    fault: str,
    pack: Pack,
    shown: Shown | None = None,
    *,
    decision: Decision = Decision.FALLBACK,
    text: str = DONT_KNOW,
) -> VerificationResult:
    """A sealed result made of the "I don't know" sentence alone, or of what a stream has already shown."""
    kind, severity, problem = CODES[fault]
    basis = basis_of(shown) if shown else Basis(text=text, claims=(), reports=(), passages=())
    certificate = certify(
        decision=decision,
        reason=fault,
        basis=basis,
        request=VerifyInput(draft_answer=""),
        pack=pack,
        configuration={},
    )
    return VerificationResult(
        success=False,
        decision=decision,
        final_answer=basis.text,
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
