"""The real house behind the real service behind the real page, and a browser in front of it."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
import uvicorn
from tests.browser.driver import Browser

from surefoot.cli.main import run
from surefoot.observe.metrics import PrometheusMeter
from surefoot.server.app import create_app
from surefoot.server.process import bound, configured
from surefoot.settings import Settings
from surefoot.wiring import Surefoot, build, builtin_documents

LIBRARY = ("fines-and-lost-items.md", "membership.md")


@dataclass(frozen=True, kw_only=True)
class Stage:
    page: str
    """Address of the page."""
    browser: Browser
    downloads: Path
    shots: Path
    """Where the screenshots go."""


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("browser")
    kb = folder / "kb"
    (kb / "datasets").mkdir(parents=True)
    with staged(folder) as (behind, stage):
        house = build(Settings(kb=kb, rate_limit_per_minute=0), meter=PrometheusMeter())
        asyncio.run(house.ingest([builtin_documents("default") / name for name in LIBRARY]))
        _build_dataset(folder, kb / "datasets" / "library.jsonl")
        with served(house, behind, stage.page):
            yield stage


@contextmanager
def staged(folder: Path) -> Iterator[tuple[socket.socket, Stage]]:
    """The page and a browser, and the socket at which the page looks for its service.

    Page and browser start while the caller builds what stands behind them.
    """
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not found: apt-get install chromium chromium-driver")
    shots, downloads = Path(__file__).parent / "screenshots", folder / "downloads"
    shots.mkdir(exist_ok=True)
    downloads.mkdir()
    behind, port = bound("127.0.0.1", 0), _free_port()
    service = f"http://127.0.0.1:{behind.getsockname()[1]}"
    page = subprocess.Popen(
        [*(sys.executable, "-m", "surefoot", "ui", "--no-browser"), *("--port", str(port), "--service", service)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    )
    browser = None
    try:
        browser = Browser(downloads)
        yield behind, Stage(page=f"http://127.0.0.1:{port}", browser=browser, downloads=downloads, shots=shots)
    finally:
        if browser is not None:
            browser.close()
        page.terminate()
        page.wait(timeout=20)
        behind.close()


@contextmanager
def served(house: Surefoot, listener: socket.socket, page: str) -> Iterator[None]:
    """The house behind the service at this socket, once the page answers too."""
    server = uvicorn.Server(configured(create_app(house)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        _wait_for(f"http://127.0.0.1:{listener.getsockname()[1]}/readyz")
        _wait_for(f"{page}/_stcore/health")
        yield
    finally:
        server.should_exit = True
        thread.join(timeout=20)


def _build_dataset(folder: Path, out: Path) -> None:
    """As a user would: the command, without a language model."""
    corpus = folder / "corpus"
    corpus.mkdir()
    for name in LIBRARY:
        shutil.copy(builtin_documents("default") / name, corpus)
    with suppress(SystemExit):
        run(["dataset", "build", str(corpus), "--out", str(out), "--aspects", "1", "--questions", "2", "--quiet"])
    assert out.exists()


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if httpx2.get(url).status_code == 200:
                return
        except httpx2.HTTPError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"{url} did not answer within a minute")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
