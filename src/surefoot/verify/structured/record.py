"""A claim against a record, field by field."""

from __future__ import annotations

from surefoot.core.types import Span
from surefoot.verify.structured.fields import read_record
from surefoot.verify.structured.flags import check_flags
from surefoot.verify.structured.numbers import check_exchange, check_numbers, meant_rightly
from surefoot.verify.structured.opening import check_hours
from surefoot.verify.structured.verdict import Agreement, FieldVerdict, best_by_place
from surefoot.verify.structured.words import read_words


def check_record(claim: str, source: str) -> tuple[FieldVerdict, ...]:
    """Verdicts on every field of `source` that `claim` speaks of; none where the source is no record."""
    record = read_record(source)
    if not record.fields:
        return ()
    words = read_words(claim)
    exchanged = check_exchange(words, record)
    denied = {verdict.path for verdict in exchanged}
    numbers = [verdict for verdict in check_numbers(words, record) if verdict.path not in denied]
    return (*best_by_place([*check_hours(claim, record), *check_flags(words, record), *numbers]), *exchanged)


def confirms(source: str, claim: str, span: Span) -> bool:
    """Whether a field of the record says the very value at `span`; never for prose.

    Every verdict on that place must agree. In `3.5 out of 5 stars` the five is the scale of a rating that agrees.
    """
    verdicts = check_record(claim, source)
    here = [verdict for verdict in verdicts if verdict.span[0] <= span[0] and span[1] <= verdict.span[1]]
    if any(verdict.agreement is not Agreement.SUPPORTED for verdict in here):
        return False
    written = claim[slice(*span)].rstrip(".")
    if any(verdict.path.startswith("hours ") for verdict in here):
        return True
    if any(verdict.claimed == written.lower() for verdict in here):
        return meant_rightly(read_words(claim), read_record(source), span[0])
    scale = written.lower() in ("5", "five") and claim[: span[0]].rstrip().lower().endswith("out of")
    rated = [verdict.agreement for verdict in verdicts if verdict.path.endswith(("stars", "rating"))]
    return scale and rated == [Agreement.SUPPORTED] * len(rated) and bool(rated)
