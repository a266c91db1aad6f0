"""Units that a record writes into its keys: `station_km: 12.9` says 12.9 kilometres."""

from __future__ import annotations

from surefoot.core.evidence import Field
from surefoot.core.values import Value, equal, extract
from surefoot.verify.structured.fields import read_record

TAIL = 3
"""Words at the end of a path in which a unit may stand: `fee per night`."""


def gives_unit(source: str, value: Value) -> bool:
    """Whether a field with the value's very number has its unit in the key; never for prose."""
    return any(equal(value, found) for found in _with_unit(source, value.raw))


def other_unit(source: str, value: Value) -> Value | None:
    """The very number with the unit its key gives it, where that is not the value's; never of prose."""
    known = _with_unit(source, value.raw) if value.unit else []
    return known[0] if known and not any(equal(value, found) for found in known) else None


def _with_unit(source: str, number: float) -> list[Value]:
    return [
        found
        for field in read_record(source).fields
        if isinstance(field.value, int | float) and not isinstance(field.value, bool) and field.value == number
        for spelled in _spellings(field)
        for found in extract(spelled)
        if found.unit or found.period or found.kind == "percent"
    ]


def _spellings(field: Field) -> list[str]:
    """The number with the ends of its path as people write them: `12.9 km`, `180 °c`, `12 per night`."""
    tail = field.path.translate(_RAISED).split()[-TAIL:]
    return [*(f"{field.text} {' '.join(tail[at:])}" for at in range(len(tail))), f"{field.text} °{tail[-1]}"]


_RAISED = str.maketrans("23", "²³")
"""`m2` as a unit."""
