"""The gate for callers who may have stood in line: their wait is part of the deadline and of the time they are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from surefoot.core.ports import Verifier
from surefoot.core.types import Shown, VerificationResult, VerifyInput
from surefoot.core.waiting import waited_s


@dataclass(frozen=True, kw_only=True)
class Punctual:
    """Implements core.ports.Verifier around another one."""

    gate: Verifier
    deadline_ms: int
    """Of a request that names none."""

    async def verify(
        self, request: VerifyInput, on_release: Callable[[Shown], None] | None = None
    ) -> VerificationResult:
        waited_ms = waited_s() * 1000
        if not waited_ms:
            return await self.gate.verify(request, on_release)
        left = (request.options.deadline_ms or self.deadline_ms) - int(waited_ms)
        if left <= 0:
            return await self.fail(request, "deadline_exceeded")
        shorter = replace(request, options=replace(request.options, deadline_ms=left))
        return lengthened(await self.gate.verify(shorter, on_release), waited_ms)

    async def fail(self, request: VerifyInput, fault: str, shown: Shown | None = None) -> VerificationResult:
        return lengthened(await self.gate.fail(request, fault, shown), waited_s() * 1000)


def lengthened(result: VerificationResult, by_ms: float) -> VerificationResult:
    """The result with time added that its stages do not know of."""
    if not by_ms:
        return result
    total = round(result.metadata.processing_time_ms + by_ms, 3)
    return replace(result, metadata=replace(result.metadata, processing_time_ms=total))
