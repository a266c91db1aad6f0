"""Drafts: by a language model from the strict prompt file, or by quoting when there is no model."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from surefoot.core.errors import ModelError, RecordingMissingError
from surefoot.core.hashing import content_hash
from surefoot.core.ports import Forgetting, LanguageModel, SafeWriter
from surefoot.core.text import squash
from surefoot.core.types import DONT_KNOW, Draft, DraftTask, ModelRequest, Turn
from surefoot.generate import prompt
from surefoot.generate.extractive import IDENTITY


@dataclass(frozen=True, kw_only=True)
class ModelGenerator:
    """A language model held to the sources. What it writes is a draft, whatever it claims."""

    model: LanguageModel
    prompts: Mapping[str, str] = field(default_factory=dict)
    """The pack's overrides."""

    @property
    def identity(self) -> str:
        hashes = [prompt.load(name, self.prompts).hash for name in ("answer", "synthesize")]
        return f"{self.model.identity}@{content_hash(hashes)[:16]}"

    async def draft(self, task: DraftTask) -> Draft:
        name = "synthesize" if task.previous is not None else "answer"
        system, user = prompt.load(name, self.prompts).fill(prompt.values_of(task))
        request = ModelRequest(
            system=system, prompt=user, max_tokens=task.max_tokens, timeout_ms=task.timeout_ms, role="answer"
        )
        reply = await self.model.complete(request)
        tokens = reply.prompt_tokens + reply.completion_tokens or (len(system) + len(user) + len(reply.text)) // 4
        return Draft(text=_cleaned(reply.text), model=reply.model or self.model.identity, tokens=tokens, asked=request)

    async def reject(self, draft: Draft) -> None:
        if draft.asked is not None and isinstance(self.model, Forgetting):
            await self.model.forget(draft.asked)

    async def resolve(self, question: str, history: Sequence[Turn]) -> str | None:
        turns = "\n".join(f"Q: {turn.question}\nA: {turn.answer}" for turn in history[-_TURNS:])
        return await self._reworded("resolve", {"history": prompt.inert(turns), "question": prompt.inert(question)})

    async def translate(self, question: str, language: str) -> str | None:
        return await self._reworded("translate", {"language": language, "question": prompt.inert(question)})

    async def _reworded(self, name: str, values: Mapping[str, str]) -> str | None:
        """One line of the model's, or nothing: a question that cannot be reworded is asked as it is."""
        system, user = prompt.load(name, self.prompts).fill(values)
        try:
            reply = await self.model.complete(
                ModelRequest(system=system, prompt=user, max_tokens=100, temperature=0.0, role="question")
            )
        except RecordingMissingError:
            raise
        except ModelError:
            return None
        said = _cleaned(reply.text).strip().strip('"')
        return said if said and "\n" not in said and len(said) < _LONGEST_QUESTION else None


@dataclass(frozen=True, kw_only=True)
class ExtractiveGenerator:
    """No language model: the best source sentences, each cited."""

    writer: SafeWriter
    name: str = IDENTITY

    @property
    def identity(self) -> str:
        return self.name

    async def draft(self, task: DraftTask) -> Draft:
        # A writer with an embedder or a cross-encoder computes for a while: not on the event loop.
        text = await asyncio.to_thread(self.writer.write, task.question, task.passages, style=task.style)
        return Draft(text=text, model="extractive")

    async def reject(self, draft: Draft) -> None:
        """The same sources have the same sentences: there is nothing to forget."""

    async def resolve(self, question: str, history: Sequence[Turn]) -> str | None:
        return None

    async def translate(self, question: str, language: str) -> str | None:
        return None


def _cleaned(text: str) -> str:
    """A reply without thinking aloud and code fences; empty when the model says it does not know."""
    text = _THINKING.sub("", text).strip()
    fenced = _FENCED.fullmatch(text)
    text = fenced.group(1).strip() if fenced else text
    return "" if squash(text).strip(" .\"'") == squash(DONT_KNOW).strip(" .") else text


_TURNS = 4
_LONGEST_QUESTION = 400
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.S | re.I)
_FENCED = re.compile(r"```\w*\n(.*?)```", re.S)
