"""Texts to unit vectors: the shipped sentence model, or one in a local folder, run by onnxruntime."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import EncoderError
from surefoot.core.hashing import sha256_bytes

TOKENS_PER_BATCH = 4096
"""Padded tokens of one run of the model: enough to keep two cores busy, small enough to stay in cache."""


class OnnxEmbedder:
    """core.ports.Embedder. Weights are loaded and checked on first use; safe to call from several threads."""

    def __init__(self, folder: Path | None = None, *, threads: int = 0) -> None:
        self._folder = folder
        self._threads = threads
        self._loading = threading.Lock()

    @property
    def identity(self) -> str:
        return f"{self._card['name']}:{self._card['files']['model.onnx']['sha256'][:16]}"

    @cached_property
    def dimension(self) -> int:
        return int(self._card.get("dimension") or 384)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row per text. Texts run in order of length, so that short ones are not padded to long ones."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return vectors
        session, tokenizer = self._loaded
        encoded = [encoding.ids for encoding in tokenizer.encode_batch([str(text) for text in texts])]
        for rows in _batches(encoded):
            width = max(len(encoded[row]) for row in rows)
            ids = np.full((len(rows), width), int(self._card.get("pad_id", 0)), dtype=np.int64)
            mask = np.zeros((len(rows), width), dtype=np.int64)
            for at, row in enumerate(rows):
                ids[at, : len(encoded[row])] = encoded[row]
                mask[at, : len(encoded[row])] = 1
            vectors[rows] = session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        return vectors

    @cached_property
    def _place(self) -> Path:
        if self._folder is not None:
            return self._folder
        try:
            import surefoot_models
        except ImportError as error:
            raise EncoderError(
                "the models are not installed; install them with: pip install surefoot-models"
            ) from error
        return Path(surefoot_models.folder()) / "embedder"

    @cached_property
    def _card(self) -> dict[str, Any]:
        path = self._place / "card.json"
        try:
            card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise EncoderError(
                f"the embedder's card {str(path)!r} cannot be read: {error}; install it again"
            ) from error
        return card

    @property
    def _loaded(self) -> tuple[Any, Any]:
        with self._loading:
            return self._session

    @cached_property
    def _session(self) -> tuple[Any, Any]:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        tokenizer = Tokenizer.from_str(self._checked("tokenizer.json").decode("utf-8"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_length=int(self._card.get("max_tokens", 256)))
        try:
            session = onnxruntime.InferenceSession(
                self._checked("model.onnx"), sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise EncoderError(f"the embedder in {str(self._place)!r} cannot be loaded: {error}") from error
        return session, tokenizer

    def _checked(self, name: str) -> bytes:
        """A file's bytes, once their hash is what the card says."""
        path = self._place / name
        try:
            data = path.read_bytes()
        except OSError as error:
            raise EncoderError(
                f"the embedder's file {str(path)!r} cannot be read: {error}; install it again"
            ) from error
        if sha256_bytes(data) != self._card["files"][name]["sha256"]:
            raise EncoderError(f"the embedder's file {str(path)!r} was altered; install surefoot-models again")
        return data


def _batches(encoded: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Row numbers, shortest texts first, cut so that no batch exceeds the token budget once padded."""
    rows: list[int] = []
    for row in sorted(range(len(encoded)), key=lambda at: len(encoded[at])):
        if rows and (len(rows) + 1) * len(encoded[row]) > TOKENS_PER_BATCH:
            yield rows
            rows = []
        rows.append(row)
    if rows:
        yield rows
