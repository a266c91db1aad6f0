"""One overall limit of time and tokens for a question, whatever its rounds do."""

from __future__ import annotations

from dataclasses import dataclass, replace

from surefoot.core.ports import Clock
from surefoot.core.types import DraftTask
from surefoot.core.waiting import waited_s

LEAST_REPLY = 64
"""A model call that could not even say this many tokens is not made."""
_PROMPT_FRAME = 700
"""Tokens of the prompt file around the sources, rounded up."""
_GATE_RESERVE_S = 2.5
"""Kept free of a model's time, so that there is always time to verify what it wrote."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    clock: Clock
    began: float
    ends: float
    """Monotonic seconds."""
    tokens: int
    spent: int = 0

    @classmethod
    def start(cls, clock: Clock, *, milliseconds: int, tokens: int) -> Budget:
        """Counts from when the question came, not from when its turn came."""
        began = clock.monotonic() - waited_s()
        return cls(clock=clock, began=began, ends=began + milliseconds / 1000, tokens=tokens)

    @property
    def elapsed_ms(self) -> float:
        return (self.clock.monotonic() - self.began) * 1000

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.ends - self.clock.monotonic())

    @property
    def exhausted(self) -> bool:
        return self.seconds_left <= 0

    def with_spent(self, tokens: int) -> Budget:
        return replace(self, spent=self.spent + tokens)

    def reply_tokens(self, task: DraftTask) -> int:
        """How many tokens a reply to this task may have; 0 when the call does not fit any more."""
        room = self.tokens - self.spent - prompt_tokens(task)
        return min(task.max_tokens, room) if room >= LEAST_REPLY else 0

    def model_seconds(self) -> float:
        """Time a model may take, the time to verify its text kept aside."""
        left = self.seconds_left
        return max(left - _GATE_RESERVE_S, left / 2)


def prompt_tokens(task: DraftTask) -> int:
    """A careful estimate: a token is rarely shorter than three characters of prose."""
    characters = len(task.question) + len(task.previous or "") + sum(len(problem) for problem in task.problems)
    characters += sum(len(passage.text) + 160 for passage in task.passages) + len(str(dict(task.profile)))
    return _PROMPT_FRAME + characters // 3
