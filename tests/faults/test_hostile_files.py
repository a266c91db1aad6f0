"""A folder of hostile files: no crash, no hang, a reason for each, and the one good page is still read."""

from __future__ import annotations

import asyncio
import io
import os
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from surefoot.core.types import IngestReport
from surefoot.ingest.ingestor import Ingestor
from surefoot.ingest.limits import Limits
from surefoot.ingest.manifest import Manifest
from surefoot.store.edge import EdgeStore
from surefoot.testing.embedding import HashingEmbedder

XML_BOMB = (
    '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 20}">' for n in range(8))
    + "]><w:document>&i;</w:document>"
)


def zipped(members: dict[str, bytes]) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return memory.getvalue()


def lying_zip() -> bytes:
    """Declares four bytes and holds many more."""
    data = bytearray(zipped({"word/document.xml": b"0" * 3_000_000}))
    at = data.find(b"PK\1\2")
    data[at + 24 : at + 28] = (4).to_bytes(4, "little")
    return bytes(data)


def contents(dice: random.Random) -> Iterator[tuple[str, bytes]]:
    """Names and bytes, without end; each round differs."""
    rounds = 0
    while True:
        rounds += 1
        noise = dice.randbytes(dice.randint(50, 4000))
        pdf = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
        pdf += b"2 0 obj\n<< /Kids [2 0 R] /Count 99999999 >>"
        yield f"truncated-{rounds}.pdf", pdf[: dice.randint(5, len(pdf))]
        yield f"loop-{rounds}.pdf", pdf + b"\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF"
        yield f"noise-{rounds}.pdf", b"%PDF-1.4\n" + noise
        yield (
            f"encrypted-{rounds}.pdf",
            pdf + b"\ntrailer << /Root 1 0 R /Encrypt << /Filter /Standard /V 9 >> >>\n%%EOF",
        )
        yield f"bomb-{rounds}.docx", zipped({"word/document.xml": b"0" * 30_000_000})
        yield f"lying-{rounds}.docx", lying_zip()
        yield f"entities-{rounds}.docx", zipped({"word/document.xml": XML_BOMB.encode()})
        yield f"climbing-{rounds}.docx", zipped({"../../evil": b"x", "word/document.xml": b"<not-closed"})
        yield f"cut-{rounds}.docx", zipped({"word/document.xml": b"<w:document/>"})[: dice.randint(4, 60)]
        yield f"noise-{rounds}.docx", b"PK\3\4" + noise
        yield f"nested-{rounds}.json", b"[" * 100_000
        yield f"nested-{rounds}.jsonl", b'{"a":' * 50_000
        yield f"cut-{rounds}.json", b'{"text": "Rent is'
        yield f"digits-{rounds}.json", b"1" * 100_000
        yield f"noise-{rounds}.csv", b"\0" + noise
        yield f"field-{rounds}.csv", b'a,b\n"' + b"x" * 300_000
        yield f"aliases-{rounds}.md", b"---\na: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\ntext"
        yield f"yaml-{rounds}.md", b"---\n" + b"- [" * 2000 + b"\n---\ntext"
        yield f"wide-{rounds}.txt", b"\xff\xfe" + noise[: len(noise) // 2 * 2] + b"\xd8"
        yield f"binary-{rounds}.txt", b"\0" + noise
        yield f"image-{rounds}.md", b"\x89PNG\r\n\x1a\n\0" + noise
        yield f"empty-{rounds}.txt", b""
        yield f"blank-{rounds}.html", b" \n\t"
        yield f"deep-{rounds}.html", b"<div>" * 30_000
        yield f"type-{rounds}.exe", b"MZ" + noise
        yield f"new\nline-{rounds}.bin", noise
        yield f"nothing-{rounds}", b"text"


def hostile(folder: Path, count: int) -> int:
    """Fills the folder; returns how many of its entries deserve a reason."""
    dice = random.Random(7)
    folder.mkdir()
    made = 0
    for name, data in contents(dice):
        if made >= count - 5:
            break
        (folder / name).write_bytes(data)
        made += 1
    with (folder / "one-line.txt").open("wb") as file:
        file.truncate(100_000_000)
    (folder / "dangling.md").symlink_to(folder / "nowhere")
    (folder / "again").symlink_to(folder, target_is_directory=True)
    (folder / "self.md").symlink_to(folder / "self.md")
    os.mkfifo(folder / "pipe.txt")
    (folder / "good.md").write_text("# Rent\n\nRent is due monthly.\n")
    return made + 5


def ingest(folder: Path, kb: Path) -> IngestReport:
    async def once() -> IngestReport:
        store = EdgeStore(kb / "store")
        limits = Limits(max_expanded_bytes=20_000_000, reader_seconds=20, reader_memory_bytes=1_500_000_000)
        ingestor = Ingestor(
            store=store, embedder=HashingEmbedder(), manifest=Manifest(kb / "manifest.sqlite"), limits=limits
        )
        try:
            return await ingestor.ingest([folder])
        finally:
            await store.close()

    return asyncio.run(once())


def check(tmp_path: Path, count: int) -> None:
    deserved = hostile(tmp_path / "hostile", count)
    report = ingest(tmp_path / "hostile", tmp_path / "kb")
    assert report.added == 1
    assert len(report.skipped) == deserved
    assert all(skip.reason and "\n" not in skip.source + skip.reason for skip in report.skipped)


def test_hostile_files_each_get_a_reason(tmp_path: Path) -> None:
    check(tmp_path, 32)


@pytest.mark.faults
def test_two_hundred_hostile_files_each_get_a_reason(tmp_path: Path) -> None:
    check(tmp_path, 200)
