"""The composition root: settings to one object that answers, verifies and judges.

This page is what callers ask it. What it answers with is its equipment (gate, writers, flows), and that stands on its
foundation (models, knowledge base, caches, run log). All of it is built when it is first asked for.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack, overload

from surefoot.core.blocking import blocking
from surefoot.core.moment import moment
from surefoot.core.ports import Meter, RequestTrace
from surefoot.core.request import Citing, as_request
from surefoot.core.sources import Sources
from surefoot.core.text import whole
from surefoot.core.types import (
    AskEvent,
    AskResult,
    IngestProgress,
    IngestReport,
    Json,
    JudgeResult,
    Passage,
    Retrieval,
    SearchFilter,
    Shown,
    StoredDocument,
    Turn,
    VerificationResult,
    VerifyInput,
    VerifyOptions,
)
from surefoot.encoders.parallel import ParallelEmbedder
from surefoot.flows.aloud import Aloud
from surefoot.observe.metrics import PrometheusMeter
from surefoot.packs import loader
from surefoot.settings import SettingChanges, Settings, changed
from surefoot.settings import load as load_settings
from surefoot.wiring.blocking import BlockingSurefoot
from surefoot.wiring.equipment import Equipment
from surefoot.wiring.holdings import count_passages, has_documents, nothing_ingested

if TYPE_CHECKING:
    from surefoot.flows.gaps import Gap
    from surefoot.packs.cases import Case


def build(
    settings: Settings | None = None,
    *,
    meter: Meter | None = None,
    logged: bool = False,
    **changes: Unpack[SettingChanges],
) -> Surefoot:
    """Everything from settings; without any, from the environment and `surefoot.toml`.

    `logged` writes a line per decision through structlog: a service wants that, a command line does not.
    `changes` override single settings, `None` meaning "as it is": `build(kb=folder, pack="thandi")`.
    """
    return Surefoot(settings, meter=meter, logged=logged, **changes)


def build_service(settings: Settings | None = None, **changes: Unpack[SettingChanges]) -> Surefoot:
    """The house of a long-running process: with metrics, and with JSON log lines on standard error."""
    from surefoot.observe.logging import configure

    house = build(settings, meter=PrometheusMeter(), logged=True, **changes)
    configure(level=house.settings.log_level, content=house.settings.log_content)
    return house


class Surefoot(Equipment):
    """Answers, verifies and judges. One instance serves many callers; close it when done.

    Blocking, with plain calls:

        with surefoot.Surefoot(kb="path") as sf:
            sf.ingest("documents")
            print(sf.ask("What is the late fee?").text)

    Asynchronous, with the same names:

        async with surefoot.Surefoot(kb="path") as sf:
            asked = await sf.ask("What is the late fee?")

    Settings are those of the environment and of `surefoot.toml`; keyword arguments override them.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        meter: Meter | None = None,
        logged: bool = False,
        keeps_runs: bool = True,
        **changes: Unpack[SettingChanges],
    ) -> None:
        """`keeps_runs=False`: verifying writes nothing to disk, neither a run log nor a cache."""
        super().__init__(
            changed(settings or load_settings(), changes if keeps_runs else {**changes, "cache": False}),
            meter=meter,
            logged=logged,
            keeps_runs=keeps_runs,
        )

    def __enter__(self) -> BlockingSurefoot:
        return BlockingSurefoot(self)

    def __exit__(self, *raised: object) -> None:
        blocking(self.close())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    @overload
    async def verify(self, answer: VerifyInput) -> VerificationResult: ...

    @overload
    async def verify(
        self,
        answer: str,
        sources: Sources,
        *,
        question: str | None = None,
        profile: Mapping[str, Json] | None = None,
        citations: Citing | None = None,
        pack: str | None = None,
        rag_draft: str | None = None,
        options: VerifyOptions | None = None,
    ) -> VerificationResult: ...

    async def verify(
        self,
        answer: str | VerifyInput,
        sources: Sources | None = None,
        *,
        question: str | None = None,
        profile: Mapping[str, Json] | None = None,
        citations: Citing | None = None,
        pack: str | None = None,
        rag_draft: str | None = None,
        options: VerifyOptions | None = None,
    ) -> VerificationResult:
        """The gate's verdict on a draft from any other system; see `surefoot.verify`."""
        request = as_request(
            answer,
            sources,
            question=question,
            profile=profile,
            citations=citations,
            pack=pack,
            rag_draft=rag_draft,
            options=options,
        )
        with self.tracing.request("verify") as trace:
            result = await self.audited.verify(request)
            trace.decided(result)
            return result

    async def search(self, question: str, *, k: int | None = None, where: SearchFilter | None = None) -> Retrieval:
        """The passages nearest to a question, best first, and whether they hold an answer at all."""
        return await self.retriever.retrieve(whole(question), k=k or self.settings.top_k, where=where)

    async def give_up(self, request: VerifyInput) -> VerificationResult:
        """The verdict on a draft whose time ran out before its turn came: the safe text, in time."""
        with self.tracing.request("verify") as trace:
            result = await self.audited.fail(request, "deadline_exceeded")
            trace.decided(result)
            return result

    async def ask(
        self,
        question: str,
        *,
        pack: str | None = None,
        profile: Mapping[str, Json] | None = None,
        history: Sequence[Turn] = (),
        where: SearchFilter | None = None,
        session_id: str | None = None,
        options: VerifyOptions | None = None,
        on_event: Callable[[AskEvent], None] | None = None,
        on_release: Callable[[Shown], None] | None = None,
    ) -> AskResult:
        """One verified answer from the knowledge base, with its proof, or an honest refusal.

        `history`: earlier turns, oldest first; a follow-up is resolved against them.
        `on_release` may hear its proven start before the critic has read the rest; the final answer begins with it.
        """
        from surefoot.flows.state import AskRequest

        with self.tracing.request("ask") as trace:
            request = AskRequest(
                question=whole(question),
                pack=self.pack(pack),
                profile=profile or {},
                history=tuple(
                    replace(turn, question=whole(turn.question), answer=whole(turn.answer)) for turn in history
                ),
                where=where,
                session_id=session_id,
                options=options or VerifyOptions(),
                on_event=_told(on_event, trace, self.meter),
                aloud=Aloud(on_release) if on_release is not None else None,
            )
            asked = await self.flow.ask(request)
            trace.decided(asked.result)
            return asked

    def missed(self, asked: AskResult) -> list[str]:
        """For each part of a question that has no answer the likeliest statement, its score and the bar it missed."""
        from surefoot.generate.nearest import nearest

        passages = [found.passage for found in asked.passages]
        parts = asked.unanswered or (asked.resolved or asked.question,)
        return [line for part in parts if (line := nearest(self.answering, part, passages))]

    async def remembered(
        self,
        question: str,
        *,
        pack: str | None = None,
        profile: Mapping[str, Json] | None = None,
        where: SearchFilter | None = None,
        session_id: str | None = None,
        on_event: Callable[[AskEvent], None] | None = None,
    ) -> AskResult | None:
        """An answer given before that still stands, re-checked and written down as `ask` does; else None, at once."""
        from surefoot.flows.state import AskRequest

        with self.tracing.request("ask") as trace:
            request = AskRequest(
                question=whole(question),
                pack=self.pack(pack),
                profile=profile or {},
                where=where,
                session_id=session_id,
                on_event=_told(on_event, trace, self.meter),
            )
            asked = await self.flow.remembered(request)
            if asked is not None:
                trace.decided(asked.result)
            return asked

    async def judge(self, context: str, query: str) -> JudgeResult:
        """A cited verdict on an everyday dispute. InputError: nothing to say; ModelError: the model failed twice."""
        with self.tracing.request("judge") as trace:
            judged = await self.judge_flow.judge(whole(context), whole(query), on_event=_told(None, trace, self.meter))
            trace.decided(judged.result)
            return judged

    async def gaps(self, *, since: str, limit: int = 20) -> list[Gap]:
        """What was asked since that ISO date or time and refused, clustered, with the passages that came nearest."""
        from surefoot.flows.gaps import find_gaps

        records = await asyncio.to_thread(list, self.runlog.since(moment(since, "since")))
        return await find_gaps(records, embedder=self.embedder, retriever=self.retriever, limit=limit)

    async def ingest(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        tags: Mapping[str, Json] | None = None,
        on_progress: Callable[[IngestProgress], None] | None = None,
    ) -> IngestReport:
        """Makes the knowledge base hold what the files, folders and patterns hold now; tags go on every passage."""
        given = [paths] if isinstance(paths, str | Path) else paths
        report = await self.ingestor.ingest(given, tags=tags, on_progress=on_progress)
        if report.changed_ids and self.answers is not None:
            await self.answers.forget(report.changed_ids)
        return report

    async def documents(self) -> list[StoredDocument]:
        """Every source the knowledge base knows, with the state of its indexing."""
        return await asyncio.to_thread(self._documents)

    async def document_passages(self, path: Path) -> list[Passage]:
        """One document's passages in the order of their text."""
        ids = await asyncio.to_thread(lambda: list(self.ingestor.manifest.chunks(path)))
        found = await self.store.get(ids) if ids else []
        return sorted(found, key=lambda passage: int(str(passage.metadata.get("start") or 0)))

    async def example_questions(self, *, limit: int = 4) -> list[str]:
        """A few questions that these documents answer, for a person who does not know yet what to ask. The newest
        documents have the first word: who has just brought one wants to ask about it."""
        from surefoot.flows.examples import example_questions

        paths = [document.path for document in await self.documents() if document.state == "done" and document.path]
        newest = await asyncio.to_thread(lambda: sorted(paths, key=_changed_at, reverse=True))
        shown = [await self.document_passages(path) for path in newest[:12]]
        return await example_questions([found[:6] for found in shown], self.retriever, limit=limit)

    async def reach_store(self) -> None:
        """A StoreError where no question can be looked up now."""
        if self.settings.store_url:
            await self.store.identity()
        elif self.place.ledger.exists():
            await self.store.count()

    async def reach_redis(self) -> bool:
        """Whether the configured Redis answers; answers are made without it too."""
        return self._redis is not None and await self._redis.reach()

    async def check_store(self, *, every: bool = False) -> int:
        """How many passages the store holds; a StoreError where it is damaged or has lost some. `every`: reads each."""
        if self._is_new:
            return 0
        where = self.database.shown if self.database is not None else str(self.settings.kb)
        return await count_passages(self.store, listed=self.ingestor.manifest.listed(), where=where, every=every)

    @property
    def has_documents(self) -> bool:
        """Whether there is anything to answer from. Makes nothing; a server's own list of documents is not read."""
        return has_documents(self.place)

    @property
    def nothing_ingested(self) -> str:
        """What to say where it has none."""
        return nothing_ingested(self.settings, self.place)

    async def close(self) -> None:
        """Lets go of the store, the run log and the caches; another process may have them then."""
        if "runlog" in self.__dict__:
            self.runlog.close()
        if "store" in self.__dict__:
            await self.store.close()
        if "ingestor" in self.__dict__:
            self.ingestor.manifest.close()
            if isinstance(self.ingestor.embedder, ParallelEmbedder):
                await asyncio.to_thread(self.ingestor.embedder.close)
        if (ray := self.__dict__.get("_ray")) is not None:
            await asyncio.to_thread(ray.close)
        if (database := self.__dict__.get("database")) is not None:
            await asyncio.to_thread(database.close)
            await asyncio.to_thread(shutil.rmtree, self.uploads_folder, ignore_errors=True)
        if (cache := self.__dict__.get("cache")) is not None:
            await cache.close()
        if "tracing" in self.__dict__:
            await asyncio.to_thread(self.tracing.close)

    def pack_names(self) -> list[str]:
        """Every pack there is: shipped ones and the operator's own."""
        return loader.names(packs_dir=self.settings.packs_dir)

    def cases(self, name: str) -> list[Case]:
        """A pack's recorded cases."""
        from surefoot.packs.cases import read_cases

        found, mistakes = read_cases(loader.find(name, packs_dir=self.settings.packs_dir))
        if mistakes:
            raise mistakes[0].error()
        return found

    async def warm(self) -> None:
        """Loads what the first request would otherwise wait for."""
        self.pack()
        # no quote, so that the grounders are opened and read something
        await self.gate.verify(VerifyInput(draft_answer="It is ready.", chunks=(Passage(id="S1", text="Ready."),)))
        await self.retriever.retrieve("Is everything ready?", k=1)
        _ = self.flow

    def _documents(self) -> list[StoredDocument]:
        return self.ingestor.manifest.documents()


def _changed_at(path: Path) -> float:
    """When a file was last written; 0 where it is gone."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _told(listener: Callable[[AskEvent], None] | None, trace: RequestTrace, meter: Meter) -> Callable[[AskEvent], None]:
    """The caller's listener, the trace and the metrics hear the same events."""

    def tell(event: AskEvent) -> None:
        trace.node(event)
        if event.state != "started":
            meter.observe("node", event.took_ms, node=event.node)
        if listener is not None:
            listener(event)

    return tell
