"""The A-C-F-C loop: answer, critique, finalize, critique. One question in, one audited pair out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from surefoot.core.errors import InvalidReplyError
from surefoot.core.ports import Retriever, SafeWriter, Verifier
from surefoot.core.text import content_words, fold
from surefoot.core.types import DONT_KNOW, Passage, VerificationResult, VerifyInput, VerifyOptions
from surefoot.dataset.agents import Agents
from surefoot.dataset.critique import is_refusal, join, read_verdict
from surefoot.dataset.pair import Call, Critique, Pair, Question, QuestionType

VERIFY_DEADLINE_MS = 600_000
"""A build must not depend on how busy the machine is: the gate gets all the time it needs."""


@dataclass(frozen=True, kw_only=True)
class Loop:
    agents: Agents
    retriever: Retriever
    """Over the corpus and nothing else."""
    verifier: Verifier
    writer: SafeWriter
    """Plays the answer agent where there is no model."""
    pack: str | None = None
    passages: int = 8
    at_once: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))
    """Retrieval and verification need the processor: more of them at a time only wait for each other."""

    async def retrieve(self, question: Question) -> tuple[Passage, ...]:
        """The question's passages under the names their markers use."""
        async with self.at_once:
            found = await self.retriever.retrieve(question.text, k=self.passages)
        return tuple(labelled(number, one.passage) for number, one in enumerate(found.passages, start=1))

    async def run(self, question: Question, passages: tuple[Passage, ...], trail: Trail) -> Pair:
        trail.step = "answer"
        initial = await self._answer(question, passages, trail)
        trail.step = "critique"
        initial_critique, result = await self._critique(question, passages, initial, trail)
        trail.step = "finalize"
        final = await self._finalize(question, passages, initial, initial_critique, result, trail)
        trail.step = "final critique"
        final_critique, _ = await self._critique(question, passages, final, trail)
        return Pair(
            question=question,
            passages=passages,
            initial_answer=initial,
            initial_critique=initial_critique,
            final_answer=final,
            final_critique=final_critique,
            calls=tuple(trail.calls),
        )

    async def judge(self, question: Question, passages: tuple[Passage, ...], answer: str) -> Critique:
        """The critic on its own: what the card measures with planted errors."""
        critique, _ = await self._critique(question, passages, answer, Trail())
        return critique

    async def _answer(self, question: Question, passages: tuple[Passage, ...], trail: Trail) -> str:
        if not passages:
            return DONT_KNOW
        if not self.agents.has("answer"):
            return self.writer.write(question.text, passages) or DONT_KNOW
        text, call = await self.agents.answer(question, passages)
        trail.calls.append(call)
        return text

    async def _critique(
        self, question: Question, passages: tuple[Passage, ...], answer: str, trail: Trail
    ) -> tuple[Critique, VerificationResult | None]:
        said, invalid = await self._ask_critic(question, passages, answer, trail)
        result = None if is_refusal(answer) or not answer else await self._verify(question, passages, answer)
        critique = join(kind=question.type, answer=answer, result=result, said=said, invalid=invalid)
        return critique, result

    async def _ask_critic(
        self, question: Question, passages: Sequence[Passage], answer: str, trail: Trail
    ) -> tuple[tuple[bool, str] | None, bool]:
        if not self.agents.has("critic") or not answer:
            return None, False
        try:
            text, call = await self.agents.critique(question, passages, answer, step=trail.step)
        except InvalidReplyError:
            return None, True
        trail.calls.append(call)
        return read_verdict(text), False

    async def _verify(self, question: Question, passages: tuple[Passage, ...], answer: str) -> VerificationResult:
        # The critic of this loop is asked above; the gate's own would be paid for twice.
        options = VerifyOptions(skip_llm_verification=True, deadline_ms=VERIFY_DEADLINE_MS)
        asked = VerifyInput(
            draft_answer=answer, chunks=passages, question=question.text, pack=self.pack, options=options
        )
        async with self.at_once:
            return await self.verifier.verify(asked)

    async def _finalize(
        self,
        question: Question,
        passages: tuple[Passage, ...],
        initial: str,
        critique: Critique,
        result: VerificationResult | None,
        trail: Trail,
    ) -> str:
        if self.agents.has("finalizer") and passages:
            text, call = await self.agents.finalize(question, passages, initial, critique)
            trail.calls.append(call)
            return text
        return _finalized_by_code(question, passages, initial, critique, result)


@dataclass(kw_only=True)
class Trail:
    """Where the loop is and what it has paid for, so that a failure can say which step ended the row."""

    step: str = "start"
    calls: list[Call] = field(default_factory=list)


def labelled(number: int, passage: Passage) -> Passage:
    """The passage under the name its citation markers use; its own id goes to the metadata."""
    return Passage(
        id=f"S{number}",
        text=passage.text,
        metadata={**passage.metadata, "passage": passage.id},
        similarity=None if passage.similarity is None else round(passage.similarity, 6),
    )


def _finalized_by_code(
    question: Question,
    passages: Sequence[Passage],
    initial: str,
    critique: Critique,
    result: VerificationResult | None,
) -> str:
    """The finalizer without a model: keep what is proven, take the gate's repair, refuse the rest."""
    if question.type is QuestionType.UNANSWERABLE:
        return DONT_KNOW if _asks_for_something_unknown(question, passages) else initial
    if critique.grounded:
        return initial
    return result.final_answer if result is not None and result.accepted else DONT_KNOW


def _asks_for_something_unknown(question: Question, passages: Sequence[Passage]) -> bool:
    known = fold(" ".join(passage.text for passage in passages))
    return any(word not in known for word in content_words(question.text))
