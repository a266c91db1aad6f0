"""Folders that lie elsewhere (`s3://…`, `gs://…`, any address fsspec knows): listed here, fetched file by file.

The ledger knows a file by a path. An address becomes one that is not absolute (`s3:/bucket/a.md`), which no file of
this machine has. Whatever fails on the way there ends the run: a folder that cannot be seen is not an empty one.
"""

from __future__ import annotations

import datetime
import glob
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from surefoot.core.errors import FetchError, InputError, MissingExtraError
from surefoot.core.hashing import sha256_text
from surefoot.ingest.limits import Limits

TRIES = 3
PAUSE_S = 0.5
_PIECE = 1 << 20
_NO_HOST = "~"
"""Stands in a path for the empty host of an address such as hdfs:///docs."""
_MARKS = ("ETag", "etag", "md5Hash", "content_md5", "crc32c", "generation", "version_id")
"""What a service calls the mark that another content has another of."""
_TIMES = ("LastModified", "last_modified", "mtime", "modified", "updated")


@dataclass(frozen=True, kw_only=True, slots=True)
class RemoteFile:
    url: str
    name: str
    """Relative to what was listed."""
    size: int
    """0 where the other side does not say."""
    version: int
    """Changes with the content, as nanoseconds would; 0 where nothing is known and the bytes must be looked at."""
    is_regular: bool = True
    """False: a link, a pipe or a device."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    files: Sequence[RemoteFile] = ()
    folders: Sequence[str] = ()
    """Addresses that were walked whole."""
    exists: bool = True
    is_pattern: bool = False


def is_address(given: str | Path) -> bool:
    return "://" in str(given)


def is_remote(path: Path) -> bool:
    """Whether a path of the ledger stands for an address; those of this machine are absolute."""
    return not path.is_absolute()


def path_of(url: str) -> Path:
    scheme, _, rest = url.partition("://")
    return Path(f"{scheme}:", _NO_HOST if rest.startswith("/") else "", rest.strip("/"))


def url_of(path: Path) -> str:
    scheme, _, rest = path.as_posix().partition(":/")
    rest = rest.removeprefix(_NO_HOST) if rest.startswith(f"{_NO_HOST}/") else rest
    return f"{scheme}://{rest}"


def shown(path: Path) -> str:
    """As the user would name it."""
    return url_of(path) if is_remote(path) else str(path)


def listed(url: str, limits: Limits) -> Listing:
    """The files at an address: of a file itself, of a folder all below it, of a pattern all that match."""
    scheme, _, rest = url.partition("://")
    url = f"{scheme}://{rest.rstrip('/')}"
    system, root = _opened(url)
    try:
        system.invalidate_cache()
        try:
            kind = system.info(root)["type"]
        except FileNotFoundError:
            return _matching(system, url, root, limits) if glob.has_magic(url) else Listing(exists=False)
        if kind != "directory":
            return Listing(files=[_file(system.info(root), url=url, name=PurePosixPath(root).name)])
        return Listing(files=_below(system, url, root, base=root, limits=limits), folders=[url])
    except InputError:
        raise
    except Exception as error:  # every service has exceptions of its own
        raise _unreachable(url, error) from error


@contextmanager
def fetched(path: Path, limits: Limits) -> Iterator[Path]:
    """A copy of the file on this machine for as long as it is read, with its suffix; at most the limit and one byte."""
    url = url_of(path)
    with tempfile.TemporaryDirectory(prefix="surefoot-") as folder:
        copy = Path(folder) / f"file{path.suffix}"
        for attempt in range(1, TRIES + 1):
            try:
                system, name = _opened(url)
                _copy(system, name, copy, limits.max_bytes + 1)
                break
            except (InputError, FileNotFoundError, PermissionError):
                raise
            except Exception as error:
                if attempt == TRIES:
                    raise _unreachable(url, error) from error
                time.sleep(PAUSE_S * attempt)
        yield copy


def _opened(url: str) -> tuple[Any, str]:
    """The file system of an address and the name that it has there."""
    try:
        import fsspec
    except ImportError:
        raise MissingExtraError("fsspec", "remote") from None
    if "::" in url:
        raise InputError(f"{url!r} joins addresses with '::'; name one address")
    if urlsplit(url).password:
        raise InputError("an address with a password in it; leave it out and give it by fsspec's configuration")
    try:
        system, name = fsspec.core.url_to_fs(url)
    except ImportError as error:
        raise InputError(f"{url!r} needs one more package: {_first_line(error)}") from error
    except ValueError as error:
        raise InputError(f"{url!r} cannot be used: {_first_line(error)}") from error
    except Exception as error:
        raise _unreachable(url, error) from error
    return system, str(name)


def _matching(system: Any, url: str, root: str, limits: Limits) -> Listing:
    """The fixed part of the pattern is what names are relative to."""
    fixed = url
    while glob.has_magic(fixed):
        fixed = fixed.rpartition("/")[0]
    base = root[: len(root) - (len(url) - len(fixed))]
    files: list[RemoteFile] = []
    folders: list[str] = []
    for name, info in sorted(_matches(system, root, base).items()):
        address = _address(fixed, base, name)
        if info["type"] != "directory":
            files.append(_file(info, url=address, name=_relative(base, name)))
        elif not url.endswith("**"):
            folders.append(address)
            files += _below(system, fixed, name, base=base, limits=limits)
    return Listing(files=files, folders=folders, is_pattern=True)


def _below(system: Any, url: str, folder: str, *, base: str, limits: Limits) -> list[RemoteFile]:
    found = _every(system, folder)
    if len(found) > limits.max_file_names:
        raise InputError(f"{url!r} holds more than {limits.max_file_names} entries; name smaller folders")
    return [
        _file(info, url=_address(url, base, name), name=_relative(base, name))
        for name, info in sorted(found.items())
        if info["type"] != "directory" and not name.endswith("/")  # a marker of a folder is no file
    ]


def _every(system: Any, folder: str) -> dict[str, Any]:
    """All files below a folder."""
    if _walks(system):
        return {name: info for name, info in _walked(system, folder) if info["type"] != "directory"}
    return dict(system.find(folder, detail=True))  # an object store lists all keys in one go


def _matches(system: Any, root: str, base: str) -> dict[str, Any]:
    """All files and folders that a pattern names."""
    if not _walks(system):
        return dict(system.glob(root, detail=True))
    from fsspec.utils import glob_translate

    pattern = re.compile(glob_translate(root))
    depth = None if "**" in root else root.count("/") - base.count("/")
    return {name: info for name, info in _walked(system, base, depth) if pattern.match(name)}


def _walks(system: Any) -> bool:
    """Whether fsspec would go from folder to folder here. It passes over those that cannot be listed, and that would
    look as if their files had been removed."""
    from fsspec import AbstractFileSystem
    from fsspec.asyn import AsyncFileSystem

    kind = type(system)
    if hasattr(kind, "_find"):
        return bool(kind._find is AsyncFileSystem._find)
    return bool(kind.find is AbstractFileSystem.find)


def _walked(system: Any, folder: str, depth: int | None = None) -> Iterator[tuple[str, Any]]:
    for info in system.ls(folder, detail=True):
        name = str(info["name"]).rstrip("/")
        if name == folder.rstrip("/"):
            continue
        yield name, info
        if info["type"] == "directory" and depth != 1:
            yield from _walked(system, name, depth and depth - 1)


def _relative(base: str, name: str) -> str:
    return name[len(base) :].lstrip("/")


def _address(url: str, base: str, name: str) -> str:
    """By what the user wrote: a file system's own name for a file may leave out the host."""
    return f"{url}{name[len(base) :]}" if url.endswith("/") else f"{url}/{_relative(base, name)}"


