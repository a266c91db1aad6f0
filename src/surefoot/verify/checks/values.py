"""Typed values: every amount, date, duration and count of a factual claim must stand in the passage it cites.

Absent from every source, or said there of something else: value_mismatch. Only in a passage that is not cited:
citation_misattributed. The same number in another unit, currency, scale or period: unit_mismatch. Under the opposite
comparator: contradicted. Where the source's own value is known, the finding carries the edit that puts it in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.core.taxonomy import CODES
from surefoot.core.types import CheckReport, Claim, Edit, Finding, Issue, Proof, ValueMatch
from surefoot.core.values import Value
from surefoot.verify.binding import Binding, Bound, span_in_draft
from surefoot.verify.marking import label, with_marker
from surefoot.verify.structured import confirms, gives_unit, other_unit
from surefoot.verify.submission import Submission


@dataclass(frozen=True)
class ValueCheck:
    name: str = "values"
    version: str = "3"

    def run(self, submission: Submission) -> CheckReport:
        findings: list[Finding] = []
        proofs: list[Proof] = []
        seen = bound = 0
        for claim in submission.claims:
            if not claim.factual:
                continue
            bindings = submission.bindings(claim)
            seen += len(bindings)
            bound += sum(binding.bound in _GOOD for binding in bindings)
            proofs += _proofs(claim, bindings)
            findings += [
                finding for binding in bindings if (finding := _finding(claim, binding, submission)) is not None
            ]
        return CheckReport(
            name=self.name,
            version=self.version,
            findings=tuple(findings),
            proofs=tuple(proofs),
            measures={"values_bound": bound / seen if seen else 1.0, "values_seen": float(seen)},
        )


def _proofs(claim: Claim, bindings: Sequence[Binding]) -> list[Proof]:
    """What was compared, for the certificate: one entry per passage. It proves the values, not the claim."""
    found: dict[str, list[tuple[Binding, ValueMatch]]] = {}
    for binding in bindings:
        for place in binding.parts or ((binding.place,) if binding.place is not None else ()):
            if binding.bound in _GOOD:
                match = ValueMatch(
                    claim_text=binding.value.text,
                    claim_span=span_in_draft(claim, binding.value),
                    source_text=place.value.text,
                    source_span=place.value.span,
                    kind=binding.value.kind,
                )
                found.setdefault(place.passage, []).append((binding, match))
    proofs = []
    for passage, matches in found.items():
        first = matches[0][0].place
        assert first is not None
        line = next(
            (b.place.line for b, _ in matches if b.place is not None and b.place.passage == passage), first.line
        )
        proofs.append(
            Proof(
                claim=claim.index,
                passage=passage,
                span=line.sentence.span,
                method="values",
                values=tuple(match for _, match in matches),
            )
        )
    return proofs


def _finding(claim: Claim, binding: Binding, submission: Submission) -> Finding | None:
    value, place = binding.value, binding.place
    if binding.bound is Bound.GIVEN:
        return None
    for passage in submission.evidence_for(claim):
        if (stated := other_unit(passage.text, value)) is not None:
            return _report(claim, value, "unit_mismatch", f"{value.text!r}: the record says {stated.text!r}")
    if binding.bound in _GOOD:
        return None
    if binding.bound is Bound.ELSEWHERE and place is not None:
        marker = label(place.passage, submission)
        return _report(
            claim,
            value,
            "citation_misattributed",
            f"{value.text!r} does not stand in the cited passage but in [{marker}]",
            evidence=place.line.sentence.text,
            correction=f"[{marker}]",
            edits=with_marker(claim, marker, replace=submission.only_elsewhere(claim)),
        )
    if binding.bound is Bound.OTHER_UNIT and any(gives_unit(one.text, value) for one in submission.evidence_for(claim)):
        return None
    if binding.bound is Bound.OTHER_UNIT and place is not None:
        return _report(
            claim,
            value,
            "unit_mismatch",
            f"{value.text!r}: {binding.how}; the source says {place.value.text!r}",
            evidence=place.line.sentence.text,
            correction=place.value.text,
            edits=_replace(claim, value, place.value),
        )
    if binding.bound is Bound.FLIPPED and place is not None:
        said, meant = _comparator(value), _comparator(place.value)
        return _report(
            claim,
            value,
            "contradicted",
            f"{value.text!r} is said to be {said}; the source says {meant}",
            evidence=place.line.sentence.text,
        )
    if binding.bound in (Bound.UNCERTAIN, Bound.UNOWNED) or _told_by_field(claim, value, submission):
        return None
    reason = "stands in the source, but of something else" if binding.bound is Bound.OTHER_SLOT else "is in no source"
    if place is None:
        return _report(claim, value, "value_mismatch", f"{value.text!r} {reason}")
    return _report(
        claim,
        value,
        "value_mismatch",
        f"{value.text!r} {reason}; the source says {place.value.text!r}",
        evidence=place.line.sentence.text,
        correction=place.value.text,
        edits=_replace(claim, value, place.value),
    )


def _told_by_field(claim: Claim, value: Value, submission: Submission) -> bool:
    """In a record what stands beside a value is its field, not its sentence."""
    return any(
        confirms(passage.text, claim.text, (value.start, value.end)) for passage in submission.evidence_for(claim)
    )


def _report(
    claim: Claim,
    value: Value,
    code: str,
    problem: str,
    *,
    evidence: str | None = None,
    correction: str | None = None,
    edits: tuple[Edit, ...] = (),
) -> Finding:
    issue_type, severity, _ = CODES[code]
    issue = Issue(
        type=issue_type,
        severity=severity,
        code=code,
        location=value.text,
        span=span_in_draft(claim, value),
        problem=problem,
        correction=correction,
        evidence=evidence,
    )
    return Finding(issue=issue, edits=edits)


def _replace(claim: Claim, value: Value, source: Value) -> tuple[Edit, ...]:
    """The source's value in the claim's place; none where the two are bounded differently, for the words would lie."""
    if value.comparator != source.comparator or value.is_range != source.is_range:
        return ()
    return (Edit(span=span_in_draft(claim, value), replacement=" ".join(source.text.split()), kind="replace"),)


def _comparator(value: Value) -> str:
    return value.comparator.replace("_", " ") or "exactly that"


_GOOD = frozenset({Bound.MATCHED, Bound.DERIVED})
