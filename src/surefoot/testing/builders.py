"""Short ways to write the values a test needs."""

from __future__ import annotations

from collections.abc import Mapping

from surefoot.core.types import (
    Json,
    ModelReply,
    ModelRequest,
    Passage,
    Retrieval,
    ScoredPassage,
    VerifyInput,
    VerifyOptions,
)


def passage(
    text: str, *, id: str = "S1", source: str = "handbook.md", similarity: float = 0.9, **more: Json
) -> Passage:
    return Passage(id=id, text=text, metadata={"source": source, **more}, similarity=similarity)


def verify_input(
    draft: str,
    *sources: str | Passage,
    question: str | None = None,
    profile: Mapping[str, Json] | None = None,
    pack: str | None = None,
    rag_draft: str | None = None,
    **options: bool | str | int | None,
) -> VerifyInput:
    """A draft and its sources; plain texts become the passages S1, S2, ... `options` are those of VerifyOptions."""
    chunks = tuple(
        passage(source, id=f"S{number}") if isinstance(source, str) else source
        for number, source in enumerate(sources, start=1)
    )
    return VerifyInput(
        draft_answer=draft,
        chunks=chunks,
        question=question,
        profile=profile or {},
        pack=pack,
        rag_draft=rag_draft,
        options=VerifyOptions(**options),  # type: ignore[arg-type]
    )


def request(
    prompt: str, *, system: str = "", role: str = "answer", schema: Mapping[str, Json] | None = None
) -> ModelRequest:
    return ModelRequest(system=system, prompt=prompt, role=role, schema=schema)


def reply(text: str, *, model: str = "scripted:test", prompt_tokens: int = 0, completion_tokens: int = 0) -> ModelReply:
    return ModelReply(text=text, model=model, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)


def retrieval(question: str, *passages: Passage, relevance: float = 0.9, relevant: bool = True) -> Retrieval:
    found = tuple(ScoredPassage(passage=item, score=1.0 - place / 100) for place, item in enumerate(passages))
    return Retrieval(question=question, passages=found, relevance=relevance, relevant=relevant)
