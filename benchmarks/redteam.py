"""`make redteam`: the attacks of docs/red-team.md against a service of its own on loopback, in ten minutes at most.

Some classes need a prepared machine (a full disk, a hostile model, a forged cache): those are tests, run here by name.
Prints one line a class and exits 1 where one did not hold.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]
from load import _free_port, _stop  # noqa: E402 - the same service, under other keys
from tests.faults.poison import GOOD, POISONS  # noqa: E402
from tests.server.test_scopes import STRANGE, TABLE  # noqa: E402

SECONDS = 600
RESULTS = Path(__file__).parent / "results" / "redteam.txt"
SCOPES = ("read", "write", "admin")
TESTS = {
    "hostile model servers": "tests/llm/test_hostile_replies.py",
    "full and read-only disks": "tests/faults/test_disk.py",
    "forged cache entries": "tests/store/cache/test_checked.py",
    "tampered run log, clock jumps": "tests/observe/test_runlog.py",
    "personal data": "tests/core/test_redaction.py",
    "documents that pose as others": "tests/ingest/test_chunking.py",
    "script and markup in the page": "tests/ui/test_markup.py",
    "bombs among files": "tests/faults/test_hostile_files.py",
    "addresses of this network": "tests/correct",
}


class Target:
    """The service under attack."""

    def __init__(self, port: int, kb: Path) -> None:
        self.port, self.kb = port, kb

    def send(self, method: str, path: str, *, key: str = "", body: bytes = b"", **headers: str) -> tuple[int, str]:
        """Status and body of one request, its path sent as it is written."""
        lines = {"Host": f"127.0.0.1:{self.port}", "Connection": "close", "Content-Length": str(len(body))}
        lines |= {"Authorization": f"Bearer {key}"} if key else {}
        lines |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(head.encode() + b"\r\n" + body)
            said = b"".join(iter(lambda: connection.recv(65536), b""))
        return int(said.split(b" ", 2)[1]), said.partition(b"\r\n\r\n")[2].decode("utf-8", "replace")

    def state(self) -> str:
        """What an attack that got through would have changed."""
        return self.send("GET", "/v1/documents", key="read")[1]

    def upload(self, name: str, data: bytes, **more: str) -> int:
        form = b'--x\r\nContent-Disposition: form-data; name="files"; filename="' + name.encode()
        body = form + b'"\r\n\r\n' + data + b"\r\n--x--\r\n"
        kind = "multipart/form-data; boundary=x"
        return self.send("POST", "/v1/documents", key="write", body=body, Content_Type=kind, **more)[0]


def small_keys_and_odd_paths(target: Target) -> str:
    before, tried = target.state(), 0
    text = json.dumps({"source": "lie.md", "text": "The fine is R1.", "verdict": "up"}).encode()
    for (method, path), scope in TABLE.items():
        smaller = ("", *SCOPES[: SCOPES.index(scope)]) if scope in SCOPES else ("",)
        where = path.format(run_id="r", name="default", index="0", document_id="d")
        for form in (*STRANGE.values(), lambda same: same):
            for key in smaller:
                status, _ = target.send(method, form(where), key=key, body=text, Content_Type="application/json")
                open_probe = scope == "none" and form(where) == where
                assert open_probe or status in (400, 401, 403, 404, 405), (method, form(where), key, status)
                tried += 1
    assert target.state() == before
    return f"{tried} requests"


def pages_of_other_sites(target: Target) -> str:
    before = target.state()
    for foreign in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"}):
        assert target.upload("lie.md", b"The fine is R1.", **foreign) == 403, foreign
    assert target.state() == before
    return "3 uploads"


def hostile_bodies(target: Target) -> str:
    known = {
        b"[" * 100_000: "too_deep",
        b'{"a": NaN}': "bad_json",
        b'{"a": "\\ud800"}': "bad_json",
        b'{"a": "\\u0000"}': "bad_json",
        b"{": "bad_json",
        b"\xff": "bad_json",
        b'{"a": "\xed\xa0\x80"}': "bad_json",
        '{"a": "\\ud800"}'.encode("utf-16"): "bad_json",
        '{"a": "\\u0000"}'.encode("utf-32-le"): "bad_json",
    }
    for path in ("/v1/verify", "/v1/ask", "/v1/judge", "/v1/verify/batch", "/v1/chat/completions"):
        for body, code in known.items():
            status, said = target.send("POST", path, key="read", body=body, Content_Type="application/json")
            assert (status, json.loads(said)["error"]["code"]) == (400, code), (path, body[:20], status, said[:200])
    return f"{5 * len(known)} bodies"


def slow_clients(target: Target) -> str:
    slow = [socket.create_connection(("127.0.0.1", target.port), timeout=30) for _ in range(200)]
    for connection in slow:
        connection.sendall(b"POST /v1/verify HTTP/1.1\r\nHost: 127.0.0.1\r\nX-")
    began = time.monotonic()
    assert target.send("GET", "/healthz")[0] == 200
    took = time.monotonic() - began
    assert took < 2, took
    for connection in slow:
        assert b"408" in connection.recv(4096)
        connection.close()
    return f"200 connections, a probe answered in {took * 1000:.0f} ms"


def strangers_who_trickle(target: Target) -> str:
    """Refused at once, they send the rest of their body a byte at a time: nobody reads it, so nobody would mind."""
    slow = [socket.create_connection(("127.0.0.1", target.port), timeout=1) for _ in range(100)]
    for connection in slow:
        connection.sendall(b"POST /v1/verify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n{")
    began = time.monotonic()
    while slow and time.monotonic() - began < 60:
        slow = [connection for connection in slow if not _gone(connection)]
        time.sleep(0.5)
    assert not slow, f"{len(slow)} stay"
    return f"100 connections closed within {time.monotonic() - began:.0f} s"


def _gone(connection: socket.socket) -> bool:
    try:
        connection.sendall(b" ")
        connection.setblocking(False)
        return connection.recv(65536) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def bodies_of_two_lengths(target: Target) -> str:
    hidden = b"DELETE /v1/runs/x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    head = f"POST /v1/verify HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\nAuthorization: Bearer read\r\n"
    for lengths in ("Content-Length: 5\r\nTransfer-Encoding: chunked", "Content-Length: 5\r\nContent-Length: 6"):
        with socket.create_connection(("127.0.0.1", target.port), timeout=30) as connection:
            connection.sendall(f"{head}{lengths}\r\n\r\n".encode() + b"0\r\n\r\n" + hidden)
            said = b"".join(iter(lambda: connection.recv(65536), b""))
        assert said.startswith(b"HTTP/1.1 400"), said[:100]
        assert said.count(b"HTTP/1.1") == 1, said[:500]
    return "2 requests, nothing behind them was heard"


def poison_documents(target: Target) -> str:
    wide = b",".join([b"abc"] * 3_000_000) + b"\n1\n"
    began = time.monotonic()
    for name, data in {**POISONS, "wide.csv": wide, **GOOD}.items():
        assert target.upload(name, data) == 202, name
        assert target.send("GET", "/readyz")[0] == 200
    while time.monotonic() - began < 120:
        shown = {one["source"]: one for one in json.loads(target.state())["documents"]}
        if all(one["status"] in ("indexed", "failed") for one in shown.values()):
            break
        time.sleep(0.2)
    assert {name for name, one in shown.items() if one["status"] == "failed"} == set(POISONS), shown
    return f"{len(POISONS)} failed alone, {len(GOOD)} indexed, {time.monotonic() - began:.0f} s"


def audit_of_all_this(target: Target) -> str:
    report = json.loads(target.send("GET", "/v1/audit", key="admin")[1])
    assert report["intact"], report
    return f"{report['rows']} records whole"


LIVE: dict[str, Callable[[Target], str]] = {
    "small keys and odd paths": small_keys_and_odd_paths,
    "pages of other sites": pages_of_other_sites,
    "hostile bodies": hostile_bodies,
    "slow clients": slow_clients,
    "strangers who trickle": strangers_who_trickle,
    "bodies of two lengths": bodies_of_two_lengths,
    "poison documents": poison_documents,
    "the audit of all this": audit_of_all_this,
}


def main() -> int:
    ends = time.monotonic() + SECONDS
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder, attacked(Path(folder)) as (target, service):
        for name, attack in LIVE.items():
            lines.append(told(name, lambda attack=attack: attack(target)))
        lines.append(told("SIGTERM while a document is indexed", lambda: stopped(target, service)))
        lines.append(told("a record changed behind our back", lambda: tampered(target)))
    for name, tests in TESTS.items():
        lines.append(told(name, lambda tests=tests: tested(tests, ends - time.monotonic())))
    RESULTS.write_text("\n".join(lines) + "\n")
    return 0 if all(line.startswith("held") for line in lines) else 1


def told(name: str, attack: Callable[[], str]) -> str:
    try:
        line = f"held      {name:<38} {attack()}"
    except subprocess.TimeoutExpired:
        line = f"NO TIME   {name:<38} the ten minutes were over before it ended: run it alone, or on a quieter machine"
    except Exception as error:
        line = f"NOT HELD  {name:<38} {type(error).__name__}: {str(error)[:300]}"
    print(line, flush=True)
    return line


@contextmanager
def attacked(folder: Path) -> Iterator[tuple[Target, subprocess.Popen[bytes]]]:
    port = _free_port()
    keys = ",".join(f"{hashlib.sha256(scope.encode()).hexdigest()}:{scope}" for scope in SCOPES)
    environment = {**os.environ, "SUREFOOT_RATE_LIMIT_PER_MINUTE": "0", "SUREFOOT_API_KEYS": keys}
    command = [sys.executable, "-m", "surefoot", "serve", "--port", str(port), "--kb", str(folder / "kb")]
    service = subprocess.Popen(command, env=environment, cwd=folder, stderr=subprocess.DEVNULL)
    target = Target(port, folder / "kb")
    try:
        for _ in range(600):
            try:
                if target.send("GET", "/readyz")[0] == 200:
                    break
            except OSError:
                pass
            time.sleep(0.1)
        draft = {"draftAnswer": "The fine is R5 [S1].", "ragChunks": [{"id": "S1", "text": "The fine is R5."}]}
        for _ in range(3):
            target.send("POST", "/v1/verify", key="read", body=json.dumps(draft).encode())
        yield target, service
    finally:
        _stop(service)


def stopped(target: Target, service: subprocess.Popen[bytes]) -> str:
    long = b"# Fees\n\n" + b"".join(b"The fee of course %d is R%d a year.\n\n" % (n, n) for n in range(60_000))
    assert target.upload("long.md", long) == 202
    time.sleep(1)
    began = time.monotonic()
    service.terminate()
    service.wait(timeout=60)
    took = time.monotonic() - began
    assert took < 45, took
    return f"gone after {took:.0f} s"


def tampered(target: Target) -> str:
    verify = [sys.executable, "-m", "surefoot", "runs", "verify", "--kb", str(target.kb)]
    assert subprocess.run(verify, capture_output=True, timeout=60, check=False).returncode == 0
    with sqlite3.connect(target.kb / "runs.sqlite") as db:
        db.execute("UPDATE runs SET decision = 'approved', reason = 'x' WHERE seq = 2")
    done = subprocess.run(verify, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, done.stdout
    return done.stdout.splitlines()[0]


def tested(tests: str, seconds: float) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "not faults and not live", tests]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=max(1, seconds), check=False)
    assert done.returncode == 0, done.stdout[-400:]
    return tests


if __name__ == "__main__":
    sys.exit(main())
