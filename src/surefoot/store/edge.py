"""The embedded store: a Qdrant shard in a folder, opened on first use, owned by one process."""

from __future__ import annotations

import asyncio
import shutil
import threading
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import StoreError, StoreReadOnlyError, SurefootError
from surefoot.core.passages import index_text
from surefoot.core.space import FLOOR, free_bytes, require_space, unwritable
from surefoot.core.types import Passage, ScoredPassage, SearchFilter
from surefoot.store.bm25 import Bm25Encoder
from surefoot.store.copied import copy_aside, used_bytes
from surefoot.store.lock import StoreLock
from surefoot.store.nearest import Hit, Proposed, first, scored
from surefoot.store.points import DATE, DENSE, LABELS, LEXICAL, conditions, passage_of, payload_of, point_id

Vectors = NDArray[np.float32]
Result = TypeVar("Result")

WRITE_BATCH = 500
POINT_BYTES = 10_000
"""A generous guess at what one passage takes: vector, words, text, and all of it once more in the journal."""
OPTIMISE_EVERY = 20_000
"""Points written before segments are merged and indexed: searching unindexed points costs about 0.1 µs each."""
OPTIMISE_SHARE = 0.5
"""And the share of all points that must be new by then. Merging rewrites what is there: a fixed step would make filling
a store quadratic, a share keeps it to about two rewrites of each point."""


