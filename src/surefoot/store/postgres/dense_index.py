"""The index of dense vectors, made at the end of a load: put in one by one, a passage costs several times as much.

Until it is there every search looks at all passages, which is exact. Writers and searches go on while it is made. A
build that was killed leaves an index that is not valid: no search uses it, and the next build begins by removing it.
"""

from __future__ import annotations

from typing import Any

from surefoot.store.postgres.database import PostgresDatabase

NAME = "passages_dense"
INDEX_FROM = 20_000
"""Passages from which it is made: below, looking at all of them is exact and takes less than a tenth of a second."""
NEIGHBOURS = 700
"""Bytes of a passage in it beside its vector."""
MOST_ROOM_MB = 4_096
"""Memory that making it takes at most, unless the server's own setting is larger."""


def make(database: PostgresDatabase) -> bool:
    """True when it was made by this call. Of several replicas one makes it; the others do not wait for that one."""
    with database.connection() as connection:
        number = [database.lock_number("index")]
        if not connection.execute("SELECT pg_try_advisory_lock(%s)", number).fetchone()[0]:
            return False
        try:
            if _usable(connection) or _passages(connection) < INDEX_FROM:
                return False
            _build(connection, database.schema)
            return True
        finally:
            connection.execute("SELECT pg_advisory_unlock(%s)", number)


def _usable(connection: Any) -> bool:
    """One that is being made, or whose making broke off, is none."""
    rows = connection.execute(
        "SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "WHERE i.indrelid = 'passages'::regclass AND c.relname = %s",
        [NAME],
    ).fetchall()
    return bool(rows) and bool(rows[0][0])


def _passages(connection: Any) -> int:
    return int(connection.execute("SELECT count(*) FROM passages").fetchone()[0])


def _build(connection: Any, schema: str) -> None:
    import psycopg

    try:
        _create(connection, schema)
    except psycopg.errors.DiskFull:
        # Several workers share the memory in /dev/shm, of which a container often has little; one needs none of it.
        connection.execute("SET max_parallel_maintenance_workers = 0")
        try:
            _create(connection, schema)
        finally:
            connection.execute("RESET max_parallel_maintenance_workers")
    connection.execute("ANALYZE passages, words")


def _create(connection: Any, schema: str) -> None:
    """Without locking writers out; what a broken-off build left behind is removed first."""
    size = int(connection.execute("SELECT value FROM meta WHERE key = 'dimension'").fetchone()[0])
    connection.execute(f'DROP INDEX IF EXISTS "{schema}".{NAME}')
    connection.execute(f"SET maintenance_work_mem = '{_room_mb(connection, size)}MB'")
    try:
        connection.execute(
            f"CREATE INDEX CONCURRENTLY {NAME} ON passages USING hnsw ((dense::vector({size})) vector_cosine_ops)"
        )
    finally:
        connection.execute("RESET maintenance_work_mem")


def _room_mb(connection: Any, size: int) -> int:
    """Memory in which the whole graph is built: from where it does not fit, a build takes many times as long."""
    kilobytes = connection.execute("SELECT setting FROM pg_settings WHERE name = 'maintenance_work_mem'").fetchone()[0]
    wanted = _passages(connection) * (size * 4 + NEIGHBOURS) // 10**6
    return min(max(512, wanted), max(MOST_ROOM_MB, int(kilobytes) // 1024))
