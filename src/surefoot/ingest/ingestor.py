"""Files into the store: only what changed, in groups, in an order that survives being killed."""

from __future__ import annotations

import asyncio
import fnmatch
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from surefoot.core.errors import EncoderError, FetchError, InputError, StoreLockedError, StoreUnavailableError
from surefoot.core.hashing import content_hash, sha256_bytes
from surefoot.core.passages import INDEX_VERSION, index_text
from surefoot.core.ports import Cache, Embedder, PortableStore
from surefoot.core.types import IngestProgress, IngestReport, Json, Passage, SkippedFile
from surefoot.ingest import remote
from surefoot.ingest.chunking import CHUNKER_VERSION
from surefoot.ingest.cutting import Cut
from surefoot.ingest.discovery import Discovery, FoundFile, discover
from surefoot.ingest.isolation import ReaderPool
from surefoot.ingest.limits import Limits
from surefoot.ingest.manifest import Entry, Manifest
from surefoot.ingest.reading import READERS, refuse_large, refuse_unknown
from surefoot.ingest.vectors import vectors_of

GROUP = 512
"""Chunks embedded and written together: enough to sort by length, little enough to lose."""
AHEAD = 8
"""Files read while the model is busy."""
SETTLED_NS = 2_000_000_000
"""A file changed this recently may change again within the clock's grain: look at its bytes next time."""

