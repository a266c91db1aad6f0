"""Embedding in the workers of a Ray cluster that the tests start on this machine."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surefoot.core.errors import EncoderError, InputError, MissingExtraError
from surefoot.core.ports import Vectors
from surefoot.dataset.runners.ray import EmbeddingWorker, RayRunner
from surefoot.testing.embedding import HashingEmbedder

PARTS = [[f"Room {part} opens at {at}:00." for at in range(5)] for part in range(7)]


class BrokenEmbedder(HashingEmbedder):
    def embed(self, texts: Any) -> Vectors:
        raise ValueError("no such word")


class FragileEmbedder(HashingEmbedder):
    """Ends its process once, in the middle of its work."""

    def __init__(self, mark: Path) -> None:
        super().__init__()
        self._mark = mark

    def embed(self, texts: Any) -> Vectors:
        if not self._mark.exists():
            self._mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed(texts)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    pytest.importorskip("ray", reason="ray is not installed: pip install 'surefoot[ray]'")
    from ray.cluster_utils import Cluster

    here = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", here)  # workers find what the tests find
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    yield cluster
    cluster.shutdown()


@pytest.fixture
def runner(cluster: Any) -> Iterator[RayRunner]:
    runner = RayRunner(address=cluster.address)
    yield runner
    runner.close()


def test_workers_give_the_vectors_of_this_process_in_order(runner: RayRunner) -> None:
    own = HashingEmbedder()
    pool = runner.embedding(HashingEmbedder, own)
    found = list(pool.map(PARTS))
    pool.close()
    assert len(found) == len(PARTS)
    assert all(np.array_equal(vectors, own.embed(part)) for vectors, part in zip(found, PARTS, strict=True))


def test_a_worker_that_dies_is_started_again_and_loses_nothing(runner: RayRunner, tmp_path: Path) -> None:
    own = HashingEmbedder()
    pool = runner.embedding(partial(FragileEmbedder, tmp_path / "died"), own, workers=1)
    found = np.concatenate(list(pool.map(PARTS)))
    pool.close()
    assert (tmp_path / "died").exists()
    assert np.array_equal(found, own.embed([text for part in PARTS for text in part]))


def test_a_worker_with_another_model_is_refused(runner: RayRunner) -> None:
    with pytest.raises(EncoderError, match=r"'other'.*install the same Surefoot and models on every node"):
        runner.embedding(partial(HashingEmbedder, identity="other"), HashingEmbedder(), workers=1)


def test_what_goes_wrong_in_a_worker_is_said_in_one_line(runner: RayRunner) -> None:
    pool = runner.embedding(BrokenEmbedder, HashingEmbedder(), workers=1)
    with pytest.raises(EncoderError, match="no such word") as caught:
        list(pool.map(PARTS))
    assert "\n" not in str(caught.value)


def test_a_full_cluster_is_named_and_more_workers_than_cores_do_with_what_there_is(
    runner: RayRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surefoot.dataset.runners.ray.START_S", 12.0)
    pool = runner.embedding(HashingEmbedder, HashingEmbedder(), workers=3)
    assert len(list(pool.map(PARTS))) == len(PARTS)
    monkeypatch.setattr("surefoot.dataset.runners.ray.START_S", 1.0)
    with pytest.raises(EncoderError, match="no free core"):
        runner.embedding(HashingEmbedder, HashingEmbedder(), workers=1)


def test_ingest_on_ray_fills_the_store_as_ingest_here_does(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("surefoot_models")
    from surefoot.cli.main import load_command
    from surefoot.encoders import parallel
    from surefoot.wiring import build

    asked: list[int] = []
    plain = RayRunner.embedding

    def noted(self: RayRunner, *given: Any, **how: Any) -> Any:
        pool = plain(self, *given, **how)
        asked.append(len(pool._workers))
        return pool

    monkeypatch.setattr(RayRunner, "embedding", noted)
    monkeypatch.setattr(parallel, "MANY", 16)
    folder = tmp_path / "docs"
    folder.mkdir()
    for page in range(40):
        (folder / f"page-{page}.md").write_text(f"# Room {page}\n\nRoom {page} opens at {page % 24}:00.\n")

    async def held(kb: Path) -> dict[str, Any]:
        house = build(kb=kb)
        pairs = {p.id: v async for passages, vectors in house.store.export() for p, v in zip(passages, vectors)}  # noqa: B905
        await house.close()
        return pairs

    here, there = tmp_path / "here", tmp_path / "there"
    for kb, how in ((here, ["--processes", "1"]), (there, ["--ray", cluster.address])):
        load_command("ingest")([str(folder), "--kb", str(kb), "--json", *how], standalone_mode=False)
    expected, found = asyncio.run(held(here)), asyncio.run(held(there))
    assert asked == [2]
    assert found.keys() == expected.keys()
    assert min(float(found[key] @ expected[key]) for key in expected) > 0.999


def test_an_address_where_nobody_listens_is_said_at_once(cluster: Any) -> None:
    with pytest.raises(InputError, match=r"cannot use Ray at '127\.0\.0\.1:9'.*check the address"):
        RayRunner(address="127.0.0.1:9")


def test_without_ray_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'surefoot\[ray\]'"):
        RayRunner(address="auto")


def test_a_worker_embeds_with_the_model_it_was_given() -> None:
    worker = EmbeddingWorker(HashingEmbedder)
    assert worker.identity() == HashingEmbedder().identity
    assert worker.embed(["a"]).shape == (1, HashingEmbedder().dimension)
