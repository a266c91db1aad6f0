"""Stage 2 without any model: a claim whose words its evidence does not hold is unsupported."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.core.taxonomy import CODES
from surefoot.core.types import CheckReport, Claim, Finding, Issue, Proof
from surefoot.verify.alignment import Aligner
from surefoot.verify.submission import Submission

UNSUPPORTED = 0.55
CLOSE = 0.9


@dataclass(frozen=True)
class CoverageCheck:
    name: str = "coverage"
    version: str = "1"

    def run(self, submission: Submission) -> CheckReport:
        findings, proofs = [], []
        for claim in submission.claims:
            if not claim.factual:
                continue
            ranked = Aligner(submission.evidence_for(claim)).align(claim.text)
            best = ranked[0] if ranked else None
            if best is None or best.coverage < UNSUPPORTED:
                findings.append(_unsupported(claim))
            elif best.verbatim or best.sentence_coverage >= CLOSE:
                method = "quote" if best.verbatim else "features"
                proofs.append(Proof(claim=claim.index, passage=best.passage, span=best.sentence, method=method))
        return CheckReport(name=self.name, version=self.version, findings=tuple(findings), proofs=tuple(proofs))


def _unsupported(claim: Claim) -> Finding:
    issue_type, severity, problem = CODES["evidence_miss"]
    return Finding(
        issue=Issue(
            type=issue_type,
            severity=severity,
            code="evidence_miss",
            location=claim.text,
            span=claim.span,
            problem=problem,
        )
    )
