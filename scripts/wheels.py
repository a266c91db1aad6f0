"""Builds the three distributions and installs them where no checkout is, as a stranger would.

python scripts/wheels.py [--pythons 3.11,3.12,3.13] [--keep FOLDER]

Prints the size of every file. For each Python that can be found: `surefoot` alone has to say in one line what is
missing, `surefoot[lite]` and `surefoot[models]` have to verify a draft, and with every other extra the service's
module has to be importable. Exit code 1 when one of them does not.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UV = Path(sys.executable).parent / "uv"
LARGEST_MB = 100
LITE_MB = 60
PROGRAM = """
import surefoot
result = surefoot.verify("The late fee is R9 a day.", ["The late fee for a DVD is R5 a day."])
assert result.text == "The late fee for a DVD is R5 a day.", result
assert "site-packages" in surefoot.__file__, surefoot.__file__
print(result.decision.value, result.text)
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pythons", default="3.11,3.12,3.13")
    parser.add_argument("--keep", type=Path, help="keep the built files in this folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wheels-") as name:
        place = Path(name)
        wheels = built(given.keep or place / "dist")
        failed = too_large(wheels)
        for version in given.pythons.split(","):
            python = found(version)
            if python is None:
                print(f"{version}: not to be had on this machine, not tried")
            else:
                failed += tried(version, python, wheels, place)
    print("\n".join(f"FAILED {line}" for line in failed) or "every installation works")
    return 1 if failed else 0


def built(folder: Path) -> Path:
    """The wheels, each made from its own source distribution."""
    for project in ("models", "models-accurate", "models-thorough", "."):
        subprocess.run([UV, "build", "--quiet", "--out-dir", folder, ROOT / project], check=True)
    return folder


def too_large(wheels: Path) -> list[str]:
    failed = []
    for file in sorted([*wheels.glob("*.whl"), *wheels.glob("*.tar.gz")]):
        size = file.stat().st_size / 1e6
        print(f"{file.name:<52} {size:6.1f} MB")
        failed += [f"{file.name} is over {LARGEST_MB} MB"] if size > LARGEST_MB else []
    with zipfile.ZipFile(next(wheels.glob("surefoot_models-*.whl"))) as lite:
        unpacked = sum(item.file_size for item in lite.infolist()) / 1e6
    print(f"models of surefoot[lite], unpacked: {unpacked:.1f} MB (at most {LITE_MB})")
    return failed + ([f"the models of surefoot[lite] take {unpacked:.1f} MB"] if unpacked > LITE_MB else [])


def found(version: str) -> Path | None:
    """An interpreter of that version: one that uv knows, else one that pyenv keeps."""
    asked = subprocess.run([UV, "python", "find", "--no-project", version], capture_output=True, text=True, cwd="/")
    if asked.returncode == 0 and Path(asked.stdout.strip()).is_file():
        return Path(asked.stdout.strip())
    kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    return kept[-1] if kept else None


def tried(version: str, python: Path, wheels: Path, place: Path) -> list[str]:
    failed = []
    everything = "models,documents,server,tracing,redis,mcp,dataset"
    for extras in ("", "lite", "models", everything):
        began = time.perf_counter()
        what = f"Python {version}, surefoot{f'[{extras}]' if extras else ''}"
        folder = place / f"env-{version}-{len(extras)}"
        try:
            said = installed(folder, python, wheels, extras)
        except (AssertionError, subprocess.CalledProcessError) as error:
            detail = getattr(error, "stderr", None) or str(error)
            failed.append(f"{what}: {detail.strip()[-600:]}")
        else:
            print(f"{what}: {said} ({time.perf_counter() - began:.0f} s)", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
    return failed


def installed(folder: Path, python: Path, wheels: Path, extras: str) -> str:
    """What the program prints there; with no models, the line that says how to get them."""
    run([UV, "venv", "--quiet", "--python", python, folder])
    own = folder / "bin" / "python"
    wanted = f"surefoot[{extras}]" if extras else "surefoot"
    run([UV, "pip", "install", "--quiet", "--python", own, "--find-links", wheels, wanted])
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    if not extras:
        lone = subprocess.run([own, "-c", PROGRAM], capture_output=True, text=True, cwd=elsewhere, env=clean())
        line = lone.stderr.strip().splitlines()[-1]
        assert lone.returncode == 1, lone.stderr
        assert "pip install 'surefoot[models]'" in line, lone.stderr
        return line.partition(": ")[2]
    said = run([own, "-c", PROGRAM], cwd=elsewhere)
    assert not list(elsewhere.iterdir()), "the program left files behind"
    run([folder / "bin" / "surefoot", "init", "."], cwd=elsewhere)
    run([folder / "bin" / "surefoot", "ingest", "documents"], cwd=elsewhere)
    run([folder / "bin" / "surefoot", "ask", "What is the late fee for a tool?"], cwd=elsewhere)
    run([folder / "bin" / "surefoot", "doctor"], cwd=elsewhere)
    if "server" in extras:
        run([own, "-c", "import surefoot.server.process, surefoot.mcp.server"], cwd=elsewhere)
    return said


def run(command: list[str | Path], *, cwd: Path | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=cwd, env=clean())
    return done.stdout.strip()


def clean() -> dict[str, str]:
    """Without what would let Python see the checkout."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


if __name__ == "__main__":
    sys.exit(main())
