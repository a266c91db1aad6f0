"""The decision table of SPEC section 2, row by row, over every combination of what it may look at."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from surefoot.core.types import Decision
from surefoot.verify.decision import Standing, Text, Verdict, decide

Row = tuple[str, Callable[[Standing], bool], Callable[[Standing], tuple[Decision, str | None, Text]]]

CITATION = {"citation_missing", "citation_unknown", "citation_misattributed", "citation_unused"}


def named(code: str | None) -> str:
    return "citation_miss" if code in CITATION else (code or "critical_failure")


def lost(s: Standing) -> bool:
    return (s.confidence < 0.3 and not s.kept) or s.critic_rejects


FALLBACK, REJECTED = Decision.FALLBACK, Decision.REJECTED
TABLE: list[Row] = [
    (
        "a rule rejected",
        lambda s: s.rejecting_rule is not None,
        lambda s: (REJECTED, f"policy:{s.rejecting_rule}", Text.MESSAGE),
    ),
    (
        "no evidence, but a safe text",
        lambda s: not s.has_evidence and s.has_rag_draft,
        lambda s: (FALLBACK, "retrieval_miss", Text.SAFE),
    ),
    ("no evidence", lambda s: not s.has_evidence, lambda s: (REJECTED, "retrieval_miss", Text.UNKNOWN)),
    ("a fault", lambda s: s.fault is not None, lambda s: (FALLBACK, s.fault, Text.SAFE)),
    (
        "lost, strict",
        lambda s: lost(s) and s.strict,
        lambda s: (REJECTED, "critical_failure", Text.UNKNOWN),
    ),
    ("lost", lost, lambda s: (FALLBACK, "critical_failure", Text.SAFE)),
    (
        "too many",
        lambda s: s.unsupported >= 5 and s.unsupported > s.claims / 2,
        lambda s: (FALLBACK, "too_many_issues", Text.SAFE),
    ),
    (
        "mended",
        lambda s: s.mended and s.blocking == 0 and s.says_something,
        lambda s: (Decision.REVISED, None, Text.MENDED),
    ),
    (
        "left over, strict and critical",
        lambda s: (s.blocking > 0 or not s.says_something) and s.strict and s.critical_left,
        lambda s: (REJECTED, named(s.worst_code), Text.UNKNOWN),
    ),
    (
        "left over, or nothing left of the text",
        lambda s: s.blocking > 0 or not s.says_something,
        lambda s: (FALLBACK, named(s.worst_code), Text.SAFE),
    ),
    ("clean", lambda s: True, lambda s: (Decision.APPROVED, None, Text.DRAFT)),
]

STANDINGS = [
    Standing(
        rejecting_rule=rule,
        has_evidence=evidence,
        fault=fault,
        confidence=confidence,
        kept=kept,
        claims=claims,
        unsupported=unsupported,
        critic_rejects=critic,
        blocking=blocking,
        critical_left=critical,
        worst_code=code,
        mended=mended,
        says_something=says,
        strict=strict,
        has_rag_draft=rag,
    )
    for rule, evidence, fault, confidence, kept, (
        unsupported,
        claims,
    ), critic, blocking, critical, code, mended, says, strict, rag in product(
        (None, "dangerous-queries"),
        (True, False),
        (None, "deadline_exceeded", "check_broken", "llm_unavailable"),
        (0.29, 0.3),
        (False, True),
        ((0, 3), (4, 4), (5, 9), (5, 10)),
        (False, True),
        (0, 1),
        (False, True),
        (None, "evidence_miss", "citation_unknown"),
        (False, True),
        (False, True),
        (False, True),
        (False, True),
    )
]


def test_every_standing_gets_the_first_row_that_matches() -> None:
    for standing in STANDINGS:
        _, _, outcome = next(row for row in TABLE if row[1](standing))
        decision, reason, text = outcome(standing)
        assert decide(standing) == Verdict(decision=decision, reason=reason, text=text), standing


def test_every_row_is_reached() -> None:
    reached = {next(row[0] for row in TABLE if row[1](standing)) for standing in STANDINGS}
    assert reached == {row[0] for row in TABLE}


def test_the_draft_is_released_only_when_nothing_at_all_stands_against_it() -> None:
    for standing in STANDINGS:
        if decide(standing).text is Text.DRAFT:
            assert standing.rejecting_rule is None
            assert standing.has_evidence
            assert standing.fault is None
            assert standing.confidence >= 0.3 or standing.kept
            assert not standing.critic_rejects
            assert standing.blocking == 0
            assert not standing.mended


@pytest.mark.parametrize("fault", ["deadline_exceeded", "check_broken", "llm_unavailable"])
def test_no_fault_releases_a_draft_however_good_it_looks(fault: str) -> None:
    verdict = decide(Standing(fault=fault, confidence=1.0))
    assert (verdict.decision, verdict.text) == (Decision.FALLBACK, Text.SAFE)


def test_a_text_mended_to_nothing_is_not_approved() -> None:
    verdict = decide(Standing(confidence=1.0, mended=True, says_something=False, worst_code="evidence_miss"))
    assert (verdict.decision, verdict.reason) == (Decision.FALLBACK, "evidence_miss")
