"""The gate for callers who say for themselves how a draft has to cite, whatever the pack says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from surefoot.core.ports import Verifier
from surefoot.core.types import Shown, VerificationResult, VerifyInput


@dataclass(frozen=True, kw_only=True)
class Cited:
    """Implements core.ports.Verifier by choosing among gates."""

    gate: Callable[[str | None], Verifier]
    """The gate of a citation mode; None: as the pack says."""

    async def verify(
        self, request: VerifyInput, on_release: Callable[[Shown], None] | None = None
    ) -> VerificationResult:
        return await self.gate(request.options.citations).verify(request, on_release)

    async def fail(self, request: VerifyInput, fault: str, shown: Shown | None = None) -> VerificationResult:
        return await self.gate(request.options.citations).fail(request, fault, shown)
