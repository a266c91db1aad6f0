"""Uploading, indexing, listing and deleting documents."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from surefoot.core.types import IngestReport, StoredDocument
from surefoot.server.library import Library


def eventually(check: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not check():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)


def statuses(client: TestClient) -> dict[str, str]:
    return {d["source"]: d["status"] for d in client.get("/v1/documents").json()["documents"]}


def test_an_uploaded_document_is_queued_indexed_answers_and_goes_when_deleted(client: TestClient) -> None:
    answer = client.post("/v1/documents", files=[("files", ("zebra.md", b"The zebra costs R10."))])
    assert answer.status_code == 202
    document = answer.json()["documents"][0]
    assert document["status"] == "queued"
    eventually(lambda: statuses(client).get("zebra.md") == "indexed")
    assert "R10" in client.post("/v1/ask", json={"question": "What does the zebra cost?"}).json()["finalAnswer"]
    assert client.get(f"/v1/documents/{document['id']}").json()["source"] == "zebra.md"
    assert client.delete(f"/v1/documents/{document['id']}").status_code == 202
    assert client.get(f"/v1/documents/{document['id']}").status_code == 404
    eventually(lambda: statuses(client) == {})
    assert client.post("/v1/ask", json={"question": "What does the zebra cost?"}).json()["decision"] == "rejected"


def test_several_files_come_in_one_upload(client: TestClient) -> None:
    files = [("files", (f"a{n}.txt", b"words")) for n in range(3)]
    assert len(client.post("/v1/documents", files=files).json()["documents"]) == 3


@pytest.mark.parametrize("name", ["evil.exe", "noextension", ".md", "a" * 300 + ".md"])
def test_a_name_we_cannot_read_is_refused(client: TestClient, name: str) -> None:
    response = client.post("/v1/documents", files=[("files", (name, b"words"))])
    assert response.status_code == 400
    assert ".pdf" in response.json()["error"]["remedy"] or response.json()["error"]["code"] == "bad_input"


def test_an_empty_document_is_refused(client: TestClient) -> None:
    assert client.post("/v1/documents/text", json={"source": "a.md", "text": "  "}).status_code == 400


def test_a_document_from_elsewhere_cannot_be_deleted_here(client: TestClient, settings: object) -> None:
    client.post("/v1/documents/text", json={"source": "fees.md", "text": "The fee is R10."})
    eventually(lambda: statuses(client).get("fees.md") == "indexed")
    identity = client.get("/v1/documents").json()["documents"][0]["id"]
    (settings.kb / "uploads" / "fees.md").unlink()
    response = client.delete(f"/v1/documents/{identity}")
    assert response.status_code == 409
    assert "surefoot ingest" in response.json()["error"]["remedy"]


def test_an_upload_that_ends_late_does_not_bring_a_removed_document_back(tmp_path: Path) -> None:
    async def story() -> tuple[list[str], list[str]]:
        indexed: list[str] = []
        may_end = asyncio.Event()

        async def ingest(paths: Sequence[Path]) -> IngestReport:
            indexed[:] = [file.name for file in paths[0].glob("[!.]*")]
            await may_end.wait()
            may_end.clear()
            return IngestReport()

        async def listing() -> Sequence[StoredDocument]:
            return [StoredDocument(source=name, state="done", chunks=1) for name in indexed]

        library = Library(tmp_path, ingest=ingest, listing=listing)
        shelved = await library.add("fees.md", b"The fee is R5.")
        await asyncio.sleep(0)
        await library.remove(shelved.id)
        may_end.set()  # the upload ends; the removal has not begun
        for _ in range(3):
            await asyncio.sleep(0)
        between = [document.status for document in await library.documents()]
        may_end.set()
        await library.settle()
        return between, [document.status for document in await library.documents()]

    assert asyncio.run(story()) == (["removing"], [])
