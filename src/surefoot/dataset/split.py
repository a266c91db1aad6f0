"""Train and validation by source document: what a model is tested on, it has never been trained on."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from surefoot.core.hashing import sha256_text
from surefoot.dataset.files import Row


def validation_sources(sources: Iterable[str], share: float) -> frozenset[str]:
    """The documents kept for validation. Each is decided by its own name, so that a new document moves no other.

    Where chance would keep none of several documents, the one nearest to being kept is.
    """
    known = sorted(set(sources))
    chosen = frozenset(name for name in known if _place(name) < share)
    if not chosen and share > 0 and len(known) > 1:
        return frozenset([min(known, key=_place)])
    return chosen


def is_validation(row: Row, kept: Collection[str]) -> bool:
    """One document kept for validation is enough: training must not see it in any company."""
    return any(source in kept for source in sources_of(row))


def sources_of(row: Row) -> tuple[str, ...]:
    """What the row's answer rests on; a refusal rests on the document that came nearest."""
    if row.sources:
        return row.sources
    return tuple(str(one.metadata.get("source", one.id)) for one in row.pair.passages[:1])


def _place(name: str) -> float:
    return int(sha256_text(f"split:{name}")[:12], 16) / 16**12
