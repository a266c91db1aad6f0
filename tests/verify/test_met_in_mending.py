"""What mending takes from a draft has its issue, also where only a later look found it wanting; what stays has none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from surefoot.core.taxonomy import issue_of
from surefoot.core.types import CheckReport, Decision, Finding, Passage, Severity, VerificationResult, VerifyInput
from surefoot.verify.gate import Gate
from surefoot.verify.read.submission import Submission

MakeGate = Callable[..., Gate]
Library = tuple[Passage, ...]
HIRE = "Two penguins are hired for £36."
SUM = "The deposit is £50, which makes £86 for both."
CARD = "A yearly card costs R120."


@dataclass(frozen=True)
class Sums:
    """Objects to penguins, and to a sum of £86 in a text that does not say £36."""

    name: str = "sums"
    version: str = "test"

    def run(self, submission: Submission) -> CheckReport:
        found = []
        for claim in submission.claims:
            if "penguins" in claim.text:
                found.append(issue_of("evidence_miss", claim.span, claim.text, "no penguins"))
            if "£86" in claim.text and "£36" not in submission.draft:
                start = claim.span[0] + claim.text.index("£86")
                found.append(issue_of("value_mismatch", (start, start + 3), "£86", "'£86' is in no source"))
        return CheckReport(name=self.name, version=self.version, findings=tuple(Finding(issue=one) for one in found))


def verify(make: MakeGate, library: Library, *sentences: str) -> VerificationResult:
    request = VerifyInput(draft_answer=" ".join(sentences), chunks=library)
    return asyncio.run(make(rules=(Sums(),)).verify(request))


def issues(result: VerificationResult) -> list[tuple[str, str]]:
    draft_order = sorted(result.metadata.issues_detected, key=lambda one: one.span)
    return [(one.code, one.location) for one in draft_order]


def test_a_sentence_found_wanting_after_another_went_has_its_issue_in_the_draft(
    gate_with: MakeGate, library: Library
) -> None:
    result = verify(gate_with, library, HIRE, CARD, SUM)
    draft = f"{HIRE} {CARD} {SUM}"
    assert (result.decision, result.final_answer) == (Decision.REVISED, CARD)
    assert [one.code for one in result.metadata.revisions_applied] == ["evidence_miss", "value_mismatch"]
    assert issues(result) == [("evidence_miss", HIRE), ("value_mismatch", SUM)]
    late = result.metadata.issues_detected[-1]
    assert (draft[slice(*late.span)], late.problem, late.blocking) == (SUM, "'£86' is in no source", True)
    assert [one.issue for one in result.metadata.claims] == ["evidence_miss", None, "value_mismatch"]


def test_a_sentence_that_still_stands_has_no_issue(gate_with: MakeGate, library: Library) -> None:
    result = verify(gate_with, library, "Two penguins are hired.", CARD, "Two days cost £36.", SUM)
    assert result.final_answer == f"{CARD} Two days cost £36. {SUM}"
    assert issues(result) == [("evidence_miss", "Two penguins are hired.")]


def test_a_sentence_that_goes_with_the_one_before_it_is_told_and_blocks_nothing(
    gate_with: MakeGate, library: Library
) -> None:
    leaning = "They swim on Mondays."
    result = verify(gate_with, library, CARD, HIRE, leaning)
    assert (result.decision, result.final_answer) == (Decision.REVISED, CARD)
    assert issues(result) == [("evidence_miss", HIRE), ("evidence_miss", leaning)]
    late = result.metadata.issues_detected[-1]
    assert (late.severity, late.problem) == (Severity.LOW, "it leans on a sentence that had to go")


def test_what_was_at_fault_from_the_start_is_said_once(gate_with: MakeGate, library: Library) -> None:
    result = verify(gate_with, library, CARD, SUM)
    assert issues(result) == [("value_mismatch", "£86")]
