"""Files are read and cut in child processes: one that hangs, crashes or swells is only a reason.

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
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from surefoot.core.errors import ConfigError, InputError
from surefoot.core.types import Json, Passage
from surefoot.ingest.cutting import Cut
from surefoot.ingest.limits import Limits
from surefoot.ingest.reading import refuse_large, refuse_unknown


class ReaderPool:
    """Reads files in children that are kept for the next file; as many at once as there are callers."""

    def __init__(self) -> None:
        self._idle: list[_Child] = []
        self._busy: set[_Child] = set()
        self._guard = threading.Lock()

    def __call__(self, path: Path, source: str, limits: Limits, tags: Mapping[str, Json]) -> Cut:
        refuse_unknown(path)
        refuse_large(path.stat().st_size, limits)
        with self._guard:
            child = self._idle.pop() if self._idle else _Child(limits)
            self._busy.add(child)
        try:
            return child.cut(path, source, limits, tags)
        finally:
            self._put_back(child)

    def close(self) -> None:
        """Ends every child, also one in the middle of a file: who waits for it is told that its reader is gone."""
        with self._guard:
            idle, self._idle = self._idle, []
            for child in self._busy:
                child.kill()
        for child in idle:
            child.end()

    def _put_back(self, child: _Child) -> None:
        with self._guard:
            self._busy.discard(child)
            if child.alive:
                self._idle.append(child)
                return
        child.end()


class _Child:
    def __init__(self, limits: Limits) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "surefoot.ingest.child", str(limits.reader_memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.alive = True

    def cut(self, path: Path, source: str, limits: Limits, tags: Mapping[str, Json]) -> Cut:
        request = json.dumps({"path": os.fspath(path), "source": source, "limits": asdict(limits), "tags": dict(tags)})
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(request.encode("ascii") + b"\n")
            self._process.stdin.flush()
            reply = self._line(limits)
        except (BrokenPipeError, EOFError) as error:
            self.alive = False
            raise InputError("its reader crashed on it") from error
        except TimeoutError as error:
            self.alive = False
            raise InputError(f"reading it took longer than {limits.reader_seconds:g} s") from error
        except _SwollenError as error:
            self.alive = False
            raise InputError(f"its passages take more than {limits.max_reply_bytes:,} bytes") from error
        return _cut(json.loads(reply))

    def kill(self) -> None:
        self.alive = False
        self._process.kill()

    def end(self) -> None:
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()

    def _line(self, limits: Limits) -> bytes:
        assert self._process.stdout is not None
        handle = self._process.stdout.fileno()
        deadline = time.monotonic() + limits.reader_seconds
        pieces: list[bytes] = []
        size = 0
        while not pieces or not pieces[-1].endswith(b"\n"):
            ready, _, _ = select.select([handle], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError
            piece = os.read(handle, 1 << 20)
            if not piece:
                raise EOFError
            size += len(piece)
            if size > limits.max_reply_bytes:
                raise _SwollenError
            pieces.append(piece)
        return b"".join(pieces)


class _SwollenError(Exception):
    """A reply longer than we are willing to hold."""


def _cut(reply: Any) -> Cut:
    if "missing" in reply:
        raise ConfigError(reply["missing"])
    if "reason" in reply:
        raise InputError(reply["reason"])
    return Cut(sha256=reply["sha256"], passages=tuple(Passage(**passage) for passage in reply["passages"]))
