"""The real house behind the real service behind the real page, and a browser in front of it."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
import uvicorn
from tests.browser.driver import Browser

from surefoot.observe.metrics import PrometheusMeter
from surefoot.server.app import create_app
from surefoot.server.process import bound, configured
from surefoot.settings import Settings
from surefoot.wiring import Surefoot, build, builtin_documents


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
    need_browser()
    folder = tmp_path_factory.mktemp("browser")
    downloads, shots = folder / "downloads", Path(__file__).parent / "screenshots"
    downloads.mkdir()
    shots.mkdir(exist_ok=True)
    kb = folder / "kb"
    (kb / "datasets").mkdir(parents=True)
    _build_dataset(folder, kb / "datasets" / "library.jsonl")
    documents = builtin_documents("default")
    with (
        serving(folder, kb, [documents / "fines-and-lost-items.md", documents / "membership.md"]) as page,
        browsing(downloads) as browser,
    ):
        yield Stage(page=page, browser=browser, downloads=downloads, shots=shots)


def need_browser() -> None:
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not found: apt-get install chromium chromium-driver")


@contextmanager
def browsing(downloads: Path) -> Iterator[Browser]:
    browser = Browser(downloads)
    try:
        yield browser
    finally:
        browser.close()


@contextmanager
def serving(folder: Path, kb: Path, documents: Sequence[Path]) -> Iterator[str]:
    """A house over these documents, served; gives the page's address."""
    house = build(Settings(kb=kb, rate_limit_per_minute=0), meter=PrometheusMeter())
    asyncio.run(house.ingest(documents))
    with served(house, folder) as page:
        yield page


@contextmanager
def served(house: Surefoot, folder: Path) -> Iterator[str]:
    """The house behind the service and the page; gives the page's address."""
    listener = bound("127.0.0.1", 0)
    server = uvicorn.Server(configured(create_app(house)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    port = _free_port()
    service = f"http://127.0.0.1:{listener.getsockname()[1]}"
    page = subprocess.Popen(
        [
            *(sys.executable, "-m", "surefoot", "ui", "--no-browser", "--port", str(port)),
            *("--service", service),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    )
    try:
        _wait_for(f"{service}/readyz")
        _wait_for(f"http://127.0.0.1:{port}/_stcore/health")
        yield f"http://127.0.0.1:{port}"
    finally:
        page.terminate()
        page.wait(timeout=20)
        server.should_exit = True
        thread.join(timeout=20)


def _build_dataset(folder: Path, out: Path) -> None:
    """As a user would: the command, without a language model."""
    corpus = folder / "corpus"
    corpus.mkdir()
    for name in ("fines-and-lost-items.md", "membership.md"):
        shutil.copy(builtin_documents("default") / name, corpus)
    build = ["dataset", "build", str(corpus), "--out", str(out), "--aspects", "1", "--questions", "2", "--quiet"]
    subprocess.run([sys.executable, "-m", "surefoot", *build], check=True, capture_output=True, cwd=folder)


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
