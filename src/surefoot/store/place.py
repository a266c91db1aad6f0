"""Where a knowledge base lies: in a folder on this machine, or on a Qdrant or Postgres server named by its URL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from surefoot.core.hashing import sha256_text
from surefoot.core.ports import PortableStore
from surefoot.store.edge import EdgeStore
from surefoot.store.postgres.database import PostgresDatabase, is_postgres


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    kb: Path
    url: str | None = field(default=None, repr=False)
    """None: the embedded store in the folder."""
    collection: str = "surefoot"
    api_key: str | None = field(default=None, repr=False)
    shards: int = 1
    replicas: int = 1
    ca: Path | None = None
    """Certificate authority of a server with its own."""
    wait: bool = True
    ordering: str | None = None
    consistency: str | None = None
    write_factor: int = 1
    """How a Qdrant cluster writes and reads, see its adapter."""

    @property
    def store_folder(self) -> Path:
        return self.kb / "store"

    @property
    def ledger(self) -> Path:
        """Each store has its ledger, so that switching between laptop and server forgets neither."""
        if self.url is None:
            return self.kb / "manifest.sqlite"
        return self.kb / f"manifest-{sha256_text(f'{self.url} {self.collection}')[:12]}.sqlite"

    def database(self) -> PostgresDatabase | None:
        """What replicas share; None where the store is not in Postgres."""
        if self.url is None or not is_postgres(self.url):
            return None
        return PostgresDatabase(self.url, schema=self.collection, ca=self.ca)

    def open(
        self, *, dimension: Callable[[], int], database: PostgresDatabase | None = None, holder: str | None = None
    ) -> PortableStore:
        if self.url is None:
            return EdgeStore(self.store_folder, dimension=dimension, holder=holder)
        if database is not None:
            from surefoot.store.postgres.passages import PostgresStore

            return PostgresStore(database, dimension=dimension)
        from surefoot.store.qdrant import QdrantStore

        return QdrantStore(
            self.url,
            collection=self.collection,
            api_key=self.api_key,
            dimension=dimension(),
            shards=self.shards,
            replicas=self.replicas,
            ca=self.ca,
            wait=self.wait,
            ordering=self.ordering,
            consistency=self.consistency,
            write_factor=self.write_factor,
        )
