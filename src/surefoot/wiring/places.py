"""Where a knowledge base lies, and the secret of that place."""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path

from surefoot.settings import Settings
from surefoot.store.cache.secret import cache_secret, shared_secret
from surefoot.store.place import Place
from surefoot.store.postgres.database import PostgresDatabase


def place_of(settings: Settings) -> Place:
    return Place(
        kb=settings.kb,
        url=settings.store_url,
        collection=settings.store_collection,
        api_key=settings.store_api_key,
        shards=settings.store_shards,
        replicas=settings.store_replicas,
        ca=settings.store_ca,
        wait=settings.store_wait,
        ordering=settings.store_ordering,
        consistency=settings.store_consistency,
        write_factor=settings.store_write_factor,
    )


def secret_of(settings: Settings, database: PostgresDatabase | None) -> bytes:
    """The operator's, else the replicas', else this machine's."""
    if database is None or settings.cache_key:
        return cache_secret(settings.kb, settings.cache_key)
    return shared_secret(database)


def uploads_of(settings: Settings, database: PostgresDatabase | None) -> Path:
    """A folder of the knowledge base; with a shared database one of this run alone."""
    if database is None:
        return settings.kb / "uploads"
    return Path(tempfile.gettempdir()) / f"surefoot-uploads-{secrets.token_hex(8)}"
