"""A text with everything stages 1 and 2 said of it: what the decision and the certificate are made from."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from surefoot.core.remember import once
from surefoot.core.silence import is_refusal
from surefoot.core.spans import Spans
from surefoot.core.types import (
    DONT_KNOW,
    Action,
    CheckReport,
    Claim,
    Finding,
    Issue,
    Judgement,
    RuleStatus,
    Severity,
    Span,
    Status,
)
from surefoot.packs.schema import Pack
from surefoot.verify.checks.citations import CITATIONS, weighed
from surefoot.verify.prove.certificate import with_proofs
from surefoot.verify.read.alignment import bare_form
from surefoot.verify.read.claims import is_own_words, leans
from surefoot.verify.read.submission import Said, Submission, said_by
from surefoot.verify.work.stages import Outcome, broken_finding

UNGROUNDED = frozenset(
    (
        "evidence_miss",
        "contradicted",
        "value_mismatch",
        "unit_mismatch",
        "unknown_entity",
        "url_not_in_sources",
        "self_contradiction",
    )
)
"""Codes that say of a claim that it is not so, or that nothing shows it."""
CITING = frozenset(("citation_missing", "citation_unknown", "citation_misattributed", "citation_unused"))
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
    settled: Mapping[str, bool] = field(default_factory=dict)
    """What critics said of claims, by their words: supported or not."""

    @staticmethod
    def of(submission: Submission, rules: Outcome, grounding: Outcome, *, late: bool) -> Examined:
        broken = [broken_finding(name, why, submission.draft) for name, why in (*rules.broken, *grounding.broken)]
        fault = ("deadline_exceeded" if late else "check_broken") if broken else None
        if late and not broken:
            fault = "deadline_exceeded"
            broken = [broken_finding("gate", "time was up", submission.draft, code=fault)]
        judged = [one for report in grounding.reports for one in report.judgements]
        reports = [weighed(one, judged, submission) if one.name == CITATIONS else one for one in rules.reports]
        first = _without_echoes([finding for report in reports for finding in report.findings])
        second = [finding for report in grounding.reports for finding in report.findings]
        return Examined(
            submission=submission,
            reports=(*reports, *grounding.reports),
            findings=(*first, *_not_said_before(submission, first, second), *broken),
            fault=fault,
            rejecting=_rejecting(submission.pack, first),
        )

    def heard(self, settled: Mapping[str, bool]) -> Examined:
        """The same with what the critics say."""
        return replace(self, settled=settled)

    @property
    def standing(self) -> dict[Said, Judgement]:
        """What a grounder let leave, wherever it is said: a claim that mending does not touch is not doubted because
        the sentence before it was. One that leans on that sentence may be."""
        free = (Status.PROVEN, Status.SUPPORTED, Status.SILENT)
        found: defaultdict[Said, list[Judgement]] = defaultdict(list)
        for one in (one for report in self.reports for one in report.judgements):
            claim = self.submission.claims[one.claim]
            if not leans(claim.text):
                found[said_by(claim)].append(one)
        return {
            said: ones[0]
            for said, ones in found.items()
            if all(one.status in free and one.method == "grounder" for one in ones)
        }

    @once
    def judgements(self) -> tuple[Judgement, ...]:
        """One for each claim: what stage 2 said, what a critic settled, and above both any hard finding."""
        said = with_proofs((one for report in self.reports for one in report.judgements), self.reports)
        hard = Spans(one.issue.span for one in self.blocking if one.issue.code in UNGROUNDED)
        return tuple(self._judged(claim, said.get(claim.index), hard) for claim in self.submission.claims)

    def _judged(self, claim: Claim, said: Judgement | None, hard: Spans) -> Judgement:
        if not claim.factual:
            return Judgement(claim=claim.index, status=Status.SILENT, risk=0.0, method="nothing")
        said = said or self._unread(claim)
        if hard.overlap(claim.span):
            return replace(said, status=Status.UNSUPPORTED, risk=1.0)
        word = self.settled.get(bare_form(claim.text))
        if word is False and said.method != "quote" and said.status is not Status.SILENT:
            return replace(said, status=Status.UNSUPPORTED)
        if word is True and said.status is Status.DOUBTFUL:
            return replace(said, status=Status.SUPPORTED, method="critic")
        return said

    def _unread(self, claim: Claim) -> Judgement:
        """A claim that no check of stage 2 spoke of is doubtful."""
        passage, span = self.submission.leans_on(claim) or (None, None)
        return Judgement(
            claim=claim.index, status=Status.DOUBTFUL, risk=0.5, method="nothing", passage=passage, span=span
        )

    def held_back(self, *, proof: bool) -> list[Claim]:
        """The claims that may not leave: with `proof` all that are not proven."""
        free = {Status.SILENT, Status.PROVEN, *(() if proof else (Status.SUPPORTED,))}
        return [self.submission.claims[one.claim] for one in self.judgements if one.status not in free]

    def quotable(self, claims: Sequence[Claim]) -> list[Claim]:
        """Those that the source's own sentence may stand for: what a pack forbids to say is not said in other words,
        and no sentence is a heading of what stands below it."""
        other = Spans(one.issue.span for one in self.blocking if one.issue.code not in (*UNGROUNDED, *CITING))
        heads = self.submission.is_heading
        return [claim for claim in claims if not other.overlap(claim.span) and not heads(claim)]

    def count(self, *statuses: Status) -> int:
        return sum(one.status in statuses for one in self.judgements)

    @property
    def claims(self) -> int:
        """Sentences that state something."""
        return len(self.judgements) - self.count(Status.SILENT)

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
        spoken = [claim for claim in self.submission.claims if not is_own_words(claim.text, pack)]
        return self.claims > 0 or (bool(spoken) and not is_refusal(draft))

    @property
    def confidence(self) -> float:
        """The mean of 1 − risk, 1 for proven claims, less what the findings cost."""
        spoken = [one for one in self.judgements if one.status is not Status.SILENT]
        sure = [1.0 if one.status is Status.PROVEN else 1.0 - one.risk for one in spoken]
        mean = sum(sure) / len(sure) if sure else 1.0
        return max(0.0, mean - sum(PENALTY[finding.issue.severity] for finding in self.findings))

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
