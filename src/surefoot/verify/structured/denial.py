"""Whether a claim denies what it names: `no WiFi`, `valet and garage parking are not offered`."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.verify.structured.words import NEAR, Word

CLOSE = 3
"""Words after a field's name in which a denial still means it: `reservations are not taken`."""


def denied(words: Sequence[Word], first: int, last: int) -> bool:
    """Whether a denial before the name, in its clause, within it, or at the verb after it means the field."""
    if any(_is_denial(word.text) for word in words[first : last + 1]):
        return True
    subject = True
    for at in range(first - 1, max(-1, first - 1 - 2 * NEAR), -1):
        if _is_denial(words[at].text):
            return True
        if words[at].text in _OFFERS:
            if at and _is_denial(words[at - 1].text):
                return True
            subject = False
            break
        if words[at].text in _TURNS or (first - at > NEAR and not words[at].pause):
            break
    return _denied_after(words, last, subject=subject)


def _denied_after(words: Sequence[Word], last: int, *, subject: bool) -> bool:
    """`reservations are not taken`; for a subject also across its partners: `WiFi and parking are not offered`."""
    crossed = False
    for at in range(last + 1, min(len(words), last + 1 + (2 * NEAR if subject else CLOSE))):
        word = words[at].text
        if words[at].pause or word in ("and", "or"):
            crossed = True
        if word in _TURNS - {"and"} or (crossed and not subject):
            return False
        if word in _VERBS:
            return any(_is_denial(after.text) or after.text in _DENIED_AFTER for after in words[at + 1 : at + 3])
        if not crossed and (word in _DENIED_AFTER or word.endswith(("n't", "n’t"))):
            return True
    return False


def _is_denial(word: str) -> bool:
    return word in _DENIALS or word.endswith(("n't", "n’t"))


_DENIALS = frozenset("no not never without lacks lack lacking neither nor cannot excludes".split())
_DENIED_AFTER = frozenset("not never unavailable prohibited forbidden excluded missing false".split())
_VERBS = frozenset("is are was were be can may do does will".split())
_OFFERS = frozenset("offers provides accepts features has have includes include including with allows".split())
_TURNS = _OFFERS | frozenset("but however although while whereas and yet".split())
