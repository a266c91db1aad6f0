"""How a build stands: from its journal alone, while it runs or after it stopped."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from surefoot.core.types import Json
from surefoot.dataset.files import Paths
from surefoot.dataset.journal import RoleUse, is_locked, read_journal, role_uses


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """Money per million tokens, in whatever currency the user thinks in."""

    prompt: float
    completion: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    state: str
    """running | done | stopped, or which budget ended it"""
    total: int
    pairs: int
    accepted: int
    wanted: int | None
    reasons: Mapping[str, int]
    uses: tuple[RoleUse, ...]
    per_minute: float | None
    """Pairs of the last run."""
    left_s: float | None
    """Seconds to the end of the questions planned so far, at that rate."""
    command: str

    @property
    def accept_rate(self) -> float | None:
        return self.accepted / self.pairs if self.pairs else None


def read_status(paths: Paths) -> Status:
    with read_journal(paths.journal) as connection:
        notes = {name: json.loads(value) for name, value in connection.execute("SELECT name, value FROM notes")}
        uses = tuple(role_uses(connection))
    found = notes.get("state", {})
    running = is_locked(paths.journal)
    state = str(found.get("state", "running"))
    rate = found.get("fresh", 0) / found["seconds"] if found.get("seconds") and found.get("fresh") else None
    missing = found.get("total", 0) - found.get("pairs", 0)
    return Status(
        state=state if running or state != "running" else "stopped",
        total=int(found.get("total", 0)),
        pairs=int(found.get("pairs", 0)),
        accepted=int(found.get("accepted", 0)),
        wanted=found.get("wanted"),
        reasons=found.get("reasons", {}),
        uses=uses,
        per_minute=None if rate is None else 60 * rate,
        left_s=missing / rate if running and rate else None,
        command=str(notes.get("command", "")),
    )


def cost(uses: Sequence[RoleUse], prices: Mapping[str, Price]) -> dict[str, float] | None:
    """By role; None where no price is known. `*` is the price of every role without one of its own."""
    found: dict[str, float] = {}
    for use in uses:
        price = prices.get(use.role) or prices.get("*")
        if price is None:
            return None
        paid = (use.prompt_tokens * price.prompt + use.completion_tokens * price.completion) / 1e6
        found[use.role] = found.get(use.role, 0.0) + paid
    return found


def to_json(status: Status, costs: Mapping[str, float] | None) -> dict[str, Json]:
    roles: list[Json] = [
        {
            "role": use.role,
            "model": use.model,
            "calls": use.calls,
            "prompt_tokens": use.prompt_tokens,
            "completion_tokens": use.completion_tokens,
            "cost": None if costs is None else round(costs[use.role], 6),
        }
        for use in status.uses
    ]
    return {
        "state": status.state,
        "questions": status.total,
        "pairs": status.pairs,
        "accepted": status.accepted,
        "wanted": status.wanted,
        "accept_rate": status.accept_rate,
        "reject_reasons": dict(status.reasons),
        "roles": roles,
        "pairs_per_minute": status.per_minute,
        "seconds_left": status.left_s,
        "command": status.command,
    }
