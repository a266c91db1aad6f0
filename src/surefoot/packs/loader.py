"""Loads a pack: a folder of data, shipped with Surefoot or your own, into the frozen values the gate reads."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from surefoot.core.errors import PackError
from surefoot.packs.entities import read_entities
from surefoot.packs.manifest import Manifest, read_manifest, read_sources
from surefoot.packs.mistake import Ledger, Mistake, nearest
from surefoot.packs.rules import read_rule
from surefoot.packs.schema import CuratedSource, Entity, Pack, Rule

BUILTIN = Path(__file__).parent / "builtin"
PROMPTS = (
    *("answer", "critic", "judge", "synthesize"),
    *("dataset_aspects", "dataset_questions", "dataset_answer", "dataset_critic", "dataset_finalizer"),
)
SETTLED_NS = 2_000_000_000
"""File systems count time in steps of up to two seconds."""
_FILES = ("pack.yaml", "sources.yaml")
_FOLDERS = {"rules": ".md", "entities": ".csv", "prompts": ".md"}
_MOST_HELD = 32
_Stamp = tuple[str, int, int, int, int, int]
_HELD: dict[Path, tuple[tuple[_Stamp, ...], Pack]] = {}


def load(name_or_path: str | Path, *, packs_dir: Path | None = None, extra_rules: Sequence[str | Path] = ()) -> Pack:
    """The pack of that name (your own folder before the shipped ones) or in that folder, as its files are now.

    A pack whose files have not changed is the same object as before.
    """
    pack = _as_it_is_now(_place(name_or_path, packs_dir=packs_dir))
    return pack if not extra_rules else _with_rules(pack, tuple(str(path) for path in extra_rules))


def find(name_or_path: str | Path, *, packs_dir: Path | None = None) -> Path:
    """The folder a pack's name or path stands for."""
    return _place(name_or_path, packs_dir=packs_dir).resolve()


def _place(name_or_path: str | Path, *, packs_dir: Path | None) -> Path:
    given = Path(name_or_path).expanduser()
    if given.name == "pack.yaml" and given.is_file():
        given = given.absolute().parent
    places = [packs_dir / given] if packs_dir else []
    places += [BUILTIN / given] if len(given.parts) == 1 else []
    places += [given] if len(given.parts) > 1 or given.is_dir() else []
    for place in places:
        if (place / "pack.yaml").is_file():
            return place
    for place in places:
        if place.is_dir():
            raise PackError("there is no pack.yaml; make a pack with: surefoot packs new NAME", file=str(name_or_path))
    known = names(packs_dir=packs_dir)
    raise PackError(f"there is no pack {str(name_or_path)!r}; {nearest(str(name_or_path), known)}", file="pack")


def names(*, packs_dir: Path | None = None) -> list[str]:
    """Every pack that can be loaded by name."""
    folders = [BUILTIN, *([packs_dir] if packs_dir else [])]
    return sorted({file.parent.name for folder in folders for file in folder.glob("*/pack.yaml")})


def parse(folder: Path, files: tuple[tuple[str, bytes], ...] | None = None) -> tuple[Pack | None, list[Mistake]]:
    """The pack and every mistake in it; no pack where not even `pack.yaml` can be read."""
    given = _read(folder) if files is None else files
    parts = _Parts()
    for path, data in given:
        ledger = Ledger(file=path)
        _read_part(parts, path, _decoded(data, ledger), ledger, folder.name)
        parts.mistakes += ledger.mistakes
    parts.mistakes += _twice(parts.rules)
    manifest = parts.manifest
    if manifest is None:
        return None, parts.mistakes
    values = {f.name: getattr(manifest, f.name) for f in dataclass_fields(manifest)}
    sites = [entity.attributes["site"] for entity in parts.entities if entity.attributes.get("site")]
    values["allowed_urls"] = tuple(dict.fromkeys([*manifest.allowed_urls, *sites]))
    pack = Pack(
        **values,
        hash=_hash(given),
        rules=tuple(parts.rules),
        entities=tuple(parts.entities),
        sources=parts.sources,
        prompts=parts.prompts,
        folder=str(folder),
    )
    return pack, parts.mistakes


def part_files(folder: Path) -> list[Path]:
    """The files that make a pack what it is, in a fixed order. Documents and cases are not among them."""
    found = [folder / name for name in _FILES]
    for part, ending in _FOLDERS.items():
        found += sorted(folder.glob(f"{part}/*{ending}"))
    return [path for path in found if path.is_file()]


