"""Telephone numbers with the code of their country, `+44 1632 960 417`, and without it."""

from __future__ import annotations

import re

LENGTH = {"44": 10}
"""Digits behind the code, where (nearly) all numbers of a country have as many: a number without a code and of another
length is none of it. Nine is the length of so many countries that it shows none."""
LEAST, MOST = 10, 15
"""Digits of a number with the code of its country."""


def with_code(text: str, start: int) -> tuple[int, str] | None:
    """Where the number ends that begins behind a plus, and its digits; the `(0)` in it is not dialled. What is grouped
    by thousands, `+12 500 000 000`, is an amount."""
    found = _ABROAD.match(text, start)
    if found is None or _GROUPED.fullmatch(found.group()):
        return None
    digits = re.sub(r"\D", "", found.group().replace("(0)", ""))
    return (found.end(), f"+{digits}") if LEAST <= len(digits) <= MOST else None


def is_same_number(claim: str, source: str) -> bool:
    """Whether two are one number, of which one has its country's code. A code that the source has may be left out; one
    that it has not must be the only one that fits."""
    if claim == source:
        return True
    abroad, home = (source, claim) if source.startswith("+") else (claim, source)
    if not abroad.startswith("+") or not re.fullmatch(r"0[1-9]\d{6,}", home):
        return False
    code, rest = abroad[1:].removesuffix(home[1:]), home[1:]
    if f"+{code}{rest}" != abroad or not 1 <= len(code) <= 3:
        return False
    return abroad is source or LENGTH.get(code) == len(rest)


_ABROAD = re.compile(r"[1-9]\d{0,14}(?:[ -]?\(\d{1,5}\)[ -]?\d{1,10}|[ -]\d{1,10})?(?:[ -]\d{2,10}){0,5}(?!\d)")
_GROUPED = re.compile(r"\d{1,3}(?: \d{3})+")
