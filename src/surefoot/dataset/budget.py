"""What a build may spend: tokens and time. A stop is polite: calls under way end, none is begun."""

from __future__ import annotations

import time
from collections.abc import Callable

from surefoot.core.ports import LanguageModel
from surefoot.core.types import ModelReply, ModelRequest


class BudgetEnded(Exception):
    """No further call may be made. Not an error: what is there is kept."""

    def __init__(self, which: str) -> None:
        self.which = which
        super().__init__(which)


class Budget:
    def __init__(
        self,
        *,
        tokens: int | None = None,
        seconds: float | None = None,
        spent: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit, self._clock = tokens, clock
        self._ends_at = None if seconds is None else clock() + seconds
        self.spent = spent
        """Tokens, those of earlier runs in the journal included."""
        self.calls = 0
        self._reserved = 0
        self.ended: str | None = None
        """tokens | deadline | interrupted, once it has"""

    def stop(self, which: str) -> None:
        self.ended = self.ended or which

    def check(self) -> None:
        if self._ends_at is not None and self._clock() >= self._ends_at:
            self.stop("deadline")
        if self.ended:
            raise BudgetEnded(self.ended)

    def reserve(self, tokens: int) -> None:
        """Room for the dearest reply the request allows, so that the limit holds whatever comes back."""
        self.check()
        if self._limit is not None and self.spent + self._reserved + tokens > self._limit:
            self.stop("tokens")
            raise BudgetEnded("tokens")
        self._reserved += tokens

    def settle(self, reserved: int, used: int) -> None:
        self._reserved -= reserved
        self.spent += used
        self.calls += 1 if used else 0


class Budgeted:
    """A model that is only asked while the budget lasts."""

    def __init__(self, model: LanguageModel, budget: Budget) -> None:
        self._model, self._budget = model, budget

    @property
    def identity(self) -> str:
        return self._model.identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        most = worst_case_tokens(request)
        self._budget.reserve(most)
        used = 0
        try:
            reply = await self._model.complete(request)
            used = reply.prompt_tokens + reply.completion_tokens
            return reply
        finally:
            self._budget.settle(most, used)


def worst_case_tokens(request: ModelRequest) -> int:
    """A token is seldom less than three characters."""
    return (len(request.system) + len(request.prompt)) // 3 + request.max_tokens
