"""What a build may spend: tokens and time. A stop is polite: calls under way end, none is begun."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from heapq import heappop, heappush

from surefoot.core.ports import LanguageModel
from surefoot.core.types import ModelReply, ModelRequest
from surefoot.dataset.limiter import urgency

CALLS_OF_A_PAIR = 4
"""Answer, critique, finalize, critique."""
USUAL_CALL = 1_500
"""Tokens at most, until a dearer call was seen."""


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
        self._waiting: list[tuple[int, int, int, asyncio.Future[None]]] = []
        """A heap of (urgency, order of coming, tokens, turn)."""
        self._came = 0
        self._dearest = USUAL_CALL
        self._pairs = 0
        self._pair_ended = asyncio.Event()
        self.ended: str | None = None
        """tokens | deadline | interrupted, once it has"""

    def stop(self, which: str) -> None:
        self.ended = self.ended or which
        while self._waiting:
            turn = heappop(self._waiting)[3]
            if not turn.done():
                turn.set_exception(BudgetEnded(self.ended))

    def check(self) -> None:
        if self._ends_at is not None and self._clock() >= self._ends_at:
            self.stop("deadline")
        if self.ended:
            raise BudgetEnded(self.ended)

    @asynccontextmanager
    async def pair(self) -> AsyncIterator[None]:
        """A pair is begun only while what is left could pay for all that are under way, this one included.

        Else a small budget would buy the first steps of many pairs and the last of none.
        """
        while self._pairs and not self._pays_for(self._pairs + 1):
            self.check()
            await self._pair_ended.wait()
        self._pairs += 1
        try:
            yield
        finally:
            self._pairs -= 1
            self._pair_ended.set()
            self._pair_ended = asyncio.Event()

    def _pays_for(self, pairs: int) -> bool:
        return self._limit is None or self.spent + pairs * CALLS_OF_A_PAIR * self._dearest <= self._limit

    async def reserve(self, tokens: int, *, urgency: int = 0) -> None:
        """Room for the dearest reply the request allows, so that the limit holds whatever comes back.

        Where calls under way hold the room, it waits for them: most replies cost far less than they might. The budget
        has ended when nothing is under way and there is still no room.
        """
        self.check()
        self._dearest = max(self._dearest, tokens)
        if self._fits(tokens) and not self._waiting:
            self._reserved += tokens
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._came += 1
        heappush(self._waiting, (urgency, self._came, tokens, turn))
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.settle(tokens, 0)  # admitted and gone at once: the room is for the next
            raise

    def settle(self, reserved: int, used: int) -> None:
        self._reserved -= reserved
        self.spent += used
        self.calls += 1 if used else 0
        self._admit()

    def _admit(self) -> None:
        """Lets in who waits, the most urgent first, as long as there is room."""
        while self._waiting:
            _, _, tokens, turn = self._waiting[0]
            if turn.done():
                heappop(self._waiting)
            elif self._fits(tokens):
                heappop(self._waiting)
                self._reserved += tokens
                turn.set_result(None)
            elif self._reserved:
                return
            else:
                self.stop("tokens")

    def _fits(self, tokens: int) -> bool:
        return self._limit is None or self.spent + self._reserved + tokens <= self._limit


class Budgeted:
    """A model that is only asked while the budget lasts."""

    def __init__(self, model: LanguageModel, budget: Budget) -> None:
        self._model, self._budget = model, budget

    @property
    def identity(self) -> str:
        return self._model.identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        most = worst_case_tokens(request)
        await self._budget.reserve(most, urgency=urgency(request))
        used = 0
        try:
            self._budget.check()
            reply = await self._model.complete(request)
            used = reply.prompt_tokens + reply.completion_tokens
            return reply
        finally:
            self._budget.settle(most, used)


def worst_case_tokens(request: ModelRequest) -> int:
    """A token is seldom less than three characters."""
    return (len(request.system) + len(request.prompt)) // 3 + request.max_tokens
