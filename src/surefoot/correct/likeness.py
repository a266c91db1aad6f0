"""Vectors of texts that do not change: a pack's examples and its own references, embedded once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from surefoot.core.ports import Embedder, Vectors

MOST = 32
"""Sets of texts that are remembered at once."""


def known_vectors(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """The texts' vectors, remembered by embedder and by the texts themselves."""
    key = (embedder.identity, tuple(texts))
    if key not in _MADE:
        if len(_MADE) >= MOST:
            _MADE.clear()
        _MADE[key] = np.asarray(embedder.embed(list(texts)))
    return _MADE[key]


_MADE: dict[tuple[str, tuple[str, ...]], Vectors] = {}
