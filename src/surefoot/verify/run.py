"""One verification, from the draft to the verdict and to the text that leaves.

Read the draft, examine it (rules, then grounding), let the critic settle what is doubtful, mend, decide, deliver: each
step has what is left of one deadline, less a reserve in which the safe text can always be written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from surefoot.core.case import case_passage, is_case
from surefoot.core.hashing import content_hash
from surefoot.core.ports import Clock, LanguageModel, SafeWriter
from surefoot.core.remember import Memory, once
from surefoot.core.silence import is_refusal
from surefoot.core.taint import tainted
from surefoot.core.types import (
    DONT_KNOW,
    Claim,
    Decision,
    Finding,
    Issue,
    Json,
    Judgement,
    Passage,
    ResultMetadata,
    Revision,
    RuleStatus,
    Severity,
    Shown,
    Span,
    Status,
    VerificationResult,
    VerifyInput,
)
from surefoot.packs.schema import Pack
from surefoot.verify.critic import Critique, critique
from surefoot.verify.decision import Standing, Text, Verdict, decide, too_many
from surefoot.verify.examined import Examined, worst_code
from surefoot.verify.mend.mending import Mending
from surefoot.verify.mend.quotes import Quoter
from surefoot.verify.mend.safe import plain_basis, source_basis, vouched_basis
from surefoot.verify.prove.certificate import Basis, certify
from surefoot.verify.read.alignment import bare_form
from surefoot.verify.read.claims import claims_of
from surefoot.verify.read.derived import behind_verdict
from surefoot.verify.read.submission import Check, Said, Submission
from surefoot.verify.release import basis_of, decides_first, keeping, proven_start, stands_alone
from surefoot.verify.results import claim_results, doubts, met_in_mending, told
from surefoot.verify.work.memory import memory_key
from surefoot.verify.work.stages import Outcome, broken_finding, read_and_run, run_stage
from surefoot.verify.work.worker import Quarantine, Worker

MAX_DRAFT = 100_000
"""Characters. A longer draft is no answer to a question; reading it would cost the deadline."""
MAX_CLAIMS = 1_000
"""Sentences of a draft, likewise."""
MAX_PASSAGE = 200_000
MAX_EVIDENCE = 4_000_000
RESERVE_MS = 100.0
"""Kept back from every stage, so that the decision and the safe text are out in time."""
RULES_SHARE = 0.5
MENDING_TAKES = 1.5
"""How much of the time the first examination took is kept for mending, before a critic gets the rest."""
MOST_SPOKEN = 12
"""Claims of the draft that the safe text speaks of, within the reserve of time."""
SHORTEST_CRITIQUE_MS = 20.0
"""With less time a critic is not asked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GateConfig:
    deadline_ms: int = 2_000
    strict_mode: bool = False
    enable_fallback: bool = True
    fallback_to_rag_draft: bool = True
    trust: str = "balanced"
    """balanced: proven and supported claims leave; proof: only proven ones and quotes"""
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
    memory: Memory[Outcome]
    quarantine: Quarantine
    quoter: Quoter


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
        self.first: Examined | None = None
        """The draft as it came, with what the critics said of it."""

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
        self.examined = self.first = first
        if self.rejecting is not None or not self._has_evidence() or first.fault is not None:
            return decide(self._standing(first, first))
        self.confidence = first.confidence
        first, heard = await self._criticised(first)
        self.first = first
        if heard.unavailable or heard.rejects:
            return decide(self._standing(first, first, heard))
        self.issues += doubts(first, first.held_back(proof=self._proof()))
        last = await self._mended(first, heard)
        return decide(self._standing(first, last, heard))

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
            _, outcome = await self._read_and_check(lambda: (self._read(given, {}), None), share=1.0)
        except (TimeoutError, RuntimeError):
            return
        findings = [finding for report in outcome.reports for finding in report.findings]
        self.screened_out = bool(outcome.broken) or any(finding.issue.blocking for finding in findings)

    async def _examine(self, draft: str, before: Examined | None = None) -> Examined:
        """Stages 1 and 2 on one text; `before`: on what it was before mending."""
        began = self.clock.monotonic()
        submission, rules = await self._rules(draft, {} if before is None else before.standing)
        self._clocked("rules", began)
        found = Examined.of(submission, rules, Outcome(), late=self._left_ms() <= 0)
        if found.fault is not None or found.critical or found.rejecting or not self._has_evidence():
            return found
        began = self.clock.monotonic()
        grounding = await run_stage(
            self.parts.grounding,
            submission,
            worker=self.worker,
            quarantine=self.parts.quarantine,
            limit_s=self._left_ms() / 1000,
        )
        self._clocked("grounding", began)
        return Examined.of(submission, rules, grounding, late=self._left_ms() <= 0)

    async def _rules(self, draft: str, stood: Mapping[Said, Judgement]) -> tuple[Submission, Outcome]:
        """The draft, read and held against the rules; the same draft over the same sources is not examined twice."""
        key = b""

        def read() -> tuple[Submission, Outcome | None]:
            nonlocal key
            submission = self._read(draft, stood)
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

    def _read(self, draft: str, stood: Mapping[Said, Judgement]) -> Submission:
        """The draft's claims beside the evidence, which is sorted out first."""
        if not self.passages and not self.tainted:
            self._sort_passages()
        return Submission(
            draft=draft,
            claims=claims_of(draft, self._given, self.pack),
            passages=self.passages,
            tainted=self.tainted,
            given=tuple(item.id for item in self._given),
            profile=self.request.profile,
            question=self.request.question,
            case=self.request.case,
            pack=self.pack,
            today=self.clock.today(),
            stood=stood,
            until=self.began + (self.deadline_ms - RESERVE_MS) / 1000,
        )

    async def _mended(self, examined: Examined, heard: Critique) -> Examined:
        """Mends until everything that is left may leave: each round has fewer ways than the one before."""
        if too_many(examined.count(Status.UNSUPPORTED), examined.claims):
            return examined
        corrections = {bare_form(examined.submission.claims[at].text): text for at, text in heard.corrections.items()}
        mending = Mending(corrections=_without_verdicts(examined) | corrections, quoter=self.parts.quoter)
        for _ in range(mending.rounds):
            held_back = examined.held_back(proof=self._proof())
            if examined.fault is not None or not (examined.blocking or held_back):
                return examined
            began = self.clock.monotonic()
            work = partial(
                mending.mend, examined.submission, examined.blocking, held_back, examined.quotable(held_back)
            )
            result = await self.worker.do(work, limit_s=self._left_ms() / 1000)
            self._clocked("mending", began)
            if result.text == examined.submission.draft:
                return examined
            self.revisions += result.revisions
            self.issues += met_in_mending(self.issues, examined, held_back, result.revisions, of=self.first or examined)
            settled = examined.settled
            examined = (await self._examine(result.text, examined)).heard(settled)
        return examined

    async def _criticised(self, examined: Examined) -> tuple[Examined, Critique]:
        """The draft with what the critics settle. One that does not answer in time was not asked."""
        critics = self._chosen_critics(examined)
        doubtful = [
            examined.submission.claims[one.claim] for one in examined.judgements if one.status is Status.DOUBTFUL
        ]
        spent = self.times.get("rules", 0.0) + self.times.get("grounding", 0.0)
        limit = min(float(self.config.critic_timeout_ms), self._left_ms() - MENDING_TAKES * spent)
        if not critics or limit < SHORTEST_CRITIQUE_MS:
            return examined, Critique(skipped="not asked")
        await self._release(examined)
        began = self.clock.monotonic()
        heard = await critique(
            examined.submission,
            critics,
            timeout_ms=limit,
            doubtful=doubtful,
            prompt=self.pack.prompts.get("critic"),
        )
        self.times["critic"] = (self.clock.monotonic() - began) * 1000
        self._mark("critic_skipped" if heard.skipped and not heard.unavailable else "critic")
        self.models = heard.models
        self.issues += [told(finding, examined) for finding in heard.findings]
        settled: dict[str, bool] = {}
        for at, word in heard.settled.items():
            said = bare_form(examined.submission.claims[at].text)
            settled[said] = word and settled.get(said, True)  # of two with the same words one refused is enough
        return examined.heard(settled), heard

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
        if options.skip_llm_verification or examined.critical:
            return ()
        sure = examined.confidence >= self.config.skip_llm_if_rule_confidence
        if sure and not examined.count(Status.DOUBTFUL):
            return ()
        return self.parts.critics(options.llm_model)

    def _standing(self, first: Examined, last: Examined, heard: Critique | None = None) -> Standing:
        fault = last.fault
        if fault is None and heard is not None and heard.unavailable:
            fault = "llm_unavailable"
        if fault is None and self._left_ms() <= 0:
            fault = "deadline_exceeded"
        if fault is not None and fault != first.fault:
            problem = "the critic's API failed" if fault == "llm_unavailable" else "time was up"
            self.issues.append(broken_finding("gate", problem, self.request.draft_answer, code=fault).issue)
        self.examined, self.rejecting = last, last.rejecting or self.rejecting
        self.confidence = first.confidence if self._has_evidence() and first.says_something else 0.0
        left = last.blocking
        worst = worst_code(finding.issue for finding in left) or worst_code(
            issue for issue in self.issues if issue.blocking
        )
        return Standing(
            rejecting_rule=self.rejecting[0] if self.rejecting else None,
            has_evidence=self._has_evidence(),
            fault=fault,
            confidence=first.confidence,
            kept=not first.claims or last.claims > 0,
            critic_rejects=heard is not None and heard.rejects,
            claims=first.claims,
            unsupported=first.count(Status.UNSUPPORTED),
            blocking=len(left) + len(last.held_back(proof=self._proof())),
            critical_left=any(finding.issue.severity is Severity.CRITICAL for finding in left),
            worst_code=worst,
            mended=bool(self.revisions),
            says_something=last.says_something and (last.claims > 0 or not first.claims),
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
            revisions_applied=tuple(self.revisions) if verdict.text is Text.MENDED else (),
            sources_used=_used(certificate),
            llm_model=", ".join(self.models) or None,
            fallback_reason=verdict.reason,
            rule_status=self.rule_status,
            confidence=round(self.confidence, 4),
            certificate=certificate,
            stage_times_ms={name: round(value, 3) for name, value in self.times.items()},
            measures={name: round(value, 4) for name, value in self.measures.items()},
            unsupported_spans=self.unsupported_spans,
            claims=claim_results(self.first, self.issues) if self.first is not None else (),
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
        if verdict.text in (Text.DRAFT, Text.MENDED) and examined is not None:
            return self._examined_basis(examined), False
        if verdict.text is Text.SHOWN and self.shown is not None:
            return basis_of(self.shown), False
        if verdict.text is Text.MESSAGE and self.rejecting is not None:
            return plain_basis(self.rejecting[1] or DONT_KNOW), False
        if verdict.text is Text.SAFE and self.config.enable_fallback:
            given = self._rag_draft()
            if given is not None:
                return vouched_basis(given, self.request, self.pack, self.passages), True
            return source_basis(self.request, self.pack, self.parts.safe_writer, self._spoken()), False
        return plain_basis(), False

    def _spoken(self) -> tuple[Claim, ...]:
        """What the draft speaks of, as far as it was read."""
        claims = self.first.submission.claims if self.first is not None else ()
        return tuple(claim for claim in claims if claim.factual)[:MOST_SPOKEN]

    def _examined_basis(self, examined: Examined) -> Basis:
        submission = examined.submission
        return Basis(
            text=submission.draft,
            claims=submission.claims,
            reports=examined.reports,
            passages=self.passages,
            judgements=examined.judgements,
        )

    def _rag_draft(self) -> str | None:
        """The caller's safe text where settings and pack let it through unseen; screening is the pack's choice."""
        given = self.request.rag_draft
        if given is None or not given.strip() or not self.config.fallback_to_rag_draft or self.screened_out:
            return None
        return given

    def _has_evidence(self) -> bool:
        """Whether a source speaks at all; what a person tells of their case settles no case."""
        sources = [item for item in self.passages if not is_case(item)]
        if not sources or self._refuses:
            return False
        least = self.pack.thresholds.relevance
        known = [item.similarity for item in sources if item.similarity is not None]
        return least is None or len(known) < len(sources) or max(known) >= least

    @once
    def _given(self) -> tuple[Passage, ...]:
        """The caller's passages and, last, the case."""
        case = (case_passage(self.request.case),) if self.request.case else ()
        return (*self.request.chunks, *case)

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
        spoken = [item for item in self._given if item.text.strip()]
        bad = {item.id for item in spoken if tainted(item)}
        self.passages = tuple(item for item in spoken if item.id not in bad)
        self.tainted = tuple(item for item in spoken if item.id in bad)

    def _oversize(self) -> str | None:
        sizes = [len(item.text) for item in self._given]
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

    def _proof(self) -> bool:
        """Whether only proven claims leave. A trust that nobody knows is the narrower one."""
        return self._strict() or (self.pack.trust or self.config.trust) != "balanced"

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
            "trust": "proof" if self._proof() else "balanced",
            "enable_fallback": self.config.enable_fallback,
            "skip_llm_verification": self.request.options.skip_llm_verification,
            "citations": self.pack.citations.mode,
        }
        return {**values, "hash": _hash_of(**values)}


def _without_verdicts(examined: Examined) -> dict[str, str]:
    """By the words of each claim with a Yes or No that nothing settles and no critic refused: what it says besides."""
    found: dict[str, str] = {}
    for claim in examined.submission.claims:
        said, led = bare_form(claim.text), behind_verdict(claim, examined.submission)
        if led is not None and not led.settled and examined.settled.get(said) is None:
            found[said] = led.rest
    return found


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
