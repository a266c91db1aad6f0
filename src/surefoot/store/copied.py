"""A store on a full or read-only disk, opened as a copy elsewhere: its engine opens none without writing."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from surefoot.core.errors import StoreUnavailableError
from surefoot.core.space import require_space

_BLOCK = 1 << 16


def copy_aside(folder: Path) -> Path:
    """A temporary folder that holds the store as it is; whoever asked for it removes it."""
    aside = Path(tempfile.mkdtemp(prefix="surefoot-"))
    try:
        require_space(aside, used_bytes(folder))
        for file in sorted(folder.rglob("*")):
            target = aside / "store" / file.relative_to(folder)
            if file.is_dir():
                target.mkdir(parents=True, exist_ok=True)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                _copy_sparsely(file, target)
    except OSError as error:
        shutil.rmtree(aside, ignore_errors=True)
        raise StoreUnavailableError(
            f"the store {str(folder)!r} is read-only and cannot be copied aside: {error}; make room or give permissions"
        ) from error
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    return aside


def used_bytes(folder: Path) -> int:
    """Bytes on disk; the store's files are sparse, so their lengths would say too much."""
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())


def _copy_sparsely(file: Path, target: Path) -> None:
    """Holes stay holes: the engine's files are long and mostly empty."""
    with file.open("rb") as source, target.open("wb") as out:
        while block := source.read(_BLOCK):
            if block.count(0) == len(block):
                out.seek(len(block), 1)
            else:
                out.write(block)
        out.truncate(out.tell())
