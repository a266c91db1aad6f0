"""What the caller is given in the end: the result with what led to it."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.core.types import AskResult, Passage, Retrieval, ScoredPassage, VerificationResult
from surefoot.correct.domain import detect
from surefoot.flows.state import AskState


def delivered(state: AskState, chunks: Sequence[Passage], result: VerificationResult) -> AskResult:
    """`chunks`: what the verdict was given on."""
    request, best = state["request"], state["best"]
    return AskResult(
        question=request.question,
        result=result,
        passages=_passages(chunks, state["found"]),
        rounds=state["rounds"],
        domain=detect(request.question, request.pack.keywords),
        unanswered=best.unanswered if best and result.accepted else (),
        premises=tuple(one.statement for one in state["premises"]),
        replaced=state["replaced"],
        searches=state["searches"],
    )


def _passages(chunks: Sequence[Passage], found: Retrieval | None) -> tuple[ScoredPassage, ...]:
    """The passages the verdict was given on, in the order the markers count; what was found where there is none."""
    scored = {item.passage.id: item for item in found.passages} if found else {}
    if not chunks:
        return tuple(scored.values())
    return tuple(scored.get(chunk.id) or ScoredPassage(passage=chunk, score=0.0) for chunk in chunks)
