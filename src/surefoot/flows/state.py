"""What travels through the workflow: the request, the state of the graph and its limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TypedDict

from surefoot.core.types import (
    AskEvent,
    AskResult,
    Decision,
    Draft,
    Json,
    Passage,
    Retrieval,
    Round,
    Search,
    SearchFilter,
    Shown,
    Turn,
    VerifyOptions,
)
from surefoot.flows.aloud import Aloud
from surefoot.flows.budget import Budget
from surefoot.flows.premise import FalsePremise, Verified
from surefoot.flows.report import ValidationReport
from surefoot.packs.schema import Pack

Listener = Callable[[AskEvent], None]


@dataclass(frozen=True, kw_only=True)
class AskRequest:
    """A question with all that belongs to it."""

    question: str
    pack: Pack
    profile: Mapping[str, Json] = field(default_factory=dict)
    history: tuple[Turn, ...] = ()
    """Earlier turns, oldest first; a follow-up is resolved against them before anything is searched."""
    where: SearchFilter | None = None
    session_id: str | None = None
    options: VerifyOptions = field(default_factory=VerifyOptions)
    on_event: Listener | None = None
    aloud: Aloud | None = None
    """Who hears the proven start of the answer before it is decided; None: nobody."""

    @property
    def shown(self) -> Shown | None:
        """What a listener has heard already."""
        return self.aloud.shown if self.aloud is not None else None


@dataclass(frozen=True, kw_only=True)
class Limits:
    rounds: int = 2
    """Passes of writing and validating, the first one included."""
    milliseconds: int = 60_000
    tokens: int = 20_000
    top_k: int = 8
    gate_ms: int = 2_000


class AskInput(TypedDict, total=False):
    question: str
    request: AskRequest


class AskState(AskInput, total=False):
    context: tuple[Passage, ...]
    initial_answer: str
    """The first draft. Nobody has verified it, so it is no part of the graph's output."""
    validation_report: ValidationReport | None
    new_info: tuple[Passage, ...]
    final_answer: str
    """Written by deliver alone, from a result of the gate."""
    found: Retrieval | None
    draft: Draft | None
    held: Verified | None
    """The best verified result so far, and the report on it."""
    best: ValidationReport | None
    premises: tuple[FalsePremise, ...]
    replaced: tuple[str, ...]
    """Documents left out, each with the one that replaces it."""
    rounds: tuple[Round, ...]
    searches: tuple[Search, ...]
    """What was looked for outside."""
    nodes: tuple[AskEvent, ...]
    """The steps so far, as they ended."""
    fault: str | None
    budget: Budget
    asked: AskResult


class AskOutput(TypedDict, total=False):
    question: str
    context: tuple[Passage, ...]
    validation_report: ValidationReport | None
    new_info: tuple[Passage, ...]
    final_answer: str
    asked: AskResult


def fresh(request: AskRequest, budget: Budget) -> AskState:
    """The state a run begins with: whatever a caller's own graph left in these names is overwritten."""
    return {
        "question": request.question,
        "request": request,
        "context": (),
        "initial_answer": "",
        "validation_report": None,
        "new_info": (),
        "final_answer": "",
        "found": None,
        "draft": None,
        "held": None,
        "best": None,
        "premises": (),
        "replaced": (),
        "rounds": (),
        "searches": (),
        "nodes": (),
        "fault": None,
        "budget": budget,
    }


def is_better(verified: Verified, report: ValidationReport, state: AskState) -> bool:
    """Whether this round's result replaces the one held: accepted before not, then up to date, then the score,
    then how much of the question it answers, then as it was written before mended."""
    held, before = state["held"], state["best"]
    return held is None or before is None or _rank(verified, report) >= _rank(held, before)


def current(passages: tuple[Passage, ...], *, today: str, stale_after_days: int | None) -> tuple[Passage, ...]:
    """The passages that are not older than the pack allows; an undated one is kept."""
    if stale_after_days is None:
        return passages
    oldest = (date.fromisoformat(today) - timedelta(days=stale_after_days)).isoformat()
    return tuple(passage for passage in passages if str(passage.metadata.get("date") or today) >= oldest)


def _rank(verified: Verified, report: ValidationReport) -> tuple[bool, bool, float, float, bool]:
    result, judged = verified.result, report.round
    approved = result.decision is Decision.APPROVED
    return (result.accepted, not judged.outdated, judged.score, judged.completeness, approved)
