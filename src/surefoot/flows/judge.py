"""The judge: a situation and a query in, a cited verdict out, or a clear error.

Domain by keywords, references from curated pages and from the pack's own texts, `<REFERENCES>` into the prompt,
citations checked, summary and rationale through the gate; one retry with the reason.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from surefoot.core.errors import InputError, InvalidReplyError
from surefoot.core.ports import Embedder, LanguageModel, Verifier
from surefoot.core.questions import terms
from surefoot.core.structured import extract_object, schema_problem
from surefoot.core.taint import tainted
from surefoot.core.text import content_words, markers, sentences
from surefoot.core.types import Json, JudgeResult, ModelRequest, Passage, Reference, VerificationResult, VerifyInput
from surefoot.correct.domain import DEFAULT, detect
from surefoot.correct.snippet import best_paragraphs, shorten
from surefoot.correct.sources import Curated
from surefoot.generate import prompt
from surefoot.generate.extractive import Extractive
from surefoot.packs.schema import Pack

MOST_REFERENCES = 4
MAX_TEXT = 20_000
STYLE = "[n]"
_ATTEMPTS = 2
_CURATED_S = 10.0
_LOG = logging.getLogger(__name__)
_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"summary": {"type": "string", "minLength": 1}, "rationale": {"type": "string", "minLength": 1}},
    "required": ["summary", "rationale"],
    "additionalProperties": False,
}


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

    async def judge(self, context: str, query: str) -> JudgeResult:
        """InputError: nothing can be said about this; ModelError: the model failed twice."""
        _check("context", context)
        _check("query", query)
        case = await self._case(context, query)
        reason: str | None = None
        for _ in range(_ATTEMPTS if self.model is not None else 1):
            try:
                return await self._verdict(case, *await self._written(case, reason))
            except _NotAcceptedError as error:
                reason = str(error)
        raise InvalidReplyError(f"no verdict passed: {reason}; ask again, or give a longer context")

    async def _case(self, context: str, query: str) -> _Case:
        domain = detect(context, self.pack.keywords, embedder=self.embedder)
        if domain == DEFAULT:
            domain = detect(query, self.pack.keywords, embedder=self.embedder)
        references = await self._references(f"{context} {query}", domain)
        if not references:
            known = ", ".join(sorted(self.pack.keywords))
            raise InputError(f"no reference speaks about this context (domain {domain!r}); the pack knows: {known}")
        return _Case(context=context, query=query, domain=domain, references=tuple(references))

    async def _references(self, told: str, domain: str) -> list[Passage]:
        """Curated pages first, then the pack's own texts nearest to the case; none for the default domain."""
        if domain == DEFAULT:
            return []
        fetched = [page for page in await self._fetched(domain) if not tainted(page) and page.text]
        known = {page.metadata.get("source") for page in fetched}
        own = [text for text in self.library() if text.metadata.get("domain") in (domain, None)]
        room = MOST_REFERENCES - len(fetched)
        chosen = [*fetched, *_nearest([text for text in own if text.metadata.get("url") not in known], told, room)]
        return [replace(passage, id=str(number)) for number, passage in enumerate(chosen, 1)]

    async def _fetched(self, domain: str) -> list[Passage]:
        try:
            async with asyncio.timeout(_CURATED_S):
                return await self.curated.snippets(domain)
        except TimeoutError:
            _LOG.warning("the curated sources of %r took too long; the pack's own texts are used", domain)
            return []

    async def _written(self, case: _Case, reason: str | None) -> tuple[str, str]:
        if self.model is None:
            return await asyncio.to_thread(_quoted, case, self.embedder)
        values = {
            "references": prompt.references_block([passage.text for passage in case.references]),
            "context": prompt.inert(case.context),
            "question": prompt.inert(case.query),
            "problems": prompt.inert(reason or ""),
        }
        system, user = prompt.load("judge", self.pack.prompts).fill(values)
        request = ModelRequest(
            system=system, prompt=user, schema=_SCHEMA, role="judge", timeout_ms=self.timeout_ms, max_tokens=450
        )
        reply = await self.model.complete(request)
        try:
            said = extract_object(reply.text)
        except ValueError as error:
            raise _NotAcceptedError(f"the reply is not the JSON asked for: {error}") from error
        if problem := schema_problem(said, _SCHEMA):
            raise _NotAcceptedError(problem)
        return str(said["summary"]).strip(), str(said["rationale"]).strip()

    async def _verdict(self, case: _Case, summary: str, rationale: str) -> JudgeResult:
        for name, text in (("summary", summary), ("rationale", rationale)):
            if problem := _citation_problem(text, len(case.references), required=name == "summary"):
                raise _NotAcceptedError(f"{name}: {problem}")
        parts = [
            await self._passed(case, name, text) for name, text in (("summary", summary), ("rationale", rationale))
        ]
        summary, rationale = (part.final_answer for part in parts)
        request = self._submission(case, f"{summary}\n\n{rationale}")
        whole = await self.gate.verify(request)
        # The parts passed one by one; together they must stand unchanged, or the certificate would not be theirs.
        if not whole.accepted or whole.final_answer != request.draft_answer:
            raise _NotAcceptedError(_why("summary and rationale together", whole))
        if problem := _citation_problem(summary, len(case.references), required=True):
            raise _NotAcceptedError(f"summary: {problem}")
        return JudgeResult(
            summary=summary,
            rationale=rationale,
            domain=case.domain,
            references=tuple(_reference(number, passage) for number, passage in enumerate(case.references, 1)),
            result=await self.audit(request, whole) if self.audit is not None else whole,
        )

    async def _passed(self, case: _Case, name: str, text: str) -> VerificationResult:
        result = await self.gate.verify(self._submission(case, text))
        if (result.metadata.fallback_reason or "").startswith("policy:"):
            raise InputError(result.final_answer)
        if not result.accepted:
            raise _NotAcceptedError(_why(name, result))
        return result

    def _submission(self, case: _Case, text: str) -> VerifyInput:
        return VerifyInput(
            draft_answer=text,
            chunks=case.references,
            question=f"{case.context}\n\n{case.query}",
            pack=self.pack.name,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Case:
    context: str
    query: str
    domain: str
    references: tuple[Passage, ...]
    """Numbered: the id of the first is "1"."""


class _NotAcceptedError(Exception):
    """A verdict that may not go out, and why; the model is told once."""


def _quoted(case: _Case, embedder: Embedder | None) -> tuple[str, str]:
    """Without a model: the references' sentences nearest to the case, the first as summary, the others as reasons."""
    told = " ".join(content_words(f"{case.query} {case.context}"))
    written = Extractive(limit=5, least=0.05, follower=0.45, embedder=embedder).write(
        told, case.references, style=STYLE
    )
    said = [sentence.text for sentence in sentences(written)]
    if not said:
        raise InvalidReplyError("the references hold no sentence on this case; give a longer context or set llm_judge")
    return " ".join(said[:2]) if len(said) > 2 else said[0], " ".join(said[2:] if len(said) > 2 else said[-1:])


def _nearest(texts: Sequence[Passage], told: str, room: int) -> list[Passage]:
    """The texts that share most with the case, each by its best paragraph."""
    wanted = terms(told)
    scored = sorted(
        (
            (len(wanted & terms(f"{text.metadata.get('title', '')} {text.text}")), -place)
            for place, text in enumerate(texts)
        ),
        reverse=True,
    )
    chosen = [texts[-place] for score, place in scored[: max(room, 0)] if score > 0]
    return [replace(text, text=shorten(best_paragraphs(text.text, told, count=1)[0])) for text in chosen]


def _citation_problem(text: str, count: int, *, required: bool) -> str | None:
    cited = [marker.target for marker in markers(text)]
    wrong = [target for target in cited if not target.isdigit() or not 1 <= int(target) <= count]
    if wrong:
        return f"[{wrong[0]}] is no reference; there are {count}"
    return "it cites no reference" if required and not cited else None


def _why(name: str, result: VerificationResult) -> str:
    issues = "; ".join(f"{issue.location!r} {issue.problem}" for issue in result.metadata.issues_detected[:3])
    return f"{name} did not pass the gate ({result.metadata.fallback_reason or 'changed'}): {issues}"


def _reference(number: int, passage: Passage) -> Reference:
    metadata = passage.metadata
    return Reference(
        number=number,
        url=str(metadata.get("url") or metadata.get("source") or ""),
        title=str(metadata.get("title") or ""),
        snippet=passage.text,
        external=metadata.get("external") is True,
    )


def _check(name: str, text: str) -> None:
    if not text.strip():
        raise InputError(f"{name} is empty; say what happened and what is to be judged")
    if len(text) > MAX_TEXT:
        raise InputError(f"{name} has {len(text)} characters; give at most {MAX_TEXT}")
