"""One ONNX model and its tokenizer: loaded on first use, safe for several threads, rows batched where it takes them."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import EncoderError
from surefoot.encoders.files import ModelFiles

Ids = NDArray[np.int64]
BATCH_TOKENS = 512
"""Padded tokens in one run: enough to keep the matrix products busy, few enough for a laptop's cache and its memory."""


class Session:
    """Runs token ids through one model. The first call opens the file; a lock keeps that to once."""

    def __init__(self, find: Callable[[], ModelFiles], *, threads: int = 0) -> None:
        self._find = find
        self._threads = threads
        self._lock = threading.Lock()
        self._files: ModelFiles | None = None
        self._opened: tuple[Any, Any] | None = None

    @property
    def files(self) -> ModelFiles:
        """The checked files; reading them opens nothing."""
        if self._files is None:
            with self._lock:
                self._files = self._files or self._find()
        return self._files

    @property
    def tokenizer(self) -> Any:
        return self._open()[1]

    @property
    def inputs(self) -> frozenset[str]:
        return frozenset(entry.name for entry in self._open()[0].get_inputs())

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self._open()[0].get_outputs())

    def warm(self) -> None:
        """Open the model now, so that the first question does not pay for it within its deadline."""
        self._open()

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Word pieces of each text, without the tokens that open and close a sequence."""
        return [encoded.ids for encoded in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)]

    def run(
        self, rows: Sequence[Sequence[int]], *, pad: int, **more: Sequence[Sequence[int]]
    ) -> list[list[NDArray[np.float32]]]:
        """For each row its outputs. `more` are further inputs, aligned with the rows token by token."""
        model, _ = self._open()
        known = self.inputs
        found: list[list[NDArray[np.float32]]] = [[] for _ in rows]
        for part in self._parts(rows):
            feed = {
                "input_ids": _pad([rows[at] for at in part], pad),
                "attention_mask": _pad([[1] * len(rows[at]) for at in part], 0),
            }
            feed |= {name: _pad([values[at] for at in part], 0) for name, values in more.items()}
            if "token_type_ids" in known and "token_type_ids" not in feed:
                feed["token_type_ids"] = np.zeros_like(feed["input_ids"])
            results = model.run(None, {name: value for name, value in feed.items() if name in known})
            for place, at in enumerate(part):
                found[at] = [result[place] for result in results]
        return found

    def feed(self, inputs: dict[str, Ids]) -> list[NDArray[np.float32]]:
        """The outputs of a model that is given all of its inputs at once."""
        model, _ = self._open()
        found: list[NDArray[np.float32]] = model.run(None, inputs)
        return found

    def _parts(self, rows: Sequence[Sequence[int]]) -> list[list[int]]:
        """Which rows run together. A model that says its batch is one gets them singly, in their order."""
        batch = self._open()[0].get_inputs()[0].shape[0]
        if batch == 1:
            return [[at] for at in range(len(rows))]
        return _batches(sorted(range(len(rows)), key=lambda at: (len(rows[at]), at)), rows)

    def _open(self) -> tuple[Any, Any]:
        if self._opened is None:
            files = self.files
            with self._lock:
                if self._opened is None:
                    self._opened = _load(files.name, files.model, files.tokenizer, files.sha256, self._threads)
        return self._opened


@lru_cache(maxsize=8)
def _load(name: str, path: Path, tokenizer_path: Path, sha256: str, threads: int) -> tuple[Any, Any]:
    """A model is opened once per process, however many houses use it; its hash is part of what is remembered."""
    return open_files(name, path, tokenizer_path, threads)


def open_files(name: str, path: Path, tokenizer_path: Path, threads: int) -> tuple[Any, Any]:
    """A model and its tokenizer."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # The arena keeps what one small batch needs: asking for it anew each run took a third of the time.
    options.enable_cpu_mem_arena = True
    options.enable_mem_pattern = False
    # A waiting thread that spins takes the processor from whoever shares it: half of a verification's time went there.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        model = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        tokenizer = _tokenizer(tokenizer_path.read_bytes())
    except Exception as error:
        # onnxruntime and tokenizers raise bare Exception types for a file they cannot read.
        raise EncoderError(
            f"cannot open the {name} in {str(path.parent)!r}: {error}; reinstall or fetch it again"
        ) from error
    return model, tokenizer


_TOKENIZERS: dict[bytes, Any] = {}
"""By the hash of their file: most of the shipped models have the same words, which take longer to read than a claim."""


def _tokenizer(data: bytes) -> Any:
    """Never changed once it is made, and safe for several threads: models may share it."""
    key = hashlib.sha256(data).digest()
    if key not in _TOKENIZERS:
        from tokenizers import Tokenizer

        made = Tokenizer.from_buffer(data)
        made.no_padding()
        made.no_truncation()
        _TOKENIZERS[key] = made
    return _TOKENIZERS[key]


def _batches(order: Sequence[int], rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Rows in order of length, cut where a batch grows too large or padding would exceed a tenth."""
    found: list[list[int]] = []
    for at in order:
        length = len(rows[at])
        if found and length * (len(found[-1]) + 1) <= BATCH_TOKENS and length <= 1.1 * len(rows[found[-1][0]]) + 4:
            found[-1].append(at)
        else:
            found.append([at])
    return found


def _pad(rows: Sequence[Sequence[int]], value: int) -> Ids:
    longest = max(len(row) for row in rows)
    padded = np.full((len(rows), longest), value, np.int64)
    for at, row in enumerate(rows):
        padded[at, : len(row)] = row
    return padded
