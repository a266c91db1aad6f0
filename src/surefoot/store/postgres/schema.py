"""The tables in Postgres, by version. A step once released is never changed; a new one is added below it.

Two replicas that start at once do not meet here: whoever holds the lock migrates, the other finds it done.
"""

from __future__ import annotations

import secrets
import uuid
from typing import Any

from surefoot.core.errors import StoreError

STEPS = (
    """
    CREATE TABLE passages (
        id text COLLATE "C" PRIMARY KEY, payload text NOT NULL, labels text[] NOT NULL, day date,
        dense public.vector NOT NULL);
    CREATE INDEX passages_labels ON passages USING gin (labels);
    CREATE INDEX passages_day ON passages (day);
    ALTER TABLE passages ALTER COLUMN dense SET STORAGE MAIN;
    CREATE TABLE words (
        id text COLLATE "C" PRIMARY KEY REFERENCES passages ON DELETE CASCADE, terms integer[] NOT NULL,
        weights public.sparsevec NOT NULL);
    CREATE INDEX words_terms ON words USING gin (terms);
    CREATE TABLE terms (
        hash bigint PRIMARY KEY, id integer NOT NULL UNIQUE GENERATED ALWAYS AS IDENTITY,
        passages bigint NOT NULL DEFAULT 0) WITH (fillfactor = 60);

    CREATE TABLE ledger (key text PRIMARY KEY, value text NOT NULL);
    CREATE TABLE files (
        path bytea PRIMARY KEY, source text NOT NULL UNIQUE, size bigint NOT NULL, mtime_ns bigint NOT NULL,
        sha256 text NOT NULL, recipe text NOT NULL, state text NOT NULL, reason text NOT NULL DEFAULT '');
    CREATE TABLE chunks (
        path bytea NOT NULL, id text COLLATE "C" NOT NULL, digest text NOT NULL, stored integer NOT NULL,
        PRIMARY KEY (path, id));
    CREATE TABLE leases (path bytea PRIMARY KEY, holder text NOT NULL, until timestamptz NOT NULL);
    CREATE TABLE uploads (
        name text PRIMARY KEY, data bytea, wanted text NOT NULL, reason text,
        version bigint NOT NULL DEFAULT 1, at timestamptz NOT NULL DEFAULT now(), holder text, until timestamptz);
    CREATE INDEX uploads_wanted ON uploads (at) WHERE wanted IN ('index', 'removal');

    CREATE TABLE runs (
        seq bigint PRIMARY KEY, run_id text NOT NULL UNIQUE, at text NOT NULL, kind text NOT NULL, decision text,
        reason text, pack text, of text, body text NOT NULL, body_hash text NOT NULL, previous text NOT NULL,
        hash text NOT NULL);
    CREATE INDEX runs_at ON runs (at);
    CREATE INDEX runs_of ON runs (of);

    CREATE TABLE api_keys (
        digest text PRIMARY KEY, scope text NOT NULL, name text NOT NULL UNIQUE,
        made timestamptz NOT NULL DEFAULT now());
    """,
)
"""Whatever lies in the tables as JSON is text, not jsonb: its bytes are hashed, and keep the order of their keys."""


def migrate(connection: Any, schema: str, *, lock: int) -> None:
    """Brings the schema to the newest version, in one transaction, alone."""
    from psycopg import sql

    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [lock])
        _need_vectors(connection)
        name = sql.Identifier(schema)
        if not connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [schema]).fetchone():
            connection.execute(sql.SQL("CREATE SCHEMA {}").format(name))
        connection.execute(sql.SQL("SET LOCAL search_path TO {}, public").format(name))
        connection.execute(
            sql.SQL("CREATE TABLE IF NOT EXISTS {}.meta (key text PRIMARY KEY, value text)").format(name)
        )
        row = connection.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
        version = int(row[0]) if row else 0
        if version > len(STEPS):
            raise StoreError(
                f"the schema {schema!r} was made by a newer Surefoot (version {version}, this one knows "
                f"{len(STEPS)}); upgrade this service"
            )
        for step in STEPS[version:]:
            connection.execute(step)
        if version < len(STEPS):
            _note(connection, version=str(len(STEPS)))
        if version == 0:
            _note(connection, identity=uuid.uuid4().hex, secret=secrets.token_hex(32), removed="0", old_links="0")


def _need_vectors(connection: Any) -> None:
    """pgvector of 0.8 or newer: sparse vectors came with 0.7, filtered searches that go on with 0.8."""
    import psycopg

    try:
        if not connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone():
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
    except psycopg.Error as error:
        raise StoreError(
            "the database has no pgvector and it cannot be added here; install it on the server, "
            "or let an administrator run: CREATE EXTENSION vector"
        ) from error
    row = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    if tuple(int(part) for part in row[0].split(".")[:2]) < (0, 8):
        raise StoreError(
            f"the database has pgvector {row[0]}; Surefoot needs 0.8 or newer: ALTER EXTENSION vector UPDATE"
        )


def _note(connection: Any, **facts: str) -> None:
    for key, value in facts.items():
        connection.execute(
            "INSERT INTO meta VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value", [key, value]
        )
