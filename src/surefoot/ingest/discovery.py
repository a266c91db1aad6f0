"""What the user named, as files: folders walked, globs unfolded, loops and oddities left out with a reason."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from surefoot.core.errors import InputError
from surefoot.core.types import SkippedFile
from surefoot.ingest import remote
from surefoot.ingest.limits import Limits

IGNORED_FOLDERS = frozenset({".git", ".hg", ".svn", ".surefoot", ".venv", "__pycache__", "node_modules"})


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundFile:
    path: Path
    """Absolute, links of the file itself not resolved; for an address elsewhere what remote.path_of makes of it."""
    name: str
    """Relative to what was ingested, with forward slashes and control characters escaped."""
    size: int
    mtime_ns: int
    """Or another number that changes with the content; 0: not known."""


@dataclass(kw_only=True, slots=True)
class Discovery:
    files: list[FoundFile] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    roots: list[Path] = field(default_factory=list)
    """Folders that were walked whole: a known file under one that is not found again was removed."""
    gone: list[Path] = field(default_factory=list)
    """Named files that do not exist."""
    patterns: list[str] = field(default_factory=list)


def discover(paths: Sequence[str | Path], limits: Limits) -> Discovery:
    """Every regular file under the paths once, in a stable order."""
    found = Discovery()
    for given in paths:
        if remote.is_address(given) and not str(given).startswith("file://"):
            _look_up(str(given), found, limits)
            continue
        given = str(given).removeprefix("file://")
        path = Path(os.path.abspath(os.path.expanduser(given)))
        if path.is_dir():
            found.roots.append(path)
            _walk(path, found, limits)
        elif os.path.lexists(path):
            _take(path, safe_name(path.name), found)
        elif glob.has_magic(str(given)):
            _unfold(str(path), found, limits)
        else:
            found.gone.append(path)
    known: dict[Path, FoundFile] = {}
    for file in found.files:
        known.setdefault(file.path, file)
    found.files = sorted(known.values(), key=lambda file: (file.name, str(file.path)))
    return found


def _look_up(url: str, found: Discovery, limits: Limits) -> None:
    """An address elsewhere; the same folders are left out as here."""
    there = remote.listed(url, limits)
    if not there.exists:
        found.gone.append(remote.path_of(url))
    if there.is_pattern:
        found.patterns.append(str(remote.path_of(url)))
    found.roots += map(remote.path_of, there.folders)
    for file in there.files:
        name = safe_name(file.name)
        path = remote.path_of(file.url)
        if IGNORED_FOLDERS.intersection(file.name.split("/")[:-1]):
            continue
        if not file.is_regular:
            found.skipped.append(SkippedFile(source=name, reason="not a regular file (a link, pipe or device)"))
            continue
        if remote.url_of(path) != file.url:
            found.skipped.append(SkippedFile(source=name, reason="a name with empty parts or dots, which is no path"))
            continue
        found.files.append(FoundFile(path=path, name=name, size=file.size, mtime_ns=file.version))


def _unfold(pattern: str, found: Discovery, limits: Limits) -> None:
    found.patterns.append(pattern)
    fixed = Path(pattern)
    while glob.has_magic(str(fixed)):
        fixed = fixed.parent
    for match in sorted(glob.glob(pattern, recursive=True)):
        path = Path(match)
        if path.is_dir():
            if not pattern.endswith("**"):
                found.roots.append(path)
                _walk(path, found, limits, base=fixed)
        else:
            _take(path, safe_name(path.relative_to(fixed).as_posix()), found)


def _walk(root: Path, found: Discovery, limits: Limits, *, base: Path | None = None) -> None:
    """Follows links to folders, but enters each real folder once: a loop ends where it closes."""
    entered: set[tuple[int, int]] = set()
    waiting = [root]
    seen = 0
    while waiting:
        folder = waiting.pop()
        name = safe_name(folder.relative_to(base or root).as_posix())
        try:
            real = folder.stat()
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            found.skipped.append(SkippedFile(source=name, reason=_os_reason(error)))
            continue
        if (real.st_dev, real.st_ino) in entered:
            found.skipped.append(SkippedFile(source=name, reason="a folder already read through another name (a link)"))
            continue
        entered.add((real.st_dev, real.st_ino))
        seen += len(entries)
        if seen > limits.max_file_names:
            raise InputError(f"{str(root)!r} holds more than {limits.max_file_names} entries; name smaller folders")
        for entry in entries:
            path = Path(entry.path)
            if _is_folder(entry):
                if entry.name not in IGNORED_FOLDERS:
                    waiting.append(path)
            else:
                _take(path, safe_name(path.relative_to(base or root).as_posix()), found)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _take(path: Path, name: str, found: Discovery) -> None:
    try:
        status = path.stat()
    except OSError as error:
        found.skipped.append(SkippedFile(source=name, reason=_os_reason(error)))
        return
    if not stat.S_ISREG(status.st_mode):
        found.skipped.append(SkippedFile(source=name, reason="not a regular file (a pipe, socket or device)"))
        return
    found.files.append(FoundFile(path=path, name=name, size=status.st_size, mtime_ns=status.st_mtime_ns))


def safe_name(name: str) -> str:
    """A file name that can be printed, stored and cited: control characters and stray bytes are escaped."""
    return "".join(_escaped(name))


def _escaped(name: str) -> Iterator[str]:
    for char in name:
        plain = char.isprintable() and not 0xD800 <= ord(char) <= 0xDFFF
        yield char if plain else char.encode("unicode_escape").decode("ascii")


def _os_reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "a link to nothing"
    if isinstance(error, PermissionError):
        return "no permission to read it"
    return (error.strerror or "cannot be read").lower()
