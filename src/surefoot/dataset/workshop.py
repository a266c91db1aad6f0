"""A build put together: its collaborators as ports, its journal, its pace and its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from surefoot.core.ports import LanguageModel, Retriever, SafeWriter, Verifier
from surefoot.core.types import Document, Json
from surefoot.dataset.agents import Agents
from surefoot.dataset.budget import Budget, Budgeted
from surefoot.dataset.build import Builder, BuildOptions, Built, Progress
from surefoot.dataset.corpus import make_corpus
from surefoot.dataset.files import Audit, Paths, write_dataset
from surefoot.dataset.journal import Journal, Journaled
from surefoot.dataset.limiter import Limited, Limiter
from surefoot.dataset.loop import Loop
from surefoot.dataset.measure import Measured, measure
from surefoot.dataset.planted import specimens
from surefoot.dataset.prompt import load_prompts
from surefoot.dataset.runners.local import LocalRunner, ModelFactory


class Runner(Protocol):
    """Where models are called: here, or in workers."""

    def open(self, factories: Mapping[str, ModelFactory]) -> dict[str, LanguageModel]: ...

    def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Seat:
    """A role's model: how to open it, and whom its calls burden."""

    spec: str
    provider: str
    """Roles with the same provider share one limit."""
    open: ModelFactory


@dataclass(frozen=True, kw_only=True)
class Workshop:
    """What a build works with; made by the wiring."""

    folder: str
    documents: tuple[Document, ...]
    retriever: Retriever
    verifier: Verifier
    writer: SafeWriter
    seats: Mapping[str, Seat]
    """By role; a role without a seat is played by code."""
    structured: Callable[[LanguageModel], LanguageModel]
    """Makes a model give valid JSON where a schema is asked for."""
    version: str
    """Of everything that judges."""
    pack: str | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)
    """The pack's overrides."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """What the user wants of a build."""

    options: BuildOptions = field(default_factory=BuildOptions)
    title: str | None = None
    budget_tokens: int | None = None
    deadline_s: float | None = None
    seed: int | None = None
    command: str = ""
    """What to run again to continue."""


@dataclass(frozen=True, kw_only=True)
class Listener:
    """What the caller wants to hear while a build runs."""

    on_start: Callable[[Budget, Journal], None] = lambda budget, journal: None
    on_progress: Callable[[Progress], None] = lambda progress: None
    on_block: Callable[[str], None] = lambda text: None


async def run_build(
    workshop: Workshop,
    order: Order,
    paths: Paths,
    *,
    runner: Runner | None = None,
    listener: Listener | None = None,
) -> Built:
    """Builds, and writes the files unless it was interrupted: then the journal holds everything."""
    listener, runner = listener or Listener(), runner or LocalRunner()
    journal = Journal(paths.journal)
    try:
        budget = Budget(tokens=order.budget_tokens, seconds=order.deadline_s, spent=journal.tokens())
        listener.on_start(budget, journal)
        await journal.note("command", order.command)
        bench = _Bench(workshop, journal, budget, runner, order.options.concurrency, order.seed)
        builder = Builder(
            corpus=make_corpus(workshop.documents, folder=workshop.folder, title=order.title),
            loop=bench.loop,
            journal=journal,
            budget=budget,
            options=order.options,
            version=workshop.version,
            on_progress=listener.on_progress,
            on_block=listener.on_block,
        )
        try:
            built = await builder.build()
        finally:
            await bench.settle()
        if built.ended != "interrupted":
            write_dataset(paths, built, _about(workshop, bench.loop.agents, order, built))
        return built
    finally:
        journal.close()
        runner.close()


async def measure_critic(
    workshop: Workshop, audit: Audit, paths: Paths, *, per_class: int, concurrency: int = 8, seed: int | None = None
) -> list[Measured]:
    """The critic of a build against errors planted into its own passages; what it costs is journaled too."""
    journal = Journal(paths.journal)
    try:
        critic = {role: seat for role, seat in workshop.seats.items() if role == "critic"}
        bench = _Bench(workshop, journal, Budget(), LocalRunner(), concurrency, seed, only=critic)
        try:
            groups = list(
                {tuple(one.text for one in row.pair.passages): row.pair.passages for row in audit.rows}.values()
            )
            return await measure(bench.loop, specimens(groups, per_class=per_class))
        finally:
            await bench.settle()
    finally:
        journal.close()


class _Bench:
    """The loop with every model wrapped: journaled, paced, within budget."""

    def __init__(
        self,
        workshop: Workshop,
        journal: Journal,
        budget: Budget,
        runner: Runner,
        concurrency: int,
        seed: int | None,
        *,
        only: Mapping[str, Seat] | None = None,
    ) -> None:
        seats = workshop.seats if only is None else only
        opened = runner.open({role: seat.open for role, seat in seats.items()})
        self.limiters = {seat.provider: Limiter(most=concurrency) for seat in seats.values()}
        self._journaled = {
            role: Journaled(Budgeted(model, budget), journal, paced=self._paced(seats[role].provider))
            for role, model in opened.items()
        }
        models = {role: workshop.structured(model) for role, model in self._journaled.items()}
        self.loop = Loop(
            agents=Agents(models=models, prompts=load_prompts(workshop.prompts), seed=seed),
            retriever=workshop.retriever,
            verifier=workshop.verifier,
            writer=workshop.writer,
            pack=workshop.pack,
        )

    def _paced(self, provider: str) -> Callable[[LanguageModel], LanguageModel]:
        return lambda model: Limited(model, self.limiters[provider])

    async def settle(self) -> None:
        for model in self._journaled.values():
            await model.settle()


def _about(workshop: Workshop, agents: Agents, order: Order, built: Built) -> dict[str, Json]:
    """What the audit says of how a dataset was made; nothing of when or how fast."""
    return {
        "version": workshop.version,
        "pack": workshop.pack,
        "seed": order.seed,
        "models": {role: model.identity for role, model in sorted(agents.models.items())},
        "prompts": {name: prompt.hash for name, prompt in sorted(agents.prompts.items())} if agents.models else {},
        "tokens": sum(pair.tokens for pair in built.pairs),
    }
