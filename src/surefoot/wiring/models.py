"""Which models are installed, and the base weights of the thorough grounder, for those who look after a machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from surefoot.core.errors import EncoderError
from surefoot.encoders import base_weights as base
from surefoot.encoders.files import find_adapter, is_shipped
from surefoot.encoders.reader_file import laid_out, lay_out

NAMES = ("embedder", "reranker", "grounder_fast", "grounder_accurate", "grounder_thorough")
BASE = f"{base.NAME} ({base.LICENCE}, {base.BYTES / 1e9:.1f} GB)"


@dataclass(frozen=True, kw_only=True, slots=True)
class Installed:
    models: dict[str, bool]
    base_file: Path
    base_there: bool
    laid_out: bool
    """The base weights are ready to be read, with what this version taught them."""


def installed() -> Installed:
    place = base.default_place()
    there = _holds(base.base_weights)
    return Installed(
        models={name: is_shipped(name) for name in NAMES},
        base_file=place,
        base_there=there,
        laid_out=_holds(lambda: laid_out(place, find_adapter("grounder_thorough"))),
    )


def _holds(look: Callable[[], object]) -> bool:
    try:
        look()
    except (EncoderError, OSError):
        return False
    return True


def fetch_base(to: Path | None, said: Callable[[str, int, int], None]) -> Path:
    """The base weights, fetched, checked and laid out, where they are not yet; `said` hears what is being done, and how
    much of how much is."""
    adapter, place = find_adapter("grounder_thorough"), to or base.default_place()
    if _holds(lambda: laid_out(place, adapter)):
        return place
    place = base.fetch(to, said=lambda done, whole: said("fetching", done, whole))
    lay_out(place, adapter, said=lambda done, whole: said("laying out", done, whole))
    return place
