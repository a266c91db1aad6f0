"""What changes between two packs, or two versions of one, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from surefoot.core.hashing import canonical_json, plain
from surefoot.packs.schema import Pack


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    kind: str
    """added | removed | changed"""
    part: str
    detail: str = ""

    def __str__(self) -> str:
        sign = {"added": "+", "removed": "-", "changed": "~"}[self.kind]
        return f"{sign} {self.part}" + (f": {self.detail}" if self.detail else "")


def compare(one: Pack, other: Pack) -> list[Change]:
    """From the first to the second; nothing where the two ask for the same."""
    found = [*_scalars(one, other)]
    for part in ("rules", "sections", "warnings"):
        found += _named(part[:-1], _by_id(one, part), _by_id(other, part))
    found += _named("entity", _entities(one), _entities(other))
    for part in ("prescriptions", "tone", "terms", "attributes", "scales", "entity_kinds", "sources", "allowed_urls"):
        found += _listed(part, one, other)
    found += _named("keywords", dict(one.keywords), dict(other.keywords))
    found += _named("domain_examples", dict(one.domain_examples), dict(other.domain_examples))
    found += _named("prompt", dict(one.prompts), dict(other.prompts))
    return found


def _scalars(one: Pack, other: Pack) -> Iterator[Change]:
    for name in (
        "name",
        "title",
        "version",
        "jurisdiction",
        "citations",
        "thresholds",
        "date_format",
        "currency",
        "screen_fallback",
    ):
        before, after = getattr(one, name), getattr(other, name)
        if before != after:
            yield Change(kind="changed", part=name, detail=f"{_shown(before)} -> {_shown(after)}")


def _named(part: str, one: Mapping[str, object], other: Mapping[str, object]) -> Iterator[Change]:
    for name in sorted({*one, *other}):
        if name not in other:
            yield Change(kind="removed", part=f"{part} {name}")
        elif name not in one:
            yield Change(kind="added", part=f"{part} {name}")
        elif canonical_json(one[name]) != canonical_json(other[name]):
            yield Change(kind="changed", part=f"{part} {name}", detail=_parts(one[name], other[name]))


def _listed(part: str, one: Pack, other: Pack) -> Iterator[Change]:
    before = {canonical_json(item): item for item in getattr(one, part)}
    after = {canonical_json(item): item for item in getattr(other, part)}
    for key, item in before.items():
        if key not in after:
            yield Change(kind="removed", part=part, detail=_shown(item))
    for key, item in after.items():
        if key not in before:
            yield Change(kind="added", part=part, detail=_shown(item))


def _by_id(pack: Pack, part: str) -> dict[str, object]:
    return {item.id: item for item in getattr(pack, part)}


def _entities(pack: Pack) -> dict[str, object]:
    return {f"{entity.kind} {entity.name!r}": entity for entity in pack.entities}


def _parts(before: object, after: object) -> str:
    """The names of the fields that differ."""
    if not hasattr(before, "__dataclass_fields__") or type(before) is not type(after):
        return ""
    names = (field.name for field in fields(before))  # type: ignore[arg-type]
    return ", ".join(name for name in names if plain(getattr(before, name)) != plain(getattr(after, name)))


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else canonical_json(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
