"""THE STORY: how a question becomes an answer with a proof, or an honest refusal.

    retrieve -> generate -> validate -+-> deliver
                               ^      |  needs work, and there is somewhere to look
                               |      v
                          synthesize <- execute

`final_answer` is written in one place, `deliver`, and only from a result of the gate. A fault in any node, a spent
budget and a round that made things worse all lead there too; none of them can carry a draft past the gate.
A caller who listens may hear proven sentences while the gate's critic still reads: the final answer begins with them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from surefoot.core.errors import DeadlineExceededError, EncoderError, InputError, RecordingMissingError, StoreError
from surefoot.core.followup import leans_back, resolved
from surefoot.core.known_names import names_known
from surefoot.core.passages import index_text
from surefoot.core.ports import Clock, Evidence, Generator, Retriever, Verifier
from surefoot.core.questions import premise
from surefoot.core.redaction import profile_names, redact
from surefoot.core.spelling import respelled
from surefoot.core.types import (
    Action,
    AskEvent,
    AskResult,
    Decision,
    Draft,
    DraftTask,
    Json,
    Passage,
    Retrieval,
    ScoredPassage,
    Shown,
    VerificationResult,
    VerifyInput,
)
from surefoot.correct.domain import detect
from surefoot.flows.aloud import Aloud
from surefoot.flows.answers import AnswerCache, AnswerKey
from surefoot.flows.budget import Budget
from surefoot.flows.foreign import Foreign, foreign_to
from surefoot.flows.gather import gather
from surefoot.flows.newest import without_replaced
from surefoot.flows.premise import FalsePremise, Verified, find_false_premise
from surefoot.flows.progress import Node, guarded, tell
from surefoot.flows.refusal import refusal
from surefoot.flows.report import Answers, ValidationReport, validate
from surefoot.flows.state import AskInput, AskOutput, AskRequest, AskState, Limits, current, fresh, is_better
from surefoot.packs.schema import Pack

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    Graph = CompiledStateGraph[Any, Any, Any, Any]

MAX_QUESTION = 8_000
FIRST = "retrieve"
Audit = Callable[[VerifyInput, VerificationResult], Awaitable[VerificationResult]]


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    node: Node
    then: Callable[[AskState], str] | None = None
    """Names the next step; None: this is the last."""
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AskFlow:
    retriever: Retriever
    generator: Callable[[Pack], Generator]
    gate: Verifier
    evidence: Callable[[Pack], Evidence | None]
    """Where to look outside the knowledge base; None: nowhere."""
    clock: Clock
    pack: Pack
    """For a question that names none."""
    limits: Limits = field(default_factory=Limits)
    quotes: Callable[[Pack], Generator | None] = lambda pack: None
    """Who quotes the sources where a language model's draft does not answer; None: the generator quotes itself."""
    answers: AnswerCache | None = None
    redact: Callable[[Mapping[str, Json]], Mapping[str, Json]] = dict
    """Takes out of a profile what may not reach a model or a cache key."""
    scorer: Answers | None = None
    """Says whether a text holds what a sub-question asks for; None: nobody can."""
    known: Callable[[str], bool] = lambda word: True
    """Whether a word is one: a question's others are spelled as the documents do. By default all are."""
    audit: Audit | None = None
    """Writes the verdict down; gives back the result with its run id."""
    audit_hit: Audit | None = None
    """Writes down that a remembered answer was given; its result names the run that made it."""

    async def ask(self, request: AskRequest) -> AskResult:
        """One verified answer. Raises only for the caller's own mistakes."""
        _check(request.question)
        whole = await self._resolved(request)
        if whole != request.question:
            asked = await self.ask(replace(request, question=whole, history=()))
            return replace(asked, question=request.question, resolved=whole)
        if self.answers is None or _is_personal(request):
            return await self._run(request)
        asked = await self.answers.through(self._key(self.answers, request), lambda: self._run(request))
        return await self._audited_hit(request, asked) if asked.cached else asked

    async def remembered(self, request: AskRequest) -> AskResult | None:
        """The answer given before that still stands, where there is one. Nothing is made, and no model is asked."""
        if self.answers is None or request.history or _is_personal(request):
            return None
        held = await self.answers.hit(self._key(self.answers, request))
        return None if held is None else await self._audited_hit(request, held)

    def _key(self, answers: AnswerCache, request: AskRequest) -> AnswerKey:
        outside, quotes = self.evidence(request.pack), self.quotes(request.pack)
        return answers.key(
            question=request.question,
            profile=self.redact(request.profile),
            pack=request.pack,
            generator=self.generator(request.pack).identity,
            # with the search switched off, no answer made from the web is given again
            scope={
                "where": request.where,
                "options": request.options,
                "limits": self.limits,
                "outside": outside.identity if outside is not None else None,
                "quotes": quotes.identity if quotes is not None else None,
            },
        )

    async def _resolved(self, request: AskRequest) -> str:
        """A follow-up made whole: by its form, or by the model that writes where the form is not known."""
        if not request.history or not leans_back(request.question):
            return request.question
        whole = resolved(request.question, request.history)
        if whole != " ".join(request.question.split()):
            return whole
        with names_known(request.profile):
            said = await self.generator(request.pack).resolve(request.question, request.history)
        return said or request.question

    def graph(self) -> Graph:
        """The workflow, to run or to be a node of your own graph: give it a `question`, read `final_answer`."""
        from langgraph.graph import END, START, StateGraph

        graph: Any = StateGraph(AskState, input_schema=AskInput, output_schema=AskOutput)
        graph.add_edge(START, FIRST)
        for step in self._steps():
            graph.add_node(step.name, step.node)
            if step.then is None:
                graph.add_edge(step.name, END)
            else:
                graph.add_conditional_edges(step.name, step.then, list(step.targets))
        # No checkpoint of our own state: a parent graph keeps its own, and a draft must not outlive the run.
        compiled: Graph = graph.compile(checkpointer=False, name="surefoot")
        return compiled

    def _steps(self) -> tuple[Step, ...]:
        """The workflow as a table: what is run, and where it may go from there."""
        first = guarded(FIRST, self._retrieve, prepare=self._prepare)
        return (
            Step(FIRST, first, self._after_retrieve, ("generate", "deliver")),
            Step("generate", guarded("generate", self._generate), self._after_writing, ("validate", "deliver")),
            Step("validate", guarded("validate", self._validate), self._after_validate, ("execute", "deliver")),
            Step("execute", guarded("execute", self._execute), self._after_execute, ("synthesize", "deliver")),
            Step("synthesize", guarded("synthesize", self._synthesize), self._after_writing, ("validate", "deliver")),
            Step("deliver", guarded("deliver", self._deliver, finish=self._written_down)),
        )

    async def _walk(self, state: AskState) -> AskState:
        """The same steps without LangGraph: one question on a command line should not pay a second of imports."""
        steps = {step.name: step for step in self._steps()}
        step: Step | None = steps[FIRST]
        for _ in range(4 * self.limits.rounds + 8):
            if step is None:
                return state
            state = {**state, **await step.node(state)}
            step = steps[step.then(state)] if step.then is not None else None
        raise DeadlineExceededError("the workflow did not end; this is a bug")

    async def _retrieve(self, state: AskState, *, first: bool = True) -> AskState:
        """Finds passages. A question that a rule refuses is refused before anything is searched or written."""
        request = state["request"]
        if any(rule.action is Action.REJECT for rule in request.pack.rules):
            screened = await self._verify(state, "", ())
            if (screened.result.metadata.fallback_reason or "").startswith("policy:"):
                return {"held": screened}
        async with asyncio.timeout(state["budget"].seconds_left):
            found = await gather(
                self.retriever,
                request.question,
                k=self.limits.top_k,
                where=request.where,
                in_time=lambda: not state["budget"].exhausted,
            )
        if first and (foreign := foreign_to(request.question, found)) is not None:
            return await self._translated(state, found, foreign)
        said = respelled(request.question, [index_text(hit.passage) for hit in found.passages], self.known)
        if first and said != request.question and not state["budget"].exhausted:
            return await self._asked_as(state, said)
        kept, replaced = without_replaced(found.passages)
        found = replace(found, passages=kept)
        context = tuple(item.passage for item in kept) if found.relevant else ()
        return {"found": found, "context": context, "replaced": replaced}

    async def _translated(self, state: AskState, found: Retrieval, foreign: Foreign) -> AskState:
        """A question in another language than the documents: asked in theirs where a model can, said to be so else."""
        request = state["request"]
        said = await self.generator(request.pack).translate(request.question, foreign.documents)
        if said is None or foreign_to(said, found) is not None:
            result = refusal("retrieval_miss", request.pack, decision=Decision.REJECTED, text=foreign.message)
            return {"found": found, "held": Verified(request=self._submission(state, "", ()), result=result)}
        return await self._asked_as(state, said)

    async def _asked_as(self, state: AskState, said: str) -> AskState:
        """The same question in other words or another spelling; the answer shows how it was asked."""
        request = replace(state["request"], question=said)
        update = await self._retrieve({**state, "question": said, "request": request}, first=False)
        return {"question": said, "request": request, **update}

    async def _generate(self, state: AskState) -> AskState:
        draft, budget = await self._write(state, state["context"])
        return {"draft": draft, "initial_answer": draft.text, "budget": budget}

    async def _validate(self, state: AskState) -> AskState:
        """Takes the draft through the gate and keeps the better of this round and the one before."""
        draft = state["draft"]
        text = draft.text if draft else ""
        context = state["context"] if text else ()
        verified = await self._verify(state, text, context, aloud=self._listener(state))
        report = await self._reported(state, verified, context)
        if draft is not None and (report.beside or not verified.result.accepted):
            if text:
                await self.generator(state["request"].pack).reject(draft)
            quoted = await self._in_quotes(state, report)
            verified, report = quoted or (verified, report)
        false = await self._false_premise(state, verified, report)
        if false is not None and not (verified.result.accepted and false.says_so_in(verified.result.final_answer)):
            corrected = await self._corrected(state, false, verified, report)
            if corrected is not None:
                verified = corrected
                report = await self._reported(state, verified, state["context"])
        if false is not None and false.says_so_in(verified.result.final_answer):
            report = replace(report, beside=False)  # who is put right has an answer
        update: AskState = {"validation_report": report, "rounds": (*state["rounds"], report.round)}
        if is_better(verified, report, state):
            update |= {"held": verified, "best": report, "premises": (false,) if false else ()}
        return update

    async def _in_quotes(self, state: AskState, report: ValidationReport) -> tuple[Verified, ValidationReport] | None:
        """The sources' own sentences for a draft that came to nothing, where they answer. A rule's refusal stays, and
        what a listener has heard is not taken back."""
        request, context = state["request"], state["context"]
        writer = self.quotes(request.pack)
        if writer is None or not context or report.refused_by_rule or _shown_by(request) is not None:
            return None
        task = DraftTask(question=request.question, passages=context, style=request.pack.citations.style)
        try:
            async with asyncio.timeout(state["budget"].seconds_left):
                text = (await writer.draft(task)).text
            if not text:
                return None
            verified = await self._verify(state, text, context)
        except (TimeoutError, EncoderError):  # the refusal that there was stays
            return None
        told = await self._reported(state, verified, context)
        return (verified, told) if verified.result.accepted and not told.beside else None

    async def _reported(self, state: AskState, verified: Verified, context: tuple[Passage, ...]) -> ValidationReport:
        request, found = state["request"], state["found"]
        return await asyncio.to_thread(
            validate,
            verified.result,
            question=request.question,
            passages=context,
            relevance=1.0 if state["new_info"] else found.relevance if found else 0.0,
            threshold=request.pack.thresholds.validation,
            number=len(state["rounds"]) + 1,
            external=tuple(str(item.metadata.get("source", item.id)) for item in state["new_info"]),
            answers=self.scorer,
        )

    async def _execute(self, state: AskState) -> AskState:
        """Gathers outside evidence for what is missing."""
        evidence, report = self.evidence(state["request"].pack), state["validation_report"]
        if evidence is None or report is None:
            return {"new_info": ()}
        async with asyncio.timeout(state["budget"].model_seconds()):
            found = await evidence.gather(state["question"], gaps=report.unanswered)
        made = (replace(search, round=len(state["rounds"]) + 1) for search in found.searches)
        return {"new_info": found.passages, "searches": (*state["searches"], *made)}

    async def _synthesize(self, state: AskState) -> AskState:
        """Writes again, from the outside evidence and from what is still current of the old context."""
        days = state["request"].pack.thresholds.stale_after_days
        kept = current(state["context"], today=self.clock.today(), stale_after_days=days)
        context = (*state["new_info"], *kept[: self.limits.top_k])
        draft, budget = await self._write(state, context, correcting=True)
        return {"draft": draft, "context": context, "budget": budget}

    async def _deliver(self, state: AskState) -> AskState:
        """The last word: the verified result as it is, or the refusal that a fault calls for."""
        request, best = state["request"], state["best"]
        held = state["held"] or await self._fail(state, state["fault"] or "check_broken")
        if best is not None and best.beside and not best.refused_by_rule:
            # true and beside the question is no answer: the nearest passages are named instead
            said = refusal("unanswered", request.pack, _shown_by(request), decision=Decision.REJECTED)
            held = Verified(request=replace(held.request, chunks=()), result=said)
        return {"held": held}

    async def _written_down(self, state: AskState) -> AskState:
        """The result with the steps that led to it, in the audit and for the caller."""
        request, best, found, held = state["request"], state["best"], state["found"], state["held"]
        assert held is not None  # deliver gives one
        took = round(state["budget"].elapsed_ms, 3)
        whole = replace(held.result.metadata, processing_time_ms=took, nodes=state["nodes"])
        result = replace(held.result, metadata=whole)
        if self.audit is not None:
            result = await self.audit(held.request, result)
        asked = AskResult(
            question=request.question,
            result=result,
            passages=_passages(held.request.chunks, found),
            rounds=state["rounds"],
            domain=detect(request.question, request.pack.keywords),
            unanswered=best.unanswered if best and result.accepted else (),
            premises=tuple(one.statement for one in state["premises"]),
            replaced=state["replaced"],
            searches=state["searches"],
        )
        return {"asked": asked, "final_answer": result.final_answer}

    def _after_retrieve(self, state: AskState) -> str:
        return "deliver" if state["fault"] or state["held"] else "generate"

    def _after_writing(self, state: AskState) -> str:
        return "deliver" if state["fault"] else "validate"

    def _after_validate(self, state: AskState) -> str:
        report = state["validation_report"]
        if state["fault"] or report is None or report.round.accepted or report.refused_by_rule:
            return "deliver"
        if len(state["rounds"]) >= self.limits.rounds or state["budget"].exhausted:
            return "deliver"
        return "execute" if self._has_outside(state) else "deliver"

    def _after_execute(self, state: AskState) -> str:
        return "deliver" if state["fault"] or not state["new_info"] else "synthesize"

    async def _run(self, request: AskRequest) -> AskResult:
        events: list[AskEvent] = []

        def listen(event: AskEvent) -> None:
            events.append(event)
            tell(request.on_event, event)

        try:
            state = await self._walk({"question": request.question, "request": replace(request, on_event=listen)})
            asked = state["asked"]
            if asked.question != request.question:
                asked = replace(asked, question=request.question, resolved=asked.question)
        except (InputError, RecordingMissingError, StoreError):
            raise
        except Exception:
            result = refusal("check_broken", request.pack, _shown_by(request))
            asked = AskResult(question=request.question, result=result, passages=())
        return replace(asked, events=tuple(events))

    async def _audited_hit(self, request: AskRequest, asked: AskResult) -> AskResult:
        for event in asked.events:
            tell(request.on_event, event)
        if self.audit_hit is None:
            return asked
        light = VerifyInput(draft_answer="", question=request.question, session_id=request.session_id)
        return replace(asked, result=await self.audit_hit(light, asked.result))

    def _prepare(self, state: AskState) -> AskState:
        request = state.get("request")
        if request is None:
            request = AskRequest(question=state.get("question", ""), pack=self.pack)
        _check(request.question)
        budget = Budget.start(self.clock, milliseconds=self.limits.milliseconds, tokens=self.limits.tokens)
        return fresh(request, budget)

    async def _write(
        self, state: AskState, context: tuple[Passage, ...], *, correcting: bool = False
    ) -> tuple[Draft, Budget]:
        request, budget, report, draft = state["request"], state["budget"], state["validation_report"], state["draft"]
        if not context:
            return Draft(text="", model=""), budget
        task = DraftTask(
            question=request.question,
            passages=context,
            profile=self.redact(request.profile),
            style=request.pack.citations.style,
            previous=(draft.text if draft else "") if correcting else None,
            problems=report.problems if correcting and report else (),
            timeout_ms=int(budget.model_seconds() * 1000),
        )
        room = budget.reply_tokens(task)
        if room == 0 or budget.exhausted:
            raise DeadlineExceededError("the question's budget is spent; raise ask_budget_ms or ask_budget_tokens")
        async with asyncio.timeout(budget.model_seconds()):
            written = await self.generator(request.pack).draft(replace(task, max_tokens=room))
        return written, budget.with_spent(written.tokens)

    async def _verify(
        self, state: AskState, text: str, context: tuple[Passage, ...], *, aloud: Aloud | None = None
    ) -> Verified:
        request = self._submission(state, text, context)
        async with asyncio.timeout(state["budget"].seconds_left + _GRACE_S):
            return Verified(request=request, result=await self.gate.verify(request, aloud))

    def _listener(self, state: AskState) -> Aloud | None:
        """Who may hear the start of this draft: nobody where another draft, or a correction before it, may follow."""
        request = state["request"]
        if request.aloud is None or state["rounds"] or premise(request.question) is not None:
            return None
        return None if self.limits.rounds > 1 and self._has_outside(state) else request.aloud

    def _has_outside(self, state: AskState) -> bool:
        evidence = self.evidence(state["request"].pack)
        return evidence is not None and evidence.available(state["question"])

    async def _fail(self, state: AskState, fault: str) -> Verified:
        request, shown = self._submission(state, "", state["context"]), _shown_by(state["request"])
        try:
            async with asyncio.timeout(_GRACE_S):
                return Verified(request=request, result=await self.gate.fail(request, fault, shown))
        except Exception:
            return Verified(request=request, result=refusal(fault, state["request"].pack, shown))

    def _submission(self, state: AskState, text: str, context: tuple[Passage, ...]) -> VerifyInput:
        request, left = state["request"], int(state["budget"].seconds_left * 1000)
        deadline = max(1, min(request.options.deadline_ms or self.limits.gate_ms, left))
        return VerifyInput(
            draft_answer=text,
            chunks=context,
            profile=request.profile,
            question=request.question,
            session_id=request.session_id,
            pack=request.pack.name,
            options=replace(request.options, deadline_ms=deadline),
        )

    async def _false_premise(
        self, state: AskState, verified: Verified, report: ValidationReport
    ) -> FalsePremise | None:
        """What the question takes for granted and the sources contradict. A rule's refusal and a fault stay."""
        context = state["context"]
        empty = not verified.result.accepted and verified.result.metadata.fallback_reason == "retrieval_miss"
        if not context or report.refused_by_rule or not (verified.result.accepted or empty):
            return None
        style = state["request"].pack.citations.style
        try:
            return await find_false_premise(
                state["question"], context, verify=lambda text: self._verify(state, text, context), style=style
            )
        except TimeoutError:
            return None

    async def _corrected(
        self, state: AskState, false: FalsePremise, verified: Verified, report: ValidationReport
    ) -> Verified | None:
        """The answer with what the sources say before it; that alone where there is no answer."""
        answer = verified.result.final_answer if verified.result.accepted and not report.beside else ""
        try:
            said = await self._verify(state, f"{false.correction} {answer}".strip(), state["context"])
        except TimeoutError:
            return None
        return said if said.result.accepted else None


_GRACE_S = 0.5
"""The gate's own deadline ends first; this one is for a gate that does not keep it."""


def _shown_by(request: AskRequest) -> Shown | None:
    return request.aloud.shown if request.aloud is not None else None


def _passages(chunks: Sequence[Passage], found: Retrieval | None) -> tuple[ScoredPassage, ...]:
    """The passages the verdict was given on, in the order the markers count; what was found where there is none."""
    scored = {item.passage.id: item for item in found.passages} if found else {}
    if not chunks:
        return tuple(scored.values())
    return tuple(scored.get(chunk.id) or ScoredPassage(passage=chunk, score=0.0) for chunk in chunks)


def _is_personal(request: AskRequest) -> bool:
    """A question that names a person or a number of hers is answered, and not kept: a cache is no place for it."""
    return redact(request.question, profile_names(request.profile)).changed


def _check(question: str) -> None:
    if not question.strip():
        raise InputError("the question is empty; ask something")
    if len(question) > MAX_QUESTION:
        raise InputError(f"the question has {len(question)} characters; ask in at most {MAX_QUESTION}")
