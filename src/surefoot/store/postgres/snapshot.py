"""A schema as one file, taken in one moment while others write: passages, ledger, uploads, keys and run log.

For machines without Postgres' own tools; where those are at hand, pg_dump and pg_restore do as well.
"""

from __future__ import annotations

import json
import os
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from surefoot.core.errors import InputError, StoreError
from surefoot.store.postgres import dense_index
from surefoot.store.postgres.database import PostgresDatabase
from surefoot.store.postgres.schema import STEPS

TABLES = "meta passages terms words ledger files chunks uploads runs api_keys".split()
"""In the order in which they can be filled; leases are of the moment and stay behind."""
ABOUT = "snapshot.json"
KIND = "surefoot-postgres/1"
BLOCK = 1 << 20


def save(database: PostgresDatabase, file: Path) -> int:
    """Writes the snapshot beside its place and moves it there; returns its bytes."""
    making = file.with_name(f"{file.name}.making")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with database.connection() as connection, connection.transaction(), tarfile.open(making, "w:gz") as archive:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            _add(archive, ABOUT, [json.dumps({"kind": KIND, "version": len(STEPS)}).encode()])
            for table in TABLES:
                with connection.cursor() as cursor, cursor.copy(f"COPY {table} TO STDOUT") as rows:
                    _add(archive, table, rows)
        os.replace(making, file)
    except OSError as error:
        raise StoreError(f"the snapshot {str(file)!r} cannot be written: {error}") from error
    finally:
        making.unlink(missing_ok=True)
    return file.stat().st_size


def restore(file: Path, database: PostgresDatabase) -> None:
    """Fills an empty schema, whole or not at all, and then makes its dense index."""
    try:
        with tarfile.open(file, "r:gz") as archive:
            _check(archive, file)
            with database.connection() as connection, connection.transaction():
                if connection.execute("SELECT 1 FROM passages UNION ALL SELECT 1 FROM runs LIMIT 1").fetchone():
                    raise InputError(
                        f"the schema {database.schema!r} is in use; name an empty one with SUREFOOT_STORE_COLLECTION"
                    )
                connection.execute("DELETE FROM meta")
                for table in TABLES:
                    with connection.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as rows:
                        for block in _blocks(archive.extractfile(table)):
                            rows.write(block)
                connection.execute(
                    "SELECT setval(pg_get_serial_sequence('terms', 'id'), (SELECT max(id) FROM terms)) "
                    "FROM terms HAVING count(*) > 0"
                )
    except (OSError, tarfile.TarError, EOFError, KeyError, ValueError) as error:
        raise InputError(f"{str(file)!r} cannot be read as a snapshot: {error}") from error
    dense_index.make(database)


def _check(archive: tarfile.TarFile, file: Path) -> None:
    about: Any = json.loads(b"".join(_blocks(archive.extractfile(ABOUT))))
    if about.get("kind") != KIND:
        raise InputError(f"{str(file)!r} is not a snapshot of a Postgres store")
    if about.get("version") != len(STEPS):
        raise InputError(
            f"{str(file)!r} is of schema version {about.get('version')!r} and this Surefoot has {len(STEPS)}; "
            "restore it with the version that made it, then upgrade"
        )


def _add(archive: tarfile.TarFile, name: str, blocks: Any) -> None:
    with tempfile.TemporaryFile() as spool:
        for block in blocks:
            spool.write(block)
        member = tarfile.TarInfo(name)
        member.size = spool.tell()
        spool.seek(0)
        archive.addfile(member, spool)


def _blocks(file: IO[bytes] | None) -> Iterator[bytes]:
    if file is None:
        raise ValueError("a table is missing")
    while block := file.read(BLOCK):
        yield block
