"""Every seam of the house on one page. Implementations match by shape; they inherit nothing from here."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from surefoot.core.types import (
    AskEvent,
    ClaimText,
    Draft,
    DraftTask,
    Gathered,
    GroundingScore,
    Json,
    ModelReply,
    ModelRequest,
    Passage,
    Retrieval,
    RunSummary,
    ScoredPassage,
    SearchFilter,
    Shown,
    Turn,
    Upload,
    VerificationResult,
    VerifyInput,
    Wish,
)

Vectors = NDArray[np.float32]


class Sql(Protocol):
    """An open transaction. Values stand as `?` in the text; what is written here runs on SQLite and Postgres alike."""

    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> Any:
        """A cursor: `fetchone`, `fetchall`, `rowcount`, and the rows when iterated."""
        ...

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> Any: ...


class Database(Protocol):
    """The shared server that a team's replicas keep their records in."""

    def transaction(self, *, alone: str | None = None) -> AbstractContextManager[Sql]:
        """Committed at the end or not at all. `alone`: at most one transaction of this name runs, on any replica."""
        ...


class Clock(Protocol):
    """Time, so that tests can hold it."""

    def monotonic(self) -> float:
        """Seconds that never go back."""
        ...

    def today(self) -> str:
        """The date in ISO form, for staleness."""
        ...


class Embedder(Protocol):
    """Texts to unit vectors. Thread-safe, CPU-bound: call it in a worker thread."""

    @property
    def identity(self) -> str:
        """Name and file hash: part of every cache key."""
        ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One float32 row of length 1 per text."""
        ...


class EmbeddingPool(Protocol):
    """Processes, of this machine or of others, that embed at the same time."""

    def map(self, parts: Sequence[Sequence[str]]) -> Iterable[Vectors]:
        """The vectors of each part, in order; an EncoderError where a part is lost for good."""
        ...

    def close(self) -> None: ...


class Reranker(Protocol):
    @property
    def identity(self) -> str: ...

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Probability that each passage answers the question."""
        ...


class Grounder(Protocol):
    @property
    def identity(self) -> str: ...

    @property
    def bands(self) -> dict[str, float]:
        """`accept`: up to here a claim is proven; `release`: up to here supported; `reject`: from here unsupported."""
        ...

    def warm(self) -> None:
        """Loads the weights before a deadline runs."""
        ...

    def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
        """One score per claim, all judged by the same sources, which are read once."""
        ...


