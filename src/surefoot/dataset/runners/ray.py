"""The Ray runner: workers call the models; journal, retrieval and the gate stay with the driver.

What comes out is the same as with the local runner, byte for byte: only the place of the call differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from surefoot.core.errors import (
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
from surefoot.core.ports import LanguageModel
from surefoot.core.types import ModelReply, ModelRequest
from surefoot.dataset.runners.local import ModelFactory

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
            if address is None:
                ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
            else:
                ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise InputError(
                f"cannot use Ray at {address or 'this machine'!r}: {error}; check --ray-address"
            ) from error

    def open(self, factories: Mapping[str, ModelFactory]) -> dict[str, LanguageModel]:
        remote = self._ray.remote(Worker).options(max_concurrency=self._calls_at_once, num_cpus=1)
        workers = [remote.remote(dict(factories)) for _ in range(self._workers)]
        identities: dict[str, str] = self._ray.get(workers[0].identities.remote())
        return {role: RemoteModel(role, identity, workers) for role, identity in identities.items()}

    def close(self) -> None:
        self._ray.shutdown()


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
