"""The judge: a situation and a query in, a cited verdict out, or a clear error.

Domain by keywords and meaning, references from curated pages and from the pack's own texts, `<REFERENCES>` into the
prompt, citations checked, summary and rationale through the gate; one retry with the reason.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from uuid import uuid4

from surefoot.core.case import CASE
from surefoot.core.errors import InputError, InvalidReplyError
from surefoot.core.ports import Embedder, Forgetting, LanguageModel, Meter, Verifier
from surefoot.core.questions import terms
from surefoot.core.structured import extract_object, schema_problem
from surefoot.core.taint import tainted
from surefoot.core.taxonomy import family
from surefoot.core.text import content_words, markers, sentences, without_markers
from surefoot.core.types import (
    AskEvent,
    Decision,
    Issue,
    Json,
    JudgeResult,
    ModelRequest,
    Passage,
    Reference,
    ResultMetadata,
    Severity,
    VerificationResult,
    VerifyInput,
)
from surefoot.correct.domain import DEFAULT, detect
from surefoot.correct.likeness import known_vectors
from surefoot.correct.snippet import best_paragraphs, paragraphs, shorten
from surefoot.correct.sources import Curated
from surefoot.flows.steps import Outcome, Steps
from surefoot.generate import prompt
from surefoot.generate.extractive import Extractive
from surefoot.packs.schema import Pack

MOST_REFERENCES = 4
MAX_TEXT = 20_000
STYLE = "[n]"
PARTS = "\n\n"
"""Stands between summary and rationale."""
WITHOUT_REFERENCES = "No reference speaks about this case, so what follows is an opinion and nothing in it is proven."
NOTHING_TO_SAY = "No reference speaks about this case, so nothing here says who is right."
_UNCITED = ("retrieval_miss", "citation_missing", "citation_unused")
_ATTEMPTS = 2
_CURATED_S = 10.0
_LOG = logging.getLogger(__name__)
_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"summary": {"type": "string", "minLength": 1}, "rationale": {"type": "string", "minLength": 1}},
    "required": ["summary", "rationale"],
    "additionalProperties": False,
}


class _Silent:
    """Counts nothing."""

    def decided(self, result: VerificationResult) -> None: ...

    def count(self, name: str, **labels: str) -> None: ...

    def observe(self, name: str, milliseconds: float, **labels: str) -> None: ...


@dataclass(frozen=True, kw_only=True)
class JudgeFlow:
    pack: Pack
    gate: Verifier
    curated: Curated
    library: Callable[[], Sequence[Passage]]
    """The pack's own texts, whole; `domain`, `title` and `url` in their metadata."""
    model: LanguageModel | None = None
    """None: the verdict is made of the references' own sentences."""
    embedder: Embedder | None = None
    audit: Callable[[VerifyInput, VerificationResult], Awaitable[VerificationResult]] | None = None
    timeout_ms: int = 30_000
    meter: Meter = field(default_factory=_Silent)

    async def judge(
        self, context: str, query: str, *, on_event: Callable[[AskEvent], None] | None = None
    ) -> JudgeResult:
        """InputError: nothing can be said about this; ModelError: the model failed twice."""
        _check("context", context)
        _check("query", query)
        steps = Steps(on_event)
        with steps.step("retrieve") as found:
            case = await self._case(context, query)
            found.reason = None if case.references else "no_reference"
        reason: str | None = None
        told = ""
        rejected: list[str] = []
        for number in range(1, (_ATTEMPTS if self.model is not None else 1) + 1):
            request = self._prompt(case, reason)
            try:
                judged = await self._judged(case, request, steps, number)
            except _NotAcceptedError as error:
                reason, told = str(error), error.told
                rejected.append(error.code)
                await self._forget(request)
            else:
                self._tell(judged.result.metadata.run_id, rejected)
                return judged
        self._tell(None, rejected)
        raise InvalidReplyError(f"no verdict passed: {told}; ask again, or give a longer context")

    async def _judged(self, case: _Case, request: ModelRequest, steps: Steps, number: int) -> JudgeResult:
        """One round: written, taken through the gate, and where it passes written down."""
        with _observed(steps, "generate", number):
            summary, rationale = await self._written(case, request)
        with _observed(steps, "validate", number) as outcome:
            submission, judged = await self._verdict(case, summary, rationale)
            outcome.score = judged.result.metadata.confidence
        with steps.step("deliver", number) as outcome:
            outcome.score = judged.result.metadata.confidence
            outcome.reason = judged.result.metadata.fallback_reason
        result = replace(judged.result, metadata=replace(judged.result.metadata, nodes=tuple(steps.ended)))
        return replace(judged, result=await self.audit(submission, result) if self.audit is not None else result)

    async def _forget(self, request: ModelRequest) -> None:
        """A reply that was rejected once would be rejected again."""
        if isinstance(self.model, Forgetting):
            await self.model.forget(request)

    def _tell(self, run_id: str | None, rejected: Sequence[str]) -> None:
        """What was rejected, as codes: the replies' own words never reach a log."""
        run = run_id or uuid4().hex
        for code in rejected:
            _LOG.warning("judge run %s: a reply was rejected (%s)", run, code)
            self.meter.count("rejected_replies", role="judge", reason=family(code))

    async def _case(self, context: str, query: str) -> _Case:
        domain = await asyncio.to_thread(self._domain, context)
        if domain == DEFAULT:
            domain = await asyncio.to_thread(self._domain, query)
        references = await self._references(f"{context} {query}", domain)
        return _Case(context=context, query=query, domain=domain, references=tuple(references))

    def _domain(self, text: str) -> str:
        pack = self.pack
        return detect(text, pack.keywords, embedder=self.embedder, examples=pack.domain_examples)

    async def _references(self, told: str, domain: str) -> list[Passage]:
        """Curated pages first, then the pack's own texts nearest to the case; none for the default domain."""
        if domain == DEFAULT:
            return []
        fetched = [page for page in await self._fetched(domain) if not tainted(page) and page.text]
        known = {page.metadata.get("source") for page in fetched}
        own = [text for text in self.library() if text.metadata.get("domain") in (domain, None)]
        room = MOST_REFERENCES - len(fetched)
        others = [text for text in own if text.metadata.get("url") not in known]
        chosen = [*fetched, *await asyncio.to_thread(_nearest, others, told, room, self.embedder)]
        return [replace(passage, id=str(number)) for number, passage in enumerate(chosen, 1)]

    async def _fetched(self, domain: str) -> list[Passage]:
        try:
            async with asyncio.timeout(_CURATED_S):
                return await self.curated.snippets(domain)
        except TimeoutError:
            _LOG.warning("the curated sources of %r took too long; the pack's own texts are used", domain)
            return []

    def _prompt(self, case: _Case, reason: str | None) -> ModelRequest:
        values = {
            "references": prompt.references_block([passage.text for passage in case.references]),
            "context": prompt.inert(case.context),
            "question": prompt.inert(case.query),
            "problems": prompt.inert(reason or ""),
        }
        system, user = prompt.load("judge", self.pack.prompts).fill(values)
        return ModelRequest(
            system=system, prompt=user, schema=_SCHEMA, role="judge", timeout_ms=self.timeout_ms, max_tokens=450
        )

    async def _written(self, case: _Case, request: ModelRequest) -> tuple[str, str]:
        if self.model is None and not case.references:
            return NOTHING_TO_SAY, f"This judge has references on {', '.join(sorted(self.pack.keywords))}."
        if self.model is None:
            return await asyncio.to_thread(_quoted, case, self.embedder)
        reply = await self.model.complete(request)
        try:
            said = extract_object(reply.text)
        except ValueError as error:
            raise _NotAcceptedError(f"the reply is not the JSON asked for: {error}", code="invalid_json") from error
        if problem := schema_problem(said, _SCHEMA):
            raise _NotAcceptedError(problem, code="invalid_json")
        return str(said["summary"]).strip(), str(said["rationale"]).strip()

    async def _verdict(self, case: _Case, summary: str, rationale: str) -> tuple[VerifyInput, JudgeResult]:
        return await (self._grounded if case.references else self._ungrounded)(case, summary, rationale)

    async def _ungrounded(self, case: _Case, summary: str, rationale: str) -> tuple[VerifyInput, JudgeResult]:
        """A verdict without references. It says so, holds to the pack's rules, and has no figure, name or address that
        the person did not tell."""
        request = self._submission(case, PARTS.join(" ".join(text.split()) for text in (summary, rationale)))
        checked = await self.gate.verify(request)
        metadata = checked.metadata
        if (metadata.fallback_reason or "").startswith("policy:"):
            raise InputError(checked.final_answer)
        if metadata.fallback_reason != "retrieval_miss":
            raise _NotAcceptedError(_why("the verdict", checked), code=_code(checked))
        if wrong := _objections(checked):
            found = replace(checked, metadata=_with(metadata, wrong))
            raise _NotAcceptedError(_why("the verdict", found), code=_code(found))
        summary = summary if summary == NOTHING_TO_SAY else f"{WITHOUT_REFERENCES} {summary}"
        result = opinion(checked, f"{summary}{PARTS}{rationale}")
        judged = JudgeResult(
            summary=summary, rationale=rationale, domain=case.domain, references=(), result=result, grounded=False
        )
        return request, judged

    async def _grounded(self, case: _Case, summary: str, rationale: str) -> tuple[VerifyInput, JudgeResult]:
        for name, text in (("summary", summary), ("rationale", rationale)):
            if problem := _citation_problem(text, len(case.references), required=name == "summary"):
                raise _miscited(name, problem)
        request = self._submission(case, PARTS.join(" ".join(text.split()) for text in (summary, rationale)))
        whole = await self._passed(request)
        summary, _, rationale = whole.final_answer.strip().partition(PARTS)
        if not summary or not rationale or _moved(summary, request.draft_answer):
            raise _NotAcceptedError(_why("summary or rationale", whole), code=_code(whole))
        if problem := _citation_problem(summary, len(case.references), required=True):
            raise _miscited("summary", problem)
        judged = JudgeResult(
            summary=summary,
            rationale=rationale,
            domain=case.domain,
            references=tuple(_reference(number, passage) for number, passage in enumerate(case.references, 1)),
            result=whole,
            cut=whole.metadata.revisions_applied,
        )
        return request, judged

    async def _passed(self, request: VerifyInput) -> VerificationResult:
        result = await self.gate.verify(request)
        if (result.metadata.fallback_reason or "").startswith("policy:"):
            raise InputError(result.final_answer)
        if not result.accepted:
            raise _NotAcceptedError(_why("the verdict", result), code=_code(result))
        return result

    def _submission(self, case: _Case, text: str) -> VerifyInput:
        return VerifyInput(
            draft_answer=text,
            chunks=case.references,
            question=case.query,
            case=case.context,
            pack=self.pack.name,
        )


