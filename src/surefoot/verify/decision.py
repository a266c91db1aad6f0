"""The decision table of the gate as a pure function. First match from the top; docs/verification.md prints it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from surefoot.core.types import Decision

LOST = 0.3
"""Below this confidence a draft is given up."""
TOO_MANY = 5
"""So many blocking issues are not repaired."""


class Text(StrEnum):
    """Which text is released."""

    DRAFT = "draft"
    REPAIRED = "repaired"
    MESSAGE = "message"
    """The message of the rule that rejected."""
    UNKNOWN = "unknown"
    """I don't know based on the provided documents."""
    SAFE = "safe"
    """The caller's rag_draft, else the extractive summary."""
    SHOWN = "shown"
    """The proven sentences a stream has already shown, and nothing more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """Where a draft stands after repair: all that the decision may look at."""

    rejecting_rule: str | None = None
    """Id of a rule with action reject that fired."""
    has_evidence: bool = True
    fault: str | None = None
    """deadline_exceeded, check_broken or llm_unavailable"""
    confidence: float = 0.0
    critic_rejects: bool = False
    blocking: int = 0
    """Blocking issues left after repair."""
    critical_left: bool = False
    worst_code: str | None = None
    """Of the blocking issues left; of those repaired where nothing is left of the text."""
    repaired: bool = False
    says_something: bool = True
    """Whether the text still holds a statement after repair."""
    strict: bool = False
    has_rag_draft: bool = False
    """The caller gave a safe text and the settings let us use it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    decision: Decision
    reason: str | None
    text: Text


def decide(standing: Standing) -> Verdict:
    if standing.rejecting_rule is not None:
        return Verdict(decision=Decision.REJECTED, reason=f"policy:{standing.rejecting_rule}", text=Text.MESSAGE)
    if not standing.has_evidence:
        if standing.has_rag_draft:
            return _fallback("retrieval_miss")
        return _rejected("retrieval_miss")
    if standing.fault is not None:
        return _fallback(standing.fault)
    if standing.confidence < LOST or standing.critic_rejects:
        return _rejected("critical_failure") if standing.strict else _fallback("critical_failure")
    if standing.blocking >= TOO_MANY:
        return _fallback("too_many_issues")
    if standing.blocking == 0 and standing.says_something:
        if standing.repaired:
            return Verdict(decision=Decision.REVISED, reason=None, text=Text.REPAIRED)
        return Verdict(decision=Decision.APPROVED, reason=None, text=Text.DRAFT)
    reason = _REASONS.get(standing.worst_code or "", standing.worst_code) or "critical_failure"
    if standing.strict and standing.critical_left:
        return _rejected(reason)
    return _fallback(reason)


def _fallback(reason: str) -> Verdict:
    return Verdict(decision=Decision.FALLBACK, reason=reason, text=Text.SAFE)


def _rejected(reason: str) -> Verdict:
    return Verdict(decision=Decision.REJECTED, reason=reason, text=Text.UNKNOWN)


_CITATION_CODES = ("citation_missing", "citation_unknown", "citation_misattributed", "citation_unused")
_REASONS = dict.fromkeys(_CITATION_CODES, "citation_miss")
