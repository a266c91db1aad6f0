"""A Qdrant server or cluster by URL: the same points and searches as the embedded store, over its REST interface."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import ConfigError, StoreError, StoreUnavailableError
from surefoot.core.passages import index_text
from surefoot.core.patience import retried
from surefoot.core.types import Passage, ScoredPassage, SearchFilter
from surefoot.store.bm25 import Bm25Encoder, Sparse
from surefoot.store.points import (
    DATE,
    DENSE,
    LABELS,
    LEXICAL,
    conditions,
    passage_of,
    payload_of,
    point_id,
)

Vectors = NDArray[np.float32]

WRITE_BATCH = 200
TIMEOUT_S = 30.0
OLDEST = (1, 10)
"""Of a server: its query interface and words weighed by their rarity (`modifier: idf`) came with this version."""
ORDERINGS = ("weak", "medium", "strong")
CONSISTENCIES = ("majority", "quorum", "all")
"""Of a read; also a number of replicas that must agree."""
MARK = point_id("surefoot:identity")
"""A point without vectors that lives as long as the collection: by it the ledger knows its store again."""
_NOT_THE_MARK: dict[str, Any] = {"must_not": [{"has_id": [MARK]}]}


class QdrantStore:
    """core.ports.PortableStore over HTTP. The collection is made on first use."""

    def __init__(
        self,
        url: str,
        *,
        collection: str = "surefoot",
        api_key: str | None = None,
        dimension: int = 384,
        shards: int = 1,
        replicas: int = 1,
        ca: Path | None = None,
        wait: bool = True,
        ordering: str | None = None,
        consistency: str | None = None,
        write_factor: int = 1,
    ) -> None:
        self._written = _writing(wait, ordering)
        self._read = _reading(consistency)
        self._url = url.rstrip("/")
        self._collection = collection
        self._dimension = dimension
        self._layout = {
            "shard_number": shards,
            "replication_factor": replicas,
            "write_consistency_factor": _agreeing(write_factor, replicas),
        }
        self._bm25 = Bm25Encoder()
        self._opening = asyncio.Lock()
        self._ready = False
        headers = {"api-key": api_key} if api_key else {}
        verify: str | bool = str(ca) if ca else True
        self._client = httpx2.AsyncClient(base_url=self._url, headers=headers, timeout=TIMEOUT_S, verify=verify)

    async def upsert(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        if len(passages) != len(vectors):
            raise StoreError(f"{len(passages)} passages came with {len(vectors)} vectors")
        for start in range(0, len(passages), WRITE_BATCH):
            batch = passages[start : start + WRITE_BATCH]
            points = await asyncio.to_thread(self._points, batch, vectors[start : start + WRITE_BATCH])
            await self._call("PUT", "/points", {"points": points}, self._written)

    async def delete(self, ids: Sequence[str]) -> None:
        if ids:
            gone = [point_id(passage) for passage in ids]
            await self._call("POST", "/points/delete", {"points": gone}, self._written)

    async def get(self, ids: Sequence[str]) -> list[Passage]:
        """The passages that exist, in the order asked for."""
        if not ids:
            return []
        wanted = {"ids": [point_id(passage) for passage in ids], "with_payload": True, "with_vector": False}
        records = await self._call("POST", "/points", wanted, self._read)
        found = {passage.id: passage for passage in (passage_of(record["payload"]) for record in records)}
        return [found[passage] for passage in ids if passage in found]

    async def dense(self, vector: Vectors, *, limit: int, where: SearchFilter | None = None) -> list[ScoredPassage]:
        query = np.asarray(vector, dtype=np.float32).ravel().tolist()
        found = await self._search(query, DENSE, limit, where)
        return [
            ScoredPassage(passage=passage, score=score, dense=score, dense_rank=rank)
            for rank, (passage, score) in enumerate(found, start=1)
        ]

    async def lexical(self, text: str, *, limit: int, where: SearchFilter | None = None) -> list[ScoredPassage]:
        words = await asyncio.to_thread(self._bm25.query, text)
        if not words.indices:
            return []
        found = await self._search(_sparse(words), LEXICAL, limit, where)
        return [
            ScoredPassage(passage=passage, score=score, lexical=score, lexical_rank=rank)
            for rank, (passage, score) in enumerate(found, start=1)
        ]

    async def count(self) -> int:
        every = {"exact": True, "filter": _NOT_THE_MARK}
        result = await self._call("POST", "/points/count", every, self._read)
        return int(result["count"])

    async def scan(self, *, batch: int = 1000) -> AsyncIterator[list[Passage]]:
        async for passages, _ in self._pages(batch, vectors=False):
            yield passages

    async def export(self, *, batch: int = 500) -> AsyncIterator[tuple[list[Passage], Vectors]]:
        """Every passage with its vector, for copying to another store."""
        async for page in self._pages(batch, vectors=True):
            yield page

    async def optimise(self) -> bool:
        """A server tends its own segments."""
        return False

    async def finish(self, *, written: int) -> None:
        """Nothing was put off."""

    async def identity(self) -> str:
        """Of the collection: made anew, it has another."""
        mark = {"ids": [MARK], "with_payload": True, "with_vector": False}
        records = await self._call("POST", "/points", mark, self._read)
        if not records:
            raise StoreError(
                f"the collection {self._collection!r} at {self._url} was not made by Surefoot; "
                "name another with SUREFOOT_STORE_COLLECTION"
            )
        return str(records[0]["payload"]["identity"])

    async def close(self) -> None:
        await self._client.aclose()

    def _points(self, passages: Sequence[Passage], vectors: Vectors) -> list[dict[str, Any]]:
        return [
            {
                "id": point_id(passage.id),
                "vector": {DENSE: vector.tolist(), LEXICAL: _sparse(self._bm25.document(index_text(passage)))},
                "payload": payload_of(passage),
            }
            for passage, vector in zip(passages, vectors, strict=True)
        ]

    async def _search(
        self, query: Any, using: str, limit: int, where: SearchFilter | None
    ) -> list[tuple[Passage, float]]:
        body: dict[str, Any] = {"query": query, "using": using, "limit": limit, "with_payload": True}
        must = conditions(where)
        if must:
            body["filter"] = {"must": must}
        result = await self._call("POST", "/points/query", body, self._read)
        hits = [(passage_of(point["payload"]), float(point["score"])) for point in result["points"]]
        return sorted(hits, key=lambda hit: (-hit[1], hit[0].id))

    async def _pages(self, batch: int, *, vectors: bool) -> AsyncIterator[tuple[list[Passage], Vectors]]:
        offset: Any = None
        while True:
            body: dict[str, Any] = {"limit": batch, "with_payload": True, "with_vector": [DENSE] if vectors else False}
            body["filter"] = _NOT_THE_MARK
            if offset is not None:
                body["offset"] = offset
            page = await self._call("POST", "/points/scroll", body, self._read)
            records = page["points"]
            if records:
                rows = [record["vector"][DENSE] for record in records] if vectors else []
                yield [passage_of(record["payload"]) for record in records], np.asarray(rows, dtype=np.float32)
            offset = page.get("next_page_offset")
            if offset is None:
                return

    async def _call(self, method: str, path: str, body: Mapping[str, Any], how: Mapping[str, str]) -> Any:
        await self._open()
        return await self._send(method, f"/collections/{self._collection}{path}", body, how=how)

    async def _open(self) -> None:
        """Makes the collection where there is none, and refuses one of another shape."""
        async with self._opening:
            if self._ready:
                return
            await self._refuse_old()
            place = f"/collections/{self._collection}"
            found = await self._send("GET", place, None, missing_ok=True)
            if found is None:
                await self._make(place)
            else:
                self._compare(found["config"]["params"])
            self._ready = True

    async def _refuse_old(self) -> None:
        """A server says its version at `/`. One that does not (a proxy may keep it) is taken as it is."""
        reply = await self._answer("GET", "/", None, {})
        version = _version(reply)
        if version is not None and version < OLDEST:
            raise StoreError(
                f"the Qdrant server at {self._url} is version {'.'.join(map(str, version))}; "
                f"Surefoot needs {'.'.join(map(str, OLDEST))} or newer: update the server"
            )

    async def _make(self, place: str) -> None:
        await self._send(
            "PUT",
            place,
            {
                "vectors": {DENSE: {"size": self._dimension, "distance": "Cosine"}},
                "sparse_vectors": {LEXICAL: {"modifier": "idf"}},
                **self._layout,
            },
        )
        how = {**self._written, "wait": "true"}  # whoever opens it next must find all of it
        for field, schema in ((LABELS, "keyword"), (DATE, "datetime")):
            await self._send("PUT", f"{place}/index", {"field_name": field, "field_schema": schema}, how=how)
        mark = {"id": MARK, "vector": {}, "payload": {"identity": uuid.uuid4().hex}}
        await self._send("PUT", f"{place}/points", {"points": [mark]}, how=how)

    def _compare(self, parameters: Mapping[str, Any]) -> None:
        vectors = parameters.get("vectors") or {}
        size = (vectors.get(DENSE) or {}).get("size") if isinstance(vectors, dict) else None
        if size != self._dimension or LEXICAL not in (parameters.get("sparse_vectors") or {}):
            raise StoreError(
                f"the collection {self._collection!r} at {self._url} holds other vectors than this embedder makes "
                f"({size!r} against {self._dimension}); name another with SUREFOOT_STORE_COLLECTION"
            )

    async def _send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        *,
        how: Mapping[str, str] | None = None,
        missing_ok: bool = False,
    ) -> Any:
        reply = await self._answer(method, path, body, how or {})
        if reply.status_code == 404 and missing_ok:
            return None
        if reply.status_code in (401, 403):
            raise StoreError(f"the store at {self._url} refused the API key; check SUREFOOT_STORE_API_KEY")
        if reply.status_code >= 400:
            raise StoreError(f"the store at {self._url} answered {reply.status_code}: {reply.text[:200]!r}")
        return reply.json()["result"]

    async def _answer(
        self, method: str, path: str, body: Mapping[str, Any] | None, how: Mapping[str, str]
    ) -> httpx2.Response:
        """One request; a connection that fails or a busy server is tried three times. Every call is idempotent."""
        try:
            async for attempt in retried(
                on=(httpx2.TransportError, _BusyError), attempts=3, wait_initial=0.1, wait_max=2.0, timeout=TIMEOUT_S
            ):
                with attempt:
                    reply = await self._client.request(method, path, json=body, params=how)
                    if reply.status_code in (429, 502, 503, 504):
                        raise _BusyError(f"status {reply.status_code}")
        except (httpx2.TransportError, _BusyError) as error:
            raise StoreUnavailableError(
                f"the store at {self._url} does not answer ({error or type(error).__name__}); "
                "check SUREFOOT_STORE_URL and that the server runs"
            ) from error
        return reply


class _BusyError(Exception):
    """The server asked for patience."""


def _sparse(words: Sparse) -> dict[str, Any]:
    return {"indices": words.indices, "values": words.values}


def _writing(wait: bool, ordering: str | None) -> dict[str, str]:
    """How a write is made, as parameters of its address; what is left out is the server's own choice."""
    if ordering is not None and ordering not in ORDERINGS:
        raise ConfigError(f"store_ordering {ordering!r} is not known; give {', '.join(ORDERINGS)}")
    return {"wait": str(wait).lower(), **({"ordering": ordering} if ordering else {})}


def _reading(consistency: str | None) -> dict[str, str]:
    if consistency is None:
        return {}
    if consistency not in CONSISTENCIES and not (consistency.isdecimal() and int(consistency) > 0):
        known = ", ".join(CONSISTENCIES)
        raise ConfigError(f"store_consistency {consistency!r} is not known; give {known} or a number of replicas")
    return {"consistency": consistency}


def _agreeing(factor: int, replicas: int) -> int:
    if not 1 <= factor <= replicas:
        raise ConfigError(f"store_write_factor {factor} is not between 1 and store_replicas ({replicas}); change one")
    return factor


def _version(reply: httpx2.Response) -> tuple[int, int] | None:
    """Major and minor; None where the reply is not that of a Qdrant server."""
    try:
        said = reply.json()
    except ValueError:
        return None
    found = _VERSION.match(str(said.get("version", ""))) if isinstance(said, dict) else None
    return (int(found[1]), int(found[2])) if found else None


_VERSION = re.compile(r"(\d+)\.(\d+)")
