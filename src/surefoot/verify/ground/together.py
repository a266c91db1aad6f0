"""Two grounders on one claim: each errs in its own way, and both together seldom.

What a person never did, told beside a rule about it, one of them often believes; a value or a name that a language
model reads over, an encoder sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from surefoot.core.ports import Grounder, SlowGrounder
from surefoot.core.types import ClaimText, GroundingScore
from surefoot.verify.ground.signals import chance, log_odds

BANDS = {"accept": 0.065, "release": 0.09, "reject": 0.4, "verdict": -1.0}
"""Of the mean risk: where natural sentences of verdicts leak no more than with the pair before (decision 0155)."""


ACCURATE_NEEDS_S = (0.2, 0.09)
"""Seconds the accurate grounder takes on one slow core: to read the sources, and for each claim."""
FAST_NEEDS_S = (0.05, 0.025)
REFUSED = 1.0 - 1e-9
"""The risk of what one of two does not believe at all, such as a claim too long to be read: then neither does."""


@dataclass(frozen=True, kw_only=True)
class Together:
    """The accurate and the fast one, for verdicts on a case."""

    accurate: Grounder
    fast: Grounder
    bands: dict[str, float] = field(default_factory=lambda: dict(BANDS))

    @property
    def identity(self) -> str:
        return f"{self.accurate.identity} and {self.fast.identity}"

    def warm(self) -> None:
        self.accurate.warm()
        self.fast.warm()

    def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
        """What the accurate one says, at the mean of both risks' log-odds."""
        first, second = self.accurate.judge(claims, sources), self.fast.judge(claims, sources)
        return [
            replace(one, unsupported=chance((log_odds(one.unsupported) + log_odds(other.unsupported)) / 2))
            for one, other in zip(first, second, strict=True)
        ]


@dataclass(frozen=True, kw_only=True)
class Weights:
    """What the log-odds of each of two grounders count, measured beside each other on rows that neither was taught."""

    slow: float
    accurate: float
    shift: float


@dataclass(frozen=True, kw_only=True)
class Beside:
    """A slow grounder with the accurate one beside it: the risk is of both, the words that lack support are the
    accurate one's, and whether anything is claimed the slow one says."""

    slow: SlowGrounder
    accurate: Grounder
    weights: Weights
    bands: dict[str, float]

    @property
    def identity(self) -> str:
        return f"{self.slow.identity} beside {self.accurate.identity}"

    def warm(self) -> None:
        self.slow.warm()
        self.accurate.warm()

    def needs_s(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> float:
        return self.slow.needs_s(claims, sources) + (seconds_for(ACCURATE_NEEDS_S, len(claims)) if claims else 0.0)

    def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
        first, second = self.slow.judge(claims, sources), self.accurate.judge(claims, sources)
        return [
            replace(one, unsupported=self._risk(one.unsupported, other.unsupported), spans=other.spans)
            for one, other in zip(first, second, strict=True)
        ]

    def _risk(self, slow: float, accurate: float) -> float:
        if max(slow, accurate) >= REFUSED:
            return 1.0
        counts = self.weights
        return chance(counts.slow * log_odds(slow) + counts.accurate * log_odds(accurate) + counts.shift)


def seconds_for(needs: tuple[float, float], claims: int) -> float:
    once, each = needs
    return once + each * claims
