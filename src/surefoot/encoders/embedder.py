"""Texts to unit vectors with a sentence encoder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from surefoot.core.ports import Vectors
from surefoot.encoders.files import find_model
from surefoot.encoders.session import Session
from surefoot.encoders.vocabulary import Vocabulary

MAX_TOKENS = 256


class OnnxEmbedder:
    """The shipped one, or a folder or Hugging Face id with the same kind of model."""

    def __init__(self, model: str | Path | None = None, *, threads: int = 0, cache: Path | None = None) -> None:
        self._session = Session(lambda: find_model("embedder", model, cache=cache), threads=threads)
        self._dimension: int | None = None

    def warm(self) -> None:
        """Load the weights before a deadline runs."""
        self._session.warm()

    @property
    def identity(self) -> str:
        return f"embedder:{self._session.files.sha256[:16]}"

    @property
    def dimension(self) -> int:
        if self._dimension is None:
            self._dimension = int(self.embed(["size"]).shape[1])
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One float32 row of length 1 per text; no text, no rows."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        words = Vocabulary.of(self._session.tokenizer)
        rows = [[words.opening, *ids[: MAX_TOKENS - 2], words.separator] for ids in self._session.token_ids(texts)]
        found = [outputs[0] for outputs in self._session.run(rows, pad=words.pad)]
        return np.stack([_unit(_pooled(value, len(row))) for value, row in zip(found, rows, strict=True)]).astype(
            np.float32
        )

    def knows(self, word: str) -> bool:
        """Whether a word, written small, is one of the vocabulary's own and not put together from pieces.

        A vocabulary of another make than BERT's does not tell: there every word is known.
        """
        number = self._session.tokenizer.token_to_id
        return number(word) is not None or number("##s") is None


def _pooled(value: Vectors, length: int) -> Vectors:
    """The shipped graph gives a vector; a plain encoder from the hub gives a state per token, whose mean we take."""
    return value if value.ndim == 1 else value[:length].mean(0)


def _unit(vector: Vectors) -> Vectors:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector
