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
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from surefoot.core.errors import InputError, RecordingMissingError, StoreError
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
    Json,
    Passage,
    Retrieval,
    VerificationResult,
    VerifyInput,
)
from surefoot.flows.aloud import Aloud
from surefoot.flows.answers import AnswerCache, AnswerKey
from surefoot.flows.budget import Budget
from surefoot.flows.correction import put_right
from surefoot.flows.delivery import delivered
from surefoot.flows.examiner import Examiner
from surefoot.flows.foreign import Foreign, foreign_to
from surefoot.flows.gather import gather
from surefoot.flows.newest import without_replaced
from surefoot.flows.premise import Verified
from surefoot.flows.progress import guarded, tell
from surefoot.flows.quoted import in_quotes
from surefoot.flows.refusal import refusal
from surefoot.flows.report import Answers
from surefoot.flows.state import AskRequest, AskState, Limits, current, fresh, is_better
from surefoot.flows.workflow import Step, compiled, walk
from surefoot.flows.writing import write
from surefoot.packs.schema import Pack

if TYPE_CHECKING:
    from surefoot.flows.workflow import Graph

MAX_QUESTION = 8_000
FIRST = "retrieve"
Audit = Callable[[VerifyInput, VerificationResult], Awaitable[VerificationResult]]


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
        return compiled(self._steps())

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

    async def _retrieve(self, state: AskState, *, first: bool = True) -> AskState:
        """Finds passages. A question that a rule refuses is refused before anything is searched or written."""
        request = state["request"]
        if any(rule.action is Action.REJECT for rule in request.pack.rules):
            screened = await self._examiner.verify(state, "", ())
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
            return {"found": found, "held": Verified(request=self._examiner.submission(state, "", ()), result=result)}
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
        draft, examiner = state["draft"], self._examiner
        text = draft.text if draft else ""
        context = state["context"] if text else ()
        verified = await examiner.verify(state, text, context, aloud=self._listener(state))
        report = await examiner.report(state, verified, context)
        if draft is not None and (report.beside or not verified.result.accepted):
            if text:
                await self.generator(state["request"].pack).reject(draft)
            writer = self.quotes(state["request"].pack)
            quoted = await in_quotes(state, report, writer=writer, examiner=examiner)
            verified, report = quoted or (verified, report)
        false, verified, report = await put_right(state, verified, report, examiner)
        update: AskState = {"validation_report": report, "rounds": (*state["rounds"], report.round)}
        if is_better(verified, report, state):
            update |= {"held": verified, "best": report, "premises": (false,) if false else ()}
        return update

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
        held = state["held"] or await self._examiner.fail(state, state["fault"] or "check_broken")
        if best is not None and best.beside and not best.refused_by_rule:
            # true and beside the question is no answer: the nearest passages are named instead
            said = refusal("unanswered", request.pack, request.shown, decision=Decision.REJECTED)
            held = Verified(request=replace(held.request, chunks=()), result=said)
        return {"held": held}

    async def _written_down(self, state: AskState) -> AskState:
        """The result with the steps that led to it, in the audit and for the caller."""
        held = state["held"]
        assert held is not None  # deliver gives one
        took = round(state["budget"].elapsed_ms, 3)
        whole = replace(held.result.metadata, processing_time_ms=took, nodes=state["nodes"])
        result = replace(held.result, metadata=whole)
        if self.audit is not None:
            result = await self.audit(held.request, result)
        return {"asked": delivered(state, held.request.chunks, result), "final_answer": result.final_answer}

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
            start: AskState = {"question": request.question, "request": replace(request, on_event=listen)}
            state = await walk(self._steps(), start, most=4 * self.limits.rounds + 8)
            asked = state["asked"]
            if asked.question != request.question:
                asked = replace(asked, question=request.question, resolved=asked.question)
        except (InputError, RecordingMissingError, StoreError):
            raise
        except Exception:
            result = refusal("check_broken", request.pack, request.shown)
            asked = AskResult(question=request.question, result=result, passages=())
        return replace(asked, events=tuple(events))

    async def _audited_hit(self, request: AskRequest, asked: AskResult) -> AskResult:
        for event in asked.events:
            tell(request.on_event, event)
        if self.audit_hit is None:
            return asked
        light = VerifyInput(draft_answer="", question=request.question, session_id=request.session_id)
        return replace(asked, result=await self.audit_hit(light, asked.result))

    @property
    def _examiner(self) -> Examiner:
        return Examiner(gate=self.gate, limits=self.limits, scorer=self.scorer)

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
        return await write(state, context, generator=self.generator, redact=self.redact, correcting=correcting)

    def _listener(self, state: AskState) -> Aloud | None:
        """Who may hear the start of this draft: nobody where another draft, or a correction before it, may follow."""
        request = state["request"]
        if request.aloud is None or state["rounds"] or premise(request.question) is not None:
            return None
        return None if self.limits.rounds > 1 and self._has_outside(state) else request.aloud

    def _has_outside(self, state: AskState) -> bool:
        evidence = self.evidence(state["request"].pack)
        return evidence is not None and evidence.available(state["question"])


def _is_personal(request: AskRequest) -> bool:
    """A question that names a person or a number of hers is answered, and not kept: a cache is no place for it."""
    return redact(request.question, profile_names(request.profile)).changed


def _check(question: str) -> None:
    if not question.strip():
        raise InputError("the question is empty; ask something")
    if len(question) > MAX_QUESTION:
        raise InputError(f"the question has {len(question)} characters; ask in at most {MAX_QUESTION}")
