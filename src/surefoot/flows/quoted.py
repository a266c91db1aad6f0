"""The sources' own sentences, where what a model wrote came to nothing."""

from __future__ import annotations

import asyncio

from surefoot.core.errors import EncoderError
from surefoot.core.ports import Generator
from surefoot.core.types import DraftTask
from surefoot.flows.examiner import Examiner
from surefoot.flows.premise import Verified
from surefoot.flows.report import ValidationReport
from surefoot.flows.state import AskState


async def in_quotes(
    state: AskState, report: ValidationReport, *, writer: Generator | None, examiner: Examiner
) -> tuple[Verified, ValidationReport] | None:
    """The sources' own sentences for a draft that came to nothing, where they answer. A rule's refusal stays, and
    what a listener has heard is not taken back."""
    request, context = state["request"], state["context"]
    if writer is None or not context or report.refused_by_rule or request.shown is not None:
        return None
    task = DraftTask(question=request.question, passages=context, style=request.pack.citations.style)
    try:
        async with asyncio.timeout(state["budget"].seconds_left):
            text = (await writer.draft(task)).text
        if not text:
            return None
        verified = await examiner.verify(state, text, context)
    except (TimeoutError, EncoderError):  # the refusal that there was stays
        return None
    told = await examiner.report(state, verified, context)
    return (verified, told) if verified.result.accepted and not told.beside else None
