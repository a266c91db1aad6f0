"""How long `import surefoot` and `surefoot --help` take, as a ratio to bare Python, and how much is installed.

python benchmarks/startup.py
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from importlib.metadata import distributions
from pathlib import Path

ROUNDS = 9


def seconds(*command: str) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def installed_mb() -> dict[str, float]:
    """Size of every installed distribution, from its own list of files."""
    sizes: dict[str, float] = {}
    for distribution in distributions():
        files = distribution.files or []
        paths = (Path(str(distribution.locate_file(file))) for file in files)
        sizes[distribution.name] = sum(path.stat().st_size for path in paths if path.is_file()) / 1e6
    return sizes


def main() -> None:
    bare = seconds(sys.executable, "-c", "pass")
    for name, command in (
        ("import surefoot", (sys.executable, "-c", "import surefoot")),
        ("surefoot --help", (sys.executable, "-m", "surefoot", "--help")),
    ):
        took = seconds(*command)
        print(f"{name:<18} {took * 1000:6.1f} ms   {took / bare:4.1f} x bare Python ({bare * 1000:.1f} ms)")
    sizes = installed_mb()
    print(f"installed          {sum(sizes.values()):6.0f} MB in {len(sizes)} distributions, the largest:")
    for name, size in sorted(sizes.items(), key=lambda item: -item[1])[:8]:
        print(f"  {name:<24} {size:6.0f} MB")


if __name__ == "__main__":
    main()