class EdgeStore:
    """core.ports.PassageStore over qdrant-edge. Calls run in worker threads; the engine takes them in parallel."""

    def __init__(self, folder: Path, *, dimension: int | Callable[[], int] = 384, holder: str | None = None) -> None:
        """The dimension may be a question: it is asked only when the store is made."""
        self._folder = folder
        self._dimension = dimension
        self._lock = StoreLock(folder.parent / f"{folder.name}.lock", holder=holder)
        self._bm25 = Bm25Encoder()
        self._opening = threading.RLock()
        self._writing = threading.Lock()
        self._shard: Any = None
        self._copy: Path | None = None
        """Where the shard really lies while the folder cannot be written."""
        self._unoptimised = 0

    async def upsert(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        if len(passages) != len(vectors):
            raise StoreError(f"{len(passages)} passages came with {len(vectors)} vectors")
        if len(passages):
            await self._run(lambda: self._upsert(passages, vectors))

    async def delete(self, ids: Sequence[str]) -> None:
        if ids:
            await self._run(lambda: self._delete(ids))

    async def get(self, ids: Sequence[str]) -> list[Passage]:
        """The passages that exist, in the order asked for."""
        return await self._run(lambda: self._get(ids))

    async def dense(self, vector: Vectors, *, limit: int, where: SearchFilter | None = None) -> list[ScoredPassage]:
        asked = np.asarray(vector, dtype=np.float32).ravel()
        found = await self._run(lambda: first(lambda wanted: self._near(asked, wanted, where), limit=limit))
        return [
            ScoredPassage(passage=passage, score=score, dense=score, dense_rank=rank)
            for rank, (passage, score) in enumerate(found, start=1)
        ]

    async def lexical(self, text: str, *, limit: int, where: SearchFilter | None = None) -> list[ScoredPassage]:
        def search() -> list[tuple[Passage, float]]:
            from qdrant_edge import SparseVector

            words = self._bm25.query(text)
            if not words.indices:
                return []
            query = SparseVector(words.indices, words.values)
            return first(lambda wanted: self._named(query, wanted, where), limit=limit)

        found = await self._run(search)
        return [
            ScoredPassage(passage=passage, score=score, lexical=score, lexical_rank=rank)
            for rank, (passage, score) in enumerate(found, start=1)
        ]

    async def count(self) -> int:
        def count() -> int:
            from qdrant_edge import CountRequest

            return int(self._open().count(CountRequest(exact=True)))

        return await self._run(count)

    async def scan(self, *, batch: int = 1000) -> AsyncIterator[list[Passage]]:
        async for passages, _ in self._pages(batch, vectors=False):
            yield passages

    async def export(self, *, batch: int = 500) -> AsyncIterator[tuple[list[Passage], Vectors]]:
        """Every passage with its vector, for copying to another store."""
        async for page in self._pages(batch, vectors=True):
            yield page

    async def optimise(self) -> bool:
        """Merges segments and builds indexes now. Blocks other writers, not readers."""
        return await self._run(self._optimise)

    async def finish(self, *, written: int) -> None:
        """After many passages, so that the first search is as fast as the last."""
        if written >= OPTIMISE_EVERY:
            await self.optimise()

    async def identity(self) -> str:
        """Of this very store: changes when the folder is deleted and made again. Does not open it."""
        return await asyncio.to_thread(self._identity)

    async def close(self) -> None:
        await asyncio.to_thread(self._close)

    async def _run(self, work: Callable[[], Result]) -> Result:
        def guarded() -> Result:
            try:
                return work()
            except SurefootError:
                raise
            except Exception as error:
                raise StoreError(f"the store {str(self._folder)!r} failed: {error}") from error
            except BaseException as error:
                if type(error).__name__ != "PanicException":  # how the engine says that it gave up; no Exception
                    raise
                raise StoreError(f"the store {str(self._folder)!r} failed within its engine") from error

        return await asyncio.to_thread(guarded)

    def _open(self) -> Any:
        with self._opening:
            if self._shard is None:
                reason = unwritable(self._folder.parent)
                self._lock.acquire(written=reason is None)
                try:
                    self._shard = self._open_aside(reason) if reason else _open_shard(self._folder, self._dimension)
                except BaseException:
                    self._lock.release()
                    raise
            return self._shard

    def _open_aside(self, reason: str) -> Any:
        if not self._folder.exists():
            raise StoreReadOnlyError(f"there is no store yet and none can be made: {reason}; make room on it")
        self._copy = copy_aside(self._folder)
        return _open_shard(self._copy / "store", self._dimension)

    def _writable(self, needed: int = 0) -> Any:
        """The shard to write to, or an error: a copy is not written, and a full disk would end the process."""
        shard = self._open()
        require_space(self._folder, needed)
        if self._copy is not None:
            raise StoreReadOnlyError(
                f"the store {str(self._folder)!r} was opened read-only; make its folder writable and start again"
            )
        return shard

    def _close(self) -> None:
        with self._opening, self._writing:
            if self._shard is not None:
                self._shard.close()
                self._shard = None
                if self._copy is not None:
                    shutil.rmtree(self._copy, ignore_errors=True)
                    self._copy = None
                self._lock.release()

    def _identity(self) -> str:
        path = self._folder / "identity"
        if not path.is_file():
            self._open()
        return path.read_text(encoding="utf-8")

    def _upsert(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        from qdrant_edge import Point, SparseVector, UpdateOperation

        for start in range(0, len(passages), WRITE_BATCH):
            shard = self._writable(WRITE_BATCH * POINT_BYTES)
            points = []
            for passage, vector in zip(
                passages[start : start + WRITE_BATCH], vectors[start : start + WRITE_BATCH], strict=True
            ):
                words = self._bm25.document(index_text(passage))
                named = {DENSE: vector.tolist(), LEXICAL: SparseVector(words.indices, words.values)}
                points.append(Point(point_id(passage.id), named, payload_of(passage)))
            with self._writing:
                shard.update(UpdateOperation.upsert_points(points))
                self._unoptimised += len(points)
        due = self._unoptimised >= max(OPTIMISE_EVERY, OPTIMISE_SHARE * shard.info().points_count)
        if due and free_bytes(self._folder) - used_bytes(self._folder) > FLOOR:  # without room it is slower, not wrong
            self._optimise()

    def _delete(self, ids: Sequence[str]) -> None:
        from qdrant_edge import UpdateOperation

        shard = self._writable()
        with self._writing:
            shard.update(UpdateOperation.delete_points([point_id(passage) for passage in ids]))

    def _get(self, ids: Sequence[str]) -> list[Passage]:
        records = self._open().retrieve([point_id(passage) for passage in ids], with_payload=True, with_vector=False)
        found = {passage.id: passage for passage in (passage_of(record.payload) for record in records)}
        return [found[passage] for passage in ids if passage in found]

    def _near(self, asked: Vectors, limit: int, where: SearchFilter | None) -> list[Hit]:
        hits = self._search(asked.tolist(), DENSE, limit, where, vectors=True)
        rows = np.asarray([hit.vector[DENSE] for hit in hits], dtype=np.float32).reshape(len(hits), len(asked))
        return scored(asked, Proposed(passages=[passage_of(hit.payload) for hit in hits], vectors=rows))

    def _named(self, words: Any, limit: int, where: SearchFilter | None) -> list[Hit]:
        return [(passage_of(hit.payload), float(hit.score)) for hit in self._search(words, LEXICAL, limit, where)]

    def _search(
        self, query: Any, using: str, limit: int, where: SearchFilter | None, *, vectors: bool = False
    ) -> list[Any]:
        from qdrant_edge import Query, QueryRequest

        request = QueryRequest(
            limit=limit,
            query=Query.Nearest(query, using=using),
            filter=_filter(where),
            with_payload=True,
            with_vector=[DENSE] if vectors else False,
        )
        return list(self._open().query(request))

    def _optimise(self) -> bool:
        shard = self._writable(used_bytes(self._folder))  # what is merged is written anew before the old goes
        with self._writing:
            self._unoptimised = 0
            done = bool(shard.optimize())
            # The engine keeps replaced segments on disk and in memory until a flush: gigabytes, at 100 k points.
            shard.flush()
            return done

    async def _pages(self, batch: int, *, vectors: bool) -> AsyncIterator[tuple[list[Passage], Vectors]]:
        from qdrant_edge import ScrollRequest

        offset: Any = None
        while True:
            request = ScrollRequest(offset=offset, limit=batch, with_payload=True, with_vector=vectors)
            records, offset = await self._run(lambda request=request: self._open().scroll(request))  # type: ignore[misc]
            if records:
                rows = [record.vector[DENSE] for record in records] if vectors else []
                yield [passage_of(record.payload) for record in records], np.asarray(rows, dtype=np.float32)
            if offset is None:
                return


def _open_shard(folder: Path, dimension: int | Callable[[], int]) -> Any:
    from qdrant_edge import EdgeShard

    if not folder.exists():
        require_space(folder.parent)
        _make(folder, dimension if isinstance(dimension, int) else dimension())
    try:
        return EdgeShard.load(str(folder))
    except Exception as error:
        raise StoreError(
            f"the store {str(folder)!r} cannot be opened: {error}; restore a snapshot, or run: surefoot store rebuild"
        ) from error


def _make(folder: Path, dimension: int) -> None:
    """Made beside its place and moved there whole: a run killed here leaves no half of a store."""
    from qdrant_edge import (
        Distance,
        EdgeConfig,
        EdgeShard,
        EdgeSparseVectorParams,
        EdgeVectorParams,
        Modifier,
        PayloadSchemaType,
        UpdateOperation,
    )

    making = folder.with_name(f"{folder.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    shard = EdgeShard.create(
        str(making),
        EdgeConfig(
            vectors={DENSE: EdgeVectorParams(dimension, Distance.Cosine)},
            sparse_vectors={LEXICAL: EdgeSparseVectorParams(modifier=Modifier.Idf)},
        ),
    )
    shard.update(UpdateOperation.create_field_index(LABELS, PayloadSchemaType.Keyword))
    shard.update(UpdateOperation.create_field_index(DATE, PayloadSchemaType.Datetime))
    shard.close()
    (making / "identity").write_text(uuid.uuid4().hex, encoding="utf-8")
    making.rename(folder)


def _filter(where: SearchFilter | None) -> Any:
    from qdrant_edge import FieldCondition, Filter, MatchAny, RangeDateTime

    must: list[Any] = [
        FieldCondition(item["key"], match=MatchAny(item["match"]["any"]))
        if "match" in item
        else FieldCondition(item["key"], range=RangeDateTime(**item["range"]))
        for item in conditions(where)
    ]
    return Filter(must=must) if must else None
