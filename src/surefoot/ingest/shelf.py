"""Uploaded documents in the replicas' database: any of them takes one in, any of them indexes it, none does it twice.

A wish (index this, remove this) is a row. A worker leases one with SKIP LOCKED, so that workers do not wait for each
other; a worker that dies lets its lease run out and another goes on. A newer wish for a document makes older ones void.
"""

from __future__ import annotations

import os
import socket
from typing import Any

from surefoot.core.ports import Database
from surefoot.core.types import Upload, Wish

LEASE_S = 60
"""Renewed by whoever works; what is older belongs to nobody."""


class Shelf:
    """Implements core.ports.Uploads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._worker = f"{socket.gethostname()}:{os.getpid()}:{id(self):x}"

    def put(self, name: str, data: bytes) -> None:
        """Keeps the document and wishes it indexed."""
        with self._database.transaction() as db:
            db.execute(
                "INSERT INTO uploads (name, data, wanted) VALUES (?, ?, 'index') ON CONFLICT (name) DO UPDATE SET "
                "data = excluded.data, wanted = 'index', reason = NULL, version = uploads.version + 1, at = now(), "
                "holder = NULL, until = NULL",
                [name, data],
            )

    def remove(self, name: str) -> bool:
        """Wishes it removed; False: there is no such upload."""
        with self._database.transaction() as db:
            done = db.execute(
                "UPDATE uploads SET wanted = 'removal', reason = NULL, version = version + 1, at = now(), "
                "holder = NULL, until = NULL WHERE name = ?",
                [name],
            )
            return bool(done.rowcount)

    def uploads(self) -> list[Upload]:
        with self._database.transaction() as db:
            rows = db.execute("SELECT name, wanted, reason FROM uploads ORDER BY name").fetchall()
        return [Upload(name=name, state=state, reason=reason) for name, state, reason in rows]

    def claim(self) -> Wish | None:
        """The oldest wish nobody works on; None: there is none."""
        with self._database.transaction() as db:
            row: Any = db.execute(
                "UPDATE uploads SET holder = ?, until = now() + ? * interval '1 second' WHERE name = "
                "(SELECT name FROM uploads WHERE wanted IN ('index', 'removal') AND (until IS NULL OR until < now()) "
                "ORDER BY at, name FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING name, data, wanted, version",
                [self._worker, LEASE_S],
            ).fetchone()
        if row is None:
            return None
        return Wish(name=row[0], data=bytes(row[1] or b""), removal=row[2] == "removal", version=row[3])

    def renew(self, wish: Wish) -> None:
        self._change(wish, "until = now() + ? * interval '1 second'", LEASE_S)

    def postpone(self, wish: Wish, seconds: float) -> None:
        """Nobody can do it now; it is looked at again after so long."""
        self._change(wish, "holder = NULL, until = now() + ? * interval '1 second'", seconds)

    def fulfil(self, wish: Wish) -> None:
        if wish.removal:
            with self._database.transaction() as db:
                db.execute("DELETE FROM uploads WHERE name = ? AND version = ?", [wish.name, wish.version])
        else:
            self._change(wish, "wanted = 'kept', holder = NULL, until = NULL, reason = ?", None)

    def fail(self, wish: Wish, reason: str) -> None:
        self._change(wish, "wanted = 'failed', holder = NULL, until = NULL, reason = ?", reason)

    def _change(self, wish: Wish, what: str, value: Any) -> None:
        """Only of this very wish: a newer one for the same document stands."""
        with self._database.transaction() as db:
            db.execute(f"UPDATE uploads SET {what} WHERE name = ? AND version = ?", [value, wish.name, wish.version])
