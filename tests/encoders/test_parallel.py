from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

from surefoot.core.errors import EncoderError
from surefoot.encoders import parallel
from surefoot.encoders.embedder import OnnxEmbedder
from surefoot.encoders.parallel import ParallelEmbedder, ProcessPool

pytest.importorskip("surefoot_models")

TEXTS = [f"{'A fee is due on every day. ' * (at % 4)}Room {at} opens at {at % 24}:00." for at in range(40)]


@pytest.fixture(scope="module")
def own() -> OnnxEmbedder:
    return OnnxEmbedder(threads=1)


@pytest.fixture
def many(own: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch) -> Iterator[ParallelEmbedder]:
    monkeypatch.setattr(parallel, "MANY", 32)
    embedder = ParallelEmbedder(own, open_pool=partial(ProcessPool, 2))
    yield embedder
    embedder.close()


def test_processes_give_the_vectors_of_one_in_the_order_of_the_texts(own: OnnxEmbedder, many: ParallelEmbedder) -> None:
    expected = own.embed(TEXTS)
    found = many.embed(TEXTS)
    assert found.shape == expected.shape
    cosines = (found * expected).sum(axis=1)
    assert cosines.min() > 0.999, "a batch's padding may move the last digits, and nothing else"
    assert (np.argmax(found @ expected.T, axis=1) == np.arange(len(TEXTS))).all()
    assert (many.identity, many.dimension) == (own.identity, own.dimension)


def test_few_texts_start_no_process(many: ParallelEmbedder) -> None:
    many.embed(TEXTS[:5])
    assert many._pool is None


def test_a_process_that_is_killed_is_an_error_and_the_next_call_starts_anew(many: ParallelEmbedder) -> None:
    many.embed(TEXTS)
    os.kill(next(iter(many._pool._executor._processes)), signal.SIGKILL)  # type: ignore[union-attr]
    with pytest.raises(EncoderError, match="--processes"):
        _embed_until_it_fails(many)  # the pool may notice only while it works
    assert many.embed(TEXTS).shape == (40, many.dimension)


def _embed_until_it_fails(many: ParallelEmbedder) -> None:
    for _ in range(50):
        many.embed(TEXTS)
