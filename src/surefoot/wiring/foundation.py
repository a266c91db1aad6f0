"""What the house stands on: the models, the knowledge base, the caches and the run log.

Each is built from the settings when it is first asked for, and what only some calls need is imported where it is built:
a command that verifies one draft ends before it would be read.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.core.errors import SurefootError
from surefoot.core.known_names import known_names
from surefoot.core.ports import (
    Cache,
    Embedder,
    Grounder,
    LanguageModel,
    Meter,
    PortableStore,
    Reranker,
    SlowGrounder,
    Vectors,
)
from surefoot.core.redaction import redact
from surefoot.core.types import VerificationResult, VerifyInput
from surefoot.ingest.manifest import Manifest
from surefoot.ingest.shelf import Shelf
from surefoot.ingest.vectors import vectors_of
from surefoot.observe.metrics import SilentMeter
from surefoot.observe.runlog import RunStore
from surefoot.observe.tracing import OpenTelemetryTracing, SilentTracing, exporting_to
from surefoot.packs import loader
from surefoot.packs.schema import Pack
from surefoot.settings import Settings
from surefoot.store.cache.redis import RedisCache
from surefoot.store.place import Place
from surefoot.store.postgres.database import PostgresDatabase
from surefoot.store.postgres.keys import SharedKeys
from surefoot.wiring.caches import build_cache, build_redis
from surefoot.wiring.clocks import SystemClock
from surefoot.wiring.encoders import (
    build_embedder,
    build_grounders,
    build_reranker,
    build_thorough,
    filling,
    warmed,
)
from surefoot.wiring.holdings import MADE_BY_ANOTHER
from surefoot.wiring.places import place_of, secret_of, uploads_of
from surefoot.wiring.runs import build_runlog, log_result

if TYPE_CHECKING:
    from surefoot.dataset.runners.ray import RayRunner
    from surefoot.ingest.ingestor import Ingestor
    from surefoot.llm.table import Connection
    from surefoot.retrieve.retriever import HybridRetriever


class Foundation:
    def __init__(self, settings: Settings, *, meter: Meter | None, logged: bool, keeps_runs: bool) -> None:
        self.settings = settings
        self._logged = logged and settings.enable_logging
        self._keeps_runs = keeps_runs
        self.meter: Meter = meter or SilentMeter()
        self.clock = SystemClock()

    def pack(self, name: str | None = None, rules: Sequence[str] = ()) -> Pack:
        return loader.load(name or self.settings.pack, packs_dir=self.settings.packs_dir, extra_rules=rules)

    @cached_property
    def embedder(self) -> Embedder:
        return build_embedder(self.settings)

    @cached_property
    def reranker(self) -> Reranker | None:
        return build_reranker(self.settings)

    @cached_property
    def grounders(self) -> tuple[Grounder | None, Grounder | None]:
        """The accurate one and the fast one, as far as the settings want them."""
        return build_grounders(self.settings)

    @cached_property
    def thorough(self) -> SlowGrounder | None:
        accurate, _ = self.grounders
        return build_thorough(self.settings, accurate)

    @cached_property
    def scorer(self) -> Callable[[str, Sequence[str]], Sequence[float]] | None:
        """How likely a text answers a question; None without a re-ranker."""
        return self.reranker.score if self.reranker is not None else None

    def open_models(self) -> None:
        """Loads the weights that grounding and mending read with."""
        for grounder in filter(None, self.grounders):
            grounder.warm()
            warmed(self.embedder)

    def model(self, spec: str) -> LanguageModel | None:
        from surefoot.llm.table import open_model
        from surefoot.wiring.language_models import wrapped

        if spec not in self._models:
            opened = open_model(spec, self.connection)
            if opened is not None:
                opened = wrapped(opened, cache=self.cache, tracing=self.tracing, meter=self.meter)
            self._models[spec] = opened
        return self._models[spec]

    @cached_property
    def _models(self) -> dict[str, LanguageModel | None]:
        return {}

    @property
    def connection(self) -> Connection:
        from surefoot.wiring.language_models import connection_of

        return connection_of(self.settings)

    def critics(self, model: str | None = None) -> Sequence[LanguageModel]:
        """The critics of a verification: the caller's model, else those of the settings."""
        named = model or self.settings.llm_critic or ""
        opened = (self.model(self._full_name(spec.strip())) for spec in named.split(",") if spec.strip())
        return [critic for critic in opened if critic is not None]

    def _full_name(self, spec: str) -> str:
        from surefoot.wiring.language_models import full_name

        return full_name(spec, self.settings)

    @property
    def place(self) -> Place:
        return place_of(self.settings)

    @cached_property
    def database(self) -> PostgresDatabase | None:
        """The Postgres that replicas share; None where everything lies in this machine's folder or in Qdrant."""
        return self.place.database()

    @cached_property
    def store(self) -> PortableStore:
        return self.place.open(dimension=lambda: self.embedder.dimension, database=self.database)

    @cached_property
    def secret(self) -> bytes:
        """Signs cached answers and the run log's head: the operator's, else the replicas', else this machine's."""
        return secret_of(self.settings, self.database)

    @cached_property
    def uploads_folder(self) -> Path:
        """Where documents that came over HTTP lie; with a shared database only while they are being read."""
        return uploads_of(self.settings, self.database)

    @cached_property
    def shelf(self) -> Shelf | None:
        """Uploads that replicas share."""
        return Shelf(self.database) if self.database is not None else None

    @cached_property
    def shared_keys(self) -> SharedKeys | None:
        """API keys that replicas share."""
        return SharedKeys(self.database) if self.database is not None else None

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
    def retriever(self) -> HybridRetriever:
        from surefoot.retrieve.retriever import HybridRetriever

        with suppress(SurefootError):  # a store in trouble says so itself, when it is asked
            if old := self.outdated():
                logging.getLogger(__name__).warning("the vectors of %d documents were %s", old, MADE_BY_ANOTHER)
        return HybridRetriever(
            store=self.store, embedder=self.embedder, reranker=self.reranker, vectors=self._question_vectors
        )

    async def _question_vectors(self, questions: Sequence[str]) -> Vectors:
        """By way of the vector cache, but for a question that names a person: a cache is no place for it."""
        personal = any(redact(question, known_names()).changed for question in questions)
        return await vectors_of(questions, self.embedder, None if personal else self.cache)

    def outdated(self) -> int:
        """How many documents were indexed by another embedder than this one: questions find them less well."""
        return 0 if self._is_new else self.ingestor.manifest.outdated(self.embedder.identity)

    @property
    def _is_new(self) -> bool:
        """Nothing was ever ingested here."""
        return self.database is None and not self.place.ledger.exists()

    @cached_property
    def cache(self) -> Cache | None:
        """Redis where a URL is set, else a file in the knowledge base."""
        if not self.settings.cache:
            return None
        return build_cache(self.settings, self._redis, secret=lambda: self.secret, meter=self.meter)

    @cached_property
    def _redis(self) -> RedisCache | None:
        return build_redis(self.settings)

    @cached_property
    def runlog(self) -> RunStore:
        return build_runlog(self.settings, self.database, key=lambda: self.secret)

    def _log(self, kind: str, request: VerifyInput, result: VerificationResult) -> None:
        if self._logged:
            log_result(kind, request, result)

    @cached_property
    def tracing(self) -> SilentTracing | OpenTelemetryTracing:
        endpoint = self.settings.otel_endpoint
        return exporting_to(endpoint) if endpoint else SilentTracing()
