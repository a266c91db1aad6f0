"""The composition root: settings to objects.

Everything heavy is built on first use, so that verifying a draft loads no store and asking without an LLM no SDK. What
only some calls need is imported where it is built: a command that verifies one draft ends before it would be read.
"""

from __future__ import annotations

import asyncio
import secrets
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack, overload

from surefoot.core.blocking import blocking
from surefoot.core.errors import StoreError
from surefoot.core.hashing import content_hash
from surefoot.core.known_names import known_names
from surefoot.core.ports import (
    Cache,
    Embedder,
    Evidence,
    Generator,
    Grounder,
    LanguageModel,
    Meter,
    PortableStore,
    RequestTrace,
    Reranker,
    SafeWriter,
    SearchProvider,
    SlowGrounder,
    Vectors,
    Verifier,
)
from surefoot.core.redaction import redact, redact_profile
from surefoot.core.request import CITATIONS, Citing, as_request
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
from surefoot.flows.audited import Audited
from surefoot.flows.cited import Cited
from surefoot.flows.punctual import Punctual
from surefoot.generate.extractive import Extractive
from surefoot.ingest.manifest import Manifest
from surefoot.ingest.shelf import Shelf
from surefoot.ingest.vectors import vectors_of
from surefoot.observe.chain import Head
from surefoot.observe.metrics import PrometheusMeter, SilentMeter
from surefoot.observe.runlog import RunStore
from surefoot.observe.tracing import OpenTelemetryTracing, SilentTracing, exporting_to
from surefoot.packs import loader
from surefoot.packs.schema import Pack
from surefoot.settings import SettingChanges, Settings, changed
from surefoot.settings import load as load_settings
from surefoot.store.cache.checked import CheckedCache
from surefoot.store.cache.redis import RedisCache
from surefoot.store.cache.secret import cache_secret, shared_secret
from surefoot.store.cache.sqlite import FILE as CACHE_FILE
from surefoot.store.cache.sqlite import SqliteCache
from surefoot.store.place import Place
from surefoot.store.postgres.database import PostgresDatabase
from surefoot.store.postgres.keys import SharedKeys
from surefoot.verify.checks.citations import CitationCheck
from surefoot.verify.checks.conflict import ConflictCheck
from surefoot.verify.checks.consistency import ConsistencyCheck
from surefoot.verify.checks.entities import EntityCheck
from surefoot.verify.checks.names import NameCheck
from surefoot.verify.checks.policy import PolicyCheck
from surefoot.verify.checks.readable import ReadableCheck
from surefoot.verify.checks.structure import StructureCheck
from surefoot.verify.checks.terms import TermCheck
from surefoot.verify.checks.tone import ToneCheck
from surefoot.verify.checks.urls import UrlCheck
from surefoot.verify.checks.values import ValueCheck
from surefoot.verify.gate import Gate, GateConfig
from surefoot.verify.ground.risk import GroundingCheck
from surefoot.verify.mend.quotes import Quoter
from surefoot.verify.read.submission import Check
from surefoot.wiring.blocking import BlockingSurefoot
from surefoot.wiring.clocks import FixedDate, SystemClock
from surefoot.wiring.code import code_hash
from surefoot.wiring.encoders import (
    build_embedder,
    build_grounders,
    build_reranker,
    build_thorough,
    filling,
    warmed,
)

if TYPE_CHECKING:
    from surefoot.correct.sources import Curated, Pages
    from surefoot.dataset.runners.ray import RayRunner
    from surefoot.flows.answers import AnswerCache
    from surefoot.flows.ask import AskFlow
    from surefoot.flows.gaps import Gap
    from surefoot.flows.judge import JudgeFlow
    from surefoot.generate.answering import Answering
    from surefoot.ingest.ingestor import Ingestor
    from surefoot.llm.table import Connection
    from surefoot.packs.cases import Case
    from surefoot.retrieve.retriever import HybridRetriever

