"""The proof that a run log is whole: how its rows are linked, its signed head outside the file, and what is wrong.

Pure but for the head's own small file. A row's hash covers the row before it, every column and the hash of its body.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefoot.core.hashing import canonical_json, sha256_text

COLUMNS = ("run_id", "at", "kind", "decision", "reason", "pack", "of")
GENESIS = "0" * 64
FORGOTTEN = "forgotten"
"""The kind of the record that says another one was erased on demand."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    seq: Any
    columns: tuple[Any, ...]
    """In the order of COLUMNS, as they were read: what was tampered with may be of any type."""
    body: Any
    body_hash: Any
    previous: Any
    hash: Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    seq: int | None
    """Of the row; None: about the log as a whole."""
    run_id: str | None
    problem: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """Where the log ends and where it begins, as it was when last written."""

    seq: int
    hash: str
    anchor: str
    """The hash before the first row: of the last one that retention removed."""
    removed: int = 0
    """That row's number."""
    doubt: int = 0
    """The first row that was written while there was no head to be trusted: rows before it may be missing unseen."""


UNREADABLE = -1
"""A number that the log says of itself and that is none: no row has it, so that the log does not add up."""
MAX_SEQ = 2**62
"""No log has so many rows: a row numbered higher was put there to keep the next one out."""


def number(value: Any) -> int:
    """A number of the log's own facts, as they were read: what was tampered with may be of any type."""
    try:
        found = int(value) if isinstance(value, int | str) else UNREADABLE
    except ValueError:
        return UNREADABLE
    return found if 0 <= found <= MAX_SEQ else UNREADABLE


def link(previous: str, columns: Iterable[Any], body_hash: str) -> str:
    return sha256_text(canonical_json([previous, *columns, body_hash]))


def old_link(previous: str, body_hash: str) -> str:
    """How rows were linked before the columns were covered; good for rows written then."""
    return sha256_text(f"{previous}\n{body_hash}")


def stub(run_id: str, at: str) -> str:
    """What is left of a forgotten record's body."""
    return canonical_json({"run_id": run_id, "kind": FORGOTTEN, "at": at})


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """What the log says of itself beside its rows."""

    anchor: str
    removed: int
    forgotten: frozenset[str]
    """Runs that a record says were erased."""
    old_until: int
    """The last row of the old links; up to it there was no head either."""


def examine(rows: Iterable[Row], frame: Frame, head: Head | str) -> tuple[int, list[Finding]]:
    """How many rows there are and everything that is wrong with them, in order.

    `head` is what the file outside says, or the words why it says nothing.
    """
    findings: list[Finding] = []
    if UNREADABLE in (frame.removed, frame.old_until):
        findings.append(Finding(seq=None, run_id=None, problem="what the log says of itself cannot be read"))
    expected, count, last = frame.anchor, 0, frame.removed
    hashes: dict[int, str] = {}
    for row in rows:
        if not isinstance(row.seq, int):
            findings.append(Finding(seq=None, run_id=_shown(row.columns[0]), problem="its number cannot be read"))
            continue
        if row.seq != last + 1:
            gap = f"rows {last + 1} to {row.seq - 1} are missing"
            findings.append(Finding(seq=row.seq, run_id=None, problem=gap))
        count, last = count + 1, row.seq
        findings += [
            Finding(seq=row.seq, run_id=_shown(row.columns[0]), problem=problem)
            for problem in _problems(row, expected, frame.forgotten, old=row.seq <= frame.old_until)
        ]
        expected = row.hash if isinstance(row.hash, str) else ""
        if isinstance(head, Head) and row.seq in (head.seq, head.removed):
            hashes[row.seq] = expected
    if isinstance(head, Head) or last > frame.old_until:
        findings += [Finding(seq=None, run_id=None, problem=text) for text in _about_head(head, hashes, frame, last)]
    return count, findings


