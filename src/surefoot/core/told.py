"""What a person told of themselves, as one line a model can read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surefoot.core.evidence import spell_key, spell_value

OPENING = "About the person:"


def told(profile: Mapping[str, Any]) -> str:
    """`{"grade": 11, "marks": {"maths": 71}}` becomes `About the person: grade: 11; marks maths: 71.`

    >>> told({"grade": 11, "marks": {"maths": 71}})
    'About the person: grade: 11; marks maths: 71.'
    """
    parts = list(_parts(profile, ""))
    return f"{OPENING} {'; '.join(parts)}." if parts else ""


def _parts(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _parts(inner, f"{path} {spell_key(str(key))}".strip())
    elif isinstance(value, Sequence) and not isinstance(value, str):
        if all(not isinstance(inner, Mapping | list) for inner in value):
            if value:
                yield f"{path}: {', '.join(spell_value(inner) for inner in value)}"
        else:
            for inner in value:
                yield from _parts(inner, path)
    elif value is not None and value != "":
        yield f"{path}: {spell_value(value)}" if path else spell_value(value)