def is_opinion(checked: VerificationResult) -> bool:
    """Whether the gate has nothing against a verdict but that there is no reference to hold it to."""
    return checked.metadata.fallback_reason == "retrieval_miss" and not _objections(checked)


def opinion(checked: VerificationResult, text: str) -> VerificationResult:
    """A verdict without references as it leaves: its own words as a fallback, and no certificate."""
    metadata = replace(checked.metadata, certificate={}, confidence=0.0, sources_used=())
    return replace(checked, decision=Decision.FALLBACK, final_answer=text, metadata=metadata)


def _objections(checked: VerificationResult) -> list[Issue]:
    return [one for one in checked.metadata.issues_detected if one.blocking and one.code not in _UNCITED]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Case:
    context: str
    query: str
    domain: str
    references: tuple[Passage, ...]
    """Numbered: the id of the first is "1"."""


class _NotAcceptedError(Exception):
    """A verdict that may not go out, and why; the model is told once."""

    def __init__(self, problem: str, *, code: str, told: str | None = None) -> None:
        super().__init__(problem)
        self.code = code
        """For the log: no words of the reply."""
        self.told = told or f"the last reply was rejected ({code})"
        """For whoever asked, without a word of what was rejected: an error is no way out for it."""


def _miscited(name: str, problem: str) -> _NotAcceptedError:
    return _NotAcceptedError(f"{name}: {problem}", code="invalid_citation", told=f"{name}: {problem}")


