"""Run in a mount namespace of its own by test_disk.py: a store on a disk of 200 MB that fills up or turns read-only.

Prints one JSON object of what was seen. Argument: the folder to mount on, and `full` or `read-only`.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from surefoot.core.errors import SurefootError
from surefoot.ingest.ingestor import Ingestor
from surefoot.ingest.manifest import Manifest
from surefoot.store.edge import EdgeStore
from surefoot.testing.embedding import HashingEmbedder

TEXTS = [f"Rent number {n} is due monthly." for n in range(50)]


def main(disk: Path, fault: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200m", "none", str(disk)], check=True)
    (disk / "docs").mkdir()
    for number, text in enumerate(TEXTS):
        (disk / "docs" / f"{number}.md").write_text(text)
    seen: dict[str, object] = {"before": asyncio.run(ingested(disk))}
    (disk / "docs" / "new.md").write_text("Fees are due yearly.")
    if fault == "full":
        fill(disk / "filler")
    else:
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    seen["ingest"] = asyncio.run(ingested(disk))
    seen["held"] = asyncio.run(held(disk))
    print(json.dumps(seen))


async def ingested(disk: Path) -> str:
    store = EdgeStore(disk / "kb" / "store", dimension=HashingEmbedder().dimension)
    ledger = Manifest(disk / "kb" / "manifest.sqlite")
    try:
        report = await Ingestor(store=store, embedder=HashingEmbedder(), manifest=ledger).ingest([disk / "docs"])
        return f"added {report.added}"
    except SurefootError as error:
        return error.code
    finally:
        await store.close()
        ledger.close()


async def held(disk: Path) -> int:
    """What can still be found."""
    store = EdgeStore(disk / "kb" / "store", dimension=HashingEmbedder().dimension)
    try:
        return len(await store.lexical("rent due monthly", limit=100))
    finally:
        await store.close()


def fill(file: Path) -> None:
    with file.open("wb", buffering=0) as out:
        try:
            while out.write(b"x" * 4096):
                pass
        except OSError:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
