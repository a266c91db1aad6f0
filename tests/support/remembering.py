"""A gate that reads an equal request once: its verdicts are the same every time, and most of a test's time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from surefoot.core.ports import Verifier
from surefoot.core.types import Shown, VerificationResult, VerifyInput


class Remembering:
    """Implements core.ports.Verifier. What `known` holds may be shared by gates that judge alike."""

    def __init__(self, gate: Verifier, known: dict[str, VerificationResult] | None = None) -> None:
        self._gate, self._known = gate, {} if known is None else known

    async def verify(
        self, request: VerifyInput, on_release: Callable[[Shown], None] | None = None
    ) -> VerificationResult:
        key = repr(request)
        if key not in self._known:
            self._known[key] = await self._gate.verify(request, on_release)
        await asyncio.sleep(0)  # others get their turn, as they do while a gate reads
        return self._known[key]

    async def fail(self, request: VerifyInput, fault: str, shown: Shown | None = None) -> VerificationResult:
        return await self._gate.fail(request, fault, shown)