def write_head(file: Path, head: Head, key: bytes, *, removing: bool = False) -> None:
    """Whole or not at all. One that is behind is harmless, so a writer that comes late does not go back.

    Only a removal moves where the log begins: another writer who finds that moved leaves the old head as evidence.
    """
    known = read_head(file, key)
    if isinstance(known, Head):
        moved = (known.removed, known.anchor) != (head.removed, head.anchor)
        if known.seq > head.seq or (moved and not removing):
            return
    aside = file.with_name(f".{file.name}.{secrets.token_hex(6)}")
    try:
        aside.write_text(json.dumps(sealed_head(head, key)), encoding="utf-8")
        os.replace(aside, file)
    finally:
        aside.unlink(missing_ok=True)


def read_head(file: Path, key: bytes) -> Head | str:
    """The head, or why there is none to be trusted."""
    try:
        with file.open("rb") as opened:
            found = opened.read(_HEAD_BYTES)
    except FileNotFoundError:
        return "the head file is missing"
    except OSError:
        return "the head file cannot be read"
    return trusted_head(found, key)


def sealed_head(head: Head, key: bytes) -> dict[str, Any]:
    """The head as it is kept, with its signature."""
    body = _body(head)
    return {**body, "signature": _signature(body, key)}


def trusted_head(written: bytes | str, key: bytes) -> Head | str:
    """What was sealed, or why it is not believed. Whoever can write there may have written anything."""
    try:
        found = json.loads(written)
        signature = str(found["signature"]).encode()
        head = Head(
            seq=int(found["seq"]),
            hash=str(found["hash"]),
            anchor=str(found["anchor"]),
            removed=int(found["removed"]),
            doubt=int(found.get("doubt", 0)),
        )
        made = _signature(_body(head), key).encode()
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return "the head cannot be read"
    if not hmac.compare_digest(signature, made):
        return "the head's signature does not hold"
    return head


def _problems(row: Row, expected: str, forgotten: frozenset[str], *, old: bool) -> list[str]:
    whole = all(isinstance(part, str) for part in (row.body, row.body_hash, row.previous, row.hash))
    if not whole or not all(part is None or isinstance(part, str) for part in row.columns):
        return ["it cannot be read"]
    found = []
    if row.previous != expected:
        found.append("the row before it was changed, removed or put in")
    made = old_link(row.previous, row.body_hash) if old else link(row.previous, row.columns, row.body_hash)
    if row.hash != made:
        found.append("a column of it was changed")
    if sha256_text(row.body) != row.body_hash:
        run_id, at = row.columns[:2]
        erased = row.body == stub(str(run_id), str(at)) and (old or run_id in forgotten)
        found += [] if erased else ["its body was changed"]
    elif old and not _agrees(row):
        found.append("a column of it was changed")
    return found


def _agrees(row: Row) -> bool:
    """Old links do not cover the columns, but the body says the same."""
    try:
        record = json.loads(row.body)
        return all(
            (record.get(name) or None) == (value or None) for name, value in zip(COLUMNS, row.columns, strict=True)
        )
    except (ValueError, AttributeError):
        return False


def _about_head(head: Head | str, hashes: Mapping[int, str], frame: Frame, last: int) -> list[str]:
    if isinstance(head, str):
        return [head]
    if head.doubt:
        return [f"the head was missing or forged when row {head.doubt} was written: rows before it may be missing"]
    began = frame.anchor if head.removed == frame.removed else hashes.get(head.removed)
    if began != head.anchor:  # rows up to head.removed may still be there: a removal that was broken off
        return ["older rows were removed, and not by retention"]
    if head.seq > last:
        return [f"the newest rows are missing: the head knows row {head.seq}, the log ends with {last}"]
    if head.seq == frame.removed:
        return []
    return [] if hashes.get(head.seq) == head.hash else ["the row at the head is not the one that was written"]


def _body(head: Head) -> dict[str, Any]:
    """Heads of before know no doubt, and one without it is written as they were."""
    body: dict[str, Any] = {"seq": head.seq, "hash": head.hash, "anchor": head.anchor, "removed": head.removed}
    return {**body, "doubt": head.doubt} if head.doubt else body


def _signature(body: Mapping[str, Any], key: bytes) -> str:
    return hmac.new(key, canonical_json(body).encode(), hashlib.sha256).hexdigest()


def _shown(run_id: Any) -> str | None:
    return run_id[:80] if isinstance(run_id, str) else None


_HEAD_BYTES = 4_096
"""Many times what a head takes."""
