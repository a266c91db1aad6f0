"""A service over the small house, in process and on a socket."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from starlette.testclient import TestClient
from tests.server.small_house import SmallHouse, local_client

from surefoot.observe.metrics import PrometheusMeter
from surefoot.server.app import create_app
from surefoot.server.process import bound, configured
from surefoot.settings import Settings
from surefoot.wiring import Surefoot


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(kb=tmp_path / "kb", rate_limit_per_minute=0)


@pytest.fixture
def house(settings: Settings) -> SmallHouse:
    return SmallHouse(settings, meter=PrometheusMeter(), logged=True)


@pytest.fixture
def client(house: SmallHouse) -> Iterator[TestClient]:
    with local_client(house) as client:
        yield client


@pytest.fixture
def live_url(house: SmallHouse) -> Iterator[str]:
    with served(house) as url:
        yield url


@contextmanager
def served(house: Surefoot) -> Iterator[str]:
    """The service on a free port of this machine."""
    listener = bound("127.0.0.1", 0)
    server = uvicorn.Server(configured(create_app(house)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=20)
