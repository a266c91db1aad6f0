"""One document cannot stop the others: the queue goes on, and each document says what became of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.faults.poison import GOOD, POISONS
from tests.server.small_house import local_client

from surefoot.core.ports import Vectors
from surefoot.core.types import IngestReport
from surefoot.server.library import Library
from surefoot.settings import Settings
from surefoot.testing.embedding import HashingEmbedder
from surefoot.wiring import Surefoot


class Choking(HashingEmbedder):
    """Fails on one text, as a model or an index may, with an error that quotes it."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        if any("choke" in text for text in texts):
            raise ValueError("cannot embed: Zola Nkosi, choke")
        return super().embed(texts)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    house = Surefoot(Settings(kb=tmp_path / "kb", rate_limit_per_minute=0, rerank=False, grounder_size="none"))
    house.__dict__["embedder"] = Choking()
    with local_client(house) as client:
        yield client


def settled(client: TestClient) -> dict[str, dict[str, Any]]:
    """The documents by name, once none is waiting."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        shown = client.get("/v1/documents").json()["documents"]
        if all(document["status"] in ("indexed", "failed") for document in shown):
            return {document["source"]: document for document in shown}
        time.sleep(0.05)
    raise AssertionError(f"still waiting: {shown}")


def upload(client: TestClient, files: dict[str, bytes]) -> None:
    sent = [("files", (name, data)) for name, data in files.items()]
    assert client.post("/v1/documents", files=sent).status_code == 202


def test_poison_documents_fail_alone_and_can_be_deleted(client: TestClient) -> None:
    upload(client, {**POISONS, **GOOD})
    shown = settled(client)
    assert {name for name, document in shown.items() if document["status"] == "failed"} == set(POISONS)
    assert all(shown[name]["reason"] for name in POISONS)
    assert client.get("/readyz").json()["indexing"] == 0
    for name in POISONS:
        assert client.delete(f"/v1/documents/{shown[name]['id']}").status_code == 202
    assert set(settled(client)) == set(GOOD)


def test_a_document_that_cannot_be_indexed_fails_alone_and_without_its_words(client: TestClient) -> None:
    upload(client, {"a.md": b"Rent is due.", "b.md": b"Please choke on this.", "c.md": b"Fees are due."})
    shown = settled(client)
    assert [shown[name]["status"] for name in ("a.md", "b.md", "c.md")] == ["indexed", "failed", "indexed"]
    assert "ValueError" in shown["b.md"]["reason"]
    assert "Zola" not in str(shown)
    upload(client, {"b.md": b"Deposits are returned."})
    assert settled(client)["b.md"]["status"] == "indexed"


def test_control_characters_do_not_reach_an_answer(client: TestClient) -> None:
    upload(client, {"nul.json": GOOD["nul.json"]})
    assert settled(client)["nul.json"]["status"] == "indexed"
    answer = client.post("/v1/ask", json={"question": "What is the fee a year?"}).text
    assert "R500" in answer
    assert "\\u0000" not in answer
    assert "\\u0007" not in answer


def test_a_table_of_three_million_columns_is_given_up_quickly(client: TestClient) -> None:
    wide = b",".join([b"abc"] * 3_000_000) + b"\n" + b"1" * 10
    began = time.monotonic()
    upload(client, {"wide.csv": wide, "good.md": GOOD["good.md"]})
    shown = settled(client)
    assert time.monotonic() - began < 30
    assert shown["good.md"]["status"] == "indexed"
    assert "columns" in shown["wide.csv"]["reason"]


def test_a_fault_nobody_thought_of_is_a_failed_document(tmp_path: Path) -> None:
    async def ingest(paths: Sequence[Path]) -> IngestReport:
        raise UnicodeEncodeError("utf-8", "Zola \ud800", 5, 6, "surrogates not allowed")

    async def listing() -> list[Any]:
        return []

    async def scenario() -> None:
        library = Library(tmp_path / "uploads", ingest=ingest, listing=listing)
        added = await library.add("a.md", b"text")
        await library.settle()
        failed = await library.document(added.id)
        assert (failed.status, failed.reason) == ("failed", "indexing failed (UnicodeEncodeError)")

    asyncio.run(scenario())


def test_indexing_that_never_ends_does_not_keep_the_service_from_stopping(tmp_path: Path) -> None:
    async def ingest(paths: Sequence[Path]) -> IngestReport:
        await asyncio.sleep(3600)
        raise AssertionError

    async def scenario() -> float:
        library = Library(tmp_path / "uploads", ingest=ingest, listing=_nothing)
        await library.add("a.md", b"text")
        await library.add("b.md", b"text")
        began = time.monotonic()
        await library.settle(within_s=0.2)
        return time.monotonic() - began

    assert asyncio.run(scenario()) < 5


async def _nothing() -> list[Any]:
    return []


def test_an_upload_with_the_name_of_an_ingested_document_has_an_id_of_its_own(
    client: TestClient, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "fees.md").write_text("The fee is R500.")
    service = client.app.state.service  # type: ignore[attr-defined]
    assert client.portal is not None
    client.portal.call(service.engine.call, lambda: service.house.ingest([tmp_path / "docs"]))
    added = client.post("/v1/documents/text", json={"source": "fees.md", "text": "The fee is R600."}).json()
    shown = settled(client)
    assert len(shown) == len({document["id"] for document in shown.values()}) == 2
    own = client.get(f"/v1/documents/{added['id']}").json()
    assert own["source"] != "fees.md"
    assert client.delete(f"/v1/documents/{added['id']}").status_code == 202
    left = settled(client)
    assert list(left) == ["fees.md"]
    assert client.delete(f"/v1/documents/{left['fees.md']['id']}").status_code == 409
