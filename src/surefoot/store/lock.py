"""One process owns an embedded store. This lock says who it is, in words a person can act on."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import IO

from surefoot.core.errors import StoreLockedError


class StoreLock:
    """An advisory lock on a file that names its holder. The system frees it when the process ends, however it ends."""

    def __init__(self, path: Path, *, holder: str | None = None) -> None:
        self._path = path
        self._holder = holder or _command()
        self._file: IO[str] | None = None

    def acquire(self, *, written: bool = True) -> None:
        """`written` false: the disk is full or read-only, so the holder's name is not left, nor a missing file made."""
        if not written and not os.access(self._path, os.W_OK):
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = self._path.open("a+", encoding="utf-8")
        if not _try_lock(file):
            file.seek(0)
            holder, pid = _describe(file.read())
            file.close()
            raise StoreLockedError(
                f"the knowledge base {str(self._path.parent)!r} is held by {holder}; "
                "ask that service instead, stop it, or use another folder with --kb",
                pid=pid,
            )
        self._file = file
        if written:
            file.truncate(0)
            json.dump({"pid": os.getpid(), "holder": self._holder, "since": time.strftime("%Y-%m-%d %H:%M:%S")}, file)
            file.flush()

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _command() -> str:
    name = Path(sys.argv[0]).name if sys.argv and sys.argv[0] else "python"
    return " ".join([name, *sys.argv[1:2]])[:80]


def _describe(content: str) -> tuple[str, int | None]:
    try:
        holder = json.loads(content)
        return f"process {holder['pid']} ({holder['holder']}, since {holder['since']})", int(holder["pid"])
    except (ValueError, KeyError, TypeError):
        return "another process", None


def _try_lock(file: IO[str]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