@contextmanager
def _observed(steps: Steps, node: str, number: int) -> Iterator[Outcome]:
    """A step that may end in a rejection, which is its reason and no failure of it."""
    rejected: _NotAcceptedError | None = None
    with steps.step(node, number) as outcome:
        try:
            yield outcome
        except _NotAcceptedError as error:
            rejected, outcome.reason = error, error.code
    if rejected is not None:
        raise rejected


def _quoted(case: _Case, embedder: Embedder | None) -> tuple[str, str]:
    """Without a model: the references' sentences nearest to the case, the first as summary, the others as reasons."""
    told = " ".join(content_words(f"{case.query} {case.context}"))
    by_words = Extractive(limit=5, least=0.05, follower=0.45, embedder=embedder)
    written = by_words.write(told, case.references, style=STYLE)
    if not written and embedder is not None:  # the references were found by meaning, so may their sentences be
        written = replace(by_words, least=0.0).write(f"{case.query} {case.context}", case.references, style=STYLE)
    said = [sentence.text for sentence in sentences(written)]
    if not said:
        raise InvalidReplyError("the references hold no sentence on this case; give a longer context or set llm_judge")
    return " ".join(said[:2]) if len(said) > 2 else said[0], " ".join(said[2:] if len(said) > 2 else said[-1:])


