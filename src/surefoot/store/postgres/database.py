"""The connection to Postgres that passages, ledger, uploads, keys and run log of all replicas share.

Everything lies in one schema named like the collection, so that several knowledge bases fit into one database. A server
that does not answer is an error at once and is tried again by itself: nothing has to be restarted with it.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from surefoot.core.errors import (
    ConfigError,
    MissingExtraError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    StoreUnavailableError,
    SurefootError,
)
from surefoot.core.hashing import sha256_text
from surefoot.store.postgres.schema import migrate

CONNECTIONS = 10
"""Of one process; Postgres allows 100 unless told otherwise."""
WAIT_S = 2.0
"""How long a request waits for a connection before the store counts as away."""
AWAY_S = 0.5
"""After a failure the server is left alone for so long: nobody queues up for a server that is down."""
ALIVE = {"connect_timeout": 3, "keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}
SEARCH = {"hnsw.ef_search": "200", "hnsw.iterative_scan": "strict_order"}
"""Candidates the dense index looks at, and that it goes on looking until a filter has let enough through."""


def is_postgres(url: str | None) -> bool:
    return bool(url) and str(url).startswith(("postgresql://", "postgres://"))


class PostgresDatabase:
    """Implements core.ports.Database. Opened on first use; safe for many threads."""

    def __init__(self, url: str, *, schema: str = "surefoot", ca: Path | None = None) -> None:
        if not _NAME.fullmatch(schema):
            raise ConfigError(f"store_collection: {schema!r} cannot name a schema; use letters, digits and _")
        self.schema = schema
        self.shown = _without_password(url)
        self._url = url
        self._options: dict[str, Any] = {**ALIVE, "tcp_user_timeout": 5000}
        if ca is not None:
            self._options |= {"sslmode": "verify-full", "sslrootcert": str(ca)}
        self._opening = threading.Lock()
        self._pool: Any = None
        self._away_until = 0.0

    @contextmanager
    def transaction(self, *, alone: str | None = None) -> Iterator[PostgresSql]:
        with self.connection() as connection, connection.transaction(), connection.cursor() as cursor:
            if alone is not None:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [self.lock_number(alone)])
            yield PostgresSql(cursor)

    @contextmanager
    def connection(self) -> Iterator[Any]:
        """A connection in autocommit mode; whatever goes wrong on it is one of our errors."""
        psycopg = _psycopg()
        if time.monotonic() < self._away_until:
            raise self._away("it did not answer a moment ago")
        try:
            with self._opened().connection(timeout=WAIT_S) as connection:
                yield connection
        except SurefootError:
            raise
        except psycopg.Error as error:
            raise self._translated(error) from error

    def lock_number(self, name: str) -> int:
        """An advisory lock's number, of this schema alone."""
        return int(sha256_text(f"surefoot {self.schema} {name}")[:15], 16)

    def close(self) -> None:
        with self._opening:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def _opened(self) -> Any:
        with self._opening:
            if self._pool is None:
                self._migrate()
                self._pool = self._connect()
            return self._pool

    def _connect(self) -> Any:
        from psycopg_pool import ConnectionPool

        pool = ConnectionPool(
            self._url,
            min_size=1,
            max_size=CONNECTIONS,
            open=False,
            kwargs={"autocommit": True, **self._options},
            configure=self._configure,
            check=ConnectionPool.check_connection,  # one that a restarted server closed is replaced unseen
            reconnect_timeout=5.0,
            name="surefoot",
        )
        pool.open()
        return pool

    def _migrate(self) -> None:
        """On a connection of its own, so that a wrong address or password is said in the server's words."""
        psycopg = _psycopg()
        try:
            with psycopg.connect(self._url, autocommit=True, **self._options) as connection:
                migrate(connection, self.schema, lock=self.lock_number("migrations"))
        except psycopg.ProgrammingError as error:
            raise ConfigError(f"store_url: {self.shown!r} cannot be used: {_words(error)}") from error

    def _configure(self, connection: Any) -> None:
        from psycopg import sql

        path = sql.SQL("SET search_path TO {}, public").format(sql.Identifier(self.schema))
        connection.execute(path)
        for name, value in SEARCH.items():
            connection.execute("SELECT set_config(%s, %s, false)", [name, value])

    def _translated(self, error: Any) -> StoreError:
        psycopg = _psycopg()
        if isinstance(error, psycopg.errors.DiskFull):
            return StoreFullError(f"the disk of the store at {self.shown} is full; make room on it")
        if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
            return StoreReadOnlyError(f"the store at {self.shown} is read-only; name the primary in SUREFOOT_STORE_URL")
        if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
            self._away_until = time.monotonic() + AWAY_S
            return self._away(_words(error))
        return StoreError(f"the store at {self.shown} failed: {_words(error)}; see the server's log")

    def _away(self, why: str) -> StoreUnavailableError:
        return StoreUnavailableError(
            f"the store at {self.shown} does not answer ({why}); check SUREFOOT_STORE_URL and that the server runs"
        )


class PostgresSql:
    """Implements core.ports.Sql: `?` becomes what psycopg writes."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        return self._cursor.execute(sql.replace("?", "%s"), list(values))

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> Any:
        self._cursor.executemany(sql.replace("?", "%s"), [list(row) for row in rows])
        return self._cursor

    def copy(self, table: str, data: bytes) -> None:
        """Adds rows that were put into Postgres' binary form, see binary.py."""
        with self._cursor.copy(f"COPY {table} FROM STDIN (FORMAT binary)") as target:
            target.write(data)


def _psycopg() -> Any:
    try:
        import psycopg
        import psycopg_pool  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("psycopg", "postgres") from error
    return psycopg


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    return f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _words(error: Exception) -> str:
    """The first line: what follows it may quote a statement, and a statement holds texts."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,62}")
