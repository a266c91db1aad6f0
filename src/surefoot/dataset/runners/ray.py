"""The Ray runner: workers call the models; journal, retrieval and the gate stay with the driver.

What comes out is the same as with the local runner, byte for byte: only the place of the call differs. Ingest embeds
in such workers too; its ledger and its store stay with the driver.
"""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from surefoot.core.errors import (
    EncoderError,
    InputError,
    InvalidReplyError,
    MissingExtraError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    RateLimitedError,
    RecordingMissingError,
)
from surefoot.core.hashing import plain
from surefoot.core.ports import Embedder, LanguageModel, Vectors
from surefoot.core.types import ModelReply, ModelRequest
from surefoot.dataset.runners.local import ModelFactory

START_S = 60.0
"""Time for workers to come up with their model."""
RESTARTS = 3
KNOCK_S = 10.0
Message = dict[str, Any]
"""What travels between driver and worker: plain data, no classes."""


class RayRunner:
    """`address` None: a Ray of its own on this machine; else an existing cluster, e.g. `ray://host:10001` or `auto`."""

    def __init__(self, *, workers: int = 2, address: str | None = None, calls_at_once: int = 64) -> None:
        try:
            ray: Any = import_module("ray")
        except ImportError:
            raise MissingExtraError("ray", "ray") from None
        self._ray = ray
        self._workers, self._calls_at_once = workers, calls_at_once
        try:
            _knock(address)
            if address is None:
                ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
            else:
                ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except (OSError, RuntimeError, ValueError) as error:
            raise InputError(f"cannot use Ray at {address or 'this machine'!r}: {error}; check the address") from error

    def open(self, factories: Mapping[str, ModelFactory]) -> dict[str, LanguageModel]:
        remote = self._ray.remote(Worker).options(max_concurrency=self._calls_at_once, num_cpus=1)
        workers = [remote.remote(dict(factories)) for _ in range(self._workers)]
        identities: dict[str, str] = self._ray.get(workers[0].identities.remote())
        return {role: RemoteModel(role, identity, workers) for role, identity in identities.items()}

    def embedding(self, make: Callable[[], Embedder], own: Embedder, *, workers: int = 0) -> RayPool:
        """Workers that embed as `own` does; 0: one for each core of the cluster."""
        wanted = workers or int(self._ray.cluster_resources().get("CPU", 1)) or 1
        return RayPool(self._ray, make, own.identity, workers=wanted)

    def close(self) -> None:
        self._ray.shutdown()


def _knock(address: str | None) -> None:
    """An OSError where nobody listens at HOST:PORT; Ray itself would try for minutes."""
    place = urlsplit(address if address and "://" in address else f"//{address or ''}")
    if place.hostname and place.port:
        socket.create_connection((place.hostname, place.port), timeout=KNOCK_S).close()


class Worker:
    """Lives in a Ray worker and owns its models."""

    def __init__(self, factories: Mapping[str, ModelFactory]) -> None:
        self._models = {role: factory() for role, factory in factories.items()}

    async def identities(self) -> dict[str, str]:
        return {role: model.identity for role, model in self._models.items()}

    async def complete(self, role: str, asked: Message) -> Message:
        try:
            reply = await self._models[role].complete(ModelRequest(**asked))
        except ModelError as error:
            wait = getattr(error, "retry_after_s", None)
            return {"error": error.code, "problem": str(error), "retry_after_s": wait}
        return {"reply": plain(reply)}


class RemoteModel:
    """A model that lives in the workers; calls go to them in turn."""

    def __init__(self, role: str, identity: str, workers: list[Any]) -> None:
        self._role, self._identity, self._workers = role, identity, workers
        self._turn = 0

    @property
    def identity(self) -> str:
        return self._identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        worker = self._workers[self._turn % len(self._workers)]
        self._turn += 1
        told: Message = await worker.complete.remote(self._role, plain(request))
        if "reply" in told:
            return ModelReply(**told["reply"])
        raise error_from(told)


def error_from(told: Message) -> ModelError:
    """The worker's error as the driver's own kind."""
    if told["error"] == RateLimitedError.code:
        return RateLimitedError(told["problem"], retry_after_s=told["retry_after_s"])
    kinds: tuple[type[ModelError], ...] = (
        ModelUnavailableError,
        ModelTimeoutError,
        InvalidReplyError,
        RecordingMissingError,
    )
    kind = next((one for one in kinds if one.code == told["error"]), ModelError)
    return kind(told["problem"])


class RayPool:
    """core.ports.EmbeddingPool in Ray workers. One that dies is started again by Ray, and its part is done again."""

    def __init__(self, ray: Any, make: Callable[[], Embedder], identity: str, *, workers: int) -> None:
        self._ray = ray
        remote = ray.remote(EmbeddingWorker).options(num_cpus=1, max_restarts=RESTARTS, max_task_retries=RESTARTS)
        self._workers = self._started([remote.remote(make) for _ in range(workers)], identity)

    def map(self, parts: Sequence[Sequence[str]]) -> Iterator[Vectors]:
        """A worker has two parts at a time, so that it does not wait for the next; fast ones do more of them."""
        todo = deque(enumerate(parts))
        busy: dict[Any, tuple[int, Any]] = {}
        done: dict[int, Vectors] = {}
        free = [worker for worker in self._workers for _ in range(2)]
        wanted = 0
        while wanted < len(parts):
            while todo and free:
                at, part = todo.popleft()
                worker = free.pop()
                busy[worker.embed.remote(list(part))] = (at, worker)
            (ready,), _ = self._ray.wait(list(busy), num_returns=1)
            at, worker = busy.pop(ready)
            free.append(worker)
            done[at] = self._got(ready)
            while wanted in done:
                yield done.pop(wanted)
                wanted += 1

    def close(self) -> None:
        for worker in self._workers:
            self._ray.kill(worker)

    def _started(self, workers: list[Any], identity: str) -> list[Any]:
        """Those that came up in time: a busy cluster may have room for some of them only."""
        asked = {worker.identity.remote(): worker for worker in workers}
        ready, late = self._ray.wait(list(asked), num_returns=len(asked), timeout=START_S)
        for reference in late:
            self._ray.kill(asked[reference])
        if not ready:
            raise EncoderError(f"no Ray worker started within {START_S:g} s; the cluster may have no free core")
        for reference in ready:
            if (theirs := self._got(reference)) != identity:
                raise EncoderError(
                    f"a Ray worker has the model {theirs!r} and this machine {identity!r}; "
                    "install the same Surefoot and models on every node"
                )
        return [asked[reference] for reference in ready]

    def _got(self, reference: Any) -> Any:
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            said = str(error).strip().rpartition("\n")[2][:200]
            raise EncoderError(
                f"a Ray worker cannot embed ({said}); install the same Surefoot and models on every node"
            ) from error


class EmbeddingWorker:
    """Lives in a Ray worker and owns its model."""

    def __init__(self, make: Callable[[], Embedder]) -> None:
        self._embedder = make()

    def identity(self) -> str:
        return self._embedder.identity

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed(texts)