NOT_THE_FILE = (StoreUnavailableError, StoreLockedError, EncoderError, OSError)
"""Faults of the machine: another file would not fare better, so the run ends and says so."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """A file on its way in: its ledger entry as it will be, and its passages (none: skipped or unchanged)."""

    entry: Entry
    was: Entry | None
    outcome: str
    """added | updated | unchanged | skipped | elsewhere (another worker has it)"""
    passages: tuple[Passage, ...] = ()
    lasting: bool = True
    """False for a skip that another machine or a later day may not repeat; it is tried again every time."""

    @property
    def digests(self) -> dict[str, str]:
        """By chunk id: what was stored and how it was made; another embedder makes another digest."""
        return {passage.id: content_hash([self.entry.recipe, passage.metadata]) for passage in self.passages}


@dataclass(kw_only=True)
class Ingestor:
    store: PortableStore
    embedder: Embedder
    manifest: Manifest
    cache: Cache | None = None
    limits: Limits = field(default_factory=Limits)
    reader: ReaderPool = field(default_factory=ReaderPool)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def ingest(
        self,
        paths: Sequence[str | Path],
        *,
        tags: Mapping[str, Json] | None = None,
        on_progress: Callable[[IngestProgress], None] | None = None,
    ) -> IngestReport:
        """Adds, updates and removes, so that the store holds what the paths hold now. Safe to kill and to repeat.

        Tags such as a pack's name are put on every passage.
        """
        run = _Run(ingestor=self, tags=dict(tags or {}), on_progress=on_progress)
        async with self._turn:  # two runs at once would plan over each other's files
            try:
                report = await run.over(paths)
                await asyncio.to_thread(self.manifest.release)
                return report
            finally:
                self.reader.close()


@dataclass(kw_only=True)
class _Run:
    """One call of ingest: counts as it goes."""

    ingestor: Ingestor
    tags: dict[str, Json]
    on_progress: Callable[[IngestProgress], None] | None
    started: float = field(default_factory=time.perf_counter)
    counts: Counter[str] = field(default_factory=Counter)
    skipped: list[SkippedFile] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    looked_at: int = 0
    total: int = 0

    async def over(self, paths: Sequence[str | Path]) -> IngestReport:
        house = self.ingestor
        found = await asyncio.to_thread(discover, paths, house.limits)
        self.skipped += found.skipped
        if not house.manifest.exists:
            _removed(found, {}, house.manifest.keeps)  # a path that is not there is said before a store is made
            if not found.files:
                return self._report()
        house.manifest.bind(await house.store.identity())
        known = house.manifest.entries()
        removed = _removed(found, known, house.manifest.keeps)
        self.total = len(found.files) + len(removed)
        for entry in removed:
            await self._remove(entry)
            del known[entry.path]
        group: list[Prepared] = []
        async for prepared in self._prepared(_named(found.files, known), known):
            self._count(prepared)
            if prepared.outcome != "elsewhere" and (prepared.outcome != "unchanged" or prepared.entry != prepared.was):
                group.append(prepared)
            if sum(len(item.passages) for item in group) >= GROUP:
                await self._write(group)
                group = []
        await self._write(group)
        await house.store.finish(written=self.counts["chunks"])
        return self._report()

    async def _prepared(
        self, files: Sequence[tuple[FoundFile, str]], known: Mapping[Path, Entry]
    ) -> AsyncIterator[Prepared]:
        """The files in order, read a few ahead in worker threads; untouched ones are not even opened."""
        embedder = self.ingestor.embedder.identity
        recipe = content_hash([CHUNKER_VERSION, INDEX_VERSION, embedder, self.tags])
        await asyncio.to_thread(self.ingestor.manifest.note, recipe, embedder)
        waiting: deque[asyncio.Task[Prepared] | Prepared] = deque()
        todo = iter(files)
        try:
            while True:
                while len(waiting) < AHEAD and (item := next(todo, None)):
                    file, source = item
                    entry = known.get(file.path)
                    if entry is not None and _untouched(file, entry, recipe):
                        waiting.append(Prepared(entry=entry, was=entry, outcome="unchanged"))
                    else:
                        work = asyncio.to_thread(self._claimed, file, source, entry, recipe)
                        waiting.append(asyncio.create_task(work))
                if not waiting:
                    return
                first = waiting.popleft()
                yield first if isinstance(first, Prepared) else await first
        finally:
            for task in waiting:
                if isinstance(task, asyncio.Task):
                    task.cancel()

    def _claimed(self, file: FoundFile, source: str, was: Entry | None, recipe: str) -> Prepared:
        """Several workers may go over one folder: a file is done by one of them, and looked up again before."""
        ledger = self.ingestor.manifest
        if not ledger.has_workers:
            return self._prepare(file, source, was, recipe)
        if not ledger.claim(file.path):
            known = was or Entry(
                path=file.path, source=source, size=0, mtime_ns=0, sha256="", recipe=recipe, state="pending"
            )
            return Prepared(entry=known, was=was, outcome="elsewhere")
        now = ledger.entry(file.path)
        if now is not None and _untouched(file, now, recipe):
            return Prepared(entry=now, was=now, outcome="unchanged")
        return self._prepare(file, now.source if now else source, now, recipe)

    def _prepare(self, file: FoundFile, source: str, was: Entry | None, recipe: str) -> Prepared:
        """Reads and cuts one file; whatever is wrong with it becomes a reason."""
        settled = file.mtime_ns if time.time_ns() - file.mtime_ns > SETTLED_NS else 0
        entry = Entry(
            path=file.path,
            source=source,
            size=file.size,
            mtime_ns=settled,
            sha256=was.sha256 if was else "",
            recipe=recipe,
            state="done",
        )
        try:
            cut = self._cut(file, source)
        except FetchError:  # the other side is away: that says nothing of the file, so nothing of it is given up
            raise
        except InputError as error:
            lasting = type(error) is InputError
            return _skip(entry, was, str(error), lasting=lasting)
        except OSError as error:
            return _skip(entry, was, (error.strerror or "cannot be read").lower(), lasting=False)
        except Exception as error:
            return _skip(entry, was, f"it could not be read ({type(error).__name__})", lasting=True)
        entry = replace(entry, sha256=cut.sha256)
        if was is not None and was.state == "done" and (was.sha256, was.recipe) == (entry.sha256, recipe):
            return Prepared(entry=replace(was, mtime_ns=settled, size=file.size), was=was, outcome="unchanged")
        if not cut.passages:
            return _skip(entry, was, "no words in it", lasting=True)
        outcome = "updated" if was is not None and was.state != "skipped" else "added"
        return Prepared(entry=entry, was=was, outcome=outcome, passages=cut.passages)

    def _cut(self, file: FoundFile, source: str) -> Cut:
        """What is not here is fetched first, and only what would be read."""
        house = self.ingestor
        if not remote.is_remote(file.path):
            return house.reader(file.path, source, house.limits, self.tags)
        refuse_unknown(file.path)
        refuse_large(file.size, house.limits)
        with remote.fetched(file.path, house.limits) as copy:
            return house.reader(copy, source, house.limits, self.tags)

    async def _write(self, group: Sequence[Prepared]) -> None:
        """All together; where that fails, one by one, so that no file can keep the others out."""
        try:
            await self._write_together(group)
        except NOT_THE_FILE:
            raise
        except Exception as error:
            if len(group) > 1:
                for item in group:
                    await self._write([item])
            else:
                await self._give_up(group[0], error)

    async def _give_up(self, item: Prepared, error: Exception) -> None:
        """The file is marked with a reason, without the error's words, which may quote it; what it left is removed."""
        store, manifest, path = self.ingestor.store, self.ingestor.manifest, item.entry.path
        try:
            await store.count()
        except Exception:  # the store is broken, not the file
            raise error from None
        left = list(manifest.chunks(path))
        await store.delete(left)
        failed = _skip(item.entry, item.was, f"it could not be indexed ({type(error).__name__})", lasting=True)
        await asyncio.to_thread(manifest.settle, [failed.entry], {})
        self.changed += left
        self.counts[item.outcome] -= 1
        self.skipped.append(SkippedFile(source=failed.entry.source, reason=failed.entry.reason))

    async def _write_together(self, group: Sequence[Prepared]) -> None:
        """Plan, embed and write, delete, settle: see the manifest for why in this order."""
        touched = [item for item in group if item.outcome != "unchanged"]
        manifest = self.ingestor.manifest
        held = {item.entry.path: manifest.chunks(item.entry.path) for item in touched}
        digests = {item.entry.path: item.digests for item in touched}
        fresh = [
            (item.entry.path, passage)
            for item in touched
            for passage in item.passages
            if held[item.entry.path].get(passage.id) != digests[item.entry.path][passage.id]
        ]
        stale = [chunk for item in touched for chunk in held[item.entry.path] if chunk not in digests[item.entry.path]]
        if fresh or stale:
            await asyncio.to_thread(manifest.plan, [item.entry for item in touched], digests)
            await self._put(fresh)
            await self.ingestor.store.delete(stale)
        lasting = [item.entry for item in group if item.lasting or held.get(item.entry.path)]
        kept = {**{item.entry.path: manifest.chunks(item.entry.path) for item in group}, **digests}
        await asyncio.to_thread(manifest.settle, lasting, kept)
        overwritten = {chunk for chunks in held.values() for chunk in chunks} & {passage.id for _, passage in fresh}
        self.changed += [*stale, *sorted(overwritten)]

    async def _put(self, fresh: Sequence[tuple[Path, Passage]]) -> None:
        """Embeds and stores in groups of bounded size, ticking each off, so that a large file is not begun anew."""
        for start in range(0, len(fresh), 2 * GROUP):
            batch = fresh[start : start + 2 * GROUP]
            passages = [passage for _, passage in batch]
            texts = [index_text(passage) for passage in passages]
            vectors = await vectors_of(texts, self.ingestor.embedder, self.ingestor.cache)
            await self.ingestor.store.upsert(passages, vectors)
            by_path: dict[Path, list[str]] = {}
            for path, passage in batch:
                by_path.setdefault(path, []).append(passage.id)
            for path, ids in by_path.items():
                await asyncio.to_thread(self.ingestor.manifest.stored, path, ids)
            self.counts["chunks"] += len(batch)
            self._progress(str(passages[-1].metadata.get("file", "")))

    async def _remove(self, entry: Entry) -> None:
        manifest = self.ingestor.manifest
        ids = list(manifest.chunks(entry.path))
        manifest.plan([entry], {})
        await self.ingestor.store.delete(ids)
        manifest.forget(entry.path)
        self.changed += ids
        if entry.state != "skipped":
            self.counts["removed"] += 1
        self.looked_at += 1
        self._progress(entry.source)

    def _count(self, prepared: Prepared) -> None:
        self.looked_at += 1
        if prepared.entry.state == "skipped":
            self.skipped.append(SkippedFile(source=prepared.entry.source, reason=prepared.entry.reason))
        else:
            self.counts[prepared.outcome] += 1
        self._progress(prepared.entry.source)

    def _progress(self, source: str) -> None:
        if self.on_progress is not None:
            seconds = time.perf_counter() - self.started
            self.on_progress(
                IngestProgress(
                    files=self.looked_at,
                    total=self.total,
                    chunks=self.counts["chunks"],
                    seconds=seconds,
                    source=source,
                )
            )

    def _report(self) -> IngestReport:
        return IngestReport(
            added=self.counts["added"],
            updated=self.counts["updated"],
            removed=self.counts["removed"],
            unchanged=self.counts["unchanged"],
            chunks=self.counts["chunks"],
            skipped=tuple(self.skipped),
            failed=sum(Path(skip.source).suffix.lower() in READERS for skip in self.skipped),
            changed_ids=tuple(dict.fromkeys(self.changed)),
            elsewhere=self.counts["elsewhere"],
            seconds=time.perf_counter() - self.started,
        )


