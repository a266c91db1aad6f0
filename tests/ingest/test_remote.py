"""Folders elsewhere, by fsspec's memory and a double of an object store over it."""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from support.readers import READERS
from surefoot.core.errors import FetchError, InputError, MissingExtraError
from surefoot.core.types import IngestReport
from surefoot.ingest import remote
from surefoot.ingest.ingestor import Ingestor
from surefoot.ingest.limits import Limits
from surefoot.ingest.manifest import Manifest
from surefoot.store.edge import EdgeStore
from surefoot.testing.embedding import HashingEmbedder

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed: pip install 'surefoot[remote]'")
from fsspec.implementations.memory import MemoryFileSystem  # noqa: E402


class ObjectStore(MemoryFileSystem):  # type: ignore[misc]
    """Says an ETag of each object as S3 does, counts what is opened, and can be away."""

    protocol = "bucket"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    opened: ClassVar[list[str]] = []
    away: ClassVar[set[str]] = set()

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(MemoryFileSystem._strip_protocol(path.removeprefix("bucket://")))

    def find(self, path: str, *args: Any, **how: Any) -> Any:
        if "list" in self.away:
            raise RuntimeError("503 slow down\nand more lines")
        found = super().find(path, *args, **how)
        for name, info in found.items():
            info["ETag"] = str(hash(self.store[name].getvalue()))
        return found

    def _open(self, path: str, mode: str = "rb", **how: Any) -> Any:
        if mode == "rb":
            self.opened.append(path)
            if path in self.away:
                raise RuntimeError("connection reset")
        return super()._open(path, mode, **how)


class PlainFolders(MemoryFileSystem):  # type: ignore[misc]
    """Lists folder by folder, as SFTP does, and may not look into one of them."""

    protocol = "plain"
    find = fsspec.AbstractFileSystem.find
    closed: ClassVar[set[str]] = set()

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(MemoryFileSystem._strip_protocol(path.removeprefix("plain://")))

    def ls(self, path: str, detail: bool = True, **how: Any) -> Any:
        if path.rstrip("/") in self.closed:
            raise OSError(f"no permission for {path}")
        return super().ls(path, detail=detail, **how)


class House:
    """A knowledge base in a folder, filled from elsewhere."""

    def __init__(self, folder: Path) -> None:
        self.embedder = HashingEmbedder()
        self.store = EdgeStore(folder / "kb" / "store")
        self.manifest = Manifest(folder / "kb" / "manifest.sqlite")
        self.ingestor = Ingestor(store=self.store, embedder=self.embedder, manifest=self.manifest, reader=READERS)

    def ingest(self, *paths: Path | str) -> IngestReport:
        return asyncio.run(self.ingestor.ingest(list(paths)))

    def texts(self) -> dict[str, str]:
        async def every() -> dict[str, str]:
            return {str(one.metadata["file"]): one.text async for page in self.store.scan() for one in page}

        return asyncio.run(every())

    def close(self) -> None:
        asyncio.run(self.store.close())
        self.manifest.close()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    yield house
    house.close()


@pytest.fixture
def memory() -> Iterator[Any]:
    system = fsspec.filesystem("memory")
    fsspec.register_implementation("plain", PlainFolders, clobber=True)
    PlainFolders.closed.clear()
    system.store.clear()
    system.pipe({"/docs/rent.md": b"# Rent\n\nRent is due monthly.\n", "/docs/sub/fees.txt": b"The fee is R500.\n"})
    yield system
    system.store.clear()


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[ObjectStore]]:
    fsspec.register_implementation("bucket", ObjectStore, clobber=True)
    monkeypatch.setattr(remote, "PAUSE_S", 0.0)
    ObjectStore.store.clear()
    ObjectStore.opened.clear()
    ObjectStore.away.clear()
    ObjectStore().pipe({"/kb/rent.md": b"# Rent\n\nRent is due monthly.\n", "/kb/fees.txt": b"The fee is R500.\n"})
    yield ObjectStore
    ObjectStore.store.clear()


def test_a_folder_elsewhere_becomes_passages_under_the_names_it_has_there(house: House, memory: Any) -> None:
    report = house.ingest("memory://docs")
    assert (report.added, report.skipped) == (2, ())
    assert house.texts() == {"rent.md": "# Rent\n\nRent is due monthly.", "sub/fees.txt": "The fee is R500."}


