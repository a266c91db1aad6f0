"""Opening hours by day against what a claim says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from surefoot.core.types import Span
from surefoot.verify.hours import DAY_NAMES, Hours, claimed_hours, claimed_open_days, read_hours
from surefoot.verify.structured.fields import Record
from surefoot.verify.structured.verdict import Agreement, FieldVerdict

CLOSED = Hours(opens=None, closes=None)


def check_hours(claim: str, record: Record) -> Iterable[FieldVerdict]:
    """Times said of days, and days called open; a record that leaves its hours empty supports neither."""
    known = _known_hours(record)
    if known:
        return [*_check_times(claim, known), *_check_open_days(claim, known)]
    if not any(field.path.lower() == "hours" and field.value is None for field in record.fields):
        return []
    return [
        _verdict("hours", Agreement.UNKNOWN, repr(claim[slice(*said.span)]), "not known", said.span)
        for said in claimed_hours(claim)
    ]


@lru_cache(maxsize=64)
def _known_hours(record: Record) -> Mapping[str, Hours]:
    known: dict[str, Hours] = {}
    for field in record.fields:
        hours = read_hours(field.text)
        day = next((name for name in DAY_NAMES if name in field.path.lower()), None)
        if hours is not None and day is not None:
            known[day] = hours
    return known


def _check_times(claim: str, known: Mapping[str, Hours]) -> Iterable[FieldVerdict]:
    for said in claimed_hours(claim):
        days = said.days or tuple(known)
        agreeing = [day for day in days if said.hours.agrees(known.get(day, CLOSED))]
        for day in agreeing if said.mostly and agreeing else days:
            agreement = Agreement.SUPPORTED if day in agreeing else Agreement.CONTRADICTED
            claimed = repr(claim[slice(*said.span)])
            yield _verdict(f"hours {day}", agreement, claimed, known.get(day, CLOSED).spelled, said.span)


def _check_open_days(claim: str, known: Mapping[str, Hours]) -> Iterable[FieldVerdict]:
    for days, span in claimed_open_days(claim):
        for day in days:
            if known.get(day, CLOSED).closed:
                yield _verdict(f"hours {day}", Agreement.CONTRADICTED, "open", "closed", span)


def _verdict(path: str, agreement: Agreement, claimed: str, found: str, span: Span) -> FieldVerdict:
    return FieldVerdict(path=path, agreement=agreement, claimed=claimed, found=found, span=span)