def _skip(entry: Entry, was: Entry | None, reason: str, *, lasting: bool) -> Prepared:
    """A skip that may not last is written without a time, so that the file is tried again."""
    mtime_ns = entry.mtime_ns if lasting else 0
    skipped = replace(entry, state="skipped", reason=reason, mtime_ns=mtime_ns)
    return Prepared(entry=skipped, was=was, outcome="skipped", lasting=lasting)


def _untouched(file: FoundFile, entry: Entry, recipe: str) -> bool:
    same = (file.size, file.mtime_ns, recipe) == (entry.size, entry.mtime_ns, entry.recipe)
    return same and file.mtime_ns != 0 and entry.state in ("done", "skipped")


def _removed(found: Discovery, known: Mapping[Path, Entry], kept: Callable[[Path], bool]) -> list[Entry]:
    """Known files that the paths cover and that are no longer there, and those that came back under another folder."""
    here = {file.path for file in found.files}
    for path in found.gone:
        if path not in known:
            raise InputError(f"{remote.shown(path)!r} does not exist; name a file, a folder or a pattern that does")
    gone = []
    moved = {file.name for file in found.files if file.path not in known}
    for path, entry in known.items():
        covered = path in found.gone or any(path.is_relative_to(root) for root in found.roots)
        covered = covered or (entry.source in moved and not remote.is_remote(path) and not path.exists())
        covered = covered or any(_named_by(pattern, path) for pattern in found.patterns)
        if covered and path not in here and (path in found.gone or not kept(path)):
            gone.append(entry)
    return gone