def _file(info: Mapping[str, Any], *, url: str, name: str) -> RemoteFile:
    size = int(info.get("size") or 0)
    return RemoteFile(url=url, name=name, size=size, version=_version(info), is_regular=info["type"] == "file")


def _version(info: Mapping[str, Any]) -> int:
    changed = next((info[key] for key in (*_MARKS, *_TIMES) if info.get(key)), None)
    if isinstance(changed, datetime.datetime):
        return int(changed.timestamp() * 1e9)
    if isinstance(changed, float):
        return int(changed * 1e9)
    # 60 bits: below every time of this century, so that no mark looks like a change of this second
    return int(sha256_text(str(changed))[:15], 16) if changed is not None else 0


def _copy(system: Any, name: str, copy: Path, most: int) -> None:
    left = most
    with system.open(name, "rb") as far, copy.open("wb") as near:
        while left and (piece := far.read(min(_PIECE, left))):
            near.write(piece)
            left -= len(piece)


def _unreachable(url: str, error: Exception) -> FetchError:
    return FetchError(
        f"{url!r} cannot be read ({_first_line(error)}); check the address and the credentials, "
        "then run the same command again"
    )


def _first_line(error: Exception) -> str:
    said = str(error).strip().partition("\n")[0][:200]
    return said or type(error).__name__
