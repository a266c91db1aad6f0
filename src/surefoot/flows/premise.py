"""False premises: what a question takes for granted, put before the gate like any other statement."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from surefoot.core.questions import premise, terms
from surefoot.core.text import markers, squash, without_markers
from surefoot.core.types import Passage, VerificationResult, VerifyInput
from surefoot.generate.contrary import contrary
from surefoot.generate.extractive import Extractive
from surefoot.generate.quotable import quotables

CONTRADICTING = frozenset(("contradicted", "value_mismatch", "unit_mismatch"))
_SAME_SUBJECT = 0.5
"""Share of the premise's words the quoted sentence must hold: a source silent on the matter contradicts nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Verified:
    """A verdict of the gate and what it was given on."""

    request: VerifyInput
    result: VerificationResult


@dataclass(frozen=True, kw_only=True, slots=True)
class FalsePremise:
    statement: str
    correction: str
    """The source's own sentence on the matter, cited."""

    def says_so_in(self, text: str) -> bool:
        return squash(without_markers(self.correction)) in squash(without_markers(text))


async def find_false_premise(
    question: str,
    passages: Sequence[Passage],
    *,
    verify: Callable[[str], Awaitable[Verified]],
    style: str,
) -> FalsePremise | None:
    """The question's premise when code or the gate finds that the sources contradict it; None otherwise."""
    statement = premise(question)
    if statement is None:
        return None
    against = contrary(statement, quotables(passages, style=style, rows=True))
    if against is not None:
        return FalsePremise(statement=statement, correction=against.cited)
    quote = Extractive(limit=1).write(statement, passages, style=style)
    if not quote or not _on_the_same_matter(statement, quote):
        return None
    marker = quote[slice(*markers(quote)[-1].span)]
    verified = await verify(f"{statement.rstrip('.')} {marker}.")
    if not any(issue.code in CONTRADICTING for issue in verified.result.metadata.issues_detected):
        return None
    return FalsePremise(statement=statement, correction=quote)


def _on_the_same_matter(statement: str, quote: str) -> bool:
    wanted = {term for term in terms(statement) if not term[0].isdigit()}
    held = terms(without_markers(quote))
    return bool(wanted) and len(wanted & held) / len(wanted) >= _SAME_SUBJECT
