"""The code that decides what an answer says, as one hash: an answer of yesterday's gate is not given again by today's.

A version that people raise by hand is forgotten sooner or later, and then an answer outlives the fault that made it.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

ROOMS = ("core", "correct", "flows", "generate", "packs", "retrieve", "verify")
"""All that reads, writes, judges or mends an answer, with its prompts and word lists."""
HOME = Path(__file__).parent.parent


@cache
def code_hash(home: Path = HOME) -> str:
    """Takes about ten milliseconds, once."""
    digest = hashlib.sha256()
    for room in ROOMS:
        for file in sorted((home / room).rglob("*")):
            if file.is_file() and _OTHERS.isdisjoint(file.relative_to(home).parts):
                data = file.read_bytes()
                digest.update(f"{file.relative_to(home).as_posix()} {len(data)}\n".encode() + data)
    return digest.hexdigest()


_OTHERS = frozenset(("__pycache__", "builtin"))
"""A pack has a hash of its own."""
