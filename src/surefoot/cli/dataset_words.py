"""The small languages of `surefoot dataset`'s options: durations, models by role, prices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from surefoot.core.errors import InputError

if TYPE_CHECKING:
    from surefoot.dataset.status import Price

ROLES = ("question", "answer", "critic", "finalizer")


def seconds_of(text: str) -> float:
    """`90s`, `15m`, `2h`, `1h30m`, or plain seconds."""
    match = re.fullmatch(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s?)?", text.strip())
    if match is None or not any(match.groups()):
        raise InputError(f"--deadline {text!r} is not a duration; write 90s, 15m, 2h or 1h30m")
    hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + seconds


def specs_of(given: Sequence[str]) -> dict[str, str]:
    """`provider:name` means every role not named otherwise; `*` is the key of that."""
    found: dict[str, str] = {}
    for text in (part.strip() for entry in given for part in entry.split(",")):
        role, equals, spec = text.partition("=")
        if not equals:
            found["*"] = text
        elif role in ROLES:
            found[role] = spec
        else:
            raise InputError(f"--models {text!r}: no role {role!r}; roles are {', '.join(ROLES)}")
    return found


def prices_of(given: Sequence[str]) -> dict[str, Price]:
    from surefoot.dataset.status import Price

    found: dict[str, Price] = {}
    for text in given:
        role, numbers = text.split("=", 1) if "=" in text else ("*", text)
        prompt, colon, completion = numbers.partition(":")
        try:
            found[role] = Price(prompt=float(prompt), completion=float(completion if colon else prompt))
        except ValueError:
            raise InputError(f"--price {text!r} is not a price; write PROMPT:COMPLETION such as 0.15:0.60") from None
        if role not in (*ROLES, "*"):
            raise InputError(f"--price {text!r}: no role {role!r}; roles are {', '.join(ROLES)}")
    return found
