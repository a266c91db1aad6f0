"""Opening hours by day against what a claim says of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from surefoot.core.evidence import Field
from surefoot.verify.hours import DAY_NAMES, Hours, claimed_hours, read_hours
from surefoot.verify.structured.verdict import Agreement, FieldVerdict


def check_hours(claim: str, fields: Sequence[Field]) -> Iterable[FieldVerdict]:
    """Opening hours by day."""
    known: dict[str, Hours] = {}
    for field in fields:
        hours = read_hours(field.text)
        day = next((name for name in DAY_NAMES if name in field.path.lower()), None)
        if hours is not None and day is not None:
            known[day] = hours
    if not known:
        return
    for said in claimed_hours(claim):
        for day in said.days or tuple(known):
            actual = known.get(day, Hours(opens=None, closes=None))
            agrees = said.hours.agrees(actual)
            yield FieldVerdict(
                path=f"hours {day}",
                agreement=Agreement.SUPPORTED if agrees else Agreement.CONTRADICTED,
                claimed=str(said.hours),
                found=str(actual),
                span=said.span,
            )
