"""The decision table of the gate as a pure function. First match from the top; docs/verification.md prints it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from surefoot.core.types import Decision

LOST = 0.3
"""Below this confidence a draft of which nothing could be kept is given up."""
TOO_MANY = 5
"""So many unsupported claims, where they are more than half, are not mended."""


class Text(StrEnum):
    """Which text is released."""

    DRAFT = "draft"
    MENDED = "mended"
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
    """Where a draft stands after mending: all that the decision may look at."""

    rejecting_rule: str | None = None
    """Id of a rule with action reject that fired."""
    has_evidence: bool = True
    fault: str | None = None
    """deadline_exceeded, check_broken or llm_unavailable"""
    confidence: float = 0.0
    """Of the draft as it came."""
    kept: bool = True
    """Whether any claim of the draft was kept or answered by a quote; True for a draft that claims nothing."""
    critic_rejects: bool = False
    claims: int = 0
    unsupported: int = 0
    """Of the claims of the draft as it came."""
    blocking: int = 0
    """Blocking issues and claims that may not leave, after mending."""
    critical_left: bool = False
    worst_code: str | None = None
    """Of the blocking issues left; of those mended where nothing is left of the text."""
    mended: bool = False
    says_something: bool = True
    """Whether the text still holds a statement after mending."""
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
        return _fallback("retrieval_miss") if standing.has_rag_draft else _rejected("retrieval_miss")
    if standing.fault is not None:
        return _fallback(standing.fault)
    if (standing.confidence < LOST and not standing.kept) or standing.critic_rejects:
        return _rejected("critical_failure") if standing.strict else _fallback("critical_failure")
    if too_many(standing.unsupported, standing.claims):
        return _fallback("too_many_issues")
    if standing.blocking == 0 and standing.says_something and standing.mended:
        return Verdict(decision=Decision.REVISED, reason=None, text=Text.MENDED)
    if standing.blocking or not standing.says_something:
        reason = _REASONS.get(standing.worst_code or "", standing.worst_code) or "critical_failure"
        return _rejected(reason) if standing.strict and standing.critical_left else _fallback(reason)
    return Verdict(decision=Decision.APPROVED, reason=None, text=Text.DRAFT)


def too_many(unsupported: int, claims: int) -> bool:
    """More than half of the claims, and at least five, are unsupported."""
    return unsupported >= TOO_MANY and 2 * unsupported > claims


def _fallback(reason: str) -> Verdict:
    return Verdict(decision=Decision.FALLBACK, reason=reason, text=Text.SAFE)


def _rejected(reason: str) -> Verdict:
    return Verdict(decision=Decision.REJECTED, reason=reason, text=Text.UNKNOWN)


_CITATION_CODES = ("citation_missing", "citation_unknown", "citation_misattributed", "citation_unused")
_REASONS = dict.fromkeys(_CITATION_CODES, "citation_miss")
