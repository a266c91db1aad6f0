"""The steps of a verdict, timed and told as the workflow's nodes are."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from surefoot.core.errors import SurefootError
from surefoot.core.types import AskEvent
from surefoot.flows.progress import tell


@dataclass
class Outcome:
    """What a step was worth and, as codes, why it was not the end of it; filled in while it runs."""

    score: float | None = None
    reason: str | None = None


@dataclass
class Steps:
    listener: Callable[[AskEvent], None] | None = None
    now: Callable[[], float] = time.monotonic
    ended: list[AskEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._began = self.now()

    @contextmanager
    def step(self, node: str, number: int = 1) -> Iterator[Outcome]:
        began = self._elapsed_ms()
        tell(self.listener, AskEvent(node=node, state="started", round=number, elapsed_ms=began))
        outcome = Outcome()
        try:
            yield outcome
        except SurefootError as error:
            outcome.reason = error.code
            self._end(node, "failed", number, began, outcome)
            raise
        except BaseException:
            outcome.reason = outcome.reason or "check_broken"
            self._end(node, "failed", number, began, outcome)
            raise
        self._end(node, "finished", number, began, outcome)

    def _end(self, node: str, state: str, number: int, began: float, outcome: Outcome) -> None:
        elapsed = self._elapsed_ms()
        event = AskEvent(
            node=node,
            state=state,
            round=number,
            elapsed_ms=elapsed,
            took_ms=round(elapsed - began, 3),
            score=outcome.score,
            reason=outcome.reason,
        )
        self.ended.append(event)
        tell(self.listener, event)

    def _elapsed_ms(self) -> float:
        return round((self.now() - self._began) * 1000, 3)
