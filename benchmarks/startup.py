"""What a first call costs: processor seconds, imports and models included, against what the project promises.

python benchmarks/startup.py [--rounds 3]

Processor time and not the clock, so that a busy machine does not change it. Also: how much is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import distributions
from pathlib import Path

FEES = "# Fees\n\nAn adult card costs R120 a year. The late fee for a DVD is R5 a day.\n"
DRAFT = {"answer": "The late fee for a DVD is R9 a day.", "sources": ["The late fee for a DVD is R5 a day."]}
SUREFOOT = (sys.executable, "-m", "surefoot")
PROMISED: dict[str, tuple[float, tuple[str, ...]]] = {
    "import surefoot": (0.05, (sys.executable, "-c", "import surefoot")),
    "surefoot --help": (0.3, (*SUREFOOT, "--help")),
    "surefoot verify": (1.5, (*SUREFOOT, "verify", "draft.json")),
    "surefoot ask": (2.5, (*SUREFOOT, "ask", "What is the late fee for a DVD?")),
}
"""Processor seconds; `import surefoot` is counted on top of bare Python."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "fees.md").write_text(FEES, encoding="utf-8")
        (folder / "draft.json").write_text(json.dumps(DRAFT), encoding="utf-8")
        processor_seconds((*SUREFOOT, "ingest", "fees.md"), folder)
        bare = statistics.median(processor_seconds((sys.executable, "-c", "pass"), folder) for _ in range(rounds))
        print(f"{'bare Python':<18} {bare:5.2f} s of processor time")
        for what, (promised, command) in PROMISED.items():
            took = statistics.median(processor_seconds(command, folder) for _ in range(rounds))
            took -= bare if what == "import surefoot" else 0
            verdict = "kept" if took <= promised else "BROKEN"
            print(f"{what:<18} {took:5.2f} s of processor time   promised {promised:.2f} s: {verdict}", flush=True)
    sizes = installed_mb()
    print(f"installed          {sum(sizes.values()):6.0f} MB in {len(sizes)} distributions, the largest:")
    for name, size in sorted(sizes.items(), key=lambda item: -item[1])[:8]:
        print(f"  {name:<24} {size:6.0f} MB")


def processor_seconds(command: tuple[str, ...], folder: Path) -> float:
    """Of the command and of what it started. The answer cache would make the second question cheaper: it is off."""
    environment = {**os.environ, "SUREFOOT_CACHE": "false"}
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, _, used = os.wait4(child.pid, 0)
    return used.ru_utime + used.ru_stime


def installed_mb() -> dict[str, float]:
    """Size of every installed distribution, from its own list of files."""
    sizes: dict[str, float] = {}
    for distribution in distributions():
        files = distribution.files or []
        paths = (Path(str(distribution.locate_file(file))) for file in files)
        sizes[distribution.name] = sum(path.stat().st_size for path in paths if path.is_file()) / 1e6
    return sizes


if __name__ == "__main__":
    main()
