"""A finished verification, as the observers see it."""

from __future__ import annotations

import pytest

from surefoot.core.types import (
    Decision,
    Issue,
    IssueType,
    ResultMetadata,
    Revision,
    RuleStatus,
    Severity,
    VerificationResult,
)


@pytest.fixture
def result() -> VerificationResult:
    issue = Issue(
        type=IssueType.INACCURACY,
        severity=Severity.HIGH,
        code="value_mismatch",
        location="Sipho earns R9",
        span=(0, 14),
        problem="R9 is not R8",
    )
    metadata = ResultMetadata(
        processing_time_ms=12.5,
        stages_completed=("rules", "grounding"),
        issues_detected=(issue, issue),
        revisions_applied=(Revision(code="value_mismatch", kind="replace", before="R9", after="R8", span=(0, 2)),),
        sources_used=("c1",),
        llm_model=None,
        fallback_reason="policy:nsfas-first",
        rule_status=RuleStatus.FAIL,
        confidence=0.75,
        certificate={
            "checks": [{"name": "values", "version": "1", "issues": 2}, {"name": "urls", "version": "1", "issues": 0}],
            "pack": {"name": "thandi", "version": "1", "hash": "f" * 64},
        },
        stage_times_ms={"rules": 2.0, "grounding": 9.0},
        run_id="r1",
    )
    return VerificationResult(
        success=True, decision=Decision.FALLBACK, final_answer="Sipho earns R8", metadata=metadata
    )