def _named_by(pattern: str, path: Path) -> bool:
    """Whether the pattern could have named the file or a folder it lies in; a star ends at a slash."""
    wanted = Path(pattern).parts
    return any(_matches(place.parts, wanted) for place in (path, *path.parents))


def _matches(parts: Sequence[str], wanted: Sequence[str]) -> bool:
    if not wanted:
        return not parts
    if wanted[0] == "**":
        return any(_matches(parts[skipped:], wanted[1:]) for skipped in range(len(parts) + 1))
    return bool(parts) and fnmatch.fnmatchcase(parts[0], wanted[0]) and _matches(parts[1:], wanted[1:])


def _named(files: Sequence[FoundFile], known: Mapping[Path, Entry]) -> list[tuple[FoundFile, str]]:
    """Each file with its lasting name: the one it had, else its own, with folders in front while that is taken."""
    taken = {entry.source: path for path, entry in known.items()}
    named = []
    for file in files:
        if file.path in known:
            named.append((file, known[file.path].source))
            continue
        name = file.name
        folders = [part for part in reversed(file.path.parent.parts) if part != file.path.anchor]
        for depth in range(len(folders) + 1):
            if taken.get(name, file.path) == file.path:
                break
            name = "/".join([*reversed(folders[: depth + 1]), file.path.name])
        else:
            name = f"{file.name}~{sha256_bytes(str(file.path).encode('utf-8', 'surrogateescape'))[:8]}"
        taken[name] = file.path
        named.append((file, name))
    return named
