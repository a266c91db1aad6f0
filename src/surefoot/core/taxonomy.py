"""The closed list of issue codes: what can be wrong with a draft, a source or a run of the gate."""

from __future__ import annotations

from surefoot.core.types import Issue, IssueType, Severity, Span

POLICY_PREFIX = "policy:"

CODES: dict[str, tuple[IssueType, Severity, str]] = {
    "retrieval_miss": (IssueType.HALLUCINATION, Severity.CRITICAL, "no passage is relevant to the question"),
    "citation_missing": (IssueType.CITATION, Severity.MEDIUM, "a factual sentence cites nothing"),
    "citation_unknown": (IssueType.CITATION, Severity.HIGH, "a marker points to no passage"),
    "citation_misattributed": (IssueType.CITATION, Severity.MEDIUM, "the fact stands in another passage"),
    "citation_unused": (
        IssueType.CITATION,
        Severity.MEDIUM,
        "a marker's passage supports nothing in its sentence",
    ),
    "evidence_miss": (IssueType.HALLUCINATION, Severity.HIGH, "no source supports the claim"),
    "contradicted": (IssueType.INACCURACY, Severity.HIGH, "a source says the opposite"),
    "value_mismatch": (IssueType.INACCURACY, Severity.HIGH, "a value differs from the cited passage's"),
    "unit_mismatch": (
        IssueType.INACCURACY,
        Severity.HIGH,
        "same number, other unit, currency, scale or period",
    ),
    "unknown_entity": (
        IssueType.HALLUCINATION,
        Severity.HIGH,
        "a name neither the registries nor the sources know",
    ),
    "url_not_in_sources": (
        IssueType.HALLUCINATION,
        Severity.HIGH,
        "a URL neither sources nor allow-list know",
    ),
    "date_format": (IssueType.STRUCTURE, Severity.LOW, "a date in another form than the pack asks for"),
    "currency_format": (
        IssueType.INACCURACY,
        Severity.MEDIUM,
        "an amount in another currency than the pack asks for",
    ),
    "section_missing": (IssueType.STRUCTURE, Severity.MEDIUM, "a required section is not there"),
    "warning_missing": (IssueType.STRUCTURE, Severity.MEDIUM, "a mandatory warning is not there"),
    "definitive_prescription": (IssueType.TONE, Severity.MEDIUM, "a promise or an order where advice is due"),
    "tone": (IssueType.TONE, Severity.LOW, "wording unfit for the reader"),
    "prompt_violation": (IssueType.STRUCTURE, Severity.HIGH, "the draft leaks or disobeys its instructions"),
    "self_contradiction": (
        IssueType.INACCURACY,
        Severity.HIGH,
        "two sentences of the draft exclude each other",
    ),
    "injection_in_source": (
        IssueType.POLICY,
        Severity.LOW,
        "a source carries instructions and is no evidence",
    ),
    "source_conflict": (IssueType.INACCURACY, Severity.MEDIUM, "two sources disagree about the claim"),
    "unanswered": (IssueType.STRUCTURE, Severity.HIGH, "the text does not hold what was asked for"),
    "stale_source": (IssueType.INACCURACY, Severity.LOW, "the evidence is older than the pack allows"),
    "check_broken": (IssueType.POLICY, Severity.CRITICAL, "a check could not run"),
    "deadline_exceeded": (IssueType.POLICY, Severity.CRITICAL, "verification did not end in time"),
    "llm_unavailable": (IssueType.POLICY, Severity.CRITICAL, "the critic's API failed"),
}


def issue_of(
    code: str, span: Span, location: str, problem: str, *, correction: str | None = None, evidence: str | None = None
) -> Issue:
    """An issue of the type and the severity that its code has."""
    kind, severity, _ = CODES[code]
    return Issue(
        type=kind,
        severity=severity,
        code=code,
        location=location,
        span=span,
        problem=problem,
        correction=correction,
        evidence=evidence,
    )


def is_known(code: str) -> bool:
    """Whether a code belongs to the taxonomy; a pack's rules add `policy:<rule id>`."""
    return code in CODES or (code.startswith(POLICY_PREFIX) and len(code) > len(POLICY_PREFIX))


def family(code: str) -> str:
    """The code for counters: a rule's own id does not become a label of its own."""
    return "policy" if code.startswith(POLICY_PREFIX) else code
