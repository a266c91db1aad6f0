"""An embedder without weights for tests: words hashed to dimensions. Near texts share words; that is all it knows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.core.text import words


@dataclass(kw_only=True)
class HashingEmbedder:
    """core.ports.Embedder. Counts the texts it was given, so that a test can see what was embedded again."""

    dimension: int = 384
    identity: str = "hashing:1"
    texts: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in words(text):
                digest = hashlib.sha256(word.encode()).digest()
                rows[row, int.from_bytes(digest[:4], "big") % self.dimension] += 1.0
            norm = float(np.linalg.norm(rows[row]))
            rows[row] = rows[row] / norm if norm else np.eye(1, self.dimension, dtype=np.float32)[0]
        return rows
