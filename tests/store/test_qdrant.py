from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from surefoot.core.errors import ConfigError, StoreError, StoreUnavailableError
from surefoot.core.types import Passage
from surefoot.store.qdrant import QdrantStore
from surefoot.testing.embedding import HashingEmbedder
from surefoot.testing.qdrant_double import QdrantDouble


@pytest.fixture
def double() -> Iterator[QdrantDouble]:
    with QdrantDouble(api_key="secret") as double:
        yield double


def run(double: QdrantDouble, *steps: str, **options: Any) -> list[Any]:
    """Calls methods without arguments on a store of its own, one after the other."""

    async def every() -> list[Any]:
        store = QdrantStore(double.url, **{"api_key": "secret", **options})
        try:
            return [await getattr(store, step)() for step in steps]
        finally:
            await store.close()

    return asyncio.run(every())


def test_the_collection_is_made_with_its_shards_and_replicas(double: QdrantDouble) -> None:
    run(double, "count", collection="kb", shards=3, replicas=2)
    made = double.created["kb"]
    assert (made["shard_number"], made["replication_factor"]) == (3, 2)
    assert made["sparse_vectors"]["bm25"]["modifier"] == "idf"


@pytest.mark.parametrize("version", ["1.9.7", "0.11.0"])
def test_a_server_older_than_what_is_used_is_named_in_one_line(double: QdrantDouble, version: str) -> None:
    double.version = version
    with pytest.raises(StoreError, match=r"version \d\.\d+; Surefoot needs 1\.10 or newer: update") as caught:
        run(double, "count")
    assert "\n" not in str(caught.value)
    assert double.created == {}


@pytest.mark.parametrize("version", ["1.10.0", "1.15.3-dev", "2.0.1", "unknown", None])
def test_a_newer_server_and_one_that_does_not_say_are_used(double: QdrantDouble, version: str | None) -> None:
    double.version = version
    assert run(double, "count") == [0]


def test_the_version_is_asked_once(double: QdrantDouble) -> None:
    run(double, "count", "count", "identity")
    assert double.requests.count(("GET", "/")) == 1


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"ordering": "strict"}, "store_ordering 'strict' is not known; give weak, medium, strong"),
        ({"consistency": "0"}, "store_consistency '0' is not known; give majority, quorum, all or a number"),
        ({"write_factor": 3, "replicas": 2}, r"store_write_factor 3 is not between 1 and store_replicas \(2\)"),
    ],
)
def test_a_consistency_that_does_not_exist_is_refused(option: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        QdrantStore("http://127.0.0.1:9", **option)


def test_a_collection_is_made_with_the_replicas_that_must_have_written(double: QdrantDouble) -> None:
    run(double, "count", collection="kb", replicas=3, write_factor=2)
    assert double.created["kb"]["write_consistency_factor"] == 2


def test_a_wrong_key_is_named_and_never_shown(double: QdrantDouble) -> None:
    with pytest.raises(StoreError, match="SUREFOOT_STORE_API_KEY") as caught:
        run(double, "count", api_key="wrong-key")
    assert "wrong-key" not in str(caught.value)


def test_a_busy_server_is_asked_again(double: QdrantDouble) -> None:
    double.refuse_next = 2
    assert run(double, "count") == [0]


def test_a_server_that_is_not_there_is_named_with_the_remedy() -> None:
    async def once() -> None:
        store = QdrantStore("http://127.0.0.1:9")
        try:
            await store.count()
        finally:
            await store.close()

    with pytest.raises(StoreUnavailableError, match=r"127\.0\.0\.1:9.*SUREFOOT_STORE_URL"):
        asyncio.run(once())


def test_a_collection_of_other_vectors_is_refused(double: QdrantDouble) -> None:
    run(double, "count")
    with pytest.raises(StoreError, match="SUREFOOT_STORE_COLLECTION"):
        run(double, "count", dimension=768)


def test_a_dropped_collection_made_again_has_another_identity(double: QdrantDouble) -> None:
    (first,) = run(double, "identity")
    assert run(double, "identity") == [first]
    double.drop("surefoot")
    assert run(double, "identity") != [first]


def test_large_writes_go_in_batches(double: QdrantDouble) -> None:
    async def once() -> int:
        store = QdrantStore(double.url, api_key="secret")
        texts = [f"passage {n}" for n in range(450)]
        await store.upsert([Passage(id=t, text=t) for t in texts], HashingEmbedder().embed(texts))
        count = await store.count()
        await store.close()
        return count

    assert asyncio.run(once()) == 450
    assert len([path for method, path in double.requests if method == "PUT" and path.endswith("/points")]) == 4
