"""Sources that disagree are named, old ones too; agreement and young sources raise nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from surefoot.core.types import Passage, Severity
from surefoot.packs.schema import Pack, Thresholds
from surefoot.verify.checks.conflict import ConflictCheck
from surefoot.verify.read.submission import Submission

OLD = Passage(id="S1", text="The yearly library card costs R120 for adults.", metadata={"date": "2020-01-01"})
NEW = Passage(id="S2", text="The yearly library card costs R150 for adults.", metadata={"date": "2025-06-01"})
SAME = Passage(id="S2", text="For adults the yearly library card costs R120.")


def test_two_sources_with_two_values_conflict(submit: Callable[..., Submission]) -> None:
    report = ConflictCheck().run(submit("The yearly library card costs R120 for adults [S1].", [OLD, NEW]))
    issue = report.findings[0].issue
    assert (issue.code, issue.severity, issue.location) == ("source_conflict", Severity.MEDIUM, "R120")


def test_the_newer_source_settles_a_conflict(submit: Callable[..., Submission]) -> None:
    report = ConflictCheck().run(submit("The yearly library card costs R150 for adults [S2].", [OLD, NEW]))
    assert [finding.issue.severity for finding in report.findings] == [Severity.LOW]


def test_sources_that_agree_do_not_conflict(submit: Callable[..., Submission]) -> None:
    report = ConflictCheck().run(submit("The yearly library card costs R120 for adults [S1].", [OLD, SAME]))
    assert report.findings == ()


def test_another_statement_is_no_conflict(submit: Callable[..., Submission]) -> None:
    other = Passage(id="S2", text="The monthly museum ticket costs R150 for adults.")
    report = ConflictCheck().run(submit("The yearly library card costs R120 for adults [S1].", [OLD, other]))
    assert report.findings == ()


def test_a_source_older_than_the_pack_allows_is_stale(submit: Callable[..., Submission], pack: Pack) -> None:
    strict = replace(pack, thresholds=Thresholds(stale_after_days=365))
    draft = "The yearly library card costs R120 for adults [S1]."
    stale = ConflictCheck().run(submit(draft, [OLD], using=strict)).findings
    assert [finding.issue.code for finding in stale] == ["stale_source"]
    assert not stale[0].issue.blocking
    young = replace(OLD, metadata={"date": "2026-01-01"})
    assert ConflictCheck().run(replace(submit(draft, [young], using=strict), today="2026-02-01")).findings == ()
    assert ConflictCheck().run(submit(draft, [OLD])).findings == ()
