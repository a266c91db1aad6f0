"""Where the service that holds a knowledge base listens, so that `surefoot ask` in another terminal can go through it.

A note in the knowledge base's folder, with the process it is of. It is read only where the store is found held, and
only where it is the holder's: one that a killed service left behind is passed over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FILE = "service.json"
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


@contextmanager
def announced(kb: Path, host: str, port: int) -> Iterator[None]:
    """The note is there while the body runs. A folder that cannot be written has none, and the service runs on."""
    here = _EVERYWHERE.get(host, host)
    url = f"http://[{here}]:{port}" if ":" in here else f"http://{here}:{port}"
    with suppress(OSError):
        kb.mkdir(parents=True, exist_ok=True)
        (kb / FILE).write_text(json.dumps({"url": url, "pid": os.getpid()}), encoding="utf-8")
    try:
        yield
    finally:
        with suppress(OSError):
            (kb / FILE).unlink()


def service_of(kb: Path, pid: int | None) -> str | None:
    """The address that process noted; None where it noted none."""
    try:
        note = json.loads((kb / FILE).read_text(encoding="utf-8"))
        url = note["url"] if pid is not None and note["pid"] == pid else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return url if isinstance(url, str) and url.startswith("http://") else None
