"""A model's reply becomes a draft; a refusal becomes an empty one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from surefoot.core.types import DraftTask, ModelReply, ModelRequest, Passage
from surefoot.generate.extractive import Extractive
from surefoot.generate.generator import ExtractiveGenerator, ModelGenerator

TASK = DraftTask(question="How long does a loan last?", passages=(Passage(id="a", text="A loan lasts 21 days."),))


@dataclass
class Says:
    text: str
    identity: str = "fake:one"
    requests: list[ModelRequest] = field(default_factory=list)

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        return ModelReply(text=self.text, model=self.identity, prompt_tokens=100, completion_tokens=20)


def test_the_reply_is_the_draft_and_its_tokens_are_counted() -> None:
    draft = asyncio.run(ModelGenerator(model=Says("A loan lasts 21 days [S1].")).draft(TASK))
    assert (draft.text, draft.model, draft.tokens) == ("A loan lasts 21 days [S1].", "fake:one", 120)


@pytest.mark.parametrize(
    "reply",
    [
        "I don't know based on the provided documents.",
        " I don’t know based on the provided documents ",
        "<think>hm</think>I don't know based on the provided documents.",
        "<think>never closed",
        "",
    ],
)
def test_a_refusal_in_any_dress_is_an_empty_draft(reply: str) -> None:
    assert asyncio.run(ModelGenerator(model=Says(reply)).draft(TASK)).text == ""


def test_a_code_fence_around_the_reply_is_taken_off() -> None:
    assert asyncio.run(ModelGenerator(model=Says("```text\nHello.\n```")).draft(TASK)).text == "Hello."


def test_a_correction_uses_the_other_prompt_and_names_the_problems() -> None:
    model = Says("x")
    task = DraftTask(question="How long?", passages=TASK.passages, previous="40 days [S1].", problems=("40 is wrong",))
    asyncio.run(ModelGenerator(model=model).draft(task))
    assert "- 40 is wrong" in model.requests[0].prompt
    assert "40 days [S1]." in model.requests[0].prompt


def test_the_identity_changes_with_the_prompt() -> None:
    plain = ModelGenerator(model=Says(""))
    other = ModelGenerator(model=Says(""), prompts={"answer": "# System\nx\n# User\ny"})
    assert plain.identity != other.identity


def test_without_a_model_the_draft_is_quoted() -> None:
    draft = asyncio.run(ExtractiveGenerator(writer=Extractive()).draft(TASK))
    assert (draft.text, draft.model) == ("A loan lasts 21 days [S1].", "extractive")
