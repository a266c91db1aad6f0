"""The composition root: settings to objects.

Everything heavy is built on first use, so that verifying a draft loads no store and asking without an LLM no SDK.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.core.errors import SurefootError
from surefoot.core.hashing import content_hash
from surefoot.core.ports import (
    Cache,
    Embedder,
    Evidence,
    Generator,
    LanguageModel,
    Meter,
    PortableStore,
    RequestTrace,
    Reranker,
    SafeWriter,
    SearchProvider,
    Verifier,
)
from surefoot.core.redaction import redact, redact_profile
from surefoot.core.types import (
    AskEvent,
    AskResult,
    IngestProgress,
    IngestReport,
    Json,
    JudgeResult,
    Passage,
    SearchFilter,
    Shown,
    StoredDocument,
    VerificationResult,
    VerifyInput,
    VerifyOptions,
)
from surefoot.correct.evidence import ExternalEvidence
from surefoot.correct.fetch import SafeFetcher
from surefoot.correct.search import open_search
from surefoot.correct.sources import Curated, Pages
from surefoot.encoders.embedder import OnnxEmbedder
from surefoot.encoders.grounder import OnnxGrounder
from surefoot.encoders.reranker import OnnxReranker
from surefoot.flows.aloud import Aloud
from surefoot.flows.answers import AnswerCache
from surefoot.flows.ask import AskFlow
from surefoot.flows.audited import Audited
from surefoot.flows.gaps import Gap, find_gaps
from surefoot.flows.judge import JudgeFlow
from surefoot.flows.state import AskRequest, Limits
from surefoot.generate.extractive import Extractive
from surefoot.generate.generator import ExtractiveGenerator, ModelGenerator
from surefoot.ingest.ingestor import Ingestor
from surefoot.ingest.manifest import Manifest
from surefoot.llm.recorded import RecordedModel, Recording
from surefoot.llm.table import Connection, open_model
from surefoot.llm.wrappers import Cached, Metered, Redacting
from surefoot.observe.metrics import PrometheusMeter, SilentMeter
from surefoot.observe.runlog import RunStore
from surefoot.observe.tracing import OpenTelemetryTracing, SilentTracing, exporting_to
from surefoot.packs import loader
from surefoot.packs.schema import Pack
from surefoot.retrieve.retriever import HybridRetriever
from surefoot.settings import Settings
from surefoot.settings import load as load_settings
from surefoot.store.cache.checked import CheckedCache
from surefoot.store.cache.redis import RedisCache
from surefoot.store.cache.secret import cache_secret
from surefoot.store.cache.sqlite import FILE as CACHE_FILE
from surefoot.store.cache.sqlite import SqliteCache
from surefoot.store.place import Place
from surefoot.verify.checks.citations import CitationCheck
from surefoot.verify.checks.conflict import ConflictCheck
from surefoot.verify.checks.entities import EntityCheck
from surefoot.verify.checks.grounding import GroundingCheck
from surefoot.verify.checks.polarity import PolarityCheck
from surefoot.verify.checks.policy import PolicyCheck
from surefoot.verify.checks.structure import StructureCheck
from surefoot.verify.checks.terms import TermCheck
from surefoot.verify.checks.tone import ToneCheck
from surefoot.verify.checks.urls import UrlCheck
from surefoot.verify.checks.values import ValueCheck
from surefoot.verify.gate import Gate, GateConfig
from surefoot.verify.submission import Check
from surefoot.wiring.clocks import FixedDate, SystemClock
from surefoot.wiring.texts import pack_texts

LLM_TTL_S = 3_600
"""A model's reply is remembered as long as an answer: a bad one must not stay for a day."""
REHEARSAL_MS = 60_000
"""Recorded cases test verdicts, not speed: a busy machine must not change one."""


if TYPE_CHECKING:
    pass


def build(
    settings: Settings | None = None, *, meter: Meter | None = None, logged: bool = False, **changes: object
) -> Surefoot:
    """The whole house from settings; without any, from the environment and `surefoot.toml`.

    `logged` writes a line per decision through structlog: a service wants that, a command line does not.
    `changes` override single settings, `None` meaning "as it is": `build(kb=folder, pack="thandi")`.
    """
    base = settings or load_settings()
    given = {name: value for name, value in changes.items() if value is not None}
    return Surefoot(replace(base, **given) if given else base, meter=meter, logged=logged)  # type: ignore[arg-type]


def build_service(settings: Settings | None = None, **changes: object) -> Surefoot:
    """The house of a long-running process: with metrics, and with JSON log lines on standard error."""
    from surefoot.observe.logging import configure

    house = build(settings, meter=PrometheusMeter(), logged=True, **changes)
    configure(level=house.settings.log_level, content=house.settings.log_content)
    return house


