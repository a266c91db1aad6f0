"""Whether a statement answers a question, as a grounder reads it: `This answers "QUESTION": STATEMENT`, beside the
passage that the statement stands in. Only a grounder that was taught such claims can say it.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from surefoot.core.ports import Grounder
from surefoot.core.questions import asks
from surefoot.core.remember import Memory, content_key
from surefoot.core.types import ClaimText
from surefoot.generate.quotable import Quotable

LONGEST_QUESTION = 300
"""Characters of a question that leave a statement beside it room in a claim."""
LONGEST = 440
"""Characters of both: a grounder reads the first 128 word pieces of a claim."""
REMEMBERED = 4_096


@dataclass(frozen=True, kw_only=True)
class Reader:
    grounder: Grounder
    seconds: float = 6.0
    """A question whose statements take longer is not read: it is answered without."""
    now: Callable[[], float] = time.monotonic
    _memory: Memory[float] = field(default_factory=lambda: Memory(REMEMBERED), repr=False, compare=False)
    """A finished answer is looked at again, and its statements are those that were chosen."""

    def read(self, question: str, statements: Sequence[Quotable]) -> list[float] | None:
        """For each statement the log-odds that it answers. None: not all could be read, in time or at all.

        Those of one passage are read together, since the passage is read once for them.
        """
        if len(question) > LONGEST_QUESTION or not all(one.beside for one in statements):
            return None
        until = self.now() + self.seconds
        found: dict[int, float] = {}
        try:
            for sources in dict.fromkeys(one.beside for one in statements):
                if self.now() > until:
                    return None
                mine = [n for n, one in enumerate(statements) if one.beside == sources]
                claims = [asks(question, statements[n].text)[:LONGEST] for n in mine]
                found.update(zip(mine, self._judged(claims, sources), strict=True))
        except Exception as error:  # whatever the trouble of a model is, questions are answered without it
            _LOG.warning("the reader failed: %s", type(error).__name__)
            return None
        return [found[n] for n in range(len(statements))]

    def _judged(self, claims: Sequence[str], sources: tuple[str, ...]) -> list[float]:
        keys = [content_key(self.grounder.identity, sources, claim) for claim in claims]
        known = {key: odds for key in keys if (odds := self._memory.get(key)) is not None}
        new = {key: claim for key, claim in zip(keys, claims, strict=True) if key not in known}
        if new:
            scores = self.grounder.judge([ClaimText(text=claim) for claim in new.values()], sources)
            for key, score in zip(new, scores, strict=True):
                known[key] = _supported(score.unsupported)
                self._memory.put(key, known[key])
        return [known[key] for key in keys]


def _supported(risk: float) -> float:
    """The log-odds that a claim is supported."""
    if not 0.0 <= risk <= 1.0:
        raise ValueError(f"{risk!r} is no risk")
    sure = min(max(1.0 - risk, 1e-6), 1 - 1e-6)
    return math.log(sure / (1 - sure))


_LOG = logging.getLogger(__name__)
