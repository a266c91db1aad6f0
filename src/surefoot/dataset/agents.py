"""The agents: each a prompt file and a model. Without a model the role is played by code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from surefoot.core.hashing import content_hash
from surefoot.core.ports import LanguageModel
from surefoot.core.types import DONT_KNOW, Json, ModelReply, ModelRequest, Passage
from surefoot.dataset.critique import SCHEMA
from surefoot.dataset.journal import call_key
from surefoot.dataset.pair import Call, Critique, Question
from surefoot.dataset.prompt import Prompt, inert, sources_block

ROLES = ("question", "answer", "critic", "finalizer")
MAX_TOKENS = {"question": 1200, "answer": 600, "critic": 400, "finalizer": 600}
TEMPERATURE = {"question": 0.7, "answer": 0.1, "critic": 0.0, "finalizer": 0.1}


@dataclass(frozen=True, kw_only=True)
class Agents:
    """Who plays which role. Models give valid JSON where a schema is asked for (llm's Structured sees to it)."""

    models: Mapping[str, LanguageModel] = field(default_factory=dict)
    prompts: Mapping[str, Prompt]
    seed: int | None = None
    timeout_ms: int = 120_000

    @property
    def fingerprint(self) -> str:
        """Everything that decides what the agents say."""
        voices = {role: model.identity for role, model in self.models.items()}
        return content_hash([voices, {name: one.hash for name, one in self.prompts.items()}, self.seed])

    def has(self, role: str) -> bool:
        return role in self.models

    async def answer(self, question: Question, passages: Sequence[Passage]) -> tuple[str, Call]:
        reply, call = await self.say("answer", "answer", _values(question, passages), step="answer")
        return reply.text.strip(), call

    async def critique(
        self, question: Question, passages: Sequence[Passage], answer: str, *, step: str
    ) -> tuple[str, Call]:
        """The verdict as JSON text that meets critique.SCHEMA."""
        values = {**_values(question, passages), "answer": inert(answer)}
        reply, call = await self.say("critic", "critic", values, step=step, schema=SCHEMA)
        return reply.text, call

    async def finalize(
        self, question: Question, passages: Sequence[Passage], answer: str, critique: Critique
    ) -> tuple[str, Call]:
        verdict = "grounded" if critique.grounded else "NOT grounded"
        values = {
            **_values(question, passages),
            "answer": inert(answer),
            "critique": inert(f"Verdict: {verdict}. {critique.reasoning}"),
        }
        reply, call = await self.say("finalizer", "finalizer", values, step="finalize")
        return reply.text.strip(), call

    async def say(
        self,
        role: str,
        prompt: str,
        values: Mapping[str, str],
        *,
        step: str,
        schema: Mapping[str, Json] | None = None,
    ) -> tuple[ModelReply, Call]:
        system, user = self.prompts[prompt].fill(values)
        request = ModelRequest(
            system=system,
            prompt=user,
            temperature=TEMPERATURE[role],
            max_tokens=MAX_TOKENS[role],
            schema=schema,
            timeout_ms=self.timeout_ms,
            role=role,
            seed=self.seed,
        )
        model = self.models[role]
        reply = await model.complete(request)
        return reply, Call(
            step=step,
            model=model.identity,
            key=call_key(model.identity, request)[:32],
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
        )


def _values(question: Question, passages: Sequence[Passage]) -> dict[str, str]:
    return {"dont_know": DONT_KNOW, "sources": sources_block(passages), "question": inert(question.text)}
