"""A knowledge base as one file: the embedded store and its ledger, packed while nobody writes."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

from surefoot.core.errors import InputError, StoreError
from surefoot.store.lock import StoreLock

MEMBERS = ("store", "manifest.sqlite")


def save(kb: Path, file: Path) -> int:
    """Packs the knowledge base; returns the bytes of the snapshot. Written beside and moved into place."""
    if not (kb / "store").is_dir():
        raise InputError(f"{str(kb)!r} holds no embedded knowledge base; ingest something first")
    lock = StoreLock(kb / "store.lock")
    lock.acquire()
    making = file.with_name(f"{file.name}.making")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(making, "w:gz", compresslevel=3) as archive:
            for name in MEMBERS:
                for part in sorted(kb.glob(f"{name}*")) if name.endswith(".sqlite") else [kb / name]:
                    archive.add(part, arcname=part.name)
        os.replace(making, file)
    except OSError as error:
        raise StoreError(f"the snapshot {str(file)!r} cannot be written: {error}") from error
    finally:
        making.unlink(missing_ok=True)
        lock.release()
    return file.stat().st_size


def restore(file: Path, kb: Path) -> None:
    """Unpacks a snapshot into a folder that holds no knowledge base yet."""
    if (kb / "store").exists():
        raise InputError(f"{str(kb)!r} already holds a knowledge base; name an empty folder with --kb")
    try:
        with tarfile.open(file, "r:gz") as archive:
            names = {member.name.split("/")[0] for member in archive.getmembers()}
            if "store" not in names or any(not name.startswith(MEMBERS) for name in names):
                raise InputError(f"{str(file)!r} is not a snapshot made by surefoot store snapshot")
            kb.mkdir(parents=True, exist_ok=True)
            archive.extractall(kb, filter="data")
    except (OSError, tarfile.TarError, EOFError) as error:
        raise InputError(f"{str(file)!r} cannot be read as a snapshot: {error}") from error
