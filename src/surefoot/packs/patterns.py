"""Patterns of packs: RE2 only, so that no rule can hang the gate, and offsets that fit the text as it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from surefoot.core.invisible import INVISIBLE
from surefoot.core.types import Span


class PatternError(ValueError):
    """RE2's own words on why a pattern cannot be compiled."""


@lru_cache(maxsize=4096)
def compiled(pattern: str, *, ignore_case: bool = True) -> Any:
    """The pattern as RE2 runs it. Letter case is ignored unless asked for or switched on by `(?-i)`."""
    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else error
        raise PatternError(reason.decode() if isinstance(reason, bytes) else str(reason)) from error


@lru_cache(maxsize=1024)
def union(patterns: tuple[str, ...], *, ignore_case: bool = True) -> Any:
    """One automaton that matches where any of the patterns does."""
    return compiled("|".join(f"(?:{pattern})" for pattern in patterns), ignore_case=ignore_case)


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A match, in offsets of the text as it was written."""

    span: Span
    text: str
    groups: tuple[str | None, ...]
    group_spans: tuple[Span, ...]
    names: Mapping[str, int]
    """Named groups to their numbers."""

    def named(self, name: str) -> str | None:
        number = self.names.get(name)
        return self.groups[number - 1] if number else None

    def span_of(self, name: str) -> Span:
        number = self.names.get(name)
        return self.group_spans[number - 1] if number else self.span


class View:
    """A text made plain for patterns: straight quotes, plain dashes and spaces, nothing invisible.

    Typographic quotes and zero-width characters must not let a sentence slip past a rule. Hits carry the offsets of
    the original text.
    """

    __slots__ = ("_offsets", "original", "text")

    def __init__(self, text: str) -> None:
        self.original = text
        self._offsets: Sequence[int] | None = None
        if text.isascii():
            self.text = text
            return
        plain = text.translate(_PLAIN)
        if INVISIBLE.search(plain):
            kept = [index for index, char in enumerate(plain) if not INVISIBLE.match(char)]
            self._offsets = [*kept, len(plain)]
            plain = "".join(plain[index] for index in kept)
        self.text = plain

    def matches(self, patterns: Sequence[str], *, ignore_case: bool = True) -> bool:
        return bool(patterns) and union(tuple(patterns), ignore_case=ignore_case).search(self.text) is not None

    def first(self, patterns: Sequence[str], *, ignore_case: bool = True) -> Hit | None:
        return next(self.hits(patterns, ignore_case=ignore_case), None)

    def hits(self, patterns: Sequence[str], *, ignore_case: bool = True) -> Iterator[Hit]:
        """Every match of any of the patterns, left to right, never an empty one."""
        if not patterns:
            return
        for match in union(tuple(patterns), ignore_case=ignore_case).finditer(self.text):
            if match.end() > match.start():
                yield self._hit(match)

    def _hit(self, match: Any) -> Hit:
        span = self._original(match.span())
        numbers = range(1, match.re.groups + 1)
        return Hit(
            span=span,
            text=self.original[span[0] : span[1]],
            groups=tuple(match.group(number) for number in numbers),
            group_spans=tuple(self._original(match.span(number)) for number in numbers),
            names=match.re.groupindex,
        )

    def _original(self, span: Span) -> Span:
        if self._offsets is None or span[0] < 0:
            return span
        start, end = span
        return self._offsets[start], self._offsets[end - 1] + 1 if end > start else self._offsets[start]


def expand(template: str, hit: Hit) -> str:
    """The template with `\\1`, `\\2` ... filled in, its first letter in the case of the text it replaces."""
    filled = _REFERENCE.sub(lambda ref: hit.groups[int(ref.group(1)) - 1] or "", template)
    if filled and hit.text[:1].isupper():
        return filled[0].upper() + filled[1:]
    return filled


def references(template: str) -> int:
    """The highest group a template refers to."""
    return max((int(ref.group(1)) for ref in _REFERENCE.finditer(template)), default=0)


_REFERENCE = re.compile(r"\\([1-9])")
_PLAIN = str.maketrans("’‘‛“”„–—−‐‑\u00a0\u202f\u2009\u2007", "'''\"\"\"-----    ")
