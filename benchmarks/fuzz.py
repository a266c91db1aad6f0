"""`make fuzz`: Schemathesis over the OpenAPI document of a running service: no 500, no answer outside its schema.

Schemathesis lives in an environment of its own (.venv/fuzz), so that its forty packages stay out of the lock. Two of
its checks are left out: that every request its generator calls valid is accepted (a chat without a user message is
refused, and no schema says so), and that what was deleted is gone (a document's id comes from its name, and the
generator uploads under the same name again).
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from surefoot.wiring import build, builtin_documents

sys.path.insert(0, str(Path(__file__).parent))
from load import _free_port, _ready, _start, _stop  # the same service, filled otherwise

HOME = Path(__file__).parent.parent / ".venv" / "fuzz"
RESULTS = Path(__file__).parent / "results" / "fuzz.txt"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=150, help="generated cases per operation and phase")
    parser.add_argument("--minutes", type=float, default=20, help="stop generating after so long")
    options = parser.parse_args()
    tool = _tool()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_fill(Path(folder)))
        port = _free_port()
        service = _start(Path(folder), port)
        try:
            asyncio.run(_ready(port))
            return _run(
                [
                    *(str(tool), "run", f"http://127.0.0.1:{port}/openapi.json", "--no-color", "--continue-on-failure"),
                    *("-n", str(options.examples), "--max-time", str(int(options.minutes * 60)), "--seed", "1"),
                    *("--request-timeout", "60"),  # sixteen cases of a pack through the models take a while
                    *("--exclude-checks", "positive_data_acceptance,use_after_free", "--no-shrink"),
                ]
            )
        finally:
            _stop(service)


def _run(command: list[str]) -> int:
    """Shows the tool's output as it comes and keeps its summary."""
    lines: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as running:
        for line in running.stdout or ():
            print(line, end="", flush=True)
            lines.append(line)
    summary = next((at for at, line in enumerate(lines) if "= SUMMARY =" in line), 0)
    RESULTS.write_text("".join(lines[summary:]))
    return running.returncode


def _tool() -> Path:
    """Schemathesis in an environment of its own, made on first use with the installer that `make setup` brings."""
    python = HOME / "bin" / "python"
    if not (HOME / "bin" / "schemathesis").exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(HOME)], check=True)
        install = [sys.executable, "-m", "uv", "pip", "install", "-q", "--python", str(python), "schemathesis>=4.30"]
        subprocess.run(install, check=True)
    return HOME / "bin" / "schemathesis"


async def _fill(folder: Path) -> None:
    house = build(kb=folder / "kb")
    await house.ingest([builtin_documents("default") / "fines-and-lost-items.md"])
    await house.close()
    (folder / "kb" / "datasets").mkdir()
    (folder / "kb" / "datasets" / "library.jsonl").write_text(
        '{"question": "What is the fee?", "answer": "R5 [S1]."}\n' * 3
    )


if __name__ == "__main__":
    sys.exit(main())
