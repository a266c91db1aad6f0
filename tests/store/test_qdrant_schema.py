"""Our requests, and the double's replies, by the schemas of Qdrant's published OpenAPI document.

The models of qdrant-client are generated from that document and refuse what it does not know. They are used here only:
Surefoot itself speaks plain HTTP.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError
from qdrant_client.http import models
from qdrant_client.http.api.indexes_api import SyncIndexesApi
from qdrant_client.http.api.points_api import SyncPointsApi
from qdrant_client.http.api.search_api import SyncSearchApi

from surefoot.core.types import Passage, SearchFilter
from surefoot.store.qdrant import QdrantStore
from surefoot.testing.embedding import HashingEmbedder
from surefoot.testing.qdrant_double import QdrantDouble

PUBLISHED: dict[tuple[str, str], tuple[Any, Any]] = {
    ("GET", "/"): (None, models.VersionInfo),
    ("GET", ""): (None, models.CollectionInfo),
    ("PUT", ""): (models.CreateCollection, bool),
    ("PUT", "/index"): (models.CreateFieldIndex, models.UpdateResult),
    ("PUT", "/points"): (models.PointsList, models.UpdateResult),
    ("POST", "/points"): (models.PointRequest, list[models.Record]),
    ("POST", "/points/delete"): (models.PointIdsList, models.UpdateResult),
    ("POST", "/points/query"): (models.QueryRequest, models.QueryResponse),
    ("POST", "/points/count"): (models.CountRequest, models.CountResult),
    ("POST", "/points/scroll"): (models.ScrollRequest, models.ScrollResult),
}
"""By method and path below the collection: what may be sent there, and what `result` holds."""


@dataclass(frozen=True)
class Exchange:
    method: str
    path: str
    parameters: dict[str, str]
    sent: Any
    status: int
    received: Any


PARAMETERS: dict[tuple[str, str], Any] = {
    ("PUT", "/index"): SyncIndexesApi.create_field_index,
    ("PUT", "/points"): SyncPointsApi.upsert_points,
    ("POST", "/points"): SyncPointsApi.get_points,
    ("POST", "/points/delete"): SyncPointsApi.delete_points,
    ("POST", "/points/query"): SyncSearchApi.query_points,
    ("POST", "/points/count"): SyncPointsApi.count_points,
    ("POST", "/points/scroll"): SyncPointsApi.scroll_points,
}
"""Which parameters an address takes, by what the generated client takes there."""


@pytest.fixture(scope="module")
def exchanges() -> list[Exchange]:
    return heard_of()


def heard_of(**options: Any) -> list[Exchange]:
    """Everything a store says and hears in its life, by way of every method of the port."""
    heard: list[Exchange] = []

    async def note(response: Any) -> None:
        await response.aread()
        request = response.request
        path = request.url.path.removeprefix("/collections/surefoot")
        sent = json.loads(request.content) if request.content else None
        heard.append(
            Exchange(request.method, path, dict(request.url.params), sent, response.status_code, response.json())
        )

    async def life(url: str) -> None:
        embedder = HashingEmbedder()
        passages = [
            Passage(id=str(at), text=f"Room {at} opens late.", metadata={"file": "a.md", "date": f"2024-05-0{at + 1}"})
            for at in range(5)
        ]
        asked = embedder.embed(["room"])[0]
        where = SearchFilter(equals={"source": ("a.md",)}, since="2024-01-01", until="2024-12-31")
        for _ in range(2):  # the second time the collection is there
            store = QdrantStore(url, **options)
            store._client.event_hooks = {"response": [note]}
            await store.upsert(passages, embedder.embed([passage.text for passage in passages]))
            await store.get(["1", "2"])
            await store.dense(asked, limit=3, where=where)
            await store.lexical("room late", limit=3)
            await store.count()
            [page async for page in store.scan(batch=2)]
            [page async for page in store.export(batch=2)]
            await store.identity()
            await store.delete(["4"])
            await store.close()

    with QdrantDouble() as double:
        asyncio.run(life(double.url))
    return heard


def test_every_request_is_one_the_published_document_knows(exchanges: list[Exchange]) -> None:
    for exchange in exchanges:
        request, _ = PUBLISHED[exchange.method, exchange.path]
        if request is None:
            assert exchange.sent is None
        else:
            TypeAdapter(request).validate_python(exchange.sent)
    assert {(exchange.method, exchange.path) for exchange in exchanges} == set(PUBLISHED)


def test_every_reply_of_the_double_has_the_published_shape(exchanges: list[Exchange]) -> None:
    for exchange in exchanges:
        if exchange.status == 200:
            _, reply = PUBLISHED[exchange.method, exchange.path]
            told = exchange.received if exchange.path == "/" else exchange.received["result"]
            TypeAdapter(reply).validate_python(told)


def test_writes_are_waited_for(exchanges: list[Exchange]) -> None:
    below = ("/points/delete", "/index")
    writes = [one for one in exchanges if one.path in below or (one.method, one.path) == ("PUT", "/points")]
    assert writes
    assert all(one.parameters == {"wait": "true"} for one in writes)


def test_a_cluster_is_written_and_read_as_strictly_as_it_was_set() -> None:
    heard = heard_of(wait=False, ordering="strong", consistency="majority")
    by_address = {(one.method, one.path): one.parameters for one in heard}
    assert by_address["PUT", "/points"] == {"wait": "false", "ordering": "strong"}
    assert by_address["POST", "/points/delete"] == {"wait": "false", "ordering": "strong"}
    assert by_address["PUT", "/index"] == {"wait": "true", "ordering": "strong"}
    for path in ("/points", "/points/query", "/points/count", "/points/scroll"):
        assert by_address["POST", path] == {"consistency": "majority"}
    for address, parameters in by_address.items():
        known = inspect.signature(PARAMETERS[address]).parameters if address in PARAMETERS else {}
        assert parameters.keys() <= known.keys()
    TypeAdapter(models.WriteOrdering).validate_python("strong")
    TypeAdapter(models.ReadConsistency).validate_python("majority")


@pytest.mark.parametrize(
    ("model", "wrong"),
    [
        (models.QueryRequest, {"query": [0.1], "limits": 3}),
        (models.CreateCollection, {"vectors": {"dense": {"size": 3, "distance": "Cosinus"}}}),
        (models.ScrollRequest, {"limit": "many"}),
    ],
)
def test_the_schemas_do_refuse(model: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(model).validate_python(wrong)
