"""Who says whether a statement answers a question, and who answers in the sources' own sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from surefoot.core.ports import Embedder, Generator, Grounder
from surefoot.generate.answerer import IDENTITY, Answerer
from surefoot.generate.answering import Answering, shipped_for
from surefoot.generate.generator import ExtractiveGenerator
from surefoot.generate.reader import Reader
from surefoot.settings import Settings

READING_SHARE = 0.1
"""Of a question's time, for reading whether statements answer it; what takes longer is answered without."""


def build_answering(
    settings: Settings,
    *,
    embedder: Embedder,
    scorer: Callable[[str, Sequence[str]], Sequence[float]] | None,
    accurate: Grounder | None,
    now: Callable[[], float],
) -> Answering:
    """Judged by both models where there are both, and by the gate's accurate grounder where it was taught to."""
    reading = shipped_for(accurate.identity) if accurate is not None else None
    reader = None
    if accurate is not None and reading is not None:
        seconds = settings.ask_budget_ms / 1000 * READING_SHARE
        reader = Reader(grounder=accurate, seconds=seconds, now=now)
    return Answering(embedder=embedder, scorer=scorer, reader=reader, reading=reading)


def build_quoting(answering: Answering) -> Generator:
    return ExtractiveGenerator(writer=Answerer(answering=answering), name=IDENTITY)
