"""A verification as callers write it: an answer and its sources, or a whole VerifyInput."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, get_args

from surefoot.core.errors import InputError
from surefoot.core.sources import Sources, as_passages
from surefoot.core.types import Json, VerifyInput, VerifyOptions

Citing = Literal["auto", "required"]
"""auto: markers are checked, a draft without any is attributed; required: every claim needs a marker."""
CITATIONS: tuple[str, ...] = get_args(Citing)


def as_request(
    answer: str | VerifyInput,
    sources: Sources | None = None,
    *,
    question: str | None = None,
    profile: Mapping[str, Json] | None = None,
    citations: str | None = None,
    pack: str | None = None,
    rag_draft: str | None = None,
    options: VerifyOptions | None = None,
) -> VerifyInput:
    """The gate's input. InputError: something is missing, is of the wrong kind, or is said twice."""
    if isinstance(answer, VerifyInput):
        if any(value is not None for value in (sources, question, profile, citations, pack, rag_draft, options)):
            raise InputError("a VerifyInput holds everything itself; give it alone, or give answer and sources")
        return answer
    if not isinstance(answer, str):
        raise InputError(f"answer must be a text or a VerifyInput, not {type(answer).__name__!r}")
    if sources is None:
        raise InputError("sources are missing; give the texts the answer must be proven from: verify(answer, sources)")
    if citations not in (None, *CITATIONS):
        raise InputError(f"citations {citations!r} is not a choice; use 'auto' or 'required'")
    chosen = options or VerifyOptions()
    return VerifyInput(
        draft_answer=answer,
        chunks=as_passages(sources),
        profile=profile or {},
        rag_draft=rag_draft,
        question=question,
        pack=pack,
        options=replace(chosen, citations=citations) if citations else chosen,
    )
