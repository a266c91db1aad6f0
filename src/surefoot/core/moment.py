"""The moment from which runs are read, as people write it and as the run log holds it."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from surefoot.core.errors import InputError

_YEAR_OR_MONTH = re.compile(r"\d{4}(?:-\d{2})?")


def moment(text: str, name: str) -> str:
    """A date, a time, a month or a year as the UTC time at which it begins: the log compares times as texts.

    What names no zone is UTC, as in the log. InputError where it is no moment: read as a text it would compare too.
    """
    whole = text + "-01-01"[len(text) - 4 :] if _YEAR_OR_MONTH.fullmatch(text) else text
    try:
        found = datetime.fromisoformat(whole)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InputError(f"{name}: {text!r} is no date; write it as 2026-03-31 or 2026-03-31T09:00") from error
    return found.isoformat(timespec="milliseconds")
