"""English words that are no names: those written small in several contexts the grounder was taught with."""

from __future__ import annotations

from pathlib import Path

ORDINARY = frozenset(Path(__file__).with_name("taught.txt").read_text("utf-8").split())
"""Made by `python -m training.vocabulary`."""