LLM_TTL_S = 3_600
LLM_ATTEMPTS = 2
"""A model's reply is remembered as long as an answer: a bad one must not stay for a day."""
READING_SHARE = 0.1
"""Of a question's time, for reading whether statements answer it; what takes longer is answered without."""
REHEARSAL_MS = 60_000
"""Recorded cases test verdicts, not speed: a busy machine must not change one."""


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


class Surefoot:
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
        self.settings = changed(settings or load_settings(), changes if keeps_runs else {**changes, "cache": False})
        self._logged = logged and self.settings.enable_logging
        self._keeps_runs = keeps_runs
        self.meter: Meter = meter or SilentMeter()
        self.clock = SystemClock()

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
        """What was asked since that time and refused, clustered, with the passages that came nearest."""
        from surefoot.flows.gaps import find_gaps

        records = await asyncio.to_thread(list, self.runlog.since(since))
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
        if self.database is None and not self.place.ledger.exists():
            return 0  # nothing was ever ingested
        listed = self.ingestor.manifest.listed()
        held = 0
        if every:
            async for page in self.store.scan():
                held += len(page)
        else:
            held = await self.store.count()
        if held < listed:
            place = self.database.shown if self.database is not None else str(self.settings.kb)
            raise StoreError(
                f"the store {place!r} holds {held} passages and its ledger lists {listed}; "
                "restore a snapshot, or run: surefoot store rebuild"
            )
        return held

    @property
    def has_documents(self) -> bool:
        """Whether there is anything to answer from. Makes nothing; a server's own list of documents is not read."""
        if self.settings.store_url is not None:
            return True
        if not self.place.ledger.exists():
            return False
        ledger = Manifest(self.place.ledger)
        try:
            return bool(ledger.listed())
        finally:
            ledger.close()

    @property
    def nothing_ingested(self) -> str:
        """What to say where it has none."""
        kb = str(self.settings.kb)
        own = "" if kb == ".surefoot" else f" --kb {shlex.quote(kb)}"
        found = "is empty" if self.place.ledger.exists() else "does not exist"
        return f"the knowledge base {kb!r} {found}; fill it, run: surefoot ingest FOLDER{own}"

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

    def pack(self, name: str | None = None, rules: Sequence[str] = ()) -> Pack:
        return loader.load(name or self.settings.pack, packs_dir=self.settings.packs_dir, extra_rules=rules)

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

    @cached_property
    def gate(self) -> Gate:
        """The gate, citing as the pack says."""
        return self._gate(None)

    @cached_property
    def cited(self) -> Verifier:
        """The gate for callers who may say how a draft has to cite."""
        own = {mode: partial(self._gate, mode) for mode in CITATIONS}
        made: dict[str, Gate] = {}

        def gate(citations: str | None) -> Verifier:
            if citations is None:
                return self.gate
            if citations not in made:
                made[citations] = own[citations]()
            return made[citations]

        return Cited(gate=gate)

    def _gate(self, citations: str | None) -> Gate:
        settings = self.settings
        return Gate(
            packs=partial(self._citing_pack, citations),
            rules=self.rules,
            grounding=self.grounding,
            safe_writer=self.safe_writer,
            clock=self.clock,
            critics=self.critics,
            quoter=self.quoter,
            open_models=self.open_models,
            config=GateConfig(
                deadline_ms=settings.deadline_ms,
                strict_mode=settings.strict_mode,
                trust=settings.trust,
                enable_fallback=settings.enable_fallback,
                fallback_to_rag_draft=settings.fallback_to_rag_draft,
                critic_timeout_ms=settings.critic_timeout_ms,
                skip_llm_if_rule_confidence=settings.skip_llm_if_rule_confidence,
            ),
        )

    def _citing_pack(self, citations: str | None, name: str | None, rules: Sequence[str]) -> Pack:
        pack = self.pack(name, rules)
        return pack if citations is None else replace(pack, citations=replace(pack.citations, mode=citations))

    @cached_property
    def punctual(self) -> Verifier:
        """The gate for whoever may have stood in line; a question counts its wait in its own budget."""
        return Punctual(gate=self.cited, deadline_ms=self.settings.deadline_ms)

    def rehearsal(self, pack: str, today: str, critics: Sequence[LanguageModel]) -> Gate:
        """A gate for recorded cases: the same checks, a date that stands still, critics whose words are known."""
        return Gate(
            packs=lambda name, rules: self.pack(name or pack, rules),
            rules=self.rules,
            grounding=self.grounding,
            safe_writer=self.safe_writer,
            clock=FixedDate(today),
            critics=lambda model: critics,
            quoter=self.quoter,
            open_models=self.open_models,
            config=GateConfig(deadline_ms=REHEARSAL_MS, critic_timeout_ms=REHEARSAL_MS // 2),
        )

    @cached_property
    def audited(self) -> Verifier:
        if not self._keeps_runs:
            return self.punctual
        return self._audit("verify")

    def _audit(self, kind: str) -> Audited:
        return Audited(
            gate=self.punctual, runlog=self.runlog, meter=self.meter, log=partial(self._log, kind), kind=kind
        )

    @cached_property
    def flow(self) -> AskFlow:
        from surefoot.flows.ask import AskFlow
        from surefoot.flows.state import Limits

        settings = self.settings
        return AskFlow(
            retriever=self.retriever,
            generator=self.generator,
            quotes=lambda pack: None if self.model(self.settings.llm) is None else self.quoting,
            gate=self.gate,
            evidence=self.evidence,
            clock=self.clock,
            pack=self.pack(),
            limits=Limits(
                rounds=settings.max_rounds,
                milliseconds=settings.ask_budget_ms,
                tokens=settings.ask_budget_tokens,
                top_k=settings.top_k,
                gate_ms=settings.deadline_ms,
            ),
            answers=self.answers,
            redact=redact_profile,
            scorer=self.answering.holds,
            known=getattr(self.embedder, "knows", lambda word: True),
            audit=self._audit("ask").record,
            audit_hit=self._audit("ask").record_hit,
        )

    @cached_property
    def judge_flow(self) -> JudgeFlow:
        from surefoot.flows.judge import JudgeFlow
        from surefoot.wiring.texts import pack_texts

        pack = self.pack("judge")
        return JudgeFlow(
            pack=pack,
            gate=self.punctual,
            curated=self.curated(pack),
            library=cache(partial(pack_texts, pack)),
            model=self.model(self.settings.llm_judge or self.settings.llm),
            embedder=self.embedder,
            audit=self._audit("judge").record,
            timeout_ms=self.settings.llm_timeout_ms,
            meter=self.meter,
        )

    @cached_property
    def answers(self) -> AnswerCache | None:
        """Remembered answers of this knowledge base; None where the cache is switched off."""
        if self.cache is None:
            return None
        from surefoot.flows.answers import AnswerCache

        checks = [f"{check.name}@{check.version}" for check in (*self.rules, *self.grounding)]
        return AnswerCache(
            cache=self.cache,
            knowledge_base=content_hash(
                [self.settings.store_url or str(self.settings.kb.resolve()), self.settings.store_collection]
            ),
            gate=content_hash(
                [
                    code_hash(),
                    checks,
                    self.gate.config,
                    self.settings.llm_critic,
                    self.embedder.identity,
                    self.reranker.identity if self.reranker else None,
                ]
            ),
            secret=self.secret,
            passages=self.store.get,
            meter=self.meter,
        )

    @cached_property
    def cache(self) -> Cache | None:
        """Redis where a URL is set, else a file in the knowledge base."""
        if not self.settings.cache:
            return None
        return CheckedCache(
            self._redis or SqliteCache(self.settings.kb / CACHE_FILE),
            secret=lambda: self.secret,
            on_poisoned=lambda tier: self.meter.count("cache_requests", tier=tier, outcome="poisoned"),
            on_looked=self._looked,
        )

    @cached_property
    def _redis(self) -> RedisCache | None:
        return RedisCache(self.settings.redis_url) if self.settings.redis_url else None

    def _looked(self, tier: str, hit: bool) -> None:
        """Counts a lookup; answers are counted where it is known whether what was found may be used."""
        if tier != "answer":
            self.meter.count("cache_requests", tier=tier, outcome="hit" if hit else "miss")

    def evidence(self, pack: Pack) -> Evidence | None:
        """Where to look outside: the pack's curated sources, then the search provider; None: nowhere."""
        provider = self.search_provider
        if provider is None and not (pack.sources and self.settings.fetch_curated):
            return None
        from surefoot.correct.evidence import ExternalEvidence

        return ExternalEvidence(
            curated=self.curated(pack),
            pages=self.pages,
            provider=provider,
            keywords=pack.keywords,
            examples=pack.domain_examples,
            embedder=self.embedder,
            redact=lambda text: redact(text, known_names()).text,
        )

    def curated(self, pack: Pack) -> Curated:
        from surefoot.correct.sources import Curated

        return Curated(pages=self.pages, sources=pack.sources if self.settings.fetch_curated else ())

    @cached_property
    def search_provider(self) -> SearchProvider | None:
        from surefoot.correct.search import open_search

        settings = self.settings
        return open_search(settings.search_provider, url=settings.search_url, api_key=settings.search_api_key)

    @cached_property
    def pages(self) -> Pages:
        from surefoot.correct.fetch import SafeFetcher
        from surefoot.correct.sources import Pages

        fetcher = SafeFetcher(clock=self.clock, allowed_hosts=frozenset(self.settings.fetch_allow_hosts))
        return Pages(fetcher=fetcher, cache=self.cache)

    @cached_property
    def scorer(self) -> Callable[[str, Sequence[str]], Sequence[float]] | None:
        """How likely a text answers a question; None without a re-ranker."""
        return self.reranker.score if self.reranker is not None else None

    @cached_property
    def answering(self) -> Answering:
        """Whether a statement answers a question, judged by both models where there are both, and by the gate's
        accurate grounder where it was taught to."""
        from surefoot.generate.answering import Answering, shipped_for
        from surefoot.generate.reader import Reader

        accurate, _ = self.grounders
        reading = shipped_for(accurate.identity) if accurate is not None else None
        reader = None
        if accurate is not None and reading is not None:
            seconds = self.settings.ask_budget_ms / 1000 * READING_SHARE
            reader = Reader(grounder=accurate, seconds=seconds, now=self.clock.monotonic)
        return Answering(embedder=self.embedder, scorer=self.scorer, reader=reader, reading=reading)

    def generator(self, pack: Pack) -> Generator:
        """Who writes drafts: the configured model, else source sentences."""
        from surefoot.generate.generator import ModelGenerator

        model = self.model(self.settings.llm)
        return self.quoting if model is None else ModelGenerator(model=model, prompts=pack.prompts)

    @cached_property
    def quoting(self) -> Generator:
        """Who answers in the sources' own sentences."""
        from surefoot.generate.answerer import IDENTITY, Answerer
        from surefoot.generate.generator import ExtractiveGenerator

        return ExtractiveGenerator(writer=Answerer(answering=self.answering), name=IDENTITY)

    @cached_property
    def rules(self) -> Sequence[Check]:
        """Stage 1, cheap to dear."""
        return (
            PolicyCheck(),
            ReadableCheck(),
            ToneCheck(),
            StructureCheck(),
            CitationCheck(),
            UrlCheck(),
            EntityCheck(),
            TermCheck(),
            ValueCheck(),
            NameCheck(),
            ConsistencyCheck(),
            ConflictCheck(),
        )

    @cached_property
    def grounding(self) -> Sequence[Check]:
        """Stage 2. The gate opens the grounders before the first deadline runs that may need them.

        `auto` has both: the accurate one judges a few claims, the fast one many; with `none` only quotes are proven.
        """
        accurate, fast = self.grounders
        thorough = self.thorough
        embedder = self.embedder if accurate or fast or thorough else None
        now = self.clock.monotonic
        return (GroundingCheck(accurate=accurate, fast=fast, thorough=thorough, embedder=embedder, now=now),)

    def open_models(self) -> None:
        """Loads the weights that grounding and mending read with."""
        for grounder in filter(None, self.grounders):
            grounder.warm()
            warmed(self.embedder)

    @cached_property
    def thorough(self) -> SlowGrounder | None:
        return build_thorough(self.settings)

    @cached_property
    def grounders(self) -> tuple[Grounder | None, Grounder | None]:
        """The accurate one and the fast one, as far as the settings want them."""
        return build_grounders(self.settings)

    @cached_property
    def quoter(self) -> Quoter:
        """Chooses the source's own sentence for a claim that may not leave."""
        accurate, fast = self.grounders
        return Quoter(embedder=self.embedder if accurate or fast else None, grounder=fast or accurate)

    @cached_property
    def safe_writer(self) -> SafeWriter:
        return Extractive()

    @cached_property
    def embedder(self) -> Embedder:
        return build_embedder(self.settings)

    @cached_property
    def reranker(self) -> Reranker | None:
        return build_reranker(self.settings)

    @cached_property
    def store(self) -> PortableStore:
        return self.place.open(dimension=lambda: self.embedder.dimension, database=self.database)

    @cached_property
    def database(self) -> PostgresDatabase | None:
        """The Postgres that replicas share; None where everything lies in this machine's folder or in Qdrant."""
        return self.place.database()

    @cached_property
    def secret(self) -> bytes:
        """Signs cached answers and the run log's head: the operator's, else the replicas', else this machine's."""
        if self.database is None or self.settings.cache_key:
            return cache_secret(self.settings.kb, self.settings.cache_key)
        return shared_secret(self.database)

    @cached_property
    def uploads_folder(self) -> Path:
        """Where documents that came over HTTP lie; with a shared database only while they are being read."""
        if self.database is None:
            return self.settings.kb / "uploads"
        return Path(tempfile.gettempdir()) / f"surefoot-uploads-{secrets.token_hex(8)}"

    @cached_property
    def shelf(self) -> Shelf | None:
        """Uploads that replicas share."""
        return Shelf(self.database) if self.database is not None else None

    @cached_property
    def shared_keys(self) -> SharedKeys | None:
        """API keys that replicas share."""
        return SharedKeys(self.database) if self.database is not None else None

    @property
    def place(self) -> Place:
        settings = self.settings
        return Place(
            kb=settings.kb,
            url=settings.store_url,
            collection=settings.store_collection,
            api_key=settings.store_api_key,
            shards=settings.store_shards,
            replicas=settings.store_replicas,
            ca=settings.store_ca,
            wait=settings.store_wait,
            ordering=settings.store_ordering,
            consistency=settings.store_consistency,
            write_factor=settings.store_write_factor,
        )

    @cached_property
    def retriever(self) -> HybridRetriever:
        from surefoot.retrieve.retriever import HybridRetriever

        return HybridRetriever(
            store=self.store, embedder=self.embedder, reranker=self.reranker, vectors=self._question_vectors
        )

    async def _question_vectors(self, questions: Sequence[str]) -> Vectors:
        """By way of the vector cache, but for a question that names a person: a cache is no place for it."""
        personal = any(redact(question, known_names()).changed for question in questions)
        return await vectors_of(questions, self.embedder, None if personal else self.cache)

    @cached_property
    def ingestor(self) -> Ingestor:
        from surefoot.ingest.ingestor import Ingestor

        ledger = Manifest(self.database or self.place.ledger, uploads=self.uploads_folder)
        embedder = filling(self.embedder, self.settings, lambda: self._ray)
        return Ingestor(store=self.store, embedder=embedder, manifest=ledger, cache=self.cache)

    @cached_property
    def _ray(self) -> RayRunner | None:
        """Joined at once, so that a wrong address is said before any work is done."""
        if self.settings.ingest_ray is None:
            return None
        from surefoot.dataset.runners.ray import RayRunner

        return RayRunner(address=self.settings.ingest_ray)

    @cached_property
    def tracing(self) -> SilentTracing | OpenTelemetryTracing:
        endpoint = self.settings.otel_endpoint
        return exporting_to(endpoint) if endpoint else SilentTracing()

    @cached_property
    def runlog(self) -> RunStore:
        settings = self.settings
        return RunStore(
            self.database or settings.kb,
            content=settings.run_content,
            retention_days=settings.run_retention_days,
            key=lambda: self.secret,
            witness=_log_head if settings.run_head_to_log else lambda head: None,
        )

    def critics(self, model: str | None = None) -> Sequence[LanguageModel]:
        """The critics of a verification: the caller's model, else those of the settings."""
        named = model or self.settings.llm_critic or ""
        opened = (self.model(self._full_name(spec.strip())) for spec in named.split(",") if spec.strip())
        return [critic for critic in opened if critic is not None]

    def _full_name(self, spec: str) -> str:
        """`gpt-4o-mini` as callers write it: a model of the critic's provider, else of the answers', else of OpenAI."""
        if ":" in spec or spec == "extractive":
            return spec
        from surefoot.llm.table import PROVIDERS

        configured = [(name or "").partition(":")[0] for name in (self.settings.llm_critic, self.settings.llm)]
        return f"{next((name for name in configured if name in PROVIDERS), 'openai')}:{spec}"

    def model(self, spec: str) -> LanguageModel | None:
        from surefoot.llm.table import open_model

        if spec not in self._models:
            self._models[spec] = self._remembering(open_model(spec, self.connection))
        return self._models[spec]

    def _remembering(self, model: LanguageModel | None) -> LanguageModel | None:
        """Calls are timed, made again after a fault that may pass, and where there is a cache made once per content; a
        recording is its own memory."""
        if model is None:
            return None
        from surefoot.llm.recorded import RecordedModel, Recording
        from surefoot.llm.wrappers import Cached, Metered, Redacting, Retrying

        remembers = isinstance(model, RecordedModel | Recording)
        model = Retrying(model=model, attempts=LLM_ATTEMPTS)
        if self.cache is not None and not remembers:
            model = Cached(model=model, cache=self.cache, ttl_s=LLM_TTL_S)
        return self.tracing.traced(Metered(model=Redacting(model=model), meter=self.meter))

    @property
    def connection(self) -> Connection:
        from surefoot.llm.table import Connection

        settings = self.settings
        return Connection(
            base_url=settings.llm_base_url,
            api_key=settings.llm_api_key,
            environment=settings.environment,
            timeout_ms=settings.llm_timeout_ms,
            record_dir=settings.record_dir,
        )

    @cached_property
    def _models(self) -> dict[str, LanguageModel | None]:
        return {}

    def _documents(self) -> list[StoredDocument]:
        return self.ingestor.manifest.documents()

    def _log(self, kind: str, request: VerifyInput, result: VerificationResult) -> None:
        if self._logged:
            # structlog takes a third of a second to import, and a command line has no use for it.
            from surefoot.observe.logging import decision_line, log_decision

            log_decision(decision_line(result, kind=kind, session_id=request.session_id))


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


def _log_head(head: Head) -> None:
    """Where the log goes to another machine, nobody on this one can take its records back."""
    import structlog

    # Unconfigured, as on a command line, structlog prints to standard output, which is for answers alone.
    to_stderr = structlog.wrap_logger(structlog.PrintLogger(sys.stderr))
    log = structlog.get_logger("surefoot.audit") if structlog.is_configured() else to_stderr
    log.info("run log head", seq=head.seq, hash=head.hash)
