"""A text with everything stages 1 and 2 said of it: what the decision and the certificate are made from."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from surefoot.core.silence import is_refusal
from surefoot.core.spans import Spans
from surefoot.core.types import DONT_KNOW, Action, CheckReport, Claim, Finding, Issue, RuleStatus, Severity, Span
from surefoot.packs.schema import Pack
from surefoot.verify.certificate import PROVING
from surefoot.verify.claims import is_own_words
from surefoot.verify.stages import Outcome, broken_finding
from surefoot.verify.submission import Submission

PENALTY = {Severity.CRITICAL: 0.5, Severity.HIGH: 0.25, Severity.MEDIUM: 0.1, Severity.LOW: 0.0}
BLOCK = 64
"""Characters; about as long as what two checks may both object to."""


@dataclass(frozen=True, kw_only=True)
class Examined:
    """A text with everything stages 1 and 2 said of it."""

    submission: Submission
    reports: tuple[CheckReport, ...]
    findings: tuple[Finding, ...]
    fault: str | None
    rejecting: tuple[str, str] | None
    """(rule id, message) of the first rule that rejects."""

    @staticmethod
    def of(submission: Submission, rules: Outcome, grounding: Outcome, *, late: bool) -> Examined:
        broken = [broken_finding(name, why, submission.draft) for name, why in (*rules.broken, *grounding.broken)]
        fault = ("deadline_exceeded" if late else "check_broken") if broken else None
        if late and not broken:
            fault = "deadline_exceeded"
            broken = [broken_finding("gate", "time was up", submission.draft, code=fault)]
        first = _without_echoes([finding for report in rules.reports for finding in report.findings])
        second = [finding for report in grounding.reports for finding in report.findings]
        return Examined(
            submission=submission,
            reports=(*rules.reports, *grounding.reports),
            findings=(*first, *_not_said_before(submission, first, second), *broken),
            fault=fault,
            rejecting=_rejecting(submission.pack, first),
        )

    def with_findings(self, findings: Sequence[Finding]) -> Examined:
        return replace(self, findings=(*self.findings, *findings))

    @property
    def blocking(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.issue.blocking]

    @property
    def critical(self) -> bool:
        return any(finding.issue.severity is Severity.CRITICAL and finding.issue.blocking for finding in self.findings)

    @property
    def says_something(self) -> bool:
        """A text of nothing but the pack's own warnings is no answer."""
        draft, pack = self.submission.draft, self.submission.pack
        spoken = [claim for claim in self.submission.claims if claim.factual or not is_own_words(claim.text, pack)]
        return any(claim.factual for claim in spoken) or (bool(spoken) and not is_refusal(draft))

    @property
    def confidence(self) -> float:
        """Factual claims proven over all factual claims, less what the issues cost."""
        factual = [claim.index for claim in self.submission.claims if claim.factual]
        proven = {proof.claim for report in self.reports for proof in report.proofs if proof.method in PROVING}
        share = sum(index in proven for index in factual) / len(factual) if factual else 1.0
        return max(0.0, share - sum(PENALTY[finding.issue.severity] for finding in self.findings))

    @property
    def measures(self) -> dict[str, float]:
        return {name: value for report in self.reports for name, value in report.measures.items()}

    @property
    def unsupported_spans(self) -> tuple[Span, ...]:
        """Where the words stand that stage 2 found no support for, in order."""
        return tuple(sorted(span for report in self.reports for span in report.unsupported))

    @property
    def rule_status(self) -> RuleStatus:
        severe = (Severity.CRITICAL, Severity.HIGH)
        if any(finding.issue.severity in severe for finding in self.blocking):
            return RuleStatus.FAIL
        return RuleStatus.NEEDS_REVIEW if self.blocking else RuleStatus.PASS


def _without_echoes(findings: list[Finding]) -> list[Finding]:
    """One issue per span and cause: where two checks object to the same words, the first speaks, either repairs.

    An amount in a foreign currency is one issue, although no source can hold its value either; it has no repair. Words
    that one check would replace are not reported again by a check that only finds them strange: what replaces them is
    verified from the start.
    """
    kept: list[Finding] = []
    near: defaultdict[int, list[int]] = defaultdict(list)  # those that may be echoed, by where in the draft they stand
    for finding in sorted(findings, key=lambda one: one.issue.code != "currency_format"):
        beside = {n for block in _blocks(finding.issue) for n in near[block]}
        at = min((n for n in beside if _echoes(finding.issue, kept[n].issue)), default=None)
        if at is None:
            for block in _blocks(finding.issue):
                near[block].append(len(kept))
            kept.append(finding)
        elif not kept[at].edits and kept[at].issue.code != "currency_format":
            kept[at] = replace(kept[at], edits=finding.edits)
    replaced = Spans(edit.span for finding in kept for edit in finding.edits if edit.kind == "replace")
    return [finding for finding in kept if finding.edits or not _settled(finding.issue, replaced)]


def _blocks(issue: Issue) -> range:
    """Which stretches of the draft an issue touches, where it may be an echo or echoed; two that overlap share one."""
    if issue.code not in _ECHOING:
        return range(0)
    return range(issue.span[0] // BLOCK, issue.span[1] // BLOCK + 1)


def _echoes(one: Issue, other: Issue) -> bool:
    values = one.code in _VALUE_CODES and other.code in (*_VALUE_CODES, "currency_format")
    names = one.code in ("evidence_miss", "unknown_entity") and other.code == "unknown_entity"
    return (values or names) and one.span[0] < other.span[1] and other.span[0] < one.span[1]


def _settled(issue: Issue, replaced: Spans) -> bool:
    strange = issue.code in ("evidence_miss", "unknown_entity") and issue.span[0] < issue.span[1]
    return strange and replaced.contain(issue.span)


_VALUE_CODES = ("value_mismatch", "unit_mismatch")
_ECHOING = frozenset((*_VALUE_CODES, "currency_format", "evidence_miss", "unknown_entity"))


def _not_said_before(submission: Submission, first: Sequence[Finding], second: Sequence[Finding]) -> list[Finding]:
    """Grounding adds nothing to a sentence the rules already hold: one issue per span and cause."""
    held = sorted(finding.issue.span[0] for finding in first if finding.issue.blocking)

    def touched(claim: Claim) -> bool:
        at = bisect_left(held, claim.span[0])
        return at < len(held) and held[at] < claim.span[1]

    taken = Spans(claim.span for claim in submission.claims if touched(claim))
    return [finding for finding in second if not taken.hold(finding.issue.span[0])]


def _rejecting(pack: Pack, findings: Sequence[Finding]) -> tuple[str, str] | None:
    for finding in findings:
        if finding.issue.action is Action.REJECT:
            identity = finding.issue.code.removeprefix("policy:")
            message = next((rule.message for rule in pack.rules if rule.id == identity), None)
            return identity, message or DONT_KNOW
    return None


def worst_code(issues: Iterable[Issue]) -> str | None:
    order = list(Severity)
    ranked = sorted(issues, key=lambda issue: order.index(issue.severity))
    return ranked[0].code if ranked else None
