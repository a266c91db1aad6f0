"""Typed values: every amount, date, duration and count of a claim must stand in its evidence or follow from it.

Given otherwise or standing nowhere: value_mismatch. Only in a passage that is not cited: citation_misattributed. The
same number in another unit, currency, scale or period: unit_mismatch. Under the opposite comparator: contradicted. The
source's value is put in its place only where a sentence with the same words gives it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.core.taxonomy import issue_of
from surefoot.core.types import CheckReport, Claim, Edit, Finding, Proof, ValueMatch
from surefoot.verify.read.binding import HOLDING, Binding, Bound, span_in_draft
from surefoot.verify.read.derived import is_derived
from surefoot.verify.read.marking import label, with_marker
from surefoot.verify.read.submission import Submission


@dataclass(frozen=True)
class ValueCheck:
    name: str = "values"
    version: str = "13"

    def run(self, submission: Submission) -> CheckReport:
        findings: list[Finding] = []
        proofs: list[Proof] = []
        seen = bound = 0
        for claim in submission.claims:
            if not claim.factual or is_derived(claim, submission):
                continue
            bindings = submission.bindings(claim)
            seen += len(bindings)
            bound += sum(binding.bound in HOLDING for binding in bindings)
            proofs += _proofs(claim, bindings)
            findings += [found for one in bindings if (found := _finding(claim, one, bindings, submission)) is not None]
        return CheckReport(
            name=self.name,
            version=self.version,
            findings=tuple(findings),
            proofs=tuple(proofs),
            measures={"values_bound": bound / seen if seen else 1.0, "values_seen": float(seen)},
        )


def _proofs(claim: Claim, bindings: Sequence[Binding]) -> list[Proof]:
    """What was compared, for the certificate: one entry per passage. It proves the values, not the claim."""
    found: dict[str, Proof] = {}
    for binding in bindings:
        for place in binding.parts or ((binding.place,) if binding.place is not None else ()):
            if binding.bound not in HOLDING or not place.line.valued.contain(place.value.span):
                continue
            match = ValueMatch(
                claim_text=binding.value.text,
                claim_span=span_in_draft(claim, binding.value),
                source_text=place.value.text,
                source_span=place.value.span,
                kind=binding.value.kind if binding.bound is Bound.MATCHED else "derived",
            )
            held = found.get(place.passage)
            matches = (*held.values, match) if held else (match,)
            span = held.span if held else place.line.sentence.span
            found[place.passage] = Proof(
                claim=claim.index, passage=place.passage, span=span, method="values", values=matches
            )
    return list(found.values())


def _finding(claim: Claim, binding: Binding, all_of: Sequence[Binding], submission: Submission) -> Finding | None:
    value, place = binding.value, binding.place
    if binding.bound in HOLDING or binding.bound is Bound.UNCERTAIN:
        return None
    if binding.bound is Bound.ABSENT or place is None:
        return _report(claim, binding, "value_mismatch", f"{value.text!r} is in no source")
    if binding.bound is Bound.ELSEWHERE:
        marker = label(place.passage, submission)
        alone = not any(other.bound in HOLDING for other in all_of)
        problem = f"{value.text!r} does not stand in the cited passage but in [{marker}]"
        edits = with_marker(claim, marker, replace=alone)
        return _report(claim, binding, "citation_misattributed", problem, correction=f"[{marker}]", edits=edits)
    if binding.bound is Bound.FLIPPED:
        said, meant = (one.comparator.replace("_", " ") or "exactly that" for one in (value, place.value))
        problem = f"{value.text!r} is said to be {said}; the source says {meant}"
        return _report(claim, binding, "contradicted", problem)
    code = "unit_mismatch" if binding.bound is Bound.OTHER_UNIT else "value_mismatch"
    edits = _right_value(claim, binding, all_of, submission)
    problem = f"the claim says {value.text!r}, the source {place.value.text!r}"
    return _report(claim, binding, code, problem, correction=place.value.text if edits else None, edits=edits)


def _right_value(claim: Claim, binding: Binding, all_of: Sequence[Binding], submission: Submission) -> tuple[Edit, ...]:
    """The source's value in the claim's place: only where a sentence with the same words has it, nothing else is wrong
    and the two are bounded alike. A total, a mean or a difference is nobody's neighbour."""
    value, place = binding.value, binding.place
    alone = all(other is binding or other.bound in HOLDING for other in all_of)
    if place is None or not alone or not any(line is place.line for _, line in submission.twins(claim)):
        return ()
    if value.comparator != place.value.comparator or value.is_range != place.value.is_range:
        return ()
    if (value.part or place.value.part) and (" of " in value.text) != (" of " in place.value.text):
        return ()  # `in the end of March`, `at early March`
    text = " ".join(place.value.text.split())
    return (Edit(span=span_in_draft(claim, value), replacement=text, kind="replace"),)


def _report(
    claim: Claim,
    binding: Binding,
    code: str,
    problem: str,
    *,
    correction: str | None = None,
    edits: tuple[Edit, ...] = (),
) -> Finding:
    span, location = span_in_draft(claim, binding.value), binding.value.text
    evidence = binding.place.line.sentence.text if binding.place is not None else None
    issue = issue_of(code, span, location, problem, correction=correction, evidence=evidence)
    return Finding(issue=issue, edits=edits)