class Surefoot:
    """Answers, verifies and judges. One instance serves many callers; close it when done."""

    def __init__(self, settings: Settings, *, meter: Meter | None = None, logged: bool = False) -> None:
        self.settings = settings
        self._logged = logged and settings.enable_logging
        self.meter: Meter = meter or SilentMeter()
        self.clock = SystemClock()

    async def verify(self, request: VerifyInput) -> VerificationResult:
        """The gate's verdict on a draft from any other system."""
        with self.tracing.request("verify") as trace:
            result = await self.audited.verify(request)
            trace.decided(result)
            return result

    async def ask(
        self,
        question: str,
        *,
        pack: str | None = None,
        profile: Mapping[str, Json] | None = None,
        where: SearchFilter | None = None,
        session_id: str | None = None,
        options: VerifyOptions | None = None,
        on_event: Callable[[AskEvent], None] | None = None,
        on_release: Callable[[Shown], None] | None = None,
    ) -> AskResult:
        """One verified answer from the knowledge base, with its proof, or an honest refusal.

        `on_release` may hear its proven start before the critic has read the rest; the final answer begins with it.
        """
        with self.tracing.request("ask") as trace:
            request = AskRequest(
                question=question,
                pack=self.pack(pack),
                profile=profile or {},
                where=where,
                session_id=session_id,
                options=options or VerifyOptions(),
                on_event=_told(on_event, trace),
                aloud=Aloud(on_release) if on_release is not None else None,
            )
            asked = await self.flow.ask(request)
            trace.decided(asked.result)
            return asked

    async def judge(self, context: str, query: str) -> JudgeResult:
        """A cited verdict on an everyday dispute. InputError: nothing to say; ModelError: the model failed twice."""
        with self.tracing.request("judge") as trace:
            judged = await self.judge_flow.judge(context, query)
            trace.decided(judged.result)
            return judged

    async def gaps(self, *, since: str, limit: int = 20) -> list[Gap]:
        """What was asked since that time and refused, clustered, with the passages that came nearest."""
        records = await asyncio.to_thread(list, self.runlog.since(since))
        return await find_gaps(records, embedder=self.embedder, retriever=self.retriever, limit=limit)

    async def ingest(
        self,
        paths: Sequence[str | Path],
        *,
        tags: Mapping[str, Json] | None = None,
        on_progress: Callable[[IngestProgress], None] | None = None,
    ) -> IngestReport:
        """Makes the knowledge base hold what the files, folders and patterns hold now; tags go on every passage."""
        report = await self.ingestor.ingest(paths, tags=tags, on_progress=on_progress)
        if report.changed_ids and self.answers is not None:
            await self.answers.forget(report.changed_ids)
        return report

    async def documents(self) -> list[StoredDocument]:
        """Every source the knowledge base knows, with the state of its indexing."""
        return await asyncio.to_thread(self._documents)

    async def close(self) -> None:
        self.runlog.close()
        if "store" in self.__dict__:
            await self.store.close()
        if "ingestor" in self.__dict__:
            self.ingestor.manifest.close()
        if (cache := self.__dict__.get("cache")) is not None:
            await cache.close()
        if "tracing" in self.__dict__:
            await asyncio.to_thread(self.tracing.close)

    def pack(self, name: str | None = None, rules: Sequence[str] = ()) -> Pack:
        return loader.load(name or self.settings.pack, packs_dir=self.settings.packs_dir, extra_rules=rules)

    def pack_names(self) -> list[str]:
        """Every pack there is: shipped ones and the operator's own."""
        return loader.names(packs_dir=self.settings.packs_dir)

    async def warm(self) -> None:
        """Loads what the first request would otherwise wait for."""
        self.pack()
        await self.gate.verify(VerifyInput(draft_answer="Ready.", chunks=(Passage(id="S1", text="Ready."),)))
        await self.retriever.retrieve("Is everything ready?", k=1)
        self.flow.graph()

    def diagnose(self) -> list[tuple[str, str, str]]:
        """For `surefoot doctor`: (ok | optional | bad, what, remedy) for everything the settings ask for."""
        named = [
            ("answer", self.settings.llm),
            *(("critic", spec) for spec in (self.settings.llm_critic or "").split(",")),
        ]
        return [
            _tried(f"pack {self.settings.pack!r}", self.pack),
            *(_tried(f"{role} model {spec}", partial(self.model, spec)) for role, spec in named if spec),
        ]

    @cached_property
    def gate(self) -> Gate:
        settings = self.settings
        return Gate(
            packs=self.pack,
            rules=self.rules,
            grounding=self.grounding,
            safe_writer=self.safe_writer,
            clock=self.clock,
            critics=self.critics,
            config=GateConfig(
                deadline_ms=settings.deadline_ms,
                strict_mode=settings.strict_mode,
                enable_fallback=settings.enable_fallback,
                fallback_to_rag_draft=settings.fallback_to_rag_draft,
                critic_timeout_ms=settings.critic_timeout_ms,
                skip_llm_if_rule_confidence=settings.skip_llm_if_rule_confidence,
            ),
        )

    def rehearsal(self, pack: str, today: str, critics: Sequence[LanguageModel]) -> Gate:
        """A gate for recorded cases: the same checks, a date that stands still, critics whose words are known."""
        return Gate(
            packs=lambda name, rules: self.pack(name or pack, rules),
            rules=self.rules,
            grounding=self.grounding,
            safe_writer=self.safe_writer,
            clock=FixedDate(today),
            critics=lambda model: critics,
            config=GateConfig(deadline_ms=REHEARSAL_MS, critic_timeout_ms=REHEARSAL_MS // 2),
        )

    @cached_property
    def audited(self) -> Verifier:
        return self._audit("verify")

    def _audit(self, kind: str) -> Audited:
        return Audited(gate=self.gate, runlog=self.runlog, meter=self.meter, log=partial(self._log, kind), kind=kind)

    @cached_property
    def flow(self) -> AskFlow:
        settings = self.settings
        return AskFlow(
            retriever=self.retriever,
            generator=self.generator,
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
            scorer=self.scorer,
            audit=self._audit("ask").record,
            audit_hit=self._audit("ask").record_hit,
        )

    @cached_property
    def judge_flow(self) -> JudgeFlow:
        pack = self.pack("judge")
        return JudgeFlow(
            pack=pack,
            gate=self.gate,
            curated=self.curated(pack),
            library=cache(partial(pack_texts, pack)),
            model=self.model(self.settings.llm_judge or self.settings.llm),
            embedder=self.embedder,
            audit=self._audit("judge").record,
            timeout_ms=self.settings.llm_timeout_ms,
        )

    @cached_property
    def answers(self) -> AnswerCache | None:
        """Remembered answers of this knowledge base; None where the cache is switched off."""
        if self.cache is None:
            return None
        checks = [f"{check.name}@{check.version}" for check in (*self.rules, *self.grounding)]
        return AnswerCache(
            cache=self.cache,
            knowledge_base=content_hash(
                [self.settings.store_url or str(self.settings.kb.resolve()), self.settings.store_collection]
            ),
            gate=content_hash(
                [
                    checks,
                    self.gate.config,
                    self.settings.llm_critic,
                    self.embedder.identity,
                    self.reranker.identity if self.reranker else None,
                ]
            ),
            secret=cache_secret(self.settings.kb, self.settings.cache_key),
            passages=self.store.get,
            meter=self.meter,
        )

    @cached_property
    def cache(self) -> Cache | None:
        """Redis where a URL is set, else a file in the knowledge base."""
        if not self.settings.cache:
            return None
        inner: Cache = (
            RedisCache(self.settings.redis_url)
            if self.settings.redis_url
            else SqliteCache(self.settings.kb / CACHE_FILE)
        )
        return CheckedCache(
            inner, on_poisoned=lambda tier: self.meter.count("cache_requests", tier=tier, outcome="poisoned")
        )

    def evidence(self, pack: Pack) -> Evidence | None:
        """Where to look outside: the pack's curated sources, then the search provider; None: nowhere."""
        provider = self.search_provider
        if provider is None and not (pack.sources and self.settings.fetch_curated):
            return None
        return ExternalEvidence(
            curated=self.curated(pack),
            pages=self.pages,
            provider=provider,
            keywords=pack.keywords,
            embedder=self.embedder,
            redact=lambda text: redact(text).text,
        )

    def curated(self, pack: Pack) -> Curated:
        return Curated(pages=self.pages, sources=pack.sources if self.settings.fetch_curated else ())

    @cached_property
    def search_provider(self) -> SearchProvider | None:
        settings = self.settings
        return open_search(settings.search_provider, url=settings.search_url, api_key=settings.search_api_key)

    @cached_property
    def pages(self) -> Pages:
        fetcher = SafeFetcher(clock=self.clock, allowed_hosts=frozenset(self.settings.fetch_allow_hosts))
        return Pages(fetcher=fetcher, cache=self.cache)

    @cached_property
    def scorer(self) -> Callable[[str, Sequence[str]], Sequence[float]] | None:
        """How likely a text answers a question; None without a re-ranker."""
        return self.reranker.score if self.reranker is not None else None

    def generator(self, pack: Pack) -> Generator:
        """Who writes drafts: the configured model, else source sentences."""
        model = self.model(self.settings.llm)
        if model is None:
            return ExtractiveGenerator(writer=Extractive(embedder=self.embedder, scorer=self.scorer, rows=True))
        return ModelGenerator(model=model, prompts=pack.prompts)

    @cached_property
    def rules(self) -> Sequence[Check]:
        """Stage 1, cheap to dear."""
        return (
            PolicyCheck(),
            ToneCheck(),
            StructureCheck(),
            CitationCheck(),
            UrlCheck(),
            EntityCheck(),
            TermCheck(),
            ValueCheck(),
            PolarityCheck(),
            ConflictCheck(),
        )

    @cached_property
    def grounding(self) -> Sequence[Check]:
        """Stage 2. The grounders are opened here, before the first deadline runs.

        `auto` has both: the accurate one judges a few claims, the fast one many; `none` leaves the features alone.
        """
        size = self.settings.grounder_size
        accurate = self._grounder("accurate") if size in ("auto", "accurate") else None
        fast = self._grounder("fast") if size in ("auto", "fast") else None
        return (GroundingCheck(accurate=accurate, fast=fast, now=self.clock.monotonic),)

    def _grounder(self, size: str) -> OnnxGrounder:
        grounder = OnnxGrounder(f"grounder_{size}", self.settings.grounder, threads=self.settings.threads)
        grounder.warm()
        return grounder

    @cached_property
    def safe_writer(self) -> SafeWriter:
        return Extractive()

    @cached_property
    def embedder(self) -> Embedder:
        return OnnxEmbedder(self.settings.embedder, threads=self.settings.threads)

    @cached_property
    def reranker(self) -> Reranker | None:
        """The cross-encoder, where the settings want one."""
        if not self.settings.rerank:
            return None
        return OnnxReranker(self.settings.reranker, threads=self.settings.threads)

    @cached_property
    def store(self) -> PortableStore:
        return self.place.open(dimension=lambda: self.embedder.dimension)

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
        )

    @cached_property
    def retriever(self) -> HybridRetriever:
        return HybridRetriever(store=self.store, embedder=self.embedder, reranker=self.reranker)

    @cached_property
    def ingestor(self) -> Ingestor:
        ledger = Manifest(self.place.ledger)
        return Ingestor(store=self.store, embedder=self.embedder, manifest=ledger, cache=self.cache)

    @cached_property
    def tracing(self) -> SilentTracing | OpenTelemetryTracing:
        endpoint = self.settings.otel_endpoint
        return exporting_to(endpoint) if endpoint else SilentTracing()

    @cached_property
    def runlog(self) -> RunStore:
        settings = self.settings
        return RunStore(settings.kb, content=settings.run_content, retention_days=settings.run_retention_days)

    def critics(self, model: str | None = None) -> Sequence[LanguageModel]:
        """The critics of a verification: the caller's model, else those of the settings."""
        named = model or self.settings.llm_critic or ""
        opened = (self.model(spec) for spec in named.split(",") if spec.strip())
        return [critic for critic in opened if critic is not None]

    def model(self, spec: str) -> LanguageModel | None:
        if spec not in self._models:
            self._models[spec] = self._remembering(open_model(spec, self.connection))
        return self._models[spec]

    def _remembering(self, model: LanguageModel | None) -> LanguageModel | None:
        """Calls are timed and, where there is a cache, made once per content; a recording is its own memory."""
        if model is None:
            return None
        if self.cache is not None and not isinstance(model, RecordedModel | Recording):
            model = Cached(model=model, cache=self.cache, ttl_s=LLM_TTL_S)
        return self.tracing.traced(Metered(model=Redacting(model=model), meter=self.meter))

    @property
    def connection(self) -> Connection:
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
        manifest = self.ingestor.manifest
        return [
            StoredDocument(
                source=entry.source, state=entry.state, chunks=len(manifest.chunks(path)), reason=entry.reason
            )
            for path, entry in manifest.entries().items()
        ]

    def _log(self, kind: str, request: VerifyInput, result: VerificationResult) -> None:
        if self._logged:
            # structlog takes a third of a second to import, and a command line has no use for it.
            from surefoot.observe.logging import decision_line, log_decision

            log_decision(decision_line(result, kind=kind, session_id=request.session_id))


def _told(listener: Callable[[AskEvent], None] | None, trace: RequestTrace) -> Callable[[AskEvent], None]:
    """The caller's listener and the trace hear the same events."""

    def tell(event: AskEvent) -> None:
        trace.node(event)
        if listener is not None:
            listener(event)

    return tell


def _tried(what: str, action: Callable[[], object]) -> tuple[str, str, str]:
    try:
        action()
    except SurefootError as error:
        return ("bad", what, str(error))
    return ("ok", what, "")
