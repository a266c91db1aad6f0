"""Past decisions, decided again: does a run reproduce, and which would flip under another pack?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from surefoot.core.errors import InputError
from surefoot.core.ports import Verifier
from surefoot.core.types import Decision, Json, VerificationResult, VerifyInput
from surefoot.core.wire import parse_verify_input
from surefoot.flows.judge import is_opinion, opinion


@dataclass(frozen=True, kw_only=True, slots=True)
class Replayed:
    run_id: str
    at: str
    before: str
    """The decision then, with its reason: `fallback (evidence_miss)`."""
    after: str
    result: VerificationResult
    critic_asked: bool
    """The run had a critic, whose words are not replayed: only stages 1 and 2 are."""

    @property
    def flipped(self) -> bool:
        return self.before != self.after


async def replay(gate: Verifier, record: Mapping[str, Json], *, pack: str | None = None) -> Replayed:
    """Verifies a recorded run again, under its own pack or another. No language model is asked."""
    request = request_of(record, pack=pack)
    result = _passed_on(await gate.verify(request), request, record)
    return Replayed(
        run_id=str(record.get("run_id")),
        at=str(record.get("at", "")),
        before=_said(str(record.get("decision")), record.get("reason")),
        after=_said(result.decision.value, result.metadata.fallback_reason),
        result=result,
        critic_asked=record.get("llm_model") is not None,
    )


async def flips(
    gate: Verifier, records: Iterable[Mapping[str, Json]], *, pack: str | None = None
) -> AsyncIterator[Replayed]:
    """Every replayable run; whoever asks picks those that flipped."""
    for record in records:
        if is_replayable(record):
            yield await replay(gate, record, pack=pack)


def is_replayable(record: Mapping[str, Json]) -> bool:
    return isinstance(record.get("request"), Mapping)


def request_of(record: Mapping[str, Json], *, pack: str | None = None) -> VerifyInput:
    """What was verified in a run, as the run store kept it: redacted."""
    if not is_replayable(record):
        run = record.get("run_id")
        if record.get("cached") is True and record.get("of"):
            raise InputError(f"run {run!r} gave a remembered answer; replay the run that made it: {record['of']}")
        raise InputError(
            f"run {run!r} kept no texts and cannot be replayed; set run_content to 'redacted' to keep them"
        )
    kept: Any = record["request"]
    options = {**(kept.get("options") or {}), "skip_llm_verification": True}
    return parse_verify_input(
        {
            **{name: value for name, value in kept.items() if value is not None},
            "options": {name: value for name, value in options.items() if value is not None},
            "question": record.get("question"),
            "profile": record.get("profile") or {},
            "pack": pack or kept.get("pack") or record.get("pack"),
        },
        place=f"run {record.get('run_id')}",
    )


def _passed_on(result: VerificationResult, request: VerifyInput, record: Mapping[str, Json]) -> VerificationResult:
    """The gate's word as the flow of the run hands it on. Without a passage to hold a text to, the gate can say no more
    than that: the judge lets it go as an opinion, and what was beside the question was refused as that."""
    if request.chunks or result.metadata.fallback_reason != "retrieval_miss":
        return result
    if record.get("kind") == "judge" and is_opinion(result):
        return opinion(result, str(record.get("final_answer") or result.final_answer))
    if record.get("kind") == "ask" and record.get("reason") == "unanswered":
        return replace(
            result, decision=Decision.REJECTED, metadata=replace(result.metadata, fallback_reason="unanswered")
        )
    return result


def _said(decision: str, reason: object) -> str:
    return f"{decision} ({reason})" if reason else decision
