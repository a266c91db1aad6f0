"""The model files that Surefoot runs: data only, no code beyond saying where they lie."""

from __future__ import annotations

from pathlib import Path


def folder() -> Path:
    """The folder that holds `manifest.json` and one folder per model."""
    return Path(__file__).parent


def __getattr__(name: str) -> str:
    """`__version__`, looked up when asked for: every start would search all that is installed for it."""
    if name != "__version__":
        raise AttributeError(f"module 'surefoot_models' has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("surefoot-models")
    except PackageNotFoundError:
        return "0+unknown"
