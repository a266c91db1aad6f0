"""The gate as the workflow asks it: within the question's time, and with a report on what the result means for it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from surefoot.core.ports import Verifier
from surefoot.core.types import Passage, VerifyInput
from surefoot.flows.aloud import Aloud
from surefoot.flows.premise import Verified
from surefoot.flows.refusal import refusal
from surefoot.flows.report import Answers, ValidationReport, validate
from surefoot.flows.state import AskState, Limits

_GRACE_S = 0.5
"""The gate's own deadline ends first; this one is for a gate that does not keep it."""


@dataclass(frozen=True, kw_only=True)
class Examiner:
    gate: Verifier
    limits: Limits
    scorer: Answers | None
    """Says whether a text holds what a sub-question asks for; None: nobody can."""

    async def verify(
        self, state: AskState, text: str, context: tuple[Passage, ...], *, aloud: Aloud | None = None
    ) -> Verified:
        request = self.submission(state, text, context)
        async with asyncio.timeout(state["budget"].seconds_left + _GRACE_S):
            return Verified(request=request, result=await self.gate.verify(request, aloud))

    async def report(self, state: AskState, verified: Verified, context: tuple[Passage, ...]) -> ValidationReport:
        request, found = state["request"], state["found"]
        return await asyncio.to_thread(
            validate,
            verified.result,
            question=request.question,
            passages=context,
            relevance=1.0 if state["new_info"] else found.relevance if found else 0.0,
            threshold=request.pack.thresholds.validation,
            number=len(state["rounds"]) + 1,
            external=tuple(str(item.metadata.get("source", item.id)) for item in state["new_info"]),
            answers=self.scorer,
        )

    async def fail(self, state: AskState, fault: str) -> Verified:
        request, shown = self.submission(state, "", state["context"]), state["request"].shown
        try:
            async with asyncio.timeout(_GRACE_S):
                return Verified(request=request, result=await self.gate.fail(request, fault, shown))
        except Exception:
            return Verified(request=request, result=refusal(fault, state["request"].pack, shown))

    def submission(self, state: AskState, text: str, context: tuple[Passage, ...]) -> VerifyInput:
        request, left = state["request"], int(state["budget"].seconds_left * 1000)
        deadline = max(1, min(request.options.deadline_ms or self.limits.gate_ms, left))
        return VerifyInput(
            draft_answer=text,
            chunks=context,
            profile=request.profile,
            question=request.question,
            session_id=request.session_id,
            pack=request.pack.name,
            options=replace(request.options, deadline_ms=deadline),
        )
