"""FastAPI: a dependency that gives an endpoint the gate.

verifier = Verifier(pack="default")

@app.post("/answer")
async def answer(verify: Annotated[Verify, Depends(verifier)]) -> dict[str, str]:
    result = await verify("The late fee is R9 a day.", SOURCES)
    return {"text": result.text}
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Protocol, Unpack

from surefoot.core.request import Citing
from surefoot.core.sources import Sources
from surefoot.core.types import Json, VerificationResult
from surefoot.settings import SettingChanges
from surefoot.wiring import Surefoot


class Verify(Protocol):
    """What the endpoint is given: `await verify(answer, sources)`."""

    async def __call__(
        self,
        answer: str,
        sources: Sources,
        *,
        question: str | None = None,
        profile: Mapping[str, Json] | None = None,
        citations: Citing | None = None,
        pack: str | None = None,
    ) -> VerificationResult: ...


class Verifier:
    """The dependency. One instance serves the whole application; nothing is written to disk unless `kb` is given."""

    def __init__(self, **settings: Unpack[SettingChanges]) -> None:
        self.house = Surefoot(keeps_runs=settings.get("kb") is not None, **settings)

    async def __call__(self) -> Verify:
        return self.house.verify

    @asynccontextmanager
    async def lifespan(self, app: Any) -> AsyncIterator[None]:
        """For `FastAPI(lifespan=verifier.lifespan)`: models are loaded before the first request, and all is closed."""
        async with self.house:
            await self.house.verify("Ready.", ["Ready."])
            yield
