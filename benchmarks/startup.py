"""What a first call costs: processor seconds, imports and models included, against what the project promises.

python benchmarks/startup.py [--rounds 5]

Processor time and not the clock: a busy machine adds to it, but little. The median decides. A first run is not counted:
Python keeps what it compiled then, as after any installation. Also: how much is installed.
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
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "fees.md").write_text(FEES, encoding="utf-8")
        (folder / "draft.json").write_text(json.dumps(DRAFT), encoding="utf-8")
        processor_seconds((*SUREFOOT, "ingest", "fees.md"), folder)
        least, bare = measured((sys.executable, "-c", "pass"), folder, rounds)
        print(
            f"processor time     minimum  median  of {rounds} runs\n{'bare Python':<18} {least:5.2f} s  {bare:5.2f} s"
        )
        for what, (promised, command) in PROMISED.items():
            least, took = measured(command, folder, rounds)
            if what == "import surefoot":
                least, took = least - bare, took - bare
            verdict = "kept" if took <= promised else "BROKEN"
            print(f"{what:<18} {least:5.2f} s  {took:5.2f} s  promised {promised:.2f} s: {verdict}", flush=True)
    sizes = installed_mb()
    print(f"installed          {sum(sizes.values()):6.0f} MB in {len(sizes)} distributions, the largest:")
    for name, size in sorted(sizes.items(), key=lambda item: -item[1])[:8]:
        print(f"  {name:<24} {size:6.0f} MB")


def measured(command: tuple[str, ...], folder: Path, rounds: int) -> tuple[float, float]:
    """The minimum and the median."""
    processor_seconds(command, folder)
    taken = [processor_seconds(command, folder) for _ in range(rounds)]
    return min(taken), statistics.median(taken)


def processor_seconds(command: tuple[str, ...], folder: Path) -> float:
    """Of the command and of what it started. The answer cache would make the second question cheaper: it is off."""
    environment = {**os.environ, "SUREFOOT_CACHE": "false", "PYTHONDONTWRITEBYTECODE": ""}
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
