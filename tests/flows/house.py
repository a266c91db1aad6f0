"""A small house for the workflow's tests: the real gate with a strict quote check, everything around it scripted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from surefoot.core.ports import LanguageModel
from surefoot.core.text import squash, without_markers
from surefoot.core.types import (
    AskResult,
    CheckReport,
    Draft,
    DraftTask,
    Finding,
    Gathered,
    Issue,
    IssueType,
    Passage,
    Proof,
    Retrieval,
    ScoredPassage,
    Search,
    SearchFilter,
    Severity,
)
from surefoot.flows.ask import AskFlow
from surefoot.flows.state import AskRequest, Limits
from surefoot.generate.extractive import Extractive
from surefoot.generate.generator import ExtractiveGenerator
from surefoot.packs.schema import Pack, Thresholds
from surefoot.testing.clock import FakeClock
from surefoot.verify.checks.citations import CitationCheck
from surefoot.verify.gate import Gate
from surefoot.verify.read.submission import Check, Submission

PACK = Pack(name="default", title="Test", version="1", hash="0" * 64)
LOANS = Passage(id="loans", text="A loan lasts 21 days. It can be renewed twice.", metadata={"source": "loans.md"})
FINES = Passage(id="fines", text="A late book costs R2.50 per day.", metadata={"source": "fines.md"})


@dataclass(frozen=True)
class QuoteCheck:
    """Proves what a source says word for word, leaves a `perhaps` in doubt, and finds all else unsupported."""

    name: str = "quotes"
    version: str = "test"

    def run(self, submission: Submission) -> CheckReport:
        findings, proofs = [], []
        for claim in submission.claims:
            said = squash(without_markers(claim.text)).rstrip(". ")
            source = next((p for p in submission.evidence_for(claim) if said in squash(p.text)), None)
            if source is not None:
                proofs.append(Proof(claim=claim.index, passage=source.id, span=(0, len(source.text)), method="quote"))
            elif claim.factual and "perhaps" not in said:
                issue = Issue(
                    type=IssueType.HALLUCINATION,
                    severity=Severity.HIGH,
                    code="evidence_miss",
                    location=claim.text,
                    span=claim.span,
                    problem="no source says so",
                )
                findings.append(Finding(issue=issue))
        return CheckReport(name=self.name, version=self.version, findings=tuple(findings), proofs=tuple(proofs))


@dataclass(frozen=True)
class StaleCheck:
    """Reports evidence older than the pack allows, as a low issue."""

    name: str = "stale"
    version: str = "test"

    def run(self, submission: Submission) -> CheckReport:
        old = [p for p in submission.passages if str(p.metadata.get("date", "9")) < "2026"]
        cited = {identity for claim in submission.claims for identity in claim.cited}
        findings = [
            Finding(
                issue=Issue(
                    type=IssueType.INACCURACY,
                    severity=Severity.LOW,
                    code="stale_source",
                    location="",
                    span=(0, 0),
                    problem=f"{passage.id} is old",
                )
            )
            for passage in old
            if passage.id in cited
        ]
        return CheckReport(name=self.name, version=self.version, findings=tuple(findings))


@dataclass
class Shelf:
    """A retriever over a fixed list."""

    passages: Sequence[Passage] = ()
    relevance: float = 0.95
    error: Exception | None = None
    asked: list[str] = field(default_factory=list)

    async def retrieve(self, question: str, *, k: int = 8, where: SearchFilter | None = None) -> Retrieval:
        self.asked.append(question)
        if self.error is not None:
            raise self.error
        found = tuple(ScoredPassage(passage=passage, score=1.0) for passage in self.passages[:k])
        return Retrieval(
            question=question, passages=found, relevance=self.relevance if found else 0.0, relevant=bool(found)
        )


@dataclass
class Writes:
    """A generator that follows a script; an exception in it is raised."""

    script: list[str | Exception]
    tokens: int = 100
    identity: str = "scripted"
    tasks: list[DraftTask] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)

    async def draft(self, task: DraftTask) -> Draft:
        self.tasks.append(task)
        said = self.script[min(len(self.tasks), len(self.script)) - 1]
        if isinstance(said, Exception):
            raise said
        return Draft(text=said, model=self.identity, tokens=self.tokens)

    async def reject(self, draft: Draft) -> None:
        self.rejected.append(draft.text)


@dataclass
class Outside:
    """Evidence from a fixed list."""

    passages: Sequence[Passage] = ()
    error: Exception | None = None
    calls: int = 0
    identity: str = "web"
    gaps: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def available(self, question: str) -> bool:
        return True

    async def gather(self, question: str, *, gaps: Sequence[str] = ()) -> Gathered:
        self.calls += 1
        self.gaps.append((question, tuple(gaps)))
        if self.error is not None:
            raise self.error
        pages = tuple(str(passage.metadata.get("source", passage.id)) for passage in self.passages)
        return Gathered(passages=tuple(self.passages), searches=(Search(where="web", query=question, pages=pages),))


def gate(
    pack: Pack = PACK,
    clock: Any = None,
    critics: Sequence[LanguageModel] = (),
    *,
    rules: tuple[Check, ...] = (),
    more: tuple[Check, ...] = (),
) -> Gate:
    """A gate with a few real rules, with other `rules`, or with some `more`."""
    return Gate(
        packs=lambda name, extra: pack,
        rules=(*(rules or (CitationCheck(), StaleCheck())), *more),
        grounding=(QuoteCheck(),),
        safe_writer=Extractive(),
        clock=clock or FakeClock(),
        critics=lambda model: critics,
    )


def flow(
    *passages: Passage,
    generator: Any = None,
    outside: Any = None,
    pack: Pack = PACK,
    limits: Limits | None = None,
    **more: Any,
) -> AskFlow:
    clock = more.pop("clock", None) or FakeClock()
    writer = generator or ExtractiveGenerator(writer=Extractive())
    return AskFlow(
        retriever=more.pop("retriever", None) or Shelf(passages),
        generator=lambda pack: writer,
        gate=more.pop("gate", None) or gate(pack, clock),
        evidence=lambda pack: outside,
        clock=clock,
        pack=pack,
        limits=limits or Limits(),
        **more,
    )


def ask(house: AskFlow, question: str, **more: Any) -> AskResult:
    return asyncio.run(house.ask(AskRequest(question=question, pack=house.pack, **more)))


def stale_pack(days: int = 365) -> Pack:
    return replace(PACK, thresholds=Thresholds(stale_after_days=days))


Tell = Callable[[Any], None]