def test_the_same_again_embeds_nothing_and_what_changed_is_taken_up(house: House, memory: Any) -> None:
    house.ingest("memory://docs")
    house.embedder.texts.clear()
    assert house.ingest("memory://docs/").unchanged == 2
    assert house.embedder.texts == []
    memory.pipe("/docs/sub/fees.txt", b"The fee is R600.\n")
    memory.rm("/docs/rent.md")
    report = house.ingest("memory://docs")
    assert (report.updated, report.removed, report.unchanged) == (1, 1, 0)
    assert house.texts() == {"sub/fees.txt": "The fee is R600."}


def test_an_object_with_the_same_tag_is_not_fetched_again(house: House, bucket: type[ObjectStore]) -> None:
    house.ingest("bucket://kb")
    assert sorted(bucket.opened) == ["/kb/fees.txt", "/kb/rent.md"]
    bucket.opened.clear()
    bucket().pipe("/kb/rent.md", b"# Rent\n\nRent is due weekly..\n")  # as long as before
    report = house.ingest("bucket://kb")
    assert (report.updated, report.unchanged) == (1, 1)
    assert bucket.opened == ["/kb/rent.md"]


@pytest.mark.parametrize("scheme", ["memory", "plain"])
def test_one_file_and_a_pattern_may_be_named(house: House, memory: Any, scheme: str) -> None:
    memory.pipe({"/docs/more.md": b"More words.\n", "/docs/skip.txt": b"Other words.\n"})
    assert house.ingest(f"{scheme}://docs/sub/fees.txt").added == 1
    assert house.ingest(f"{scheme}://docs/*.md").added == 2
    assert set(house.texts()) == {"fees.txt", "rent.md", "more.md"}
    memory.rm("/docs/more.md")
    assert house.ingest(f"{scheme}://docs/*.md").removed == 1
    assert house.ingest(f"{scheme}://docs/s*").added == 1
    assert set(house.texts()) == {"fees.txt", "rent.md", "skip.txt"}


@pytest.mark.parametrize("scheme", ["memory", "plain"])
def test_a_pattern_takes_away_only_what_it_could_have_named(house: House, memory: Any, scheme: str) -> None:
    house.ingest(f"{scheme}://docs")
    memory.pipe("/docs/more.txt", b"More words.\n")
    report = house.ingest(f"{scheme}://docs/*.txt")
    assert (report.added, report.removed) == (1, 0)
    assert house.ingest(f"{scheme}://docs/**/*.txt").removed == 0
    memory.rm("/docs/sub/fees.txt")
    assert house.ingest(f"{scheme}://docs/**/*.txt").removed == 1


def test_a_parquet_file_elsewhere_answers_by_its_columns(house: House, memory: Any) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'surefoot[parquet]'")
    from pyarrow import parquet

    packed = io.BytesIO()
    parquet.write_table(pyarrow.table({"Route": ["Nes – Oost"], "Price": ["R12.50"]}), packed)
    memory.pipe("/lake/fares.parquet", packed.getvalue())
    house.ingest("memory://lake")
    assert house.texts() == {"fares.parquet": "Route: Nes – Oost; Price: R12.50."}


def test_here_and_elsewhere_do_not_take_each_others_place(house: House, memory: Any, tmp_path: Path) -> None:
    here = tmp_path / "docs"
    here.mkdir()
    (here / "rent.md").write_text("# Rent\n\nRent here is due daily.\n")
    house.ingest("memory://docs")
    report = house.ingest(here)
    assert (report.added, report.removed) == (1, 0)
    assert {"rent.md", "docs/rent.md"} <= set(house.texts())


def test_only_what_would_be_read_is_fetched(house: House, bucket: type[ObjectStore]) -> None:
    house.ingestor.limits = Limits(max_bytes=100)
    bucket().pipe({"/kb/film.mp4": b"x", "/kb/big.txt": b"words " * 100, "/kb/.git/config.txt": b"x"})
    report = house.ingest("bucket://kb")
    assert {skip.source: skip.reason for skip in report.skipped} == {
        "film.mp4": "files of type '.mp4' are not read",
        "big.txt": "larger than 100 bytes",
    }
    assert sorted(bucket.opened) == ["/kb/fees.txt", "/kb/rent.md"]


