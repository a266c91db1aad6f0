"""Formats that strangers can booby-trap are parsed in child processes: one that hangs or crashes is only a reason.

A child gets one line of JSON per file and answers with one line; no objects cross the border. It dies with its parent.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from surefoot.core.errors import ConfigError, InputError
from surefoot.core.types import Document
from surefoot.ingest.limits import Limits
from surefoot.ingest.reading import ISOLATED, held, read, refuse_unknown


class ReaderPool:
    """Reads files; harmless formats here, the others in children that are kept for the next file."""

    def __init__(self) -> None:
        self._idle: list[_Child] = []
        self._guard = threading.Lock()

    def __call__(self, path: Path, source: str, limits: Limits) -> list[Document]:
        refuse_unknown(path)
        if path.suffix.lower() not in ISOLATED:
            return read(path, source, limits)
        if path.stat().st_size > limits.max_bytes:
            raise InputError(f"larger than {limits.max_bytes:,} bytes")
        with self._guard:
            child = self._idle.pop() if self._idle else None
        child = child or _Child(limits)
        try:
            documents = child.read(path, source, limits)
        except BaseException:
            if not child.alive:
                child.end()
                raise
            self._keep(child)
            raise
        self._keep(child)
        return held(documents, limits)

    def close(self) -> None:
        with self._guard:
            idle, self._idle = self._idle, []
        for child in idle:
            child.end()

    def _keep(self, child: _Child) -> None:
        with self._guard:
            self._idle.append(child)


class _Child:
    def __init__(self, limits: Limits) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "surefoot.ingest.child", str(limits.reader_memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.alive = True

    def read(self, path: Path, source: str, limits: Limits) -> list[Document]:
        request = json.dumps({"path": os.fspath(path), "source": source, "limits": asdict(limits)})
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(request.encode("ascii") + b"\n")
            self._process.stdin.flush()
            reply = self._line(limits.reader_seconds)
        except (BrokenPipeError, EOFError) as error:
            self.alive = False
            raise InputError("its reader crashed on it") from error
        except TimeoutError as error:
            self.alive = False
            raise InputError(f"reading it took longer than {limits.reader_seconds:g} s") from error
        return _documents(json.loads(reply))

    def end(self) -> None:
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()

    def _line(self, seconds: float) -> bytes:
        assert self._process.stdout is not None
        handle = self._process.stdout.fileno()
        deadline = time.monotonic() + seconds
        pieces: list[bytes] = []
        while not pieces or not pieces[-1].endswith(b"\n"):
            ready, _, _ = select.select([handle], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError
            piece = os.read(handle, 1 << 20)
            if not piece:
                raise EOFError
            pieces.append(piece)
        return b"".join(pieces)


def _documents(reply: Any) -> list[Document]:
    if "missing" in reply:
        raise ConfigError(reply["missing"])
    if "reason" in reply:
        raise InputError(reply["reason"])
    return [Document(**document) for document in reply["documents"]]
