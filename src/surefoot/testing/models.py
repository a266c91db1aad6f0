"""Language models that say what a test tells them to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from surefoot.core.errors import ModelUnavailableError
from surefoot.core.ports import LanguageModel
from surefoot.core.types import ModelReply, ModelRequest

Said = str | ModelReply | Exception


class ScriptedModel:
    """Replies in order from a list, or by a function of the request. An exception in the script is raised.

    A list that has run out is an error, so that a test notices calls it did not expect.
    """

    def __init__(
        self, script: Sequence[Said] | Callable[[ModelRequest], Said], *, identity: str = "scripted:test"
    ) -> None:
        self._script = script
        self._identity = identity
        self.requests: list[ModelRequest] = []

    @property
    def identity(self) -> str:
        return self._identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        said = self._next(request)
        if isinstance(said, Exception):
            raise said
        if isinstance(said, ModelReply):
            return said
        return ModelReply(
            text=said,
            model=self._identity,
            prompt_tokens=len(request.system.split()) + len(request.prompt.split()),
            completion_tokens=len(said.split()),
        )

    def _next(self, request: ModelRequest) -> Said:
        if callable(self._script):
            return self._script(request)
        place = len(self.requests) - 1
        if place >= len(self._script):
            raise AssertionError(
                f"the script has {len(self._script)} replies, but call {place + 1} came: {request.prompt[:80]!r}"
            )
        return self._script[place]


class RoleModel:
    """Sends each request to the model of its role."""

    def __init__(self, models: Mapping[str, LanguageModel]) -> None:
        self._models = models

    @property
    def identity(self) -> str:
        return "roles:" + ",".join(f"{role}={model.identity}" for role, model in sorted(self._models.items()))

    async def complete(self, request: ModelRequest) -> ModelReply:
        if request.role not in self._models:
            raise AssertionError(f"no model for role {request.role!r}; there are {sorted(self._models)}")
        return await self._models[request.role].complete(request)


class FailingModel:
    """Never delivers."""

    def __init__(self, error: Exception | None = None, *, identity: str = "failing:test") -> None:
        self._error = error or ModelUnavailableError("the failing model always fails; use another one")
        self._identity = identity
        self.calls = 0

    @property
    def identity(self) -> str:
        return self._identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.calls += 1
        raise self._error
