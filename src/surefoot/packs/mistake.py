"""A mistake in a pack's file: where it is, what is wrong and how to put it right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from surefoot.core.errors import PackError


@dataclass(frozen=True, kw_only=True, slots=True)
class Mistake:
    file: str
    line: int | None
    key: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self._words}"

    @property
    def _words(self) -> str:
        return f"{self.key}: {self.problem}; {self.remedy}" if self.key else f"{self.problem}; {self.remedy}"

    def error(self) -> PackError:
        return PackError(self._words, file=self.file, line=self.line)


@dataclass(kw_only=True)
class Ledger:
    """Collects the mistakes of one file, so that all of them are told at once."""

    file: str
    mistakes: list[Mistake] = field(default_factory=list)

    def add(self, line: int | None, key: str, problem: str, remedy: str) -> None:
        self.mistakes.append(Mistake(file=self.file, line=line, key=key, problem=problem, remedy=remedy))


def nearest(word: str, known: Iterable[str]) -> str:
    """The remedy for an unknown word: the known one it resembles, else all of them."""
    choices = sorted(str(choice) for choice in known)
    close = difflib.get_close_matches(word, choices, n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else f"use one of: {', '.join(choices)}"