def _nearest(texts: Sequence[Passage], told: str, room: int, embedder: Embedder | None) -> list[Passage]:
    """The texts nearest to the case, each by its best paragraph: by meaning, or by the words they share with it."""
    if not texts or room <= 0:
        return []
    scores = _by_words(texts, told) if embedder is None else _by_meaning(texts, told, embedder)
    ranked = sorted(range(len(texts)), key=lambda place: -scores[place])
    chosen = [texts[place] for place in ranked[:room] if scores[place] > 0]
    return [replace(text, text=shorten(best_paragraphs(text.text, told, count=1)[0])) for text in chosen]


def _by_words(texts: Sequence[Passage], told: str) -> list[float]:
    wanted = terms(told)
    return [len(wanted & terms(f"{text.metadata.get('title', '')} {text.text}")) for text in texts]


def _by_meaning(texts: Sequence[Passage], told: str, embedder: Embedder) -> list[float]:
    """What a text is about stands in its title and its first paragraph."""
    openings = [f"{text.metadata.get('title', '')}. {next(iter(paragraphs(text.text)), '')}" for text in texts]
    return [float(score) for score in known_vectors(embedder, openings) @ embedder.embed([told])[0]]


def _citation_problem(text: str, count: int, *, required: bool) -> str | None:
    cited = [marker.target for marker in markers(text) if marker.target != CASE]
    wrong = [target for target in cited if not target.isdigit() or not 1 <= int(target) <= count]
    if wrong:
        return f"[{wrong[0]}] is no reference; there are {count}"
    return "it cites no reference" if required and not cited else None


def _moved(summary: str, draft: str) -> bool:
    """Whether what now stands first was a part of the reasons: then nothing is left of the summary."""
    first = next((without_markers(sentence.text) for sentence in sentences(summary)), "")
    told, _, reasons = without_markers(draft).partition(PARTS)
    return first in reasons and first not in told


def _with(metadata: ResultMetadata, issues: Sequence[Issue]) -> ResultMetadata:
    return replace(metadata, issues_detected=tuple(issues))


def _code(result: VerificationResult) -> str:
    """The worst of what the gate found, else why it did not accept."""
    found = [issue for issue in result.metadata.issues_detected if issue.blocking]
    worst = min(found, key=lambda issue: list(Severity).index(issue.severity), default=None)
    return worst.code if worst is not None else result.metadata.fallback_reason or "changed"


def _why(name: str, result: VerificationResult) -> str:
    issues = "; ".join(f"{issue.location!r} {issue.problem}" for issue in result.metadata.issues_detected[:3])
    return f"{name} did not pass the gate ({result.metadata.fallback_reason or 'changed'}): {issues}"


def _reference(number: int, passage: Passage) -> Reference:
    metadata = passage.metadata
    external = metadata.get("external") is True
    address = str(metadata.get("url") or metadata.get("source") or "")
    return Reference(
        number=number,
        url=address if external else "",
        title=str(metadata.get("title") or ""),
        snippet=passage.text,
        external=external,
        note="" if external else _own_words(str(metadata.get("date") or ""), address),
        retrieved=str(metadata.get("retrieved") or "") if external else "",
    )


def _own_words(written: str, address: str) -> str:
    """What a bundled text is: nobody's address stands over words that are not theirs."""
    when = f" on {written}" if written else ""
    return f"A summary in our own words, written{when}" + (f"; the page itself: {address}" if address else "")


def _check(name: str, text: str) -> None:
    if not text.strip():
        raise InputError(f"{name} is empty; say what happened and what is to be judged")
    if len(text) > MAX_TEXT:
        raise InputError(f"{name} has {len(text)} characters; give at most {MAX_TEXT}")
