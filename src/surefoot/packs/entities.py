"""Reads `entities/*.csv`: name, aliases (a|b), kind, attributes (key=value;...)."""

from __future__ import annotations

import csv
import io

from surefoot.packs.mistake import Ledger
from surefoot.packs.schema import Entity

_QUOTE = "put a value that holds a comma between double quotes"
HEADER = ["name", "aliases", "kind", "attributes"]


def read_entities(text: str, ledger: Ledger) -> tuple[Entity, ...]:
    reader = csv.reader(io.StringIO(text))
    found = []
    try:
        header = next(reader, [])
        if [cell.strip() for cell in header] != HEADER:
            ledger.add(1, "", f"the header is {','.join(header)!r}", f"write {','.join(HEADER)}")
            return ()
        for row in reader:
            entity = _entity(row, ledger, reader.line_num) if any(cell.strip() for cell in row) else None
            if entity:
                found.append(entity)
    except csv.Error as error:
        ledger.add(reader.line_num, "", f"not valid CSV: {error}", _QUOTE)
    return tuple(found)


def _entity(row: list[str], ledger: Ledger, line: int) -> Entity | None:
    if len(row) != len(HEADER):
        remedy = f"{_QUOTE} and leave no column out"
        ledger.add(line, "", f"{len(row)} columns stand where {len(HEADER)} are due", remedy)
        return None
    name, aliases, kind, attributes = (cell.strip() for cell in row)
    if not name or not kind:
        ledger.add(line, "kind" if name else "name", "is empty", "every row needs a name and a kind")
        return None
    return Entity(
        name=name,
        kind=kind,
        aliases=tuple(alias.strip() for alias in aliases.split("|") if alias.strip()),
        attributes=_attributes(attributes, ledger, line),
    )


def _attributes(text: str, ledger: Ledger, line: int) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            ledger.add(line, "attributes", f"{part!r} is not key=value", "write nqf=7;years=3-4")
            continue
        found[key.strip()] = value.strip()
    return found
