from __future__ import annotations

import asyncio
import os
from pathlib import Path

import numpy as np
import pytest

from support.readers import READERS
from surefoot.core.errors import InputError
from surefoot.core.types import IngestProgress, IngestReport, Passage
from surefoot.ingest.ingestor import Ingestor
from surefoot.ingest.manifest import Manifest
from surefoot.store.edge import EdgeStore
from surefoot.testing.embedding import HashingEmbedder


class House:
    """A knowledge base in a folder, with a counting embedder."""

    def __init__(self, folder: Path) -> None:
        self.embedder = HashingEmbedder()
        self.store = EdgeStore(folder / "kb" / "store")
        self.manifest = Manifest(folder / "kb" / "manifest.sqlite")
        self.ingestor = Ingestor(store=self.store, embedder=self.embedder, manifest=self.manifest, reader=READERS)

    def ingest(self, *paths: Path | str, **options: object) -> IngestReport:
        return asyncio.run(self.ingestor.ingest(list(paths), **options))  # type: ignore[arg-type]

    def passages(self) -> dict[str, Passage]:
        async def every() -> dict[str, Passage]:
            return {passage.id: passage async for page in self.store.scan() for passage in page}

        return asyncio.run(every())

    def close(self) -> None:
        asyncio.run(self.store.close())
        self.manifest.close()


@pytest.fixture
def house(tmp_path: Path):  # type: ignore[no-untyped-def]
    house = House(tmp_path)
    yield house
    house.close()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "rent.md").write_text("---\ntitle: Rent\ncategory: housing\n---\n# Rent\n\nRent is due monthly.\n")
    (folder / "fees.txt").write_text("Fees\n\nThe fee is R500 a year.\n")
    age(folder)
    return folder


def age(folder: Path) -> None:
    """Makes files old enough for the ledger to trust their times."""
    for path in folder.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000 + len(path.read_bytes()) if path.is_file() else 1_700_000_000))


def test_a_folder_becomes_passages_that_say_where_they_are_from(house: House, docs: Path) -> None:
    report = house.ingest(docs)
    assert (report.added, report.chunks, report.skipped) == (2, 2, ())
    rent = next(p for p in house.passages().values() if p.metadata["file"] == "rent.md")
    assert rent.metadata["title"] == "Rent"
    assert rent.metadata["category"] == "housing"
    assert rent.metadata["headings"] == ["Rent"]
    whole = (docs / "rent.md").read_text()
    assert whole[rent.metadata["start"] : rent.metadata["end"]] == rent.text


def test_a_second_run_embeds_nothing(house: House, docs: Path) -> None:
    house.ingest(docs)
    house.embedder.texts.clear()
    report = house.ingest(docs)
    assert (report.unchanged, report.chunks) == (2, 0)
    assert house.embedder.texts == []


def test_a_touched_file_with_the_same_bytes_is_unchanged(house: House, docs: Path) -> None:
    house.ingest(docs)
    os.utime(docs / "rent.md", (1_700_009_999, 1_700_009_999))
    assert house.ingest(docs).unchanged == 2


def test_a_changed_file_replaces_its_passages_and_names_the_old_ones(house: House, docs: Path) -> None:
    house.ingest(docs)
    old = {p.id for p in house.passages().values() if p.metadata["file"] == "fees.txt"}
    (docs / "fees.txt").write_text("Fees\n\nThe fee is R600 a year.\n")
    report = house.ingest(docs)
    assert (report.updated, report.unchanged) == (1, 1)
    assert set(report.changed_ids) == old
    texts = [p.text for p in house.passages().values()]
    assert any("R600" in text for text in texts)
    assert not any("R500" in text for text in texts)


def test_appending_leaves_the_earlier_passages_alone(house: House, docs: Path) -> None:
    page = docs / "long.md"
    page.write_text("# Long\n\n" + "\n\n".join(f"## Part {n}\n\n" + f"Fact {n} holds. " * 60 for n in range(6)))
    house.ingest(docs)
    house.embedder.texts.clear()
    page.write_text(page.read_text() + "\n\n## Part 7\n\nOne more fact.\n")
    report = house.ingest(docs)
    assert report.updated == 1
    assert len(house.embedder.texts) <= 3


def test_a_removed_file_takes_its_passages_with_it(house: House, docs: Path) -> None:
    house.ingest(docs)
    (docs / "rent.md").unlink()
    report = house.ingest(docs)
    assert report.removed == 1
    assert {p.metadata["file"] for p in house.passages().values()} == {"fees.txt"}


def test_ingesting_one_folder_leaves_another_alone(house: House, docs: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "loans.md").write_text("# Loans\n\nA loan is not a gift.\n")
    house.ingest(docs)
    assert house.ingest(other).removed == 0
    assert len({p.metadata["file"] for p in house.passages().values()}) == 3


def test_two_files_of_one_name_keep_apart(house: House, docs: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "rent.md").write_text("# Rent elsewhere\n\nRent is due weekly.\n")
    house.ingest(docs)
    house.ingest(other)
    assert {p.metadata["file"] for p in house.passages().values()} == {"rent.md", "fees.txt", "other/rent.md"}


def test_a_folder_that_moved_is_not_doubled(house: House, docs: Path, tmp_path: Path) -> None:
    house.ingest(docs)
    moved = docs.rename(tmp_path / "moved")
    house.ingest(moved)
    assert len(house.passages()) == 2


