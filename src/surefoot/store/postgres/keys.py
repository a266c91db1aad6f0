"""API keys in the replicas' database: made and revoked in one place, known to all within seconds. Digests only."""

from __future__ import annotations

from surefoot.core.errors import InputError
from surefoot.core.ports import Database


class SharedKeys:
    def __init__(self, database: Database) -> None:
        self._database = database

    def entries(self) -> list[str]:
        """As in the settings: digest:scope:name."""
        with self._database.transaction() as db:
            rows = db.execute("SELECT digest, scope, name FROM api_keys ORDER BY name").fetchall()
        return [":".join(row) for row in rows]

    def add(self, digest: str, scope: str, name: str) -> None:
        with self._database.transaction(alone="keys") as db:
            if db.execute("SELECT 1 FROM api_keys WHERE name = ?", [name]).fetchone():
                raise InputError(f"there is a key named {name!r} already; choose another name, or revoke it first")
            db.execute("INSERT INTO api_keys (digest, scope, name) VALUES (?, ?, ?)", [digest, scope, name])

    def revoke(self, name: str) -> None:
        with self._database.transaction() as db:
            if not db.execute("DELETE FROM api_keys WHERE name = ?", [name]).rowcount:
                raise InputError(f"there is no key named {name!r}; list them with: surefoot keys list")
