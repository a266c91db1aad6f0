"""The process itself: it drains on SIGTERM, and kill -9 corrupts nothing."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from surefoot.server import examples
from surefoot.settings import Settings
from surefoot.wiring import Surefoot

ROOT = Path(__file__).parents[2]
SERVE = """
import asyncio, sys
from pathlib import Path
from surefoot.observe.metrics import PrometheusMeter
from surefoot.server.process import serve
from surefoot.settings import Settings
from tests.server.small_house import SmallHouse
house = SmallHouse(Settings(kb=Path(sys.argv[1]), rate_limit_per_minute=0), meter=PrometheusMeter())
house.before_ask = lambda: asyncio.sleep(0.05)
serve(house, host="127.0.0.1", port=int(sys.argv[2]))
"""


class Process:
    def __init__(self, kb: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, "-c", SERVE, str(kb), str(self.port)]
        self.child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                if httpx2.get(f"{self.url}/readyz").status_code == 200:
                    return
            except httpx2.HTTPError:
                time.sleep(0.05)
        raise AssertionError("the service did not start")


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Process]:
    process = Process(tmp_path / "kb")
    yield process
    process.child.kill()
    process.child.wait()


def test_sigterm_during_64_requests_cuts_none_off(process: Process) -> None:
    statuses: list[int | str] = []
    client = httpx2.Client(base_url=process.url, timeout=60, limits=httpx2.Limits(max_connections=100))

    def ask() -> None:
        try:
            answer = client.post("/v1/ask", json={"question": "the bursary?"})
            statuses.append(answer.status_code if "finalAnswer" in answer.json() else "cut")
        except httpx2.HTTPError as error:
            statuses.append(type(error).__name__)

    threads = [threading.Thread(target=ask) for _ in range(64)]
    [thread.start() for thread in threads]
    while _under_way(process.url) + len(statuses) < 64:
        time.sleep(0.01)
    assert len(statuses) < 60
    process.child.send_signal(signal.SIGTERM)
    assert _says_it_is_draining(process.url)
    [thread.join() for thread in threads]
    assert statuses == [200] * 64
    assert process.child.wait(timeout=30) in (0, -signal.SIGTERM)
    with pytest.raises(httpx2.HTTPError):
        httpx2.get(f"{process.url}/healthz")


def _under_way(url: str) -> int:
    load = httpx2.get(f"{url}/readyz").json()
    return int(load["running"] + load["waiting"])


def _says_it_is_draining(url: str) -> bool:
    while True:
        try:
            if httpx2.get(f"{url}/readyz").status_code == 503:
                return True
        except httpx2.HTTPError:
            return False


def test_kill_9_corrupts_no_run_and_no_document(process: Process, tmp_path: Path) -> None:
    acknowledged: list[str] = []
    uploads: list[str] = []

    def hammer(number: int) -> None:
        with httpx2.Client(base_url=process.url, timeout=20) as client:
            for turn in range(10_000):
                try:
                    acknowledged.append(client.post("/v1/verify", json=examples.VERIFY).json()["metadata"]["runId"])
                    name = f"d{number}-{turn}.md"
                    client.post("/v1/documents/text", json={"source": name, "text": f"{name} " * 20_000})
                    uploads.append(name)
                except (httpx2.HTTPError, ValueError, KeyError):
                    return

    threads = [threading.Thread(target=hammer, args=(number,)) for number in range(8)]
    [thread.start() for thread in threads]
    while len(uploads) < 30:
        time.sleep(0.01)
    os.kill(process.child.pid, signal.SIGKILL)
    [thread.join() for thread in threads]
    store = Surefoot(Settings(kb=tmp_path / "kb")).runlog
    assert store.check().intact
    assert all(store.read(run) is not None for run in acknowledged)
    folder = tmp_path / "kb" / "uploads"
    for name in uploads:
        assert (folder / name).read_text() == f"{name} " * 20_000
    for file in folder.glob("*.md"):
        assert file.read_text() == f"{file.name} " * 20_000
