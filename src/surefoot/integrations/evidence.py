"""What every adapter needs: texts of other frameworks as a verification, and the answer back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from surefoot.core.types import Passage, VerifyInput

Source = str | Passage | tuple[str, Mapping[str, Any]]
"""A text, a passage, or a text with its metadata."""


def verify_input(
    answer: str, sources: Sequence[Source], *, question: str | None = None, pack: str | None = None
) -> VerifyInput:
    """The first source is [S1], the second [S2]; a source that is a Passage keeps its own id too."""
    chunks = tuple(_passage(number, source) for number, source in enumerate(sources, 1))
    return VerifyInput(draft_answer=answer, chunks=chunks, question=question, pack=pack)


def _passage(number: int, source: Source) -> Passage:
    if isinstance(source, Passage):
        return source
    text, metadata = source if isinstance(source, tuple) else (source, {})
    return Passage(
        id=f"S{number}", text=text, metadata={key: value for key, value in metadata.items() if _plain(value)}
    )


def _plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool)
