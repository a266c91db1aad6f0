"""The embedded models, built as the settings ask: embedder, re-ranker and the three grounders."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from surefoot.core.errors import ConfigError
from surefoot.core.ports import Embedder, Grounder, Reranker, SlowGrounder
from surefoot.encoders.embedder import OnnxEmbedder
from surefoot.encoders.files import is_shipped
from surefoot.encoders.grounder import OnnxGrounder
from surefoot.encoders.parallel import ParallelEmbedder, ProcessPool
from surefoot.encoders.reranker import OnnxReranker
from surefoot.encoders.thorough import ThoroughGrounder
from surefoot.settings import Settings
from surefoot.verify.ground.together import Beside, Weights

if TYPE_CHECKING:
    from surefoot.dataset.runners.ray import RayRunner

GROUNDER_SIZES = ("auto", "thorough", "accurate", "fast", "none")


def build_embedder(settings: Settings) -> Embedder:
    return OnnxEmbedder(settings.embedder, threads=settings.threads)


def warmed(embedder: Embedder) -> Embedder:
    """For the gate: its weights are loaded before a deadline runs."""
    if isinstance(embedder, OnnxEmbedder):
        embedder.warm()
    return embedder


def filling(embedder: Embedder, settings: Settings, ray: Callable[[], RayRunner | None]) -> Embedder:
    """For whole folders at once: in processes where the operator wants them, and where the model is our own."""
    if not isinstance(embedder, OnnxEmbedder):
        return embedder
    runner = ray()
    if runner is not None:
        make = partial(OnnxEmbedder, settings.embedder, threads=1)
        workers = partial(runner.embedding, make, embedder, workers=settings.ingest_processes)
        return ParallelEmbedder(embedder, open_pool=workers)
    processes = settings.ingest_processes or settings.threads or os.cpu_count() or 1
    if processes == 1:
        return embedder
    return ParallelEmbedder(embedder, open_pool=partial(ProcessPool, processes, settings.embedder))


def build_reranker(settings: Settings) -> Reranker | None:
    """The cross-encoder, where the settings want one and one is installed."""
    if not settings.rerank or (settings.reranker is None and not is_shipped("reranker")):
        return None
    return OnnxReranker(settings.reranker, threads=settings.threads)


def build_grounders(settings: Settings) -> tuple[Grounder | None, Grounder | None]:
    """The accurate one and the fast one, as far as the settings want them; `auto` takes what is installed, and so does
    `thorough`, for what it has no time for."""
    if settings.grounder_size not in GROUNDER_SIZES:
        raise ConfigError(f"grounder_size: {settings.grounder_size!r} is none of {', '.join(GROUNDER_SIZES)}")
    size = "auto" if settings.grounder_size == "thorough" else settings.grounder_size
    there = settings.grounder is not None or is_shipped("grounder_accurate")
    accurate = _grounder("accurate", settings) if size == "accurate" or (size == "auto" and there) else None
    fast = _grounder("fast", settings) if size in ("auto", "fast") else None
    return accurate, fast


def _grounder(size: str, settings: Settings) -> OnnxGrounder:
    grounder = OnnxGrounder(f"grounder_{size}", settings.grounder, threads=settings.threads)
    _ = grounder.identity  # a file that is missing or was altered is said now; the weights are opened later
    return grounder


def build_thorough(settings: Settings, accurate: Grounder | None) -> SlowGrounder | None:
    """The language model that reads the claims where a deadline of many seconds allows it; with the accurate one beside
    it, where the two were measured together."""
    if settings.grounder_size != "thorough":
        return None
    grounder = ThoroughGrounder(threads=settings.threads)
    grounder.warm()
    beside = grounder.beside
    if accurate is None or beside is None or beside["grounder"] != accurate.identity:
        return grounder
    return Beside(slow=grounder, accurate=accurate, weights=Weights(**beside["weights"]), bands=beside["bands"])
