"""An embedder in several processes, here or elsewhere: for filling a store, where one process leaves cores idle.

A model's own threads share one small batch at a time and wait for each other; processes of one thread share nothing.
Each holds one copy of the model and a handful of texts, so memory grows with the processes and not with the documents.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from pathlib import Path

import numpy as np

from surefoot.core.errors import EncoderError
from surefoot.core.ports import Embedder, EmbeddingPool, Vectors
from surefoot.encoders.embedder import OnnxEmbedder

MANY = 256
"""Texts at once from which processes are worth their start; fewer are embedded here."""
PART = 16
"""Texts sent to a process at a time: few, so that all of them end together."""


class ParallelEmbedder:
    """core.ports.Embedder around another one of the same model. Its pool is opened on first use and kept."""

    def __init__(self, own: Embedder, *, open_pool: Callable[[], EmbeddingPool]) -> None:
        self._own, self._open_pool = own, open_pool
        self._opening = threading.Lock()
        self._pool: EmbeddingPool | None = None

    @property
    def identity(self) -> str:
        return self._own.identity

    @property
    def dimension(self) -> int:
        return self._own.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order. Like with like: texts of one length go together, the longest first."""
        if len(texts) < MANY:
            return self._own.embed(texts)
        order = sorted(range(len(texts)), key=lambda at: -len(texts[at]))
        parts = [order[start : start + PART] for start in range(0, len(order), PART)]
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        try:
            found = self._opened().map([[texts[at] for at in part] for part in parts])
            for part, vectors in zip(parts, found, strict=True):
                rows[part] = vectors
        except EncoderError:
            self.close()
            raise
        return rows

    def close(self) -> None:
        with self._opening:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def _opened(self) -> EmbeddingPool:
        with self._opening:
            if self._pool is None:
                self._pool = self._open_pool()
            return self._pool


class ProcessPool:
    """core.ports.EmbeddingPool on this machine."""

    def __init__(self, processes: int, model: str | Path | None = None) -> None:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        # spawned: a fork would take the threads' locks of this process with it
        self._executor = ProcessPoolExecutor(
            processes, mp_context=multiprocessing.get_context("spawn"), initializer=_open, initargs=(model,)
        )

    def map(self, parts: Sequence[Sequence[str]]) -> Iterator[Vectors]:
        try:
            yield from self._executor.map(_embed, parts)
        except BrokenExecutor as error:
            raise EncoderError(
                "a process that embeds has ended; there may be too little memory: use fewer with --processes"
            ) from error

    def close(self) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)


_model: OnnxEmbedder | None = None
"""Of a process that embeds; None in every other."""


def _open(model: str | Path | None) -> None:
    global _model
    _model = OnnxEmbedder(model, threads=1)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _embed(texts: Sequence[str]) -> Vectors:
    assert _model is not None
    return _model.embed(texts)


def _end_with_parent() -> None:
    """A parent that is killed says nothing: nobody would tell this process to end."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
