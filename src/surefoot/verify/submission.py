"""What every check sees of one verification: the draft, its claims and the evidence, all read-only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from surefoot.core.types import CheckReport, Claim, Json, Passage
from surefoot.packs.schema import Pack


@dataclass(frozen=True, kw_only=True)
class Submission:
    draft: str
    claims: tuple[Claim, ...]
    passages: tuple[Passage, ...]
    """What may serve as evidence: tainted passages are not among them."""
    tainted: tuple[Passage, ...] = ()
    """Passages that carry instructions."""
    given: tuple[str, ...] = ()
    """Ids of all passages in the caller's order."""
    profile: Mapping[str, Json] = field(default_factory=dict)
    question: str | None = None
    pack: Pack
    today: str
    """ISO date."""
    until: float = float("inf")
    """When the check must have ended, in the clock's seconds: a check with two ways may take the faster one."""

    @property
    def order(self) -> tuple[str, ...]:
        """Ids of all passages as the caller gave them: the x-th is what [Sx] means where no id says so."""
        return self.given or tuple(passage.id for passage in (*self.passages, *self.tainted))

    def evidence_for(self, claim: Claim) -> tuple[Passage, ...]:
        """The passages a claim is bound to: the cited ones; all of them where it cites none."""
        cited = tuple(passage for passage in self.passages if passage.id in claim.cited)
        return cited if claim.cited else self.passages


class Check(Protocol):
    """One kind of examination. Pure: the same submission gives the same report."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """Changes with every change of behaviour; stands in the certificate."""
        ...

    def run(self, submission: Submission) -> CheckReport: ...