class SlowGrounder(Grounder, Protocol):
    """One that is asked only where there is time for it."""

    def needs_s(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> float:
        """Seconds that `judge` will take for them."""
        ...


class LanguageModel(Protocol):
    @property
    def identity(self) -> str:
        """provider:name"""
        ...

    async def complete(self, request: ModelRequest) -> ModelReply: ...


@runtime_checkable
class Forgetting(Protocol):
    """A model that remembers replies and can be told that one was rejected."""

    async def forget(self, request: ModelRequest) -> None:
        """The reply to this request is not given again."""
        ...


class Verifier(Protocol):
    """The gate, as everyone outside verify/ sees it."""

    async def verify(
        self, request: VerifyInput, on_release: Callable[[Shown], None] | None = None
    ) -> VerificationResult:
        """The verdict. `on_release` may hear the proven start of the text before it: the final text begins so."""
        ...

    async def fail(self, request: VerifyInput, fault: str, shown: Shown | None = None) -> VerificationResult:
        """The last step of the ladder for a fault outside the gate: what was shown, else the safe text."""
        ...


class SafeWriter(Protocol):
    """Writes the extractive, citations-only text: the no-LLM answer and the safe text."""

    def write(self, question: str | None, passages: Sequence[Passage], *, style: str = "[S#]") -> str:
        """Source sentences, each cited; an empty string when there is nothing to quote."""
        ...


class Generator(Protocol):
    """Writes a draft from passages; what it writes still has to pass the gate."""

    @property
    def identity(self) -> str:
        """Model and prompt hash: part of the answer cache's key."""
        ...

    async def draft(self, task: DraftTask) -> Draft: ...

    async def reject(self, draft: Draft) -> None:
        """The gate did not let this draft out: whoever remembers it forgets it."""
        ...

    async def resolve(self, question: str, history: Sequence[Turn]) -> str | None:
        """A follow-up as a question of its own; None from a writer that cannot rewrite or did not manage to."""
        ...

    async def translate(self, question: str, language: str) -> str | None:
        """The question in another language; None from a writer that cannot."""
        ...


class Retriever(Protocol):
    async def retrieve(self, question: str, *, k: int = 8, where: SearchFilter | None = None) -> Retrieval: ...


class PassageStore(Protocol):
    """Dense and sparse search over passages. Vectors come in beside the passages; the store embeds nothing."""

    async def upsert(self, passages: Sequence[Passage], vectors: Vectors) -> None: ...

    async def delete(self, ids: Sequence[str]) -> None: ...

    async def get(self, ids: Sequence[str]) -> list[Passage]: ...

    async def dense(self, vector: Vectors, *, limit: int, where: SearchFilter | None = None) -> list[ScoredPassage]: ...

    async def lexical(self, text: str, *, limit: int, where: SearchFilter | None = None) -> list[ScoredPassage]: ...

    async def count(self) -> int: ...

    def scan(self, *, batch: int = 1000) -> AsyncIterator[list[Passage]]:
        """Every passage, in a stable order."""
        ...

    async def close(self) -> None: ...


class PortableStore(PassageStore, Protocol):
    """A store that can be filled from files, copied to another and tended."""

    async def identity(self) -> str:
        """Of this very store; changes when it is deleted and made again."""
        ...

    def export(self, *, batch: int = 500) -> AsyncIterator[tuple[list[Passage], Vectors]]:
        """Every passage with its vector, in a stable order."""
        ...

    async def optimise(self) -> bool:
        """Merges and indexes what was written; True when there was something to do."""
        ...

    async def finish(self, *, written: int) -> None:
        """The end of a load of so many passages, be it none: what was put off for the load's sake is done now."""
        ...


class Uploads(Protocol):
    """Documents that came over HTTP to any replica, and what is still to be done with them."""

    def put(self, name: str, data: bytes) -> None: ...

    def remove(self, name: str) -> bool: ...

    def uploads(self) -> list[Upload]: ...

    def claim(self) -> Wish | None:
        """The oldest wish that nobody works on, leased to the caller."""
        ...

    def renew(self, wish: Wish) -> None: ...

    def postpone(self, wish: Wish, seconds: float) -> None: ...

    def fulfil(self, wish: Wish) -> None: ...

    def fail(self, wish: Wish, reason: str) -> None: ...


class Cache(Protocol):
    """Bytes by key with an age limit and tags. A miss and a dead server look the same to the caller."""

    async def get(self, key: str) -> bytes | None: ...

    async def set(self, key: str, value: bytes, *, ttl_s: int, tags: Sequence[str] = ()) -> None: ...

    async def drop(self, keys: Sequence[str]) -> None: ...

    async def drop_tagged(self, tags: Sequence[str]) -> list[str]:
        """Drops every entry that carries one of the tags; returns their keys."""
        ...

    async def tagged(self, tag: str) -> list[str]:
        """Keys of the entries that carry the tag."""
        ...

    async def close(self) -> None: ...


class Fetcher(Protocol):
    """A page's main text, fetched safely."""

    async def fetch(self, url: str) -> Passage: ...


class Evidence(Protocol):
    """Evidence from outside the knowledge base: curated sources first, then a search provider."""

    @property
    def identity(self) -> str:
        """Where it looks: an answer made with another one is not given again."""
        ...

    def available(self, question: str) -> bool:
        """Whether there is anywhere to look for this question; False means no round of correction."""
        ...

    async def gather(self, question: str, *, gaps: Sequence[str] = ()) -> Gathered:
        """Dated, external, quarantined passages, none when nothing was found, and what was searched for them."""
        ...


class SearchProvider(Protocol):
    @property
    def name(self) -> str: ...

    async def search(self, query: str, *, limit: int = 5) -> list[str]:
        """URLs worth fetching, best first."""
        ...


class RunLog(Protocol):
    """The append-only audit of decisions."""

    def append(self, record: Mapping[str, Json]) -> str:
        """Stores one record and returns its run id."""
        ...

    def read(self, run_id: str) -> Mapping[str, Json] | None: ...


class RunArchive(RunLog, Protocol):
    """The audit as the service and the reports read it."""

    def runs(
        self,
        *,
        limit: int = 50,
        before: str | None = None,
        decision: str | None = None,
        pack: str | None = None,
        kind: str | None = None,
    ) -> Sequence[RunSummary]:
        """The newest first; `before` is the last run id of the page before."""
        ...

    def since(self, at: str) -> Iterator[Mapping[str, Json]]:
        """Every record from an ISO time on, oldest first."""
        ...

    def feedback(self, run_id: str, verdict: str, note: str | None = None, claim: int | None = None) -> str:
        """What a person thought of a run, or of its n-th claim, counted from 1."""
        ...

    def feedback_on(self, run_id: str) -> list[Mapping[str, Json]]: ...

    def forget(self, run_id: str) -> bool:
        """Erases one record's content."""
        ...

    def close(self) -> None: ...


class Meter(Protocol):
    """Counters and timings; a silent one is used where nobody listens."""

    def decided(self, result: VerificationResult) -> None: ...

    def count(self, name: str, **labels: str) -> None: ...

    def observe(self, name: str, milliseconds: float, **labels: str) -> None: ...


@runtime_checkable
class MetricsPage(Protocol):
    """A meter that can show what it counted."""

    def text(self) -> bytes:
        """The page Prometheus scrapes."""
        ...


class RequestTrace(Protocol):
    """The trace of one request while it runs."""

    def node(self, event: AskEvent) -> None:
        """A step of the workflow started or ended."""
        ...

    def decided(self, result: VerificationResult) -> None: ...


class Tracing(Protocol):
    """Traces of requests; a silent one is used where no collector is configured."""

    def request(self, operation: str) -> AbstractContextManager[RequestTrace]: ...
