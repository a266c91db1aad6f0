"""Room on a disk: asked for before writing, because a mapped file that cannot grow ends the process without a word."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from surefoot.core.errors import StoreFullError

FLOOR = 100_000_000
"""Bytes that stay free: the store maps files that it has not filled yet, and its journal grows by 32 MB at a time."""


def require_space(folder: Path, needed: int = 0) -> None:
    """Raises StoreFullError where writing so many bytes would leave less than the floor."""
    free = free_bytes(folder)
    if free - needed < FLOOR:
        raise StoreFullError(
            f"the disk of {str(folder)!r} has {free:,} bytes left and {needed + FLOOR:,} are needed; make room on it"
        )


def free_bytes(folder: Path) -> int:
    """Of the file system that the folder is on, or will be on once it is made."""
    return shutil.disk_usage(_existing(folder)).free


def unwritable(folder: Path) -> str | None:
    """Why the folder cannot be written now, in words for the operator; None: it can."""
    there = _existing(folder)
    if not os.access(there, os.W_OK):
        return f"the folder {str(there)!r} cannot be written"
    if shutil.disk_usage(there).free < FLOOR:
        return f"the disk of {str(there)!r} has less than {FLOOR // 1_000_000} MB left"
    return None


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    there = folder.absolute()
    while not there.exists():
        there = there.parent
    return there
