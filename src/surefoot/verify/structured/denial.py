"""Whether a claim denies what it names: `no WiFi`, `valet and garage parking are not offered`."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.verify.structured.words import NEAR, Word

CLOSE = 3
"""Words after a field's name in which a denial still means it: `reservations are not taken`."""


def denied(words: Sequence[Word], first: int, last: int) -> bool:
    """Whether a denial before the name, in its clause, within it, or at the verb after it means the field."""
    if any(_denies(words, at) for at in range(first, last + 1)) or _used_up(words, first):
        return True
    subject = True
    for at in range(first - 1, max(-1, first - 1 - 2 * NEAR), -1):
        if _denies(words, at):
            return True
        if words[at].text in _OFFERS:
            if at and _denies(words, at - 1):
                return True
            subject = False
            break
        if words[at].text in _TURNS or (first - at > NEAR and not words[at].pause and not words[at + 1].pause):
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
            soon = range(at + 1, min(len(words), at + 3))
            return any(_denies(words, after) or words[after].text in _DENIED_AFTER for after in soon)
        if not crossed and (word in _DENIED_AFTER or word.endswith(("n't", "n’t"))):
            return True
    return False


def _denies(words: Sequence[Word], at: int) -> bool:
    """A word of denial; `not only` is none."""
    word = words[at].text
    only = at + 1 < len(words) and words[at + 1].text in ("only", "just")
    return (word in _DENIALS or word.endswith(("n't", "n’t"))) and not only


def _used_up(words: Sequence[Word], first: int) -> bool:
    """`out of stock`"""
    return [word.text for word in words[max(0, first - 2) : first]] == ["out", "of"]


_DENIALS = frozenset("no not never without lacks lack lacking neither nor cannot excludes".split())
_DENIED_AFTER = frozenset("not never unavailable prohibited forbidden excluded missing false".split())
_VERBS = frozenset("is are was were be can may do does will".split())
_OFFERS = frozenset("offers provides accepts features has have includes include including with allows".split())
_TURNS = _OFFERS | frozenset("but however although though while whereas and yet despite except".split())
