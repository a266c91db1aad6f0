"""Several processes of the service behind one listening socket: the kernel hands each connection to one that is free.

They share nothing but the store, so one that dies takes only its own connections with it and is started again.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from surefoot.core.errors import ConfigError
from surefoot.server.process import DRAIN_SECONDS, allow, bound

if TYPE_CHECKING:
    from surefoot.wiring import Surefoot

LOOK_S = 0.2
SHORT_LIFE_S = 5.0
"""A process that ends sooner is broken by its settings, not by chance."""
SHORT_LIVES = 3
"""So many in a row, and the crew gives up."""


def run_crew(house: Surefoot, arguments: Sequence[str], *, host: str, port: int, processes: int) -> None:
    """Runs until told to stop; then every process drains and the crew waits for it."""
    require_shared(house, processes)
    allow(house, host)
    listener = bound(host, port)
    listener.listen(1024)
    listener.set_inheritable(True)
    fd = listener.fileno()
    command = [sys.executable, "-m", "surefoot", "serve", *arguments, "--host", host, "--fd", str(fd)]
    stopping: list[int] = []
    for wanted in (signal.SIGTERM, signal.SIGINT):
        signal.signal(wanted, lambda number, frame: stopping.append(number))

    def started() -> tuple[subprocess.Popen[bytes], float]:
        return subprocess.Popen(command, pass_fds=[fd]), time.monotonic()

    address = f"http://{host}:{listener.getsockname()[1]}"
    print(f"surefoot serves on {address} with {processes} processes (stop with Ctrl+C)", file=sys.stderr)
    crew, short = [started() for _ in range(processes)], 0
    try:
        while not stopping:
            time.sleep(LOOK_S)
            for place, (process, since) in enumerate(crew):
                if process.poll() is None:
                    continue
                short = short + 1 if time.monotonic() - since < SHORT_LIFE_S else 0
                if short >= SHORT_LIVES:
                    raise ConfigError("processes: they end as soon as they start; see what they printed above")
                crew[place] = started()
    finally:
        _dismiss([process for process, _ in crew])


def require_shared(house: Surefoot, processes: int) -> None:
    """An embedded store has one owner: a second process could not open it, and would answer from nothing."""
    if house.database is None:
        raise ConfigError(
            f"processes: {processes} of them cannot share an embedded store, which has one owner; "
            "set SUREFOOT_STORE_URL to Postgres (postgresql://...), or use --workers 1"
        )
    if sys.platform == "win32":
        raise ConfigError("processes: several behind one socket need a POSIX system; run several services instead")


def _dismiss(crew: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in crew:
        process.terminate()
    deadline = time.monotonic() + DRAIN_SECONDS + 15
    for process in crew:
        try:
            process.wait(timeout=max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