class _Parts:
    def __init__(self) -> None:
        self.manifest: Manifest | None = None
        self.rules: list[Rule] = []
        self.entities: list[Entity] = []
        self.sources: tuple[CuratedSource, ...] = ()
        self.prompts: dict[str, str] = {}
        self.mistakes: list[Mistake] = []


def _read_part(parts: _Parts, path: str, text: str, ledger: Ledger, folder: str) -> None:
    stem = Path(path).stem
    if path == "pack.yaml":
        parts.manifest = read_manifest(text, ledger, folder=folder)
    elif path == "sources.yaml":
        parts.sources = read_sources(text, ledger)
    elif path.startswith("rules/"):
        rule = read_rule(text, ledger, stem=stem)
        parts.rules += [rule] if rule else []
    elif path.startswith("entities/"):
        parts.entities += read_entities(text, ledger)
    else:
        if stem not in PROMPTS:
            ledger.add(None, "", f"there is no prompt called {stem!r}", nearest(stem, PROMPTS))
        parts.prompts[stem] = text


def _decoded(data: bytes, ledger: Ledger) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        ledger.add(line, "", f"byte {data[error.start]:#04x} is not UTF-8", "save the file as UTF-8")
        return data.decode("utf-8-sig", errors="replace")


def _twice(rules: Iterable[Rule]) -> list[Mistake]:
    seen: dict[str, str] = {}
    found = []
    for rule in rules:
        if rule.id in seen:
            problem, remedy = f"{rule.id!r} is already the id of {seen[rule.id]}", "give each rule its own id"
            found.append(Mistake(file=rule.file, line=None, key="id", problem=problem, remedy=remedy))
        seen.setdefault(rule.id, rule.file)
    return found


def _as_it_is_now(place: Path) -> Pack:
    """Looks at the files each time, but reads them only once they have changed.

    A file that was changed a moment ago may change again within the same tick of the file system's clock, and nobody
    could tell by its stamp; until it has settled it is read each time.
    """
    settled = time.time_ns() - SETTLED_NS
    stamps = tuple(_stamps(place))
    held = _HELD.get(place)
    if held is not None and held[0] == stamps:
        return held[1]
    folder = place.resolve()
    pack = _parsed(folder, _read(folder))
    if all(changed < settled for *_, changed in stamps):
        if len(_HELD) >= _MOST_HELD:
            _HELD.clear()
        _HELD[place] = (stamps, pack)
    return pack


def _stamps(place: Path) -> Iterator[_Stamp]:
    """Every file that may be part of a pack, with what changes when it does. Strings: paths cost more than stats."""
    base, names = str(place), list(_FILES)
    for part in _FOLDERS:
        try:
            inside = os.listdir(f"{base}/{part}")
        except OSError:
            continue
        names += sorted(f"{part}/{name}" for name in inside)
    for name in names:
        try:
            found = os.stat(f"{base}/{name}")
        except OSError:
            continue
        yield name, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _read(folder: Path) -> tuple[tuple[str, bytes], ...]:
    return tuple((path.relative_to(folder).as_posix(), path.read_bytes()) for path in part_files(folder))


@lru_cache(maxsize=32)
def _parsed(folder: Path, files: tuple[tuple[str, bytes], ...]) -> Pack:
    pack, mistakes = parse(folder, files)
    if mistakes:
        raise mistakes[0].error()
    if pack is None:
        raise PackError("is missing; make a pack with: surefoot packs new NAME", file="pack.yaml")
    return pack


def _hash(files: Iterable[tuple[str, bytes]]) -> str:
    digest = hashlib.sha256()
    for path, data in files:
        digest.update(f"{path}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def _with_rules(pack: Pack, paths: tuple[str, ...]) -> Pack:
    """The pack with extra rule files; one that names a rule the pack already has changes nothing."""
    own = {rule.id for rule in pack.rules}
    added: list[Rule] = []
    contents: list[tuple[str, bytes]] = [("pack", pack.hash.encode())]
    for given in paths:
        path = Path(given)
        if not path.is_file() and path.stem.removeprefix(f"{pack.name}-") in own:
            continue
        try:
            data = path.read_bytes()
        except OSError as error:
            raise PackError("the rule file cannot be read; check its path", file=given) from error
        ledger = Ledger(file=given)
        rule = read_rule(_decoded(data, ledger), ledger, stem=path.stem)
        if ledger.mistakes:
            raise ledger.mistakes[0].error()
        if rule and rule.id in own:
            raise PackError(f"id: the pack already has a rule {rule.id!r}; give yours another id", file=given)
        if rule:
            added.append(rule)
            own.add(rule.id)
            contents.append((rule.id, data))
    return replace(pack, rules=(*pack.rules, *added), hash=_hash(contents)) if added else pack
