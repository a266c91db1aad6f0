"""One Postgres for the module; every test has a schema of its own."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "store"))

from postgres_server import PostgresServer

from surefoot.store.postgres.database import PostgresDatabase


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    server.start()
    yield server
    server.remove()


@pytest.fixture
def database(server: PostgresServer) -> Iterator[PostgresDatabase]:
    database = PostgresDatabase(server.url, schema=f"t_{uuid.uuid4().hex}")
    yield database
    database.close()