def test_a_service_that_is_away_ends_the_run_and_nothing_is_lost(house: House, bucket: type[ObjectStore]) -> None:
    house.ingest("bucket://kb")
    before = house.texts()
    bucket.away.add("list")
    with pytest.raises(FetchError, match=r"'bucket://kb' cannot be read \(503 slow down\); check"):
        house.ingest("bucket://kb")
    bucket.away.clear()
    bucket().pipe("/kb/fees.txt", b"The fee is R700.\n")
    bucket.away.add("/kb/fees.txt")
    bucket.opened.clear()
    with pytest.raises(FetchError, match="run the same command again"):
        house.ingest("bucket://kb")
    assert bucket.opened == ["/kb/fees.txt"] * remote.TRIES
    assert house.texts() == before
    bucket.away.clear()
    assert house.ingest("bucket://kb").updated == 1


def test_a_folder_that_cannot_be_listed_is_not_taken_for_an_empty_one(house: House, memory: Any) -> None:
    house.ingest("plain://docs")
    before = house.texts()
    PlainFolders.closed.add("/docs/sub")
    for named in ("plain://docs", "plain://docs/**/*.txt"):
        with pytest.raises(FetchError, match="no permission"):
            house.ingest(named)
    assert house.texts() == before
    assert set(before) == {"rent.md", "sub/fees.txt"}


def test_a_run_that_ended_in_the_middle_is_taken_up_where_it_stood(
    house: House, bucket: type[ObjectStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surefoot.ingest.ingestor.GROUP", 1)
    monkeypatch.setattr("surefoot.ingest.ingestor.AHEAD", 1)
    bucket.away.add("/kb/rent.md")
    with pytest.raises(FetchError):
        house.ingest("bucket://kb")
    assert set(house.texts()) == {"fees.txt"}
    bucket.away.clear()
    bucket.opened.clear()
    report = house.ingest("bucket://kb")
    assert (report.added, report.unchanged) == (1, 1)
    assert bucket.opened == ["/kb/rent.md"]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("memory://nowhere", "'memory://nowhere' does not exist"),
        ("nonsense://kb", "'nonsense://kb' cannot be used: Protocol not known"),
        ("simplecache::memory://docs", "joins addresses with '::'"),
        ("ftp://me:hidden@host/docs", "an address with a password in it"),
    ],
)
def test_an_address_that_cannot_be_used_is_said_in_one_line(house: House, memory: Any, address: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        house.ingest(address)
    assert said in str(caught.value)
    assert "hidden" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_system_without_its_package_is_named(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(url: str) -> Any:
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr(fsspec.core, "url_to_fs", missing)
    with pytest.raises(InputError, match="'s3://kb' needs one more package: Install s3fs to access S3"):
        house.ingest("s3://kb")


def test_without_fsspec_the_error_names_the_extra(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'surefoot\[remote\]'"):
        house.ingest("s3://kb")


def test_a_name_that_is_no_path_is_skipped_with_a_reason(house: House, bucket: type[ObjectStore]) -> None:
    file = remote.RemoteFile(url="bucket://kb//a.md", name="/a.md", size=1, version=1)
    listing = remote.Listing(files=[file], folders=["bucket://kb"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remote, "listed", lambda url, limits: listing)
        report = house.ingest("bucket://kb")
    assert [skip.reason for skip in report.skipped] == ["a name with empty parts or dots, which is no path"]


@pytest.mark.parametrize("url", ["s3://bucket/a/b.md", "hdfs:///a/b.md", "sftp://me@host/a.md", "memory://a"])
def test_an_address_comes_back_from_the_ledger_as_it_was(url: str) -> None:
    path = remote.path_of(url)
    assert remote.is_remote(path)
    assert remote.url_of(path) == url


def test_a_rebuild_fetches_again_what_lies_elsewhere(memory: Any, tmp_path: Path) -> None:
    from surefoot.wiring import build, rebuild_store

    async def filled_and_rebuilt() -> IngestReport:
        house = build(kb=tmp_path / "kb")
        await house.ingest("memory://docs")
        await house.close()
        report, _ = await rebuild_store(house.settings)
        return report

    assert asyncio.run(filled_and_rebuilt()).added == 2
