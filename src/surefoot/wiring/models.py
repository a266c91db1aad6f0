"""Which models are installed, and the base weights of the thorough grounder, for those who look after a machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from surefoot.core.errors import EncoderError
from surefoot.encoders import base_weights as base
from surefoot.encoders.files import is_shipped

NAMES = ("embedder", "reranker", "grounder_fast", "grounder_accurate", "grounder_thorough")
BASE = f"{base.NAME} ({base.LICENCE}, {base.BYTES / 1e9:.1f} GB)"


@dataclass(frozen=True, kw_only=True, slots=True)
class Installed:
    models: dict[str, bool]
    base_file: Path
    base_there: bool


def installed() -> Installed:
    try:
        base.base_weights()
        there = True
    except EncoderError:
        there = False
    return Installed(
        models={name: is_shipped(name) for name in NAMES}, base_file=base.default_place(), base_there=there
    )


def fetch_base(to: Path | None, said: Callable[[int, int], None]) -> Path:
    """The base weights, fetched and checked; `said` hears how many parts of how many are there."""
    return base.fetch(to, said=said)
