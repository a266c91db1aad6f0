"""Questions: varied by type, no two alike."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.core.errors import InvalidReplyError
from surefoot.core.types import Json, Passage
from surefoot.dataset.agents import Agents
from surefoot.dataset.pair import Aspect, QuestionType
from surefoot.dataset.prompt import inert
from surefoot.dataset.templates import template_questions

TYPES = tuple(QuestionType)
SCHEMA: dict[str, Json] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["questions"],
    "properties": {
        "questions": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["type", "question"],
                "properties": {
                    "type": {"type": "string", "enum": [one.value for one in TYPES]},
                    "question": {"type": "string", "minLength": 8},
                },
            },
        }
    },
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A question that has not been given its place yet."""

    text: str
    type: QuestionType


def types_for(session: int, count: int, *, start: int = 0) -> list[QuestionType]:
    """The types one session asks, in turn; neighbours begin elsewhere, so that few questions still cover all types."""
    return [TYPES[(session - 1 + start + place) % len(TYPES)] for place in range(count)]


async def write_questions(
    agents: Agents,
    aspect: Aspect,
    passages: Sequence[Passage],
    types: Sequence[QuestionType],
    avoid: Sequence[str],
) -> list[Draft]:
    """Drafts of the wanted types, in their order. Fewer where the model or the documents give no more."""
    if not passages:
        return []
    if not agents.has("question"):
        return [Draft(text=text, type=kind) for kind, text in template_questions(aspect, passages, types, avoid)]
    values = {
        "aspect": inert(aspect.text),
        "documents": "\n".join(_document(one) for one in passages),
        "avoid": "\n".join(f"- {inert(text)}" for text in avoid) or "- (none)",
        "types": ", ".join(types),
    }
    try:
        reply, _ = await agents.say("question", "questions", values, step="questions", schema=SCHEMA)
    except InvalidReplyError:
        return []
    found = [
        Draft(text=" ".join(str(one["question"]).split()), type=QuestionType(one["type"]))
        for one in json.loads(reply.text)["questions"]
    ]
    return _in_order(found, types)


def _in_order(found: Sequence[Draft], types: Sequence[QuestionType]) -> list[Draft]:
    """One draft per wanted type; a model that wrote other types than asked for is taken at its word."""
    left = list(found)
    chosen: list[Draft] = []
    for kind in types:
        match = next((one for one in left if one.type is kind), None)
        if match is not None:
            left.remove(match)
            chosen.append(match)
    return chosen + left[: len(types) - len(chosen)]


def _document(passage: Passage) -> str:
    source = str(passage.metadata.get("source", passage.id)).replace('"', "'")
    return f'<DOCUMENT name="{inert(source)}">\n{inert(passage.text)}\n</DOCUMENT>'
