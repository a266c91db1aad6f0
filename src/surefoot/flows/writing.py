"""A draft within the question's time and tokens; the second one knows what was wrong with the first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace

from surefoot.core.errors import DeadlineExceededError
from surefoot.core.ports import Generator
from surefoot.core.types import Draft, DraftTask, Json, Passage
from surefoot.flows.budget import Budget
from surefoot.flows.state import AskState
from surefoot.packs.schema import Pack


async def write(
    state: AskState,
    context: tuple[Passage, ...],
    *,
    generator: Callable[[Pack], Generator],
    redact: Callable[[Mapping[str, Json]], Mapping[str, Json]],
    correcting: bool = False,
) -> tuple[Draft, Budget]:
    request, budget, report, draft = state["request"], state["budget"], state["validation_report"], state["draft"]
    if not context:
        return Draft(text="", model=""), budget
    task = DraftTask(
        question=request.question,
        passages=context,
        profile=redact(request.profile),
        style=request.pack.citations.style,
        previous=(draft.text if draft else "") if correcting else None,
        problems=report.problems if correcting and report else (),
        timeout_ms=int(budget.model_seconds() * 1000),
    )
    room = budget.reply_tokens(task)
    if room == 0 or budget.exhausted:
        raise DeadlineExceededError("the question's budget is spent; raise ask_budget_ms or ask_budget_tokens")
    async with asyncio.timeout(budget.model_seconds()):
        written = await generator(request.pack).draft(replace(task, max_tokens=room))
    return written, budget.with_spent(written.tokens)
