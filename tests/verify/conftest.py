"""A gate small enough to reason about: real checks, a grounding check that proves what is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from surefoot.core.types import CheckReport, Passage, Proof
from surefoot.generate.extractive import Extractive
from surefoot.packs.loader import load
from surefoot.packs.schema import Pack
from surefoot.testing import FakeClock
from surefoot.verify.checks.citations import CitationCheck
from surefoot.verify.checks.urls import UrlCheck
from surefoot.verify.gate import Gate, GateConfig
from surefoot.verify.read.claims import claims_of
from surefoot.verify.read.submission import Check, Submission


@dataclass(frozen=True)
class ProvesAll:
    """Finds every claim proven by the start of its evidence: leaves the verdict to the other checks."""

    name: str = "grounding"
    version: str = "test"

    def run(self, submission: Submission) -> CheckReport:
        proofs = [
            Proof(claim=claim.index, passage=evidence[0].id, span=(0, len(evidence[0].text)), method="grounder")
            for claim in submission.claims
            if claim.factual and (evidence := submission.evidence_for(claim))
        ]
        return CheckReport(name=self.name, version=self.version, proofs=tuple(proofs))


@pytest.fixture
def pack() -> Pack:
    return load("default")


@pytest.fixture
def library() -> tuple[Passage, ...]:
    return (
        Passage(id="fees", text="A yearly card costs R120. Children under 12 join free of charge."),
        Passage(id="hours", text="The reading room opens at 09:00 on weekdays. It is closed on Sundays."),
    )


@pytest.fixture
def submit(pack: Pack) -> Callable[..., Submission]:
    def make(draft: str, passages: Sequence[Passage], *, using: Pack | None = None, **more: object) -> Submission:
        chosen = using or pack
        claims = claims_of(draft, passages, chosen)
        return Submission(
            draft=draft,
            claims=claims,
            passages=tuple(passages),
            pack=chosen,
            today="2026-11-15",
            **more,  # type: ignore[arg-type]
        )

    return make


@pytest.fixture
def gate_with(pack: Pack) -> Callable[..., Gate]:
    def make(
        *,
        rules: Sequence[Check] | None = None,
        grounding: Sequence[Check] | None = None,
        using: Pack | None = None,
        clock: FakeClock | None = None,
        critics: Sequence[object] = (),
        open_models: Callable[[], None] = lambda: None,
        **config: object,
    ) -> Gate:
        return Gate(
            packs=lambda name, extra: using or pack,
            rules=rules if rules is not None else (CitationCheck(), UrlCheck()),
            grounding=grounding if grounding is not None else (ProvesAll(),),
            safe_writer=Extractive(),
            clock=clock or FakeClock(),
            critics=lambda model: critics,  # type: ignore[arg-type, return-value]
            open_models=open_models,
            config=GateConfig(**config),  # type: ignore[arg-type]
        )

    return make
