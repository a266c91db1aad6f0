"""What every check sees of one verification: the draft, its claims and the evidence, all read-only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from surefoot.core.remember import once
from surefoot.core.types import CheckReport, Claim, Json, Passage
from surefoot.packs.schema import Pack
from surefoot.verify.alignment import Aligner, Weights
from surefoot.verify.binding import Binding, Bound, bind, claim_line
from surefoot.verify.reading import Line, stems_in
from surefoot.verify.support import Support, supports


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
        if not claim.cited:
            return self.passages
        found = self._evidence.get(claim.cited)
        if found is None:
            found = tuple([passage for passage in self.passages if passage.id in claim.cited])
            self._evidence[claim.cited] = found
        return found

    def line(self, claim: Claim) -> Line:
        """The claim's words and values; offsets are those of the claim's text. Read once for all checks."""
        found = self._lines.get(claim.index)
        if found is None:
            found = self._lines[claim.index] = claim_line(claim)
        return found

    def bindings(self, claim: Claim) -> tuple[Binding, ...]:
        """Each typed value of the claim with its place in the evidence; worked out once per claim."""
        found = self._bindings.get(claim.index)
        if found is None:
            cited = self.evidence_for(claim)
            others = [passage for passage in self.passages if passage.id not in claim.cited] if claim.cited else ()
            found = bind(claim, self.line(claim), cited, others, given=self._given_text)
            self._bindings[claim.index] = found
        return found

    def only_elsewhere(self, claim: Claim) -> bool:
        """Whether no value of the claim stands in what it cites."""
        return not any(binding.bound in (Bound.MATCHED, Bound.DERIVED) for binding in self.bindings(claim))

    def supports(self, claim: Claim) -> list[Support]:
        """The sentences of the claim's evidence that hold most of its words, best first."""
        found = self._supports.get(claim.index)
        if found is None:
            found = supports(self.line(claim), self.evidence_for(claim), self.weights)
            self._supports[claim.index] = found
        return found

    @once
    def aligner(self) -> Aligner:
        """The index from words to the sentences of the sources."""
        return Aligner(self.passages)

    @property
    def weights(self) -> Weights:
        """How rare each word is in the sources."""
        return self.aligner.weights

    @once
    def _said_beside(self) -> frozenset[str]:
        """Stems of the words in the question and in the passages' titles and the like."""
        said = [self.question or ""]
        said += [str(value) for passage in self.passages for value in flatten(passage.metadata)]
        return frozenset(stem for text in said for stem in stems_in(text))

    def knows(self, stem: str) -> bool:
        """Whether the word stands in a source's sentences or titles, or in the question."""
        return stem in self.aligner or stem in self._said_beside

    @once
    def _evidence(self) -> dict[tuple[str, ...], tuple[Passage, ...]]:
        return {}

    @once
    def _lines(self) -> dict[int, Line]:
        return {}

    @once
    def _supports(self) -> dict[int, list[Support]]:
        return {}

    @once
    def _bindings(self) -> dict[int, tuple[Binding, ...]]:
        return {}

    @once
    def _given_text(self) -> str:
        """The profile's values. The question is left out: a number it suggests is not a fact."""
        return " ; ".join(str(value) for value in flatten(self.profile))


def flatten(value: Json | Mapping[str, Json]) -> Iterator[Json]:
    """Every leaf of a JSON value."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from flatten(item)
    elif isinstance(value, list):
        for item in value:
            yield from flatten(item)
    else:
        yield value


class Check(Protocol):
    """One kind of examination. Pure: the same submission gives the same report."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """Changes with every change of behaviour; stands in the certificate."""
        ...

    def run(self, submission: Submission) -> CheckReport: ...
