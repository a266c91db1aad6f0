"""What every adapter needs: texts of other frameworks as a verification."""

from __future__ import annotations

from surefoot.core.request import as_request
from surefoot.core.sources import Sources
from surefoot.core.types import VerifyInput


def verify_input(
    answer: str,
    sources: Sources,
    *,
    question: str | None = None,
    pack: str | None = None,
    citations: str | None = None,
) -> VerifyInput:
    """The first source is [S1], the second [S2]; a source that is a Passage keeps its own id too."""
    return as_request(answer, sources, question=question, pack=pack, citations=citations)
