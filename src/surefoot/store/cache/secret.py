"""The key that signs cached answers: the operator's, else one made once per knowledge base and kept beside it."""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path

from surefoot.core.ports import Database

FILE = "cache.key"
_BYTES = 32


def cache_secret(folder: Path, given: str | None = None) -> bytes:
    """Where the folder cannot be written, a key of this process alone: its entries help nobody else and harm nobody."""
    if given:
        return hashlib.sha256(given.encode()).digest()
    file = folder / FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _create(file)
        held = file.read_bytes()
    except OSError:
        held = b""
    return held if len(held) == _BYTES else secrets.token_bytes(_BYTES)


def shared_secret(database: Database) -> bytes:
    """The one that all replicas find in their database, made together with its tables."""
    with database.transaction() as db:
        return bytes.fromhex(str(db.execute("SELECT value FROM meta WHERE key = 'secret'").fetchone()[0]))


def _create(file: Path) -> None:
    """Whole or not at all, readable by the owner alone; the first of several processes wins."""
    if file.exists():
        return
    scratch = file.with_name(f"{file.name}.{os.getpid()}")
    handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as out:
        out.write(secrets.token_bytes(_BYTES))
    try:
        os.link(scratch, file)
    except FileExistsError:
        pass
    finally:
        scratch.unlink(missing_ok=True)
