"""What the routes share: the house, the engine it runs on, and the line in front of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Depends, Request

from surefoot.core.errors import InputError
from surefoot.core.space import unwritable
from surefoot.core.types import VerificationResult, VerifyInput
from surefoot.core.wire import parse_verify_input
from surefoot.server.engine import Engine, Pool
from surefoot.server.keys import Keyring
from surefoot.server.problems import Problem

if TYPE_CHECKING:
    from surefoot.server.library import Library
    from surefoot.server.shared_library import SharedLibrary
    from surefoot.wiring import Surefoot

T = TypeVar("T")
VERIFY_SECONDS = 30.0
SAFE_TEXT_SECONDS = 0.2
"""Kept of a deadline for the safe text of a draft that is still in line."""
MAX_DEADLINE_MS = 60_000
WAITING_FACTOR = 8
"""With a remote model most of an answer's time is waiting: so many more may run than there are workers."""


@dataclass(kw_only=True)
class Service:
    house: Surefoot
    engine: Engine
    pool: Pool
    quick: Pool
    """For answers given before: whoever asks for one does not stand in line behind those that are being made."""
    library: Library | SharedLibrary
    keyring: Keyring
    draining: bool = False
    ready: bool = False
    notes: dict[str, str] = field(default_factory=dict)
    """Why it is not ready."""

    @property
    def ask_seconds(self) -> float:
        return self.house.settings.ask_budget_ms / 1000 + 5

    def read_only(self) -> str | None:
        """Why documents cannot be changed and runs not written down now; None: they can."""
        return None if self.house.database is not None else unwritable(self.house.settings.kb)

    async def ask(
        self, work: Callable[[], Awaitable[T]], *, remembered: Callable[[], Awaitable[T | None]] | None = None
    ) -> T:
        """`remembered` is looked at first where there is a line; without one, the work itself looks there."""
        if remembered is not None and self.pool.busy:
            held = await self.quick.run(remembered, timeout_s=self.ask_seconds)
            if held is not None:
                return held
        return await self.pool.run(work, timeout_s=self.ask_seconds)

    async def check(self, work: Callable[[], Awaitable[T]]) -> T:
        return await self.pool.run(work, timeout_s=VERIFY_SECONDS)

    async def verify(self, request: VerifyInput) -> VerificationResult:
        """The verdict within its deadline, the line included: whose time runs out there gets the safe text."""
        deadline_s = (request.options.deadline_ms or self.house.settings.deadline_ms) / 1000
        return await self.pool.run(
            partial(self.house.verify, request),
            timeout_s=VERIFY_SECONDS,
            patience_s=max(0.0, deadline_s - SAFE_TEXT_SECONDS),
            late=partial(self.house.give_up, request),
        )

    async def aside(self, work: Callable[[], Awaitable[T]]) -> T:
        """Small reads, past the line."""
        return await self.engine.call(work)

    def verify_input(self, data: Mapping[str, Any]) -> VerifyInput:
        """A caller's input, without what only the operator may choose: files of this machine, other models."""
        request = parse_verify_input(data)
        if request.rules:
            raise InputError("rule files cannot be named over HTTP; put the rules into a pack and name the pack")
        if (request.options.deadline_ms or 0) > MAX_DEADLINE_MS:
            raise InputError(f"options: 'deadline_ms' is over {MAX_DEADLINE_MS}; give at most that")
        self.known_pack(request.pack)
        model = request.options.llm_model
        if model is None:
            return request
        allowed = self._models()
        chosen = next((spec for spec in allowed if model in (spec, spec.partition(":")[2])), None)
        if chosen is None:
            raise Problem(404, "model_not_found", "there is no such critic here", "leave 'llmModel' out")
        return replace(request, options=replace(request.options, llm_model=chosen))

    def known_pack(self, name: str | None) -> str | None:
        """A pack is named, never a path of this machine."""
        if name is not None and name not in self.house.pack_names():
            raise Problem(404, "not_found", "there is no such pack", "GET /v1/packs lists them")
        return name

    def _models(self) -> list[str]:
        settings = self.house.settings
        named = ",".join(filter(None, (settings.llm_critic, settings.llm)))
        return [spec.strip() for spec in named.split(",") if spec.strip()]


async def service_of(request: Request) -> Service:
    """Asynchronous, because a plain function would be run in another thread for every request."""
    service: Service = request.app.state.service
    return service


Here = Annotated[Service, Depends(service_of)]