def test_a_broken_file_is_skipped_with_its_reason_and_the_rest_goes_on(house: House, docs: Path) -> None:
    (docs / "photo.md").write_bytes(b"\x89PNG\0\0\0\1" * 50)
    report = house.ingest(docs)
    assert report.added == 2
    assert [(s.source, s.reason) for s in report.skipped] == [("photo.md", "a binary file, not text")]


def test_a_page_that_became_unreadable_no_longer_serves_as_evidence(house: House, docs: Path) -> None:
    house.ingest(docs)
    (docs / "rent.md").write_bytes(b"\0\1\2" * 100)
    report = house.ingest(docs)
    assert [skip.source for skip in report.skipped] == ["rent.md"]
    assert {p.metadata["file"] for p in house.passages().values()} == {"fees.txt"}


def test_a_path_that_does_not_exist_is_the_callers_mistake(house: House, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        house.ingest(tmp_path / "nowhere")


def test_a_store_made_anew_is_filled_again(house: House, docs: Path, tmp_path: Path) -> None:
    house.ingest(docs)
    house.close()
    import shutil

    shutil.rmtree(tmp_path / "kb" / "store")
    fresh = House(tmp_path)
    assert fresh.ingest(docs).added == 2
    assert len(fresh.passages()) == 2
    fresh.close()


def test_tags_reach_every_passage_and_a_new_tag_counts_as_a_change(house: House, docs: Path) -> None:
    house.ingest(docs, tags={"pack": "thandi"})
    assert {p.metadata["pack"] for p in house.passages().values()} == {"thandi"}
    assert house.ingest(docs, tags={"pack": "judge"}).updated == 2


def test_another_embedder_embeds_everything_again(house: House, docs: Path) -> None:
    house.ingest(docs)
    house.embedder.identity = "hashing:2"
    assert (house.ingest(docs).updated, len(house.embedder.texts)) == (2, 4)


def test_progress_ends_at_the_total(house: House, docs: Path) -> None:
    seen: list[IngestProgress] = []
    house.ingest(docs, on_progress=seen.append)
    assert (seen[-1].files, seen[-1].total, seen[-1].chunks) == (2, 2, 2)


@pytest.mark.parametrize("moment", ["plan", "upsert", "delete", "settle"])
def test_a_run_that_dies_at_any_step_is_made_good_by_the_next(docs: Path, tmp_path: Path, moment: str) -> None:
    class Died(BaseException):
        pass

    def die(*_: object, **__: object) -> None:
        raise Died

    house = House(tmp_path)
    house.ingest(docs)
    (docs / "fees.txt").write_text("Fees\n\nThe fee is R600 a year.\n")
    (docs / "rent.md").unlink()
    target = house.store if moment in ("upsert", "delete") else house.manifest
    real = getattr(target, moment)
    setattr(target, moment, die)
    with pytest.raises(Died):
        house.ingest(docs)
    setattr(target, moment, real)
    house.ingest(docs)
    assert [p.text for p in house.passages().values()] == ["## Fees\n\nThe fee is R600 a year."]
    house.close()


def test_vectors_come_from_the_cache_when_words_are_known(docs: Path, tmp_path: Path) -> None:
    class Shelf:
        def __init__(self) -> None:
            self.items: dict[str, bytes] = {}

        async def get(self, key: str) -> bytes | None:
            return self.items.get(key)

        async def set(self, key: str, value: bytes, *, ttl_s: int, tags: object = ()) -> None:
            self.items[key] = value

    shelf = Shelf()
    for name in ("one", "two"):
        house = House(tmp_path / name)
        house.ingestor.cache = shelf  # type: ignore[assignment]
        house.ingest(docs)
        house.close()
    assert house.embedder.texts == []
    assert all(key.startswith("vector:") and len(raw) == 384 * 4 for key, raw in shelf.items.items())
    assert np.isclose(np.linalg.norm(np.frombuffer(next(iter(shelf.items.values())), dtype=np.float32)), 1.0)


def test_a_pattern_takes_away_only_what_it_could_have_named(house: House, docs: Path) -> None:
    (docs / "sub").mkdir()
    (docs / "sub" / "deep.md").write_text("# Deep\n\nDeep words stay.\n")
    house.ingest(docs)
    (docs / "rent.md").unlink()
    assert house.ingest(f"{docs}/*.md").removed == 1
    assert {p.metadata["file"] for p in house.passages().values()} == {"fees.txt", "sub/deep.md"}
    (docs / "sub" / "deep.md").unlink()
    (docs / "sub").rmdir()
    assert house.ingest(f"{docs}/s*").removed == 1


def test_the_ledger_knows_whose_vectors_are_another_embedder_s_until_they_are_made_anew(
    house: House, docs: Path, tmp_path: Path
) -> None:
    house.ingest(docs)
    mine, another = house.embedder.identity, "another:1"
    assert (house.manifest.outdated(mine), house.manifest.outdated(another)) == (0, 2)
    copy = Manifest(tmp_path / "copy.sqlite")
    copy.adopt(house.manifest, "elsewhere")
    assert (copy.outdated(mine), copy.outdated(another)) == (0, 2)
    copy.close()
    house.ingestor = Ingestor(
        store=house.store, embedder=HashingEmbedder(identity=another), manifest=house.manifest, reader=READERS
    )
    assert house.ingest(docs).updated == 2
    assert (house.manifest.outdated(mine), house.manifest.outdated(another)) == (2, 0)
