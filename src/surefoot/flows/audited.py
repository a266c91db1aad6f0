"""The gate with an audit: every verdict is written down, counted and logged before it is handed on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from surefoot.core.errors import SurefootError
from surefoot.core.hashing import plain
from surefoot.core.ports import Meter, RunLog, Verifier
from surefoot.core.types import Json, Shown, VerificationResult, VerifyInput


@dataclass(frozen=True, kw_only=True)
class Audited:
    """Implements core.ports.Verifier. A run log that cannot be written is counted; it never changes a verdict."""

    gate: Verifier
    runlog: RunLog
    meter: Meter
    log: Callable[[VerifyInput, VerificationResult], None] = lambda request, result: None
    kind: str = "verify"

    async def verify(
        self, request: VerifyInput, on_release: Callable[[Shown], None] | None = None
    ) -> VerificationResult:
        return await self.record(request, await self.gate.verify(request, on_release))

    async def fail(self, request: VerifyInput, fault: str, shown: Shown | None = None) -> VerificationResult:
        return await self.record(request, await self.gate.fail(request, fault, shown))

    async def record_hit(self, request: VerifyInput, result: VerificationResult) -> VerificationResult:
        """A remembered answer was given again: the run that made it holds the texts, this line names it."""
        return await self._written(request, result, hit_record(request, result, kind=self.kind))

    async def record(self, request: VerifyInput, result: VerificationResult) -> VerificationResult:
        """Writes one verdict down; the result comes back with its run id."""
        return await self._written(request, result, run_record(request, result, kind=self.kind))

    async def _written(
        self, request: VerifyInput, result: VerificationResult, record: Mapping[str, Json]
    ) -> VerificationResult:
        self.meter.decided(result)
        try:
            run_id = await asyncio.to_thread(self.runlog.append, record)
        except SurefootError:
            self.meter.count("runlog_failures")
        else:
            result = replace(result, metadata=replace(result.metadata, run_id=run_id))
        self.log(request, result)
        return result


def hit_record(request: VerifyInput, result: VerificationResult, *, kind: str) -> Mapping[str, Json]:
    metadata = result.metadata
    return {
        "kind": kind,
        "decision": result.decision.value,
        "reason": metadata.fallback_reason,
        "cached": True,
        "of": metadata.run_id,
        "confidence": metadata.confidence,
        "processing_time_ms": metadata.processing_time_ms,
        "nodes": [node.line for node in metadata.nodes],
        "session_id": request.session_id,
        "question": request.question,
    }


def run_record(request: VerifyInput, result: VerificationResult, *, kind: str) -> Mapping[str, Json]:
    """All that replay needs. The run store redacts it, or drops the texts, before a byte is written."""
    metadata = result.metadata
    codes = [issue.code for issue in metadata.issues_detected]
    pack: Any = metadata.certificate.get("pack") or {}
    return {
        "kind": kind,
        "decision": result.decision.value,
        "reason": metadata.fallback_reason,
        "confidence": metadata.confidence,
        "rule_status": metadata.rule_status.value,
        "processing_time_ms": metadata.processing_time_ms,
        "stage_times_ms": dict(metadata.stage_times_ms),
        "stages_completed": list(metadata.stages_completed),
        "nodes": [node.line for node in metadata.nodes],
        "claims": [{"status": one.status.value, "risk": one.risk} for one in metadata.claims],
        "issue_codes": sorted(set(codes)),
        "issue_counts": {code: codes.count(code) for code in sorted(set(codes))},
        "llm_model": metadata.llm_model,
        "pack": pack.get("name"),
        "pack_hash": pack.get("hash"),
        "session_id": request.session_id,
        "question": request.question,
        "profile": dict(request.profile),
        "request": {
            "draft_answer": request.draft_answer,
            "chunks": plain(request.chunks),
            "rag_draft": request.rag_draft,
            "case": request.case,
            "pack": request.pack,
            "rules": list(request.rules),
            "options": plain(request.options),
        },
        "final_answer": result.final_answer,
        "issues_found": plain(metadata.issues_detected),
        "certificate": dict(metadata.certificate),
    }
