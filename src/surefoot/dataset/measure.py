"""The measured critic: how many planted errors it catches and how often it cries wolf, with confidence intervals."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from surefoot.core.errors import ModelError, RecordingMissingError
from surefoot.core.types import Json
from surefoot.dataset.critique import CODES
from surefoot.dataset.loop import Loop
from surefoot.dataset.pair import Critique
from surefoot.dataset.planted import Error, Specimen

JUDGES = ("gate", "model", "joined")
"""gate: the deterministic critic alone; model: the critic model alone; joined: what a build uses."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """So many of so many, with Wilson's 95 % interval."""

    hits: int
    total: int

    @property
    def share(self) -> float:
        return self.hits / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.hits, self.total)


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    judge: str
    caught: dict[str, Rate]
    """By class of error."""
    false_alarms: dict[str, Rate]
    """On answers that are true by construction: quoted, and reworded."""
    unjudged: int = 0
    """Specimens the critic model gave no reply to: neither caught nor passed."""


async def measure(loop: Loop, found: Sequence[Specimen]) -> list[Measured]:
    """Every specimen is judged once; the three judges are three readings of that verdict."""
    verdicts = await asyncio.gather(*(_judged(loop, one) for one in found))
    seen = [(one, verdict) for one, verdict in zip(found, verdicts, strict=True) if verdict is not None]
    judges = JUDGES if loop.agents.has("critic") else ("gate",)
    return [_measured(judge, seen, unjudged=len(found) - len(seen)) for judge in judges]


async def _judged(loop: Loop, one: Specimen) -> Critique | None:
    """None where the model failed: no verdict is not a verdict."""
    try:
        return await loop.judge(one.question, one.passages, one.answer)
    except RecordingMissingError:
        raise
    except ModelError:
        return None


def wilson(hits: int, total: int, z: float = 1.96) -> tuple[float, float]:
    if total == 0:
        return (0.0, 1.0)
    share = hits / total
    middle = share + z * z / (2 * total)
    spread = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return (max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale))


def _measured(judge: str, seen: Sequence[tuple[Specimen, Critique]], *, unjudged: int) -> Measured:
    caught = {error.value: _rate(judge, (verdict for one, verdict in seen if one.error is error)) for error in Error}
    controls = [(one, verdict) for one, verdict in seen if one.error is None]
    alarms = {
        name: _rate(judge, (verdict for one, verdict in controls if one.reworded is reworded))
        for name, reworded in (("quoted", False), ("reworded", True))
    }
    return Measured(judge=judge, caught=caught, false_alarms=alarms, unjudged=unjudged)


def _rate(judge: str, verdicts: Iterable[Critique]) -> Rate:
    flags = [_flagged(judge, verdict) for verdict in verdicts]
    return Rate(hits=sum(flags), total=len(flags))


def _flagged(judge: str, verdict: Critique) -> bool:
    if judge == "gate":
        return any(code not in CODES for code in verdict.codes)
    if judge == "model":
        return verdict.said is False
    return not verdict.grounded


def as_json(measured: Sequence[Measured]) -> list[Json]:
    return [
        {
            "judge": one.judge,
            "caught": {name: _rate_json(rate) for name, rate in one.caught.items()},
            "false_alarms": {name: _rate_json(rate) for name, rate in one.false_alarms.items()},
            "unjudged": one.unjudged,
        }
        for one in measured
    ]


def _rate_json(rate: Rate) -> Json:
    low, high = rate.interval
    return {
        "hits": rate.hits,
        "total": rate.total,
        "rate": round(rate.share, 4),
        "ci95": [round(low, 4), round(high, 4)],
    }
