"""A knowledge base whose vectors another embedder made: it is said, and an ingest makes it right."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from pathlib import Path

import pytest

from surefoot.wiring import Surefoot, build
from surefoot.wiring.checkup import check_up


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "rent.md").write_text("# Rent\n\nRent is due monthly.\n")
    _ingest(tmp_path)
    return tmp_path / "kb"


def _ingest(folder: Path) -> None:
    house = build(kb=folder / "kb", cache=False)

    async def fill() -> None:
        await house.ingest([folder / "docs"])
        await house.close()

    asyncio.run(fill())


def _as_if_made_by_another(kb: Path) -> None:
    with sqlite3.connect(kb / "manifest.sqlite") as ledger:
        ledger.execute("UPDATE ledger SET value = 'another' WHERE key LIKE 'recipe:%'")


def _said(house: Surefoot, caplog: pytest.LogCaptureFixture) -> list[str]:
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        assert house.retriever is not None
    asyncio.run(house.close())
    return [record.getMessage() for record in caplog.records if "another embedder" in record.getMessage()]


def test_it_is_said_until_they_are_ingested_again(kb: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert _said(build(kb=kb, cache=False), caplog) == []
    _as_if_made_by_another(kb)
    assert len(_said(build(kb=kb, cache=False), caplog)) == 1
    bad = [one for one in check_up(build(kb=kb, cache=False)) if one.level == "bad"]
    assert any("1 documents" in one.what and "ingest them again" in one.remedy for one in bad)
    _ingest(kb.parent)
    assert _said(build(kb=kb, cache=False), caplog) == []
    assert not [one for one in check_up(build(kb=kb, cache=False)) if "vectors" in one.what]


def test_without_a_knowledge_base_nothing_is_said_and_nothing_made(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    house = build(kb=tmp_path / "none", cache=False)
    assert house.outdated() == 0
    assert not (tmp_path / "none").exists()
