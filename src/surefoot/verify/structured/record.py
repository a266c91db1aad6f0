"""A claim against a record, field by field."""

from __future__ import annotations

from surefoot.verify.structured.fields import common_stems, read_fields
from surefoot.verify.structured.flags import check_flags
from surefoot.verify.structured.numbers import check_numbers
from surefoot.verify.structured.opening import check_hours
from surefoot.verify.structured.verdict import FieldVerdict, best_by_place
from surefoot.verify.structured.words import read_words


def check_record(claim: str, source: str) -> tuple[FieldVerdict, ...]:
    """Verdicts on every field of `source` that `claim` speaks of; none where the source is no record."""
    fields = read_fields(source)
    if not fields:
        return ()
    words, common = read_words(claim), common_stems(fields)
    verdicts = [
        *check_hours(claim, fields),
        *check_flags(words, fields, common),
        *check_numbers(words, fields, common),
    ]
    return tuple(best_by_place(verdicts))
