"""One verification, from the draft to the verdict and to the text that leaves.

Read the draft, examine it (rules, then grounding), repair it, hear the critic, decide, deliver: each step has what is
left of one deadline, less a reserve in which the safe text can always be written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from surefoot.core.hashing import content_hash
from surefoot.core.ports import Clock, LanguageModel, SafeWriter
from surefoot.core.remember import once
from surefoot.core.silence import is_refusal
from surefoot.core.taint import tainted
from surefoot.core.types import (
    DONT_KNOW,
    Decision,
    Finding,
    Issue,
    Json,
    Passage,
    ResultMetadata,
    Revision,
    RuleStatus,
    Severity,
    Shown,
    Span,
    VerificationResult,
    VerifyInput,
)
from surefoot.packs.schema import Pack
from surefoot.verify.certificate import Basis, certify
from surefoot.verify.claims import claims_of
from surefoot.verify.critic import Critique, critique
from surefoot.verify.decision import LOST, TOO_MANY, Standing, Text, Verdict, decide
from surefoot.verify.examined import Examined, worst_code
from surefoot.verify.memory import Memory, memory_key
from surefoot.verify.release import basis_of, decides_first, keeping, proven_start, stands_alone
from surefoot.verify.repair import repair
from surefoot.verify.safe import plain_basis, source_basis, vouched_basis
from surefoot.verify.stages import Outcome, broken_finding, read_and_run, run_stage
from surefoot.verify.submission import Check, Submission
from surefoot.verify.worker import Quarantine, Worker

MAX_DRAFT = 100_000
"""Characters. A longer draft is no answer to a question; reading it would cost the deadline."""
MAX_CLAIMS = 1_000
"""Sentences of a draft, likewise."""
MAX_PASSAGE = 200_000
MAX_EVIDENCE = 4_000_000
RESERVE_MS = 100.0
"""Kept back from every stage, so that the decision and the safe text are out in time."""
RULES_SHARE = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class GateConfig:
    deadline_ms: int = 2_000
    strict_mode: bool = False
    enable_fallback: bool = True
    fallback_to_rag_draft: bool = True
    critic_timeout_ms: int = 1_500
    skip_llm_if_rule_confidence: float = 0.95


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """What all runs of one gate share."""

    rules: tuple[Check, ...]
    grounding: tuple[Check, ...]
    safe_writer: SafeWriter
    clock: Clock
    critics: Callable[[str | None], Sequence[LanguageModel]]
    config: GateConfig
    memory: Memory
    quarantine: Quarantine


class Run:
    """One verification. Holds what was found so far, so that a fault can say it."""

    def __init__(
        self,
        parts: Parts,
        request: VerifyInput,
        pack: Pack,
        began: float,
        on_release: Callable[[Shown], None] | None = None,
    ) -> None:
        self.parts, self.request, self.pack, self.began = parts, request, pack, began
        self.on_release = on_release
        self.shown: Shown | None = None
        self.config, self.clock = parts.config, parts.clock
        self.deadline_ms = request.options.deadline_ms or parts.config.deadline_ms
        self.worker = Worker()
        self.passages: tuple[Passage, ...] = ()
        self.tainted: tuple[Passage, ...] = ()
        self.stages: list[str] = []
        self.times: dict[str, float] = {}
        self.issues: list[Issue] = []
        self.revisions: list[Revision] = []
        self.examined: Examined | None = None
        self.measures: Mapping[str, float] = {}
        self.unsupported_spans: tuple[Span, ...] = ()
        self.models: tuple[str, ...] = ()
        self.rejecting: tuple[str, str] | None = None
        self.rule_status = RuleStatus.PASS
        self.confidence = 0.0
        self.screened_out = False

    def close(self) -> None:
        """Nothing more will be asked: the thread may go."""
        self.worker.close()

    async def judge(self) -> Verdict:
        oversize = self._oversize()
        if oversize is not None:
            return self.fail("check_broken", oversize)
        first = await self._examine(self.request.draft_answer)
        self.issues += [finding.issue for finding in first.findings]
        self.issues += [finding.issue for finding in self._taint_notes()]
        self.measures = first.measures
        self.unsupported_spans = first.unsupported_spans
        self.rule_status = first.rule_status
        self.rejecting = first.rejecting
        self.examined = first
        if self.rejecting is not None or not self._has_evidence():
            return decide(self._standing(first))
        if first.fault is not None:
            return decide(self._standing(first))
        last = await self._repaired(first)
        self.examined = last
        self.confidence = last.confidence
        critique_ = Critique(skipped="not asked")
        if last.fault is None:
            last, critique_ = await self._criticised(last)
        return decide(self._standing(last, critique_))

    def fail(self, code: str, problem: str) -> Verdict:
        """The verdict of a run that could not end: the safe text."""
        self.issues.append(broken_finding("gate", problem, self.request.draft_answer, code=code).issue)
        self.confidence = 0.0
        return decide(Standing(fault=code, has_rag_draft=self._rag_draft() is not None))

    def _keeping_shown(self, verdict: Verdict) -> Verdict:
        """What a stream has shown stays: the final text begins with it, or is it."""
        text = self.examined.submission.draft if self.examined else None
        return keeping(self.shown, verdict, text, reason=worst_code(one for one in self.issues if one.blocking))

    async def _screen(self) -> None:
        """Lets the caller's safe text through stage 1 where the pack asks for it; what fails is not used."""
        given = self._rag_draft()
        if given is None:
            return
        self.screened_out = True
        try:
            _, outcome = await self._read_and_check(lambda: (self._read(given), None), share=1.0)
        except (TimeoutError, RuntimeError):
            return
        findings = [finding for report in outcome.reports for finding in report.findings]
        self.screened_out = bool(outcome.broken) or any(finding.issue.blocking for finding in findings)

    async def _examine(self, draft: str) -> Examined:
        """Stages 1 and 2 on one text."""
        began = self.clock.monotonic()
        submission, rules = await self._rules(draft)
        self._clocked("rules", began)
        found = Examined.of(submission, rules, Outcome(), late=self._left_ms() <= 0)
        if found.fault is not None or found.critical or found.rejecting or not self._has_evidence():
            return found
        began = self.clock.monotonic()
        grounding = await self._ground(submission)
        self._clocked("grounding", began)
        return Examined.of(submission, rules, grounding, late=self._left_ms() <= 0)

    async def _rules(self, draft: str) -> tuple[Submission, Outcome]:
        """The draft, read and held against the rules; the same draft over the same sources is not examined twice."""
        key = ""

        def read() -> tuple[Submission, Outcome | None]:
            nonlocal key
            submission = self._read(draft)
            if len(submission.claims) > MAX_CLAIMS:
                problem = f"the draft has {len(submission.claims)} sentences; at most {MAX_CLAIMS} are verified"
                return replace(submission, claims=()), Outcome(broken=(("gate", problem),))
            key = memory_key(submission)
            return submission, self.parts.memory.get(key)

        submission, outcome = await self._read_and_check(read, share=RULES_SHARE)
        if not outcome.broken:
            self.parts.memory.put(key, outcome)
        return submission, outcome

    async def _read_and_check(
        self, read: Callable[[], tuple[Submission, Outcome | None]], *, share: float
    ) -> tuple[Submission, Outcome]:
        return await read_and_run(
            self.parts.rules,
            read,
            worker=self.worker,
            quarantine=self.parts.quarantine,
            limit_s=lambda: self._left_ms() * share / 1000,
        )

    async def _ground(self, submission: Submission) -> Outcome:
        return await run_stage(
            self.parts.grounding,
            submission,
            worker=self.worker,
            quarantine=self.parts.quarantine,
            limit_s=self._left_ms() / 1000,
        )

    def _read(self, draft: str) -> Submission:
        """The draft's claims beside the evidence, which is sorted out first."""
        if not self.passages and not self.tainted:
            self._sort_passages()
        return Submission(
            draft=draft,
            claims=claims_of(draft, self.request.chunks, self.pack, question=self.request.question),
            passages=self.passages,
            tainted=self.tainted,
            given=tuple(item.id for item in self.request.chunks),
            profile=self.request.profile,
            question=self.request.question,
            pack=self.pack,
            today=self.clock.today(),
            until=self.began + (self.deadline_ms - RESERVE_MS) / 1000,
        )

    async def _repaired(self, examined: Examined) -> Examined:
        """Repairs up to four blocking issues and verifies again; a second pass settles what the first laid bare."""
        mended = 0
        for _ in range(2):
            blocking = examined.blocking
            if not blocking or mended + len(blocking) >= TOO_MANY or examined.fault is not None:
                return examined
            mended += len(blocking)
            result = repair(examined.submission.draft, examined.submission.claims, blocking)
            if result.text == examined.submission.draft:
                return examined
            self.revisions += result.revisions
            self._mark("repair")
            examined = await self._examine(result.text)
        return examined

    async def _criticised(self, examined: Examined) -> tuple[Examined, Critique]:
        critics = self._chosen_critics(examined)
        if not critics:
            return examined, Critique(skipped="not asked")
        await self._release(examined)
        began = self.clock.monotonic()
        limit = min(float(self.config.critic_timeout_ms), self._left_ms())
        heard = await critique(
            examined.submission, critics, timeout_ms=max(limit, 1.0), prompt=self.pack.prompts.get("critic")
        )
        self.times["critic"] = (self.clock.monotonic() - began) * 1000
        self._mark("critic_skipped" if heard.skipped and not heard.unavailable else "critic")
        self.models = heard.models
        self.issues += [finding.issue for finding in heard.findings]
        if heard.unavailable or heard.rejects or not heard.findings or self._left_ms() <= 0:
            return examined, heard
        lowered = examined.with_findings(heard.findings)
        self.confidence = lowered.confidence
        again = await self._repaired(lowered)
        return again, heard

    async def _release(self, examined: Examined) -> None:
        """Shows the proven start of the text while the critic reads; whatever is in doubt waits."""
        if self.on_release is None or self._strict() or self.tainted or decides_first(self.pack):
            return
        start = proven_start(examined)
        if not start:
            return
        try:
            alone = await self._examine(start)
        except (TimeoutError, RuntimeError):
            return
        if not stands_alone(alone, examined) or alone.confidence < self.config.skip_llm_if_rule_confidence:
            return
        shown = Shown(
            text=start,
            claims=alone.submission.claims,
            reports=alone.reports,
            passages=self.passages,
            certificate=self._certificate(Decision.APPROVED, None, self._examined_basis(alone), vouched=False),
        )
        self._mark("released")
        self.shown = shown  # before it is told: a listener that fails half-way may have shown it
        self.on_release(shown)

    def _chosen_critics(self, examined: Examined) -> Sequence[LanguageModel]:
        options = self.request.options
        if options.skip_llm_verification or examined.blocking:
            return ()
        if not LOST <= examined.confidence < self.config.skip_llm_if_rule_confidence:
            return ()
        return self.parts.critics(options.llm_model)

    def _standing(self, examined: Examined, heard: Critique | None = None) -> Standing:
        fault = examined.fault
        if fault is None and heard is not None and heard.unavailable:
            fault = "llm_unavailable"
        if fault is None and self._left_ms() <= 0:
            fault = "deadline_exceeded"
        if fault is not None and fault != examined.fault:
            problem = "the critic's API failed" if fault == "llm_unavailable" else "time was up"
            self.issues.append(broken_finding("gate", problem, self.request.draft_answer, code=fault).issue)
        self.examined, self.rejecting = examined, examined.rejecting
        self.confidence = examined.confidence if self._has_evidence() and examined.says_something else 0.0
        left = examined.blocking
        worst = worst_code(finding.issue for finding in left) or worst_code(
            issue for issue in self.issues if issue.blocking
        )
        return Standing(
            rejecting_rule=examined.rejecting[0] if examined.rejecting else None,
            has_evidence=self._has_evidence(),
            fault=fault,
            confidence=examined.confidence,
            critic_rejects=heard is not None and heard.rejects,
            blocking=len(left),
            critical_left=any(finding.issue.severity is Severity.CRITICAL for finding in left),
            worst_code=worst,
            repaired=bool(self.revisions),
            says_something=examined.says_something,
            strict=self._strict(),
            has_rag_draft=self._rag_draft() is not None,
        )

    async def deliver(self, verdict: Verdict) -> VerificationResult:
        """The text the verdict allows, with its certificate."""
        verdict = self._keeping_shown(verdict)
        if verdict.text is Text.SAFE and self.pack.screen_fallback:
            await self._screen()
        try:
            basis, vouched = self._basis(verdict)
        except Exception:
            # The safe text itself failed: what is left needs no code at all.
            verdict = replace(verdict, text=Text.UNKNOWN)
            basis, vouched = plain_basis(), False
        certificate = self._certificate(verdict.decision, verdict.reason, basis, vouched=vouched)
        metadata = ResultMetadata(
            processing_time_ms=round((self.clock.monotonic() - self.began) * 1000, 3),
            stages_completed=(*self.stages, "decision"),
            issues_detected=_unique(self.issues),
            revisions_applied=tuple(self.revisions) if verdict.text is Text.REPAIRED else (),
            sources_used=_used(certificate),
            llm_model=", ".join(self.models) or None,
            fallback_reason=verdict.reason,
            rule_status=self.rule_status,
            confidence=round(self.confidence, 4),
            certificate=certificate,
            stage_times_ms={name: round(value, 3) for name, value in self.times.items()},
            measures={name: round(value, 4) for name, value in self.measures.items()},
            unsupported_spans=self.unsupported_spans,
        )
        return VerificationResult(success=True, decision=verdict.decision, final_answer=basis.text, metadata=metadata)

    def _certificate(self, decision: Decision, reason: str | None, basis: Basis, *, vouched: bool) -> dict[str, Json]:
        return certify(
            decision=decision,
            reason=reason,
            basis=basis,
            request=self.request,
            pack=self.pack,
            configuration=self._configuration(),
            vouched=vouched,
        )

    def _basis(self, verdict: Verdict) -> tuple[Basis, bool]:
        """The text to release and what it rests on; True where the caller vouches for it."""
        examined = self.examined
        if verdict.text in (Text.DRAFT, Text.REPAIRED) and examined is not None:
            return self._examined_basis(examined), False
        if verdict.text is Text.SHOWN and self.shown is not None:
            return basis_of(self.shown), False
        if verdict.text is Text.MESSAGE and self.rejecting is not None:
            return plain_basis(self.rejecting[1] or DONT_KNOW), False
        if verdict.text is Text.SAFE and self.config.enable_fallback:
            given = self._rag_draft()
            if given is not None:
                return vouched_basis(given, self.request, self.pack, self.passages), True
            return source_basis(self.request, self.pack, self.parts.safe_writer), False
        return plain_basis(), False

    def _examined_basis(self, examined: Examined) -> Basis:
        submission = examined.submission
        return Basis(text=submission.draft, claims=submission.claims, reports=examined.reports, passages=self.passages)

    def _rag_draft(self) -> str | None:
        """The caller's safe text where settings and pack let it through unseen; screening is the pack's choice."""
        given = self.request.rag_draft
        if given is None or not given.strip() or not self.config.fallback_to_rag_draft or self.screened_out:
            return None
        return given

    def _has_evidence(self) -> bool:
        if not self.passages or self._refuses:
            return False
        least = self.pack.thresholds.relevance
        known = [item.similarity for item in self.passages if item.similarity is not None]
        return least is None or len(known) < len(self.passages) or max(known) >= least

    @once
    def _refuses(self) -> bool:
        return is_refusal(self.request.draft_answer)

    def _taint_notes(self) -> list[Finding]:
        return [
            broken_finding(f"passage {item.id!r}", "carries instructions; not evidence", "", code="injection_in_source")
            for item in self.tainted
        ]

    def _sort_passages(self) -> None:
        """Tells evidence from passages that carry instructions."""
        spoken = [item for item in self.request.chunks if item.text.strip()]
        bad = {item.id for item in spoken if tainted(item)}
        self.passages = tuple(item for item in spoken if item.id not in bad)
        self.tainted = tuple(item for item in spoken if item.id in bad)

    def _oversize(self) -> str | None:
        sizes = [len(item.text) for item in self.request.chunks]
        if len(self.request.draft_answer) > MAX_DRAFT:
            return f"the draft has {len(self.request.draft_answer)} characters; at most {MAX_DRAFT} are verified"
        if max(sizes, default=0) > MAX_PASSAGE:
            return f"a passage has {max(sizes)} characters; at most {MAX_PASSAGE} are read"
        if sum(sizes) > MAX_EVIDENCE:
            return f"the sources have {sum(sizes)} characters; at most {MAX_EVIDENCE} are read"
        return None

    def _left_ms(self) -> float:
        return self.deadline_ms - RESERVE_MS - (self.clock.monotonic() - self.began) * 1000

    def _strict(self) -> bool:
        asked = self.request.options.strict_mode
        return self.config.strict_mode if asked is None else asked

    def _mark(self, stage: str) -> None:
        if stage not in self.stages:
            self.stages.append(stage)

    def _clocked(self, stage: str, began: float) -> None:
        self._mark(stage)
        self.times[stage] = self.times.get(stage, 0.0) + (self.clock.monotonic() - began) * 1000

    def _configuration(self) -> dict[str, Json]:
        values: dict[str, bool | int | str] = {
            "deadline_ms": self.deadline_ms,
            "strict_mode": self._strict(),
            "enable_fallback": self.config.enable_fallback,
            "skip_llm_verification": self.request.options.skip_llm_verification,
            "citations": self.pack.citations.mode,
        }
        return {**values, "hash": _hash_of(**values)}


@lru_cache(maxsize=64, typed=True)
def _hash_of(**values: bool | int | str) -> str:
    """Of a configuration; remembered, because the same few come again and again. The values are each caller's own."""
    return content_hash(values)


def _unique(issues: Sequence[Issue]) -> tuple[Issue, ...]:
    seen: dict[tuple[object, ...], Issue] = {}
    for issue in issues:
        seen.setdefault((issue.code, issue.span, issue.problem), issue)
    return tuple(seen.values())


def _used(certificate: Mapping[str, Json]) -> tuple[str, ...]:
    sources = certificate["sources"]
    return tuple(str(item["id"]) for item in sources if isinstance(item, dict)) if isinstance(sources, list) else ()
