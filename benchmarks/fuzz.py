"""`make fuzz`: Schemathesis over the OpenAPI document of a running service: no 500, no answer outside its schema.

Schemathesis lives in an environment of its own (.venv/fuzz), so that its forty packages stay out of the lock. One of
its checks is left out: that every request its generator calls valid is accepted. A chat without a user message is
refused, and no schema says so.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from surefoot.wiring import build, builtin_documents

sys.path.insert(0, str(Path(__file__).parent))
from load import PORT, _ready  # the same service on the same port

TOOL = Path(".venv/fuzz/bin/schemathesis")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=150, help="generated cases per operation and phase")
    parser.add_argument("--minutes", type=float, default=20, help="stop generating after so long")
    options = parser.parse_args()
    _tool()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_fill(Path(folder)))
        environment = {**os.environ, "SUREFOOT_RATE_LIMIT_PER_MINUTE": "0", "SUREFOOT_LOG_LEVEL": "warning"}
        command = [sys.executable, "-m", "surefoot", "serve", "--port", str(PORT), "--kb", f"{folder}/kb"]
        service = subprocess.Popen(command, env=environment, cwd=folder)
        try:
            asyncio.run(_ready())
            return subprocess.run(
                [
                    *(str(TOOL), "run", f"http://127.0.0.1:{PORT}/openapi.json", "--no-color", "--continue-on-failure"),
                    *("-n", str(options.examples), "--max-time", str(int(options.minutes * 60)), "--seed", "1"),
                    *("--exclude-checks", "positive_data_acceptance", "--no-shrink"),
                ]
            ).returncode
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait(timeout=60)


def _tool() -> None:
    if not TOOL.exists():
        subprocess.run([sys.executable, "-m", "venv", ".venv/fuzz"], check=True)
        subprocess.run([".venv/fuzz/bin/python", "-m", "pip", "install", "-q", "schemathesis>=4.30"], check=True)


async def _fill(folder: Path) -> None:
    house = build(kb=folder / "kb")
    await house.ingest([builtin_documents("default") / "fines-and-lost-items.md"])
    await house.close()


if __name__ == "__main__":
    sys.exit(main())
