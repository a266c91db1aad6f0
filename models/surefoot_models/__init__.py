"""The model files that Surefoot runs: data only, no code beyond saying where they lie."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

try:
    __version__ = version("surefoot-models")
except PackageNotFoundError:
    __version__ = "0+unknown"


def folder() -> Path:
    """The folder that holds `manifest.json` and one folder per model."""
    return Path(__file__).parent
