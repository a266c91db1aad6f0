"""The values of the loop: a question, a critique, and the pair with its whole trail."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from surefoot.core.hashing import canonical_json
from surefoot.core.types import Json, Passage


class QuestionType(StrEnum):
    FACT = "fact"
    WHY = "why"
    COMPARE = "compare"
    MULTI_DOCUMENT = "multi-document"
    UNANSWERABLE = "unanswerable"


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    text: str
    type: QuestionType
    session: int
    """Number of the session it belongs to, from 1."""
    number: int
    """Place within its session, from 1."""

    @property
    def row(self) -> str:
        """Its name in the audit: session.question"""
        return f"{self.session}.{self.number}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Critique:
    """The seed's two fields, and where the verdict came from."""

    grounded: bool
    reasoning: str
    said: bool | None = None
    """The critic model's own verdict; None: no model was asked or it gave none."""
    decision: str | None = None
    """The gate's decision; None for a refusal, which claims nothing."""
    codes: tuple[str, ...] = ()
    """Why not: codes of the gate's taxonomy, and of the loop (CODES in critique.py)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One use of a model, for the audit."""

    step: str
    model: str
    key: str
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    question: Question
    passages: tuple[Passage, ...]
    """Labelled S1, S2, ...; metadata keeps the source and the passage's own id."""
    initial_answer: str
    initial_critique: Critique
    final_answer: str
    final_critique: Critique
    calls: tuple[Call, ...] = ()

    @property
    def accepted(self) -> bool:
        return self.final_critique.grounded

    @property
    def tokens(self) -> int:
        return sum(call.prompt_tokens + call.completion_tokens for call in self.calls)


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A question that ended without a pair, and the step that ended it. The next run tries it again."""

    question: Question
    step: str
    code: str
    problem: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Aspect:
    text: str
    home: str | None = None
    """The document it was found in."""
    given: bool = field(default=False)


def pair_to_json(pair: Pair) -> dict[str, Json]:
    """Keys sorted, so that a pair out of the journal is written as a fresh one is."""
    found: dict[str, Json] = json.loads(canonical_json(pair))
    return found


def pair_from_json(value: Mapping[str, Json]) -> Pair:
    question, passages, calls = value["question"], value["passages"], value["calls"]
    assert isinstance(question, dict)
    assert isinstance(passages, list)
    assert isinstance(calls, list)
    return Pair(
        question=Question(**{**question, "type": QuestionType(str(question["type"]))}),  # type: ignore[arg-type]
        passages=tuple(Passage(**one) for one in passages),  # type: ignore[arg-type]
        initial_answer=str(value["initial_answer"]),
        initial_critique=_critique(value["initial_critique"]),
        final_answer=str(value["final_answer"]),
        final_critique=_critique(value["final_critique"]),
        calls=tuple(Call(**one) for one in calls),  # type: ignore[arg-type]
    )


def _critique(value: Json) -> Critique:
    assert isinstance(value, dict)
    codes = value["codes"]
    assert isinstance(codes, list)
    return Critique(**{**value, "codes": tuple(str(code) for code in codes)})  # type: ignore[arg-type]
